"""What is printed of the kernel's I/O cost model: before the confirmation, and the lines to paste afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.inventory import Disk
from raidtui.model.iocost import IoCost
from raidtui.model.plan import Plan
from raidtui.model.safe import safe
from raidtui.planner.measurement.iocost_jobs import seconds_of_disk
from raidtui.planner.numbers import hours
from raidtui.planner.text.confirm import raw_page
from raidtui.tools.iocost import MODEL_FILE, QOS_FILE, enable_line, model_line

_MERGES = "none"
"""the scheduler with which the kernel's own generator measures"""


def iocost_page(plan: Plan, left_out: Sequence[Disk]) -> tuple[str, ...]:
    """The page before the confirmation: the disks that are written to, how long, and disks that are not."""
    others = ", ".join(safe(disk.kernel_name or disk.id) for disk in left_out)
    seconds = seconds_of_disk() * len(plan.disks)
    return (
        f"Coefficients of the kernel's I/O cost model of {len(plan.disks)} disks, one after the other: about "
        f"{hours(seconds / 3600)}.",
        *((f"Not written to, because they are not blank and unused: {others}.",) if others else ()),
        "Zeros are written to the first GiB of each disk, which is read back whole, and to 64 regions of 16 MiB all "
        "over a rotating disk, of which only both ends are read back.",
        "",
        *raw_page(plan, built=False),
    )


def iocost_lines(found: Sequence[tuple[str, Disk, IoCost]]) -> tuple[str, ...]:
    """Commands for these disks, each with its number `MAJOR:MINOR`, and where they go to last."""
    lines = ["The kernel's I/O cost model, as root, until the next boot:"]
    for number, disk, cost in found:
        named = safe(f"{disk.kernel_name or disk.id}, serial {disk.serial or 'unknown'}")
        lines += [f"  # {named}", f"  echo '{model_line(number, cost)}' > {MODEL_FILE}"]
    lines += [
        f"The model counts once the controller is on: echo '{enable_line('MAJOR:MINOR')}' > {QOS_FILE}",
        "Numbers change at a boot. To keep it: IOCOST_* properties of the drive's model in /etc/udev/hwdb.d (systemd "
        "254 and later, iocost.conf(5)), or a rule in /etc/udev/rules.d that matches ENV{ID_WWN} and writes the line.",
    ]
    if merging := sorted({cost.scheduler for _, _, cost in found} - {_MERGES, ""}):
        lines.append(
            f"The I/O scheduler {safe(' and '.join(merging))} merges sequential requests, which raises rseqiops and "
            "wseqiops; the kernel's iocost_coef_gen.py measures with none and nomerges=1."
        )
    if any(disk.rotational is False for _, disk, _ in found):
        lines.append("Zeros were written: flash that compresses data or recognizes zeros is slower with other data.")
    return tuple(lines)
