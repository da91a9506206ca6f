"""Findings about zeroes that stand for the first sync: every member must have Write Zeroes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk
from raidtui.planner.findings import error, names, subject, warning
from raidtui.planner.members import ArrayDisks

_RESYNC = "leave out --first-sync zeroes: md then syncs the arrays (resync)"


def check_first_sync(design: Design, shares: Sequence[ArrayDisks]) -> Iterator[Finding]:
    """Refuses zeroes where nothing is synced, and where the kernel would have to write every byte itself."""
    if not design.zeroes:
        return
    if not design.layout.survives:
        yield error("zeroes-of-nothing", "Nothing is synced without redundancy, so nothing has to be zero.", _RESYNC)
        return
    members = [disk for share in shares for disk in share.members]
    without = [disk for disk in members if disk.write_zeroes_max_bytes == 0]
    unknown = [disk for disk in members if disk.write_zeroes_max_bytes is None]
    if without:
        yield error("no-write-zeroes", f"No Write Zeroes on {names(without)}: {WRITES}.", _RESYNC, subject(without))
    if unknown:
        yield _unknown(unknown)


WRITES = "the kernel would write every byte of it"


def _unknown(disks: Sequence[Disk]) -> Finding:
    return warning(
        "write-zeroes-unknown",
        f"Not known whether there is Write Zeroes on {names(disks)}: the build looks before it writes, and refuses "
        "without.",
        "plan on the machine itself, which reads queue/write_zeroes_max_bytes",
        subject(disks),
    )
