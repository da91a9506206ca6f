"""The load of several hosts at once: one fio client here, an fio server on each of them.

Files are made below a directory that every host has, in a directory of the benchmark's own: fio's server makes it with
mode 0700 (filesetup.c, create_work_dirs), and its name is the benchmark's id, 128 random bits that no other user knows
before it is there. So nobody can put a link or a file where the benchmark is about to write. Files carry the host's
number, since hosts may share a file system, and are removed by a job of their own. A host that goes away leaves a
partial figure, and maybe its files.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from raidtui.machine.bench.child_process import reason_of
from raidtui.machine.bench.fio_load import filling, measuring, value_of
from raidtui.machine.bench.hosts.agents import answers
from raidtui.machine.bench.hosts.client import Heard, HostsRun
from raidtui.machine.bench.scratch_dir import PREFIX
from raidtui.machine.ports.load import Measured, Running
from raidtui.model.bench import Bench, Label, Task
from raidtui.model.errors import MachineFailed
from raidtui.model.safe import safe
from raidtui.planner.measurement.bench_plan import layout_of, needs_fill
from raidtui.tools import fio, fio_json
from raidtui.tools.fio import Workload
from raidtui.tools.fio_hosts import HostAddress, client_argv, for_host, removing

LATE_SECONDS = 90.0
"""after its time a client that has not ended is ended: a host does not answer"""
SKEW = 0.1
"""of the measured time; hosts that start further apart give a figure labelled partial"""
_LEAST_SKEW = 1.0
_WHOLE = 0.9


class HostsLoad:
    """See Load. `told` hears of hosts that go away and of starts that lie apart."""

    simulated = False

    def __init__(
        self, bench: Bench, hosts: Sequence[HostAddress], *, told: Callable[[str], None] = lambda _: None
    ) -> None:
        self._id, self._hosts, self._told = bench.id, tuple(hosts), told
        self._folder = tempfile.TemporaryDirectory(prefix="raidtui-hosts-")
        self._laid: tuple[object, ...] | None = None
        self._made: Workload | None = None
        self._directory = ""
        self._touched: set[str] = set()
        self._gone: set[str] = set()

    def prepare(self, task: Task) -> Running | None:
        """See Load: fills each host's files, unless the job before left them."""
        shape = (task.target.paths, *layout_of(task.job))
        if self._laid != shape:
            self._remove()
        if not needs_fill(task.job) or self._laid == shape:
            return None

        def read(heard: Heard, said: str, code: int) -> Measured:
            self._checked(heard.printed, said, code)
            self._laid = shape
            return Measured(value=0.0, began=0.0, ended=0.0)

        return self._start(filling(task, 1), task, "fill", task.bytes_used / 300e6, None, read, None)

    def settle(self, task: Task) -> None:
        """See Load. What hosts have in their memory is theirs: filling ends with an fsync."""

    def measure(self, task: Task, repeat: int, raw: Path) -> Running:
        """See Load."""
        job = task.job
        seconds = job.warm_up_seconds + job.seconds

        def read(heard: Heard, said: str, code: int) -> Measured:
            found = self._checked(heard.printed, said, code)
            by_host = self._by_host(task, found)
            if apart(task, heard.skew):
                self._told(f"the hosts began {heard.skew:.1f} s apart")
            began = max(heard.starts, default=time.time() - seconds) + job.warm_up_seconds
            return Measured(
                value=sum(by_host.values()), began=began, ended=began + found.seconds, latency=found.latency,
                by_host=by_host, labels=labels_of(task, found, len(self._hosts), heard.skew),
            )  # fmt: skip

        limit = seconds + LATE_SECONDS
        return self._start(measuring(task, repeat), task, "repeat", seconds, limit, read, raw)

    def check(self, task: Task) -> None:
        """See Load: at least one host must be there; the others give partial figures."""
        del task
        if len(self._gone) == len(self._hosts):
            raise MachineFailed("no host answers any more", hint="look at the agents, then start anew")

    def done(self, task: Task, following: Task | None) -> None:
        """See Load."""
        del task
        keep = following is not None and needs_fill(following.job)
        if not (keep and following and (following.target.paths, *layout_of(following.job)) == self._laid):
            self._remove()

    def clean(self) -> None:
        """See Load. Of hosts that went away the files that may be left are named."""
        self._remove()
        left = [host.name for host in self._hosts if host.key in self._touched]
        if left:
            self._touched.clear()
            raise MachineFailed(
                f"files may be left on {', '.join(left)}",
                hint=f"there: rm -r {safe(self._directory)}/{PREFIX}{self._id}",
            )
        self._remove_directory()

    def _remove_directory(self) -> None:
        """Removes the empty directory where this machine sees it; fio removes files only."""
        if not self._directory:
            return
        own, self._directory = f"{self._directory}/{PREFIX}{self._id}", ""
        try:
            Path(own).rmdir()
        except OSError:
            self._told(f"the empty directory {own} is left on each host; raidtui bench there removes it, or rmdir")

    def _by_host(self, task: Task, found: fio_json.FioResult) -> dict[str, float]:
        """The figure of each host by its name; 0 for one that is missing."""
        values = {key: value_of(task, each) for key, each in found.by_host}
        if not values and len(self._hosts) == 1:
            values = {self._hosts[0].key: value_of(task, found)}
        for host in self._hosts:
            if host.key not in values:
                self._lost(host, "gave no result")
        return {host.name: values.get(host.key, 0.0) for host in self._hosts}

    def _lost(self, host: HostAddress, why: str) -> None:
        if host.key not in self._gone:
            self._told(f"{host.name} {why}: figures are partial from now on")
        self._gone.add(host.key)

    def _present(self) -> list[tuple[int, HostAddress]]:
        """The hosts whose agents answer, with their numbers."""
        present = []
        for number, host in enumerate(self._hosts, start=1):
            if answers(host):
                present.append((number, host))
                self._gone.discard(host.key)
            else:
                self._lost(host, "does not answer")
        if not present:
            raise MachineFailed("no host answers", hint="start `fio --server` on each")
        return present

    def _start(
        self, workload: Workload, task: Task, phase: str, seconds: float, limit: float | None,
        read: Callable[[Heard, str, int], Measured], raw: Path | None,
    ) -> HostsRun:  # fmt: skip
        directory = task.target.paths[0]
        present = self._present()
        self._made, self._directory = workload, directory
        self._touched |= {host.key for _, host in present}
        argv = client_argv([(host, self._job_file(workload, directory, number)) for number, host in present])
        return HostsRun(argv, raw=raw, phase=phase, seconds=seconds, limit=limit, read=read)

    def _job_file(self, workload: Workload, directory: str, number: int, *, remove: bool = False) -> str:
        own = for_host(workload, directory, _prefix(self._id, number))
        path = Path(self._folder.name) / f"host-{number}.fio"
        path.write_text((removing(own) if remove else own).job_file())
        return str(path)

    def _remove(self) -> None:
        """Has every host that answers unlink its files."""
        if self._made is None:
            return
        workload, self._made, self._laid = self._made, None, None
        present = [(number, host) for number, host in enumerate(self._hosts, start=1) if answers(host)]
        self._gone |= {host.key for host in self._hosts} - {host.key for _, host in present}
        if not present:
            return
        jobs = [(host, self._job_file(workload, self._directory, number, remove=True)) for number, host in present]

        def read(heard: Heard, said: str, code: int) -> Measured:
            self._checked(heard.printed, said, code)
            return Measured(value=0.0, began=0.0, ended=0.0)

        HostsRun(client_argv(jobs), raw=None, phase="remove", seconds=5, limit=None, read=read).outcome()
        self._touched -= {host.key for _, host in present}

    def _checked(self, printed: str, said: str, code: int) -> fio_json.FioResult:
        """What the hosts measured. Raises MachineFailed when none did, or one met an error, which is named."""
        try:
            found = fio_json.parse(printed)
        except MachineFailed:
            raise reason_of(fio.PROGRAM, code, said or printed) from None
        names = {host.key: host.name for host in self._hosts}
        for key, each in found.by_host:
            if each.errors:
                line = next((line for line in printed.splitlines() if "error=" in line or "fio: " in line), "")
                raise MachineFailed(f"{names.get(key, key)}: {each.error or 'I/O error'}", hint=safe(line, longest=300))
        return found


def labels_of(task: Task, found: fio_json.FioResult, hosts: int, skew: float) -> tuple[Label, ...]:
    """Partial where one of `hosts` is missing, ended early, or began when others were well under way."""
    missing = hosts > 1 and len(found.by_host) < hosts
    early = any(each.seconds < _WHOLE * task.job.seconds for _, each in found.by_host)
    return ("partial",) if missing or early or apart(task, skew) else ()


def apart(task: Task, skew: float) -> bool:
    """True where hosts began so many seconds apart that their figures are not of one time."""
    return skew > max(_LEAST_SKEW, SKEW * task.job.seconds)


def job_text(bench: Bench, task: Task, number: int) -> str:
    """The job file of one host, by its number from 1, for the first repeat of `task`."""
    return for_host(measuring(task, 1), task.target.paths[0], _prefix(bench.id, number)).job_file()


def _prefix(bench_id: str, number: int) -> str:
    """Beginning of the files' names of host `number`: the directory of the benchmark, and the number in it."""
    return f"{PREFIX}{bench_id}/{number}"
