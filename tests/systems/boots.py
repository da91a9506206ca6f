"""`python -m tests.systems.boots [SUITE/MAKER[/ACT,ACT] ...]`: releases of Debian as whole machines under QEMU.

Each boots with its own kernel and with the initramfs that MAKER, its own initramfs-tools or dracut, made after a build;
all by default. A cell takes ten minutes and more, its image some minutes the first time, and root. `python -m
tests.regenerate_testing` makes the page of the record.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from raidtui.answers.confirm import phrase
from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from tests.lab import guest_files, guest_watch
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import GuestPython, install
from tests.lab.host import cache_dir, host_path, require_host_tools
from tests.lab.image import Image, locked, make_filesystem
from tests.lab.test_build import WATCH, _confirmed, _planned, _taken_back
from tests.lab.test_encrypted import KEY, PHRASE, STATED, _twice, _typed, closed, encrypted_as_planned
from tests.lab.test_script import _equals_plan, _exported
from tests.lab.vm import Machine
from tests.systems import roots
from tests.systems.cell import MIB, Cell, Outcome, _accepted, _act, _bystander, _versions

FILE = Path(__file__).with_name("boots.jsonl")
BOOTS = (
    ("bullseye", "initramfs-tools"), ("bookworm", "initramfs-tools"), ("trixie", "initramfs-tools"),
    ("sid", "dracut"), ("sid", "initramfs-tools"), ("trixie", "dracut"),
)  # fmt: skip
"""release, and what makes its initramfs"""
SERIALS = [f"LAB{number:04d}" for number in range(1, 7)]
_DEFAULT = {"sid": "dracut"}
"""what a release comes with where that is not initramfs-tools"""
_TOUCHED = (*guest_files.MULTIPATH_HOOKS, "etc/initramfs-tools/modules", "usr/sbin/update-initramfs")
"""files that the lab changes or calls"""
_QUICK_CONF = "/etc/dracut.conf.d/lab.conf"
_QUICK = """compress="zstd -q -1"
drivers=" virtio_pci virtio_blk virtio_scsi virtio_console sd_mod ext4 xfs "
omit_dracutmodules+=" bluetooth btrfs convertfs crypt crypt-gpg crypt-loop dmsquash-live drm fido2 i18n img-lib "
omit_dracutmodules+=" kernel-modules-extra memdisk nvdimm overlayfs pcsc pkcs11 plymouth qemu simpledrm tpm2-tss "
"""
"""for dracut: with every driver and module its image takes a quarter of an hour in emulation"""
_ANY_DAY = "-oAcquire::Check-Valid-Until=false"
"""the mirror may be a snapshot"""
_MOUNTED = "for second in $(seq 240); do findmnt -n /srv/data && break; sleep 1; done; findmnt -n /srv/data"
"""by fstab: nothing else here mounts it"""
_STARTED = re.compile(r"\[ *([\d.]+)\] md/raid\S* .*active with (\d+) out of (\d+) ")
"""seconds of the kernel's clock, members there, members in all"""


@dataclass(slots=True)
class Booted(Cell):
    """A release with its own kernel and a maker of its initramfs."""

    maker: str = ""

    @property
    def name(self) -> str:
        """`sid/dracut`."""
        return f"{self.suite}/{self.maker}"


def run(cell: Booted, told: Callable[[Booted, str], None] = lambda *_: None, *, only: Collection[str] = ()) -> Booted:
    """Fills the cell: every act or only these, in order, up to the first of a machine that does not come out as
    promised."""
    cell.day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    for of_machine in acts_of(cell.suite, cell.maker):
        acts = {name: act for name, act in of_machine.items() if not only or name in only}
        if not acts:
            continue
        with _machine(cell) as vm:
            for name, act in acts.items():
                with _act(cell, name, lambda _, act: told(cell, act)) as how:
                    how += act(vm)
                if cell.acts[name].word != "exact":
                    break
    return cell


