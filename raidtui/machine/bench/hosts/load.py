"""The load of several hosts at once: one fio client here, one fio server on each host.

Files are created below a directory that every host has, in the benchmark's own directory: fio's server creates it with
mode 0700 (filesetup.c, create_work_dirs), and its name is the benchmark's id, 128 random bits, so that no other user
can place a link or a file there beforehand. Names of files contain the host's number, since hosts may share a file
system; a separate job removes them. A host that is lost leaves a partial figure, and possibly its files.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from raidtui.machine.bench.child_process import reason_of
from raidtui.machine.bench.fio_load import filling, measuring, value_of
from raidtui.machine.bench.hosts.agents import answers
from raidtui.machine.bench.hosts.client import ClientOutput, HostsRun
from raidtui.machine.bench.scratch_dir import PREFIX
from raidtui.machine.ports.load import Measured, Running
from raidtui.model.bench import Bench, Label, Task
from raidtui.model.errors import MachineFailed
from raidtui.model.safe import safe
from raidtui.planner.measurement.bench_plan import file_layout, may_be_cached, needs_fill
from raidtui.tools import fio, fio_json
from raidtui.tools.fio import FioWorkload
from raidtui.tools.fio_hosts import HostAddress, client_argv, for_host, removing

LATE_SECONDS = 90.0
"""extra time after which a client is ended: a host does not respond"""
SKEW = 0.1
"""share of the measured time; if hosts start further apart, the figure is labelled partial"""
HOSTS_MEMORY = None
"""bytes of memory of the hosts: fio's servers do not tell"""
_LEAST_SKEW = 1.0
_WHOLE = 0.9


