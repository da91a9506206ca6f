"""Runs cases of the matrix in the virtual machine, on real md, LVM and XFS: tiers 2 and 3 of `python -m tests.faults`.

The executor is the real one, in a process of its own that really gets kill -9. Only its Runner and its Journal are
wrapped, so that a fault strikes at the declared moment (guest_driver). What the matrix calls an error of a part of
a disk is here an error of every access to it. First syncs are slowed down, so they are under way throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.faults.case import Case, Result
from tests.faults.lab_case import Run
from tests.faults.lab_machine import Lab, lab
from tests.lab.agent import GuestCommandError
from tests.lab.host import LabError


def run(machine: Lab, case: Case) -> Result:
    """What comes of the case, on a machine that is made anew for it without a boot."""
    machine.reset()
    return Run(machine, case).result()


def run_all(cases: Sequence[Case]) -> Iterator[Result]:
    """What comes of each, on one machine; on a new one after a failure of the lab, which is tried again once."""
    left = list(cases)
    failed: set[str] = set()
    while left:
        with lab() as machine:
            while left:
                case = left[0]
                try:
                    yield run(machine, case)
                except (LabError, GuestCommandError) as problem:
                    if case.id not in failed:
                        failed.add(case.id)
                        break
                    yield Result(
                        id=case.id, survived=False, end="other", fired="", codes=(), bystander_bytes=0,
                        problems=(f"the lab failed twice: {str(problem)[:1500]}",),
                    )  # fmt: skip
                    left.pop(0)
                    break
                left.pop(0)
