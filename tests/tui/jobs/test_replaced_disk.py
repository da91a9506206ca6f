"""A disk of a hybrid plan is replaced by a larger one before the build: refused, and planned again with other bands."""

from __future__ import annotations

from dataclasses import replace

from raidtui.machine.inventory.shipped import load
from raidtui.session.jobs import objections
from raidtui.session.session import Session
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.notation import parse
from tests.tui.robot import RUN_ID

TRIO = load("trio")
SMALL, FIRST, SECOND = TRIO.disks
LARGER = replace(
    SMALL, id="wwn-0x5000c500aa000001", by_id=("wwn-0x5000c500aa000001",), wwn="0x5000c500aa000001", serial="NEW1",
    size_bytes=1_000_204_886_016,
)  # fmt: skip


def session(*disks: Disk) -> Session:
    """A hybrid layout over `disks`."""
    made = Session(machine(*disks), run_id=RUN_ID)
    design = replace(made.decision.design, layout=parse("hybrid(3)"))
    made.decide(replace(made.decision, left_out=frozenset(), design=design))
    return made


def machine(*disks: Disk) -> Inventory:
    return replace(TRIO, disks=disks)


def bands(made: Session) -> int:
    hybrid = made.plan().design.layout.hybrid
    return len(hybrid.bands or ()) if hybrid else 0


def test_the_build_of_the_old_plan_is_refused_and_names_the_new_disk() -> None:
    plan = session(SMALL, FIRST, SECOND).plan()
    assert objections(plan, machine(SMALL, FIRST, SECOND))[1] == ()
    (finding,) = objections(plan, machine(LARGER, FIRST, SECOND))[1]
    assert (finding.severity, finding.code, finding.subject) == ("error", "disk-missing", SMALL.id)
    assert finding.message == (
        "The disk in bay 1, enclosure trio (SIM72, serial SIMTRIO0001) is missing; in its place is another: SIM72, "
        "serial NEW1, 1 000 204 886 016 bytes, planned 250 059 350 016."
    )
    assert finding.way_out == (
        "put the planned disk back, or plan again: sizes and bands of a plan are those of its own disks"
    )


def test_the_same_disk_with_another_size_is_refused_too() -> None:
    plan = session(SMALL, FIRST, SECOND).plan()
    (finding,) = objections(plan, machine(replace(SMALL, size_bytes=LARGER.size_bytes), FIRST, SECOND))[1]
    assert (finding.severity, finding.code) == ("error", "disk-changed")
    assert "bytes 1 000 204 886 016, planned 250 059 350 016" in finding.message


def test_a_new_plan_has_the_bands_of_the_new_disks() -> None:
    assert bands(session(SMALL, FIRST, SECOND)) == 2
    again = session(SMALL, FIRST, SECOND)
    again.replace_inventory(machine(LARGER, FIRST, SECOND))
    assert bands(again) == 1
    assert objections(again.plan(), machine(LARGER, FIRST, SECOND))[1] == ()
