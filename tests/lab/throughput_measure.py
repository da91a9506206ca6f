"""Runs one fio job on one array in the guest; says how fast it was and what the members did for it.

The rate is fio's own, without its ramp. The counters are from /proc/diskstats, over a window inside
fio's run: `array` is what the array itself completed in it, so that the members' bytes or requests
divided by the array's are what the level costs. Call `prepare` of geometry_measure first.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.lab.geometry_parse import sections
from tests.lab.image import Image
from tests.lab.throughput_cases import DISK, Case, Pool, Workload, throughput_disks, workload
from tests.lab.vm import Machine

_MD = "md100"
_MIB = 1 << 20
_RAMP = 4
"""seconds until the limits' buckets are drained and the queues are full"""
_SECONDS = 7
_SECONDS_RANDOM = 14
"""longer: a hundred requests in flight at a hundred a second and disk take a second to end"""
_SHOWN = "shown() { echo @@window; cut -d' ' -f1 /proc/uptime; cat /proc/diskstats; }"


@dataclass(frozen=True)
class Counters:
    """What one or several block devices completed in the window."""

    read_ios: int
    read_bytes: int
    write_ios: int
    write_bytes: int


@dataclass(frozen=True)
class Measured:
    """`rate` is in requests a second for random workloads, else in bytes a second; `window` in seconds."""

    rate: float
    window: float
    array: Counters
    each: tuple[Counters, ...]
    read_ahead_kib: int

    @property
    def members(self) -> Counters:
        """All members together."""
        return Counters(
            sum(member.read_ios for member in self.each),
            sum(member.read_bytes for member in self.each),
            sum(member.write_ios for member in self.each),
            sum(member.write_bytes for member in self.each),
        )

    def disturbed(self, job: Workload) -> bool:
        """Whether fio and the kernel's counters of the array disagree by a fifth: something else was at work."""
        done = (
            self.array.read_ios + self.array.write_ios if job.random else self.array.read_bytes + self.array.write_bytes
        )
        return abs(done / self.window - self.rate) > self.rate / 5


@dataclass(frozen=True)
class Array:
    """A block device under test and its members, as the kernel calls them."""

    device: str
    members: tuple[str, ...]


def throughput_machine(using: Image | None = None) -> Machine:
    """A machine with the throttled disks, md's own limits on a rebuild as the kernel has them."""
    return Machine(throughput_disks(), using=using, sync_limit_kib=None)


def kernel_names(vm: Machine, pool: Pool) -> list[str]:
    """The disks of a pool, proven to be the lab's, as the kernel calls them now."""
    paths = vm.disk_paths([serial for serial in vm.serials if serial.startswith(pool)])
    return vm.check(["readlink", "-f", *paths.values()]).stdout.replace("/dev/", "").split()


@contextmanager
def array(vm: Machine, case: Case, pool: Pool) -> Iterator[Array]:
    """Make the case's array of blank disks (parity of zeros is zero: no resync), and take it down."""
    members = kernel_names(vm, pool)[: case.members]
    if len(members) < case.members:
        raise ValueError(f"{case.members} {pool} disks wanted")
    argv = ["mdadm", "--create", f"/dev/{_MD}", "--run", "-l", case.level.removeprefix("raid"), "-n", str(case.members)]
    argv += [] if case.level == "raid1" else ["-c", str(case.chunk_kib)]
    argv += ["--layout", case.layout] if case.layout else []
    argv += [] if case.level == "raid0" else ["--assume-clean", f"--bitmap={case.bitmap}"]
    vm.check([*argv, *(f"/dev/{name}" for name in members)])
    try:
        if case.parity:
            vm.check(f"echo {case.cache} > /sys/block/{_MD}/md/stripe_cache_size")
        for name in members[: case.failed]:
            vm.check(_lose(name))
        yield Array(_MD, tuple(members[case.failed :]))
    finally:
        vm.check(f"udevadm settle; mdadm --stop /dev/{_MD}; udevadm settle", timeout=300)
        vm.erase_disks([serial for serial in vm.serials if serial.startswith(pool)])


def measure(vm: Machine, target: Array, job: Workload) -> Measured:
    """Run the job on the array."""
    seconds = _SECONDS_RANDOM if job.random else _SECONDS
    part = 0
    if job.jobs > 1:
        sectors = int(vm.check(["cat", f"/sys/block/{target.device}/size"]).stdout)
        part = sectors * 512 // job.jobs // _MIB * _MIB
    argv = [*_fio(job, seconds), *_jobs([target.device], part)]
    found = _ran(vm, argv, seconds, f"cat /sys/block/{target.device}/queue/read_ahead_kb")
    window, (whole, *each) = _counted(found, (target.device, *target.members))
    (done,) = json.loads(found["fio"][0])["jobs"]
    return Measured(_rate(done, job), window, whole, tuple(each), int(found["shown"][0]))