@contextlib.contextmanager
def _machine(cell: Booted) -> Iterator[Machine]:
    using, python = machine_image(cell.suite, cell.maker)
    disks = [*lab_disks(6, bytes=160 * MIB, controllers=2), *lab_disks(1, prefix="BY", bytes=256 * MIB)]
    with Machine(disks, using=using, cold=True, sync_limit_kib=None) as vm:
        install(vm, Path(guest_watch.__file__), python=python)
        vm.check(f"mkfs.ext4 -q {vm.disk_path('BY0001')}")
        vm.bystander = vm.hash_disks(["BY0001"])  # type: ignore[attr-defined]
        cell.versions = _versions(vm)
        vm.check("mkdir -p /etc/dracut.conf.d; systemctl unmask mdcheck_start.timer")  # as the release has it
        vm.check("sed -i 's:/boot ext4 defaults:&,x-systemd.device-timeout=900:' /etc/fstab")  # a busy host is slow
        vm.put("/etc/systemd/system.conf.d/slow.conf", b"[Manager]\nDefaultDeviceTimeoutSec=900\n")
        vm.put("/etc/initramfs-tools/conf.d/zz-lab", b"COMPRESS=gzip\n")  # Debian 11 has zstd -19
        vm.put(_QUICK_CONF, _QUICK.encode())
        yield vm


def _build(vm: Machine) -> list[str]:
    """Two arrays, LVM over both and XFS, as planned; a file on it."""
    plan, used = _planned(vm, "2x(2+1)", SERIALS), []
    built = _confirmed(vm, "build /root/plan/plan.json --wait-for-sync", plan)
    if "[mdadm-conf-elsewhere]" in built.stderr:  # Debian 13 with dracut, which has no update-initramfs there
        vm.check("mv /etc/mdadm/mdadm.conf /etc/mdadm.conf && dracut --force", timeout=1800)
        used = ["refused by mdadm-conf-elsewhere, then built by its way out"]
        built = _confirmed(vm, "build /root/plan/plan.json --wait-for-sync", plan)
    _accepted(vm, built)
    _filled(vm, plan)
    return used


def _filled(vm: Machine, plan: Plan) -> None:
    """As planned; puts a file on it."""
    _equals_plan(vm, plan)
    vm.check("head -c 8M /dev/urandom > /srv/data/f; sha256sum /srv/data/f > /root/sum; sync")


def _reboot(vm: Machine) -> list[str]:
    """All members, under the plan's names; fstab mounts it."""
    vm.reboot(permute=3)
    return _came_up(vm, lacks=0)


def _degraded(vm: Machine) -> list[str]:
    """A member is gone: its array starts without it, fstab mounts the volume, and `audit` names the array."""
    vm.power_off()
    vm.take_out(SERIALS[1])
    vm.start(permute=5)
    return _came_up(vm, lacks=1)


def _early(vm: Machine) -> list[str]:
    """dracut's image is to start arrays, which `audit` warns of until it names them; the member is still gone.

    Such an image is for any machine: one for its host alone has mdadm.conf where it has mdadm.
    """
    rebuild = "if command -v update-initramfs; then update-initramfs -u; else dracut --force; fi"
    vm.put("/etc/dracut.conf.d/auto.conf", b'kernel_cmdline="rd.auto"\nhostonly="no"\n')
    vm.check(rebuild, timeout=1800)
    found = json.loads(vm.run("raidtui audit --json", timeout=300).stdout)["findings"]
    (way_out,) = {each["way_out"] for each in found if each["code"] == "not-in-initramfs"}
    assert 'put mdadmconf="yes" into a file of /etc/dracut.conf.d' in way_out
    vm.put("/etc/dracut.conf.d/mdadm.conf", b'mdadmconf="yes"\n')
    vm.check(rebuild, timeout=1800)
    vm.reboot(permute=7)
    return _came_up(vm, lacks=1)


def _key_file(vm: Machine) -> list[str]:
    """LUKS2 over the same volume: built, opened by its key file at a boot and mounted, taken back."""
    vm.check(f"install -m 0700 -d {Path(KEY).parent}; head -c 64 /dev/urandom > {KEY}; chmod 0400 {KEY}")
    plan = _planned(vm, "2x(2+1)", SERIALS, STATED)
    _accepted(vm, _confirmed(vm, "build /root/plan/plan.json --wait-for-sync", plan))
    _filled(vm, plan)
    vm.reboot(permute=3)
    how = _came_up(vm, lacks=0)
    encrypted_as_planned(vm, plan)
    _taken_back(vm, plan, "--lose-files 1")
    closed(vm, plan)
    return how


