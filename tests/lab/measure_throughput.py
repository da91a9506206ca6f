"""Measures every case in the lab and writes tests/validation/lab_throughput.csv anew.

    python -m tests.lab.measure_throughput [FILE]

42 minutes under emulation on two cores; nothing else should run on the host meanwhile. Each row is
printed and written at once. A run in which fio and the kernel's counters of the array disagree by a
fifth is taken again; the row's note keeps what was dropped.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.lab.geometry_measure import prepare
from tests.lab.throughput_cases import (
    DISK,
    Case,
    Pool,
    Workload,
    further_cases,
    main_cases,
    pool,
    recovery_cases,
    workload,
)
from tests.lab.throughput_measure import array, disks_alone, measure_undisturbed, recovery, throughput_machine
from tests.lab.throughput_table import TABLE, Row, Versions, append, disk_row, note, row
from tests.lab.vm import Machine

_ALONE: tuple[tuple[Pool, str], ...] = (
    ("SEQ", "seq_read"),
    ("SEQ", "seq_write"),
    ("ROT", "seq_read"),
    ("RND", "rand_read"),
    ("RND", "rand_write"),
)
_Rates = dict[tuple[Pool, bool], list[float]]
"""what the disks do without md, by pool and whether they are written"""


def write_table(file: Path) -> None:
    """Boot the machine and take every row."""
    file.unlink(missing_ok=True)
    with throughput_machine() as vm:
        prepare(vm)
        versions = _versions(vm)
        rates = _disks(vm, file, versions)
        for case, names in (*main_cases(), *further_cases()):
            _case(vm, file, versions, rates, case, names)
        for case in recovery_cases():
            job = Workload("recovery", "write", 0, 0, 0)
            slowest = min(rates["SEQ", True][: case.members + 1])
            how = "the disk that is filled; sync_speed_min and _max lifted"
            _note(file, row(case, job, recovery(vm, case), slowest, versions, how))


def _disks(vm: Machine, file: Path, versions: Versions) -> _Rates:
    found: _Rates = {}
    for which, name in _ALONE:
        job = workload(name, DISK)
        rates = found[which, "write" in name] = disks_alone(vm, which, name)
        for number, rate in enumerate(rates, 1):
            _note(file, disk_row(job, rate, which, number, versions))
    return found


def _case(vm: Machine, file: Path, versions: Versions, rates: _Rates, case: Case, names: tuple[str, ...]) -> None:
    """One array a pool, its workloads one after another."""
    jobs = [workload(name, case) for name in names]
    for which in dict.fromkeys(pool(case, job) for job in jobs):
        with array(vm, case, which) as target:
            for job in jobs:
                if pool(case, job) == which:
                    slowest = min(rates[which, "write" in job.kind][: case.members])
                    got, dropped = measure_undisturbed(vm, target, job)
                    _note(file, row(case, job, got, slowest, versions, note(job, got, dropped)))


def _note(file: Path, new: Row) -> None:
    append(file, new)
    name = f"{new.level}({new.members}{',' if new.layout else ''}{new.layout})"
    print(f"{name} {new.state} {new.workload} {new.measured} {new.unit}", flush=True)


def _versions(vm: Machine) -> Versions:
    shown = vm.check("uname -r; mdadm --version 2>&1; fio --version").stdout
    kernel, mdadm, fio = shown.splitlines()[:3]
    number = re.search(r"v(\S+)", mdadm)
    if number is None:
        raise AssertionError(f"mdadm calls itself {mdadm}")
    return Versions(kernel, number[1], fio.removeprefix("fio-"))


if __name__ == "__main__":
    write_table(Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE)