def measure_undisturbed(vm: Machine, target: Array, job: Workload, attempts: int = 3) -> tuple[Measured, list[float]]:
    """The first undisturbed run, and the rates of the disturbed ones before it. AssertionError without any."""
    dropped: list[float] = []
    for _ in range(attempts):
        got = measure(vm, target, job)
        if not got.disturbed(job):
            return got, dropped
        dropped.append(got.rate)
    raise AssertionError(f"{job.name}: fio and the array's counters disagree: {dropped}")


def disks_alone(vm: Machine, pool: Pool, name: str) -> list[float]:
    """The rate of every disk of the pool without md, all of them at work at the same time."""
    job = workload(name, DISK)
    seconds = _SECONDS_RANDOM if job.random else _SECONDS
    argv = [arg for arg in _fio(job, seconds) if arg != "--group_reporting"]
    found = _ran(vm, [*argv, *_jobs(kernel_names(vm, pool), 0)], seconds, "true")
    rates = [_rate(done, job) for done in json.loads(found["fio"][0])["jobs"]]
    vm.erase_disks([serial for serial in vm.serials if serial.startswith(pool)])
    return rates


def recovery(vm: Machine, case: Case) -> Measured:
    """Lose member 0, add a blank disk: `rate` is what that is filled at, md's limits lifted. The last of `each`."""
    spare = kernel_names(vm, "SEQ")[case.members]
    with array(vm, case, "SEQ") as made:
        lost, *others = made.members
        limits = f"/sys/block/{_MD}/md/sync_speed_max /sys/block/{_MD}/md/sync_speed_min"
        script = f"""
set -e
echo 1000000 | tee {limits} > /dev/null
{_lose(lost)}
mdadm /dev/{_MD} --add /dev/{spare}
{_SHOWN}
sleep {_RAMP + 2}; shown; sleep {_SECONDS}; shown
echo @@shown; cat /sys/block/{_MD}/md/sync_action
echo frozen > /sys/block/{_MD}/md/sync_action
"""
        found = sections(vm.check(script, timeout=120).stdout)
    if found["shown"][0].strip() != "recover":
        raise AssertionError(f"md does not rebuild: {found['shown'][0]}")
    window, (whole, *each) = _counted(found, (_MD, *others, spare))
    return Measured(each[-1].write_bytes / window, window, whole, tuple(each), 0)


def _lose(name: str) -> str:
    return f"mdadm /dev/{_MD} --fail /dev/{name} && sleep 1 && mdadm /dev/{_MD} --remove /dev/{name}"


def _fio(job: Workload, seconds: int) -> list[str]:
    argv = ["fio", f"--rw={job.kind}", f"--bs={job.block_kib}k", f"--numjobs={job.jobs}", "--group_reporting"]
    argv += ["--time_based", f"--ramp_time={_RAMP}", f"--runtime={seconds}", "--output-format=json"]
    argv += ["--ioengine=libaio", "--direct=1", f"--iodepth={job.depth}"] if job.direct else ["--ioengine=psync"]
    argv += ["--norandommap", "--randseed=1"] if job.random else []
    argv += ["--refill_buffers"] if job.kind.endswith("write") else []
    return argv


def _jobs(devices: list[str], part: int) -> list[str]:
    own = [f"--size={part}", f"--offset_increment={part}"] if part else []
    return [arg for name in devices for arg in (f"--name={name}", f"--filename=/dev/{name}", *own)]


def _ran(vm: Machine, argv: list[str], seconds: int, show: str) -> dict[str, list[str]]:
    script = f"""
echo 3 > /proc/sys/vm/drop_caches
{shlex.join(argv)} > /run/fio.json &
{_SHOWN}
sleep {_RAMP + 2}; shown; sleep {seconds - 3}; shown
wait $! || exit
echo @@shown; {show}
echo @@fio; cat /run/fio.json
"""
    return sections(vm.check(script, timeout=120 + 4 * seconds).stdout)


def _rate(done: dict[str, Any], job: Workload) -> float:
    way = done["read" if "read" in job.kind else "write"]
    return float(way["iops"] if job.random else way["bw_bytes"])


def _counted(found: dict[str, list[str]], names: tuple[str, ...]) -> tuple[float, list[Counters]]:
    """The window's length and, for each device, what it completed in it."""
    before, after = found["window"]
    length = float(after.split(None, 1)[0]) - float(before.split(None, 1)[0])
    return length, [_between(before, after, name) for name in names]


def _between(before: str, after: str, name: str) -> Counters:
    was, now = _line(before, name), _line(after, name)
    reads, _, sectors_read, _, writes, _, sectors_written = (b - a for a, b in zip(was, now, strict=True))
    return Counters(reads, sectors_read * 512, writes, sectors_written * 512)


def _line(text: str, name: str) -> list[int]:
    """Of /proc/diskstats: reads, merged, sectors of 512 bytes, milliseconds; then the same of writes, less the last."""
    words = next(words for words in map(str.split, text.splitlines()) if words[2:3] == [name])
    return [int(word) for word in words[3:10]]