def _passphrase(vm: Machine) -> list[str]:
    """The same by a passphrase: typed at the build, at the console of a boot, and long after the next boot."""
    plan = _planned(vm, "2x(2+1)", SERIALS, "--encrypt volume")
    begin = ("to begin", phrase(plan)), *_twice()
    _accepted(vm, _typed(vm, "build /root/plan/plan.json --wait-for-sync", *begin))
    _filled(vm, plan)
    with _typing(vm, "data-luks", PHRASE):
        vm.reboot(permute=5)
    how = _came_up(vm, lacks=0)
    encrypted_as_planned(vm, plan, "none")

    vm.reboot(permute=7)
    vm.check("test ! -e /dev/mapper/data-luks && ! findmnt /srv/data && systemctl is-active multi-user.target")
    answer = json.dumps([("data-luks", PHRASE)])
    vm.check(f"{WATCH} type systemd-tty-ask-password-agent --query", stdin=answer, timeout=300)
    return list(dict.fromkeys((*how, *_came_up(vm, lacks=0))))


@contextlib.contextmanager
def _typing(vm: Machine, asked: str, answer: str) -> Iterator[None]:
    """Types an answer at the console once it asks for it, and proves that it did."""
    seen, over = len(vm.console()), threading.Event()
    typed: list[str] = []

    def wait() -> None:
        while not over.wait(0.2):
            if asked in vm.console()[seen:]:
                vm.type(f"{answer}\n")
                typed.append(answer)
                return

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    assert typed and answer not in vm.console(), vm.console()[seen:]


ACTS: dict[str, Callable[[Machine], list[str]]] = {
    "build": _build, "reboot": _reboot, "degraded boot": _degraded, "rd.auto": _early,
}  # fmt: skip


ENCRYPTED: dict[str, Callable[[Machine], list[str]]] = {"key file": _key_file, "passphrase": _passphrase}


def acts_of(suite: str, maker: str) -> tuple[dict[str, Callable[[Machine], list[str]]], ...]:
    """Those of each machine, in order; images of initramfs-tools start arrays without being asked."""
    plain = {name: act for name, act in ACTS.items() if maker == "dracut" or act is not _early}
    return (plain, ENCRYPTED) if suite == "bookworm" else (plain,)


def _came_up(vm: Machine, *, lacks: int) -> list[str]:
    """Everything is there and is what raidtui says of it; when the arrays were started."""
    vm.check(_MOUNTED, timeout=300)
    vm.check("udevadm settle; sha256sum --check --quiet /root/sum", timeout=300)
    plan = from_json(Plan, vm.get("/root/plan/plan.json"), source="the guest")
    assert {_exported(vm, array.device)["MD_UUID"] for array in plan.arrays} == {array.uuid for array in plan.arrays}
    runs = json.loads(vm.check("raidtui status --json", timeout=300).stdout)["runs"]
    assert {run["run_id"]: run["outcome"] for run in runs}[plan.run_id] == "finished", runs

    root = int(vm.check("systemctl show --value -p UserspaceTimestampMonotonic").stdout) / 1e6
    started = [
        (float(at), int(all_of) - int(there)) for at, there, all_of in _STARTED.findall(vm.check("dmesg").stdout)
    ]
    assert sorted(missing for _, missing in started) == [0] * (len(plan.arrays) - lacks) + [1] * lacks, started
    (early,) = {at < root for at, missing in started if not missing}
    shown = json.loads(vm.check("raidtui arrays --json", timeout=300).stdout)["arrays"]
    assert sorted(each["lacks"] for each in shown) == sorted(missing for _, missing in started), shown
    places = ("in_conf", "in_initramfs", "in_fstab", "monitored")
    known = {tuple(each[place]["answer"] for place in places) for each in shown}
    assert known == {("yes", "yes" if early else "not-needed", "yes", "yes")}, shown
    found = json.loads(vm.run("raidtui audit --json", timeout=300).stdout)["findings"]
    of_the_lab = {"alerts-unheard", "failure-domain"}  # nothing takes mail; more adapters than the disks are on
    assert {each["code"] for each in found} - of_the_lab == ({"array-degraded"} if lacks else set()), found
    _bystander(vm)
    late = [
        f"without a member {abs(at - root):.0f} s {'after' if at > root else 'before'} systemd began"
        for at, missing in started
        if missing
    ]
    return [", ".join([f"started {'in the initramfs' if early else 'from the root file system'}", *late])]