class HostsLoad:
    """See Load. `on_notice` receives messages about lost hosts and starts that are too far apart."""

    simulated = False

    def __init__(
        self, bench: Bench, hosts: Sequence[HostAddress], *, on_notice: Callable[[str], None] = lambda _: None
    ) -> None:
        self._id, self._hosts, self._on_notice = bench.id, tuple(hosts), on_notice
        self._folder = tempfile.TemporaryDirectory(prefix="raidtui-hosts-")
        self._laid: tuple[object, ...] | None = None
        self._made: FioWorkload | None = None
        self._directory = ""
        self._touched: set[str] = set()
        self._gone: set[str] = set()

    def prepare(self, task: Task) -> Running | None:
        """See Load: fills each host's files, unless the previous job left them."""
        shape = (task.target.paths, *file_layout(task.job))
        if self._laid != shape:
            self._remove()
        if not needs_fill(task.job) or self._laid == shape:
            return None

        def read(client: ClientOutput, stderr: str, code: int) -> Measured:
            self._checked(client.printed, stderr, code)
            self._laid = shape
            return Measured(value=0.0, began=0.0, ended=0.0)

        return self._start(filling(task, 1), task, "fill", task.bytes_used / 300e6, None, read, None)

    def settle(self, task: Task) -> None:
        """See Load. Does nothing: the hosts' caches cannot be dropped; filling ends with an fsync."""

    def measure(self, task: Task, repeat: int, raw: Path) -> Running:
        """See Load."""
        job = task.job
        seconds = job.warm_up_seconds + job.seconds

        def read(client: ClientOutput, stderr: str, code: int) -> Measured:
            found = self._checked(client.printed, stderr, code)
            by_host = self._by_host(task, found)
            if apart(task, client.skew):
                self._on_notice(f"the hosts started {client.skew:.1f} s apart")
            began = max(client.starts, default=time.time() - seconds) + job.warm_up_seconds
            return Measured(
                value=sum(by_host.values()), began=began, ended=began + found.seconds, latency=found.latency,
                by_host=by_host, labels=labels_of(task, found, len(self._hosts), client.skew),
            )  # fmt: skip

        limit = seconds + LATE_SECONDS
        return self._start(measuring(task, repeat), task, "repeat", seconds, limit, read, raw)

    def check(self, task: Task) -> None:
        """See Load: at least one host must answer; figures are partial without the others."""
        del task
        if len(self._gone) == len(self._hosts):
            raise MachineFailed("no host answers any longer", hint="check the agents, then start the benchmark again")

    def done(self, task: Task, following: Task | None) -> None:
        """See Load."""
        del task
        keep = following is not None and needs_fill(following.job)
        if not (keep and following and (following.target.paths, *file_layout(following.job)) == self._laid):
            self._remove()

    def clean(self) -> None:
        """See Load. Raises MachineFailed with the lost hosts on which files may be left."""
        self._remove()
        left = [host.name for host in self._hosts if host.key in self._touched]
        if left:
            self._touched.clear()
            raise MachineFailed(
                f"files may be left on {', '.join(left)}",
                hint=f"run there: rm -r {safe(self._directory)}/{PREFIX}{self._id}",
            )
        self._remove_directory()

    def _remove_directory(self) -> None:
        """Removes the empty directory if this machine has it; fio removes files only."""
        if not self._directory:
            return
        own, self._directory = f"{self._directory}/{PREFIX}{self._id}", ""
        try:
            Path(own).rmdir()
        except OSError:
            self._on_notice(
                f"the empty directory {own} is left on each host; remove it with rmdir, or raidtui bench there"
            )

    def _by_host(self, task: Task, found: fio_json.FioResult) -> dict[str, float]:
        """Figure of each host by name; 0 for a missing one."""
        values = {key: value_of(task, each) for key, each in found.by_host}
        if not values and len(self._hosts) == 1:
            values = {self._hosts[0].key: value_of(task, found)}
        for host in self._hosts:
            if host.key not in values:
                self._lost(host, "gave no result")
        return {host.name: values.get(host.key, 0.0) for host in self._hosts}

    def _lost(self, host: HostAddress, why: str) -> None:
        if host.key not in self._gone:
            self._on_notice(f"{host.name} {why}: figures are partial from now on")
        self._gone.add(host.key)

    def _present(self) -> list[tuple[int, HostAddress]]:
        """Hosts whose agents answer, with their numbers. Raises MachineFailed if none does."""
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
        self, workload: FioWorkload, task: Task, phase: str, seconds: float, limit: float | None,
        read: Callable[[ClientOutput, str, int], Measured], raw: Path | None,
    ) -> HostsRun:  # fmt: skip
        directory = task.target.paths[0]
        present = self._present()
        self._made, self._directory = workload, directory
        self._touched |= {host.key for _, host in present}
        argv = client_argv([(host, self._job_file(workload, directory, number)) for number, host in present])
        return HostsRun(argv, raw=raw, phase=phase, seconds=seconds, limit=limit, read=read)

    def _job_file(self, workload: FioWorkload, directory: str, number: int, *, remove: bool = False) -> str:
        own = for_host(workload, directory, _prefix(self._id, number))
        path = Path(self._folder.name) / f"host-{number}.fio"
        path.write_text((removing(own) if remove else own).job_file())
        return str(path)

    def _remove(self) -> None:
        """Removes the files on every host that answers."""
        if self._made is None:
            return
        workload, self._made, self._laid = self._made, None, None
        present = [(number, host) for number, host in enumerate(self._hosts, start=1) if answers(host)]
        self._gone |= {host.key for host in self._hosts} - {host.key for _, host in present}
        if not present:
            return
        jobs = [(host, self._job_file(workload, self._directory, number, remove=True)) for number, host in present]

        def read(client: ClientOutput, stderr: str, code: int) -> Measured:
            self._checked(client.printed, stderr, code)
            return Measured(value=0.0, began=0.0, ended=0.0)

        HostsRun(client_argv(jobs), raw=None, phase="remove", seconds=5, limit=None, read=read).outcome()
        self._touched -= {host.key for _, host in present}

    def _checked(self, printed: str, stderr: str, code: int) -> fio_json.FioResult:
        """The hosts' result. Raises MachineFailed if there is none or a host had an I/O error."""
        try:
            found = fio_json.parse(printed)
        except MachineFailed:
            raise reason_of(fio.PROGRAM, code, stderr or printed) from None
        names = {host.key: host.name for host in self._hosts}
        for key, each in found.by_host:
            if each.errors:
                line = next((line for line in printed.splitlines() if "error=" in line or "fio: " in line), "")
                raise MachineFailed(f"{names.get(key, key)}: {each.error or 'I/O error'}", hint=safe(line, longest=300))
        return found


def labels_of(task: Task, found: fio_json.FioResult, hosts: int, skew: float) -> tuple[Label, ...]:
    """`partial` if one of `hosts` is missing, ended early or started too late; `cached` for buffered files."""
    missing = hosts > 1 and len(found.by_host) < hosts
    early = any(each.seconds < _WHOLE * task.job.seconds for _, each in found.by_host)
    labels: tuple[Label, ...] = ("partial",) if missing or early or apart(task, skew) else ()
    return (*labels, "cached") if may_be_cached(task, HOSTS_MEMORY) else labels


def apart(task: Task, skew: float) -> bool:
    """True if `skew`, seconds between the hosts' starts, is too large for one common figure."""
    return skew > max(_LEAST_SKEW, SKEW * task.job.seconds)


def job_text(bench: Bench, task: Task, number: int) -> str:
    """Job file of one host (number from 1) for the first repeat of `task`."""
    return for_host(measuring(task, 1), task.target.paths[0], _prefix(bench.id, number)).job_file()


def _prefix(bench_id: str, number: int) -> str:
    """Prefix of host `number`'s file names: the benchmark's directory and the number."""
    return f"{PREFIX}{bench_id}/{number}"