def machine_image(suite: str, maker: str, *packages: str) -> tuple[Image, GuestPython]:
    """A release whose initramfs `maker` makes, with further packages, and the Python that raidtui runs on there."""
    if maker == _DEFAULT.get(suite, "initramfs-tools") and not packages:
        system = roots.system(suite, suite)
        return system, system.python
    require_host_tools()
    digest = hashlib.sha256(repr((maker, packages)).encode())
    for source in roots._SOURCES:
        digest.update(source.read_bytes())
    place = cache_dir() / f"boots-{suite}-{digest.hexdigest()[:12]}"
    with locked(place.name):
        if not place.exists():
            _make(suite, (maker, *packages), place)
    return Image(place), GuestPython(version=(place / "python").read_text())


def _make(suite: str, packages: Sequence[str], place: Path) -> None:
    work = place.with_name(f"{place.name}.building")
    shutil.rmtree(work, ignore_errors=True)
    tree, boot = work / "tree", work / "boot"
    tree.mkdir(parents=True)
    try:
        roots._unpack(suite, tree)
        shutil.copy("/etc/resolv.conf", tree / "etc/resolv.conf")
        (tree / _QUICK_CONF[1:]).parent.mkdir(parents=True, exist_ok=True)
        (tree / _QUICK_CONF[1:]).write_text(_QUICK)
        env = {"PATH": host_path(), "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        for words in ("update", f"install -y --no-install-recommends {' '.join(packages)}", "clean"):
            argv = ["chroot", str(tree), "apt-get", "-q", _ANY_DAY, *words.split()]
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        (python,) = tree.glob("usr/bin/python3.[0-9]*[0-9]")
        (work / "python").write_text(python.name.removeprefix("python"))
        missing = [each for each in _TOUCHED if not (tree / each).exists()]  # of packages that it is without
        for name in missing:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text("#!/bin/sh\nexec dracut --force --regenerate-all\n")
            (tree / name).chmod(0o755)
        guest_files.prepare_tree(tree)
        for name in missing:
            (tree / name).unlink()
        (tree / "boot").rename(boot)
        (tree / "boot").mkdir()
        kernel = next(boot.glob("vmlinuz-*"))
        shutil.copyfile(kernel, work / "vmlinuz")
        make_filesystem(tree, work / "root.raw", "4G", uuid=guest_files.ROOT_UUID)
        make_filesystem(boot, work / "boot.img", "256M", uuid=guest_files.BOOT_UUID)
        for leftover in (tree, boot):
            shutil.rmtree(leftover)
        work.rename(place)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def recorded() -> dict[tuple[str, str], Booted]:
    """Release and maker to what came of the cell."""
    found = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else ():
        told = json.loads(line)
        told["acts"] = {name: Outcome(**each) for name, each in told["acts"].items()}
        found[told["suite"], told["maker"]] = Booted(**told)
    return found


def keep(cell: Booted) -> None:
    """Puts a cell in the place of the one of that name."""
    cells = recorded() | {(cell.suite, cell.maker): cell}
    FILE.write_text("".join(f"{json.dumps(asdict(cells[key]))}\n" for key in BOOTS if key in cells))


def main(words: list[str]) -> int:
    """0 where no act differs."""
    differs = 0
    for word in words or ["/".join(key) for key in BOOTS]:
        suite, maker, only = (*word.split("/"), "")[:3]
        cell = recorded().get((suite, maker)) if only else None
        cell = run(cell or Booted(suite, suite, maker=maker), _told, only=only.split(",") if only else ())
        differs += sum(outcome.word == "differs" for outcome in cell.acts.values())
    return 1 if differs else 0


def _told(cell: Booted, act: str) -> None:
    keep(cell)
    print(f"{cell.name} {act}: {cell.acts[act].word} {cell.acts[act].how}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
