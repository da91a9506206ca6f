"""A replacement carried out on the simulated machine: copied, rebuilt, interrupted, and what goes wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.engine import living
from raidtui.engine.changes import asked_replacement
from raidtui.engine.folders import ControlRequest
from raidtui.machine.arrays.read import observe
from raidtui.machine.system.ports import User
from raidtui.steps.living import is_left_of
from raidtui.steps.replace import replacement
from raidtui.values.acts import Replacement
from raidtui.values.errors import MachineFailed, Refused, Stale
from raidtui.values.inventory import Inventory
from tests.machine.living import carried_out
from tests.machine.simulation import Cut, Run, built_run, cut_in_wait, say
from tests.simulated.fault_model import Fault, FaultSide, Killed

KILLED = [(at, side) for at in range(1, 5) for side in ("before", "after")]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return built_run(tmp_path, "raid6(4+2)", name="data", after=100_000)


def asked(run: Run, member: str | None = "sdb", new: str = "sdx") -> tuple[Replacement, Inventory]:
    inventory = run.machine.inventory()
    return replacement(observe(run.machine, inventory), inventory, "data", member=member, new=new), inventory


def lacking(run: Run) -> int | None:
    """Members that the array lacks."""
    (array,) = observe(run.machine, run.machine.inventory()).arrays
    return array.lacks


def begun(run: Run, member: str | None = "sdb", new: str = "sdx") -> list[str]:
    return carried_out(asked(run, member, new)[0], run.machine, run.folder)


def states(run: Run) -> dict[str, str]:
    (array,) = observe(run.machine, run.machine.inventory()).arrays
    return {member.device or f"slot {member.slot}": member.state for member in array.members}


WHOLE = {"sda": "in-sync", "sdx": "in-sync", "sdc": "in-sync", "sdd": "in-sync", "sde": "in-sync", "sdf": "in-sync"}


def test_a_member_that_works_is_copied_and_taken_out(run: Run) -> None:
    found, _ = asked(run)
    said = carried_out(found, run.machine, run.folder)
    assert (states(run), lacking(run)) == (WHOLE, 0)
    assert [line for line in said if not line.startswith("md127: ")] == [
        "Add the new disk as a spare of md127", "Copy the old member onto it; the old one works meanwhile",
        "Wait until md127 has ended it", "Take the old member out", "Erase the superblock of the old member",
        "Check all members of md127", "Switch the light of its slot on: ledctl locate=/dev/sdb",
    ]  # fmt: skip
    assert found.steps[-1].purpose == "The serial number on the label is SIME26600002; then pull it."


def test_the_old_member_carries_no_superblock_any_more(run: Run) -> None:
    begun(run)
    old = next(disk for disk in run.machine.inventory().disks if disk.kernel_name == "sdb")
    assert [use for use in old.uses if use.kind == "md-member"] == []


def test_an_old_member_that_cannot_be_written_is_named(run: Run) -> None:
    """Its superblock stays: that ends nothing, and is said."""
    run.machine.arm(Fault(kind="fail", on="command", words=("mdadm", "--zero-superblock")))
    said = begun(run)
    assert (states(run), lacking(run)) == (WHOLE, 0)
    old = next(disk for disk in run.machine.inventory().disks if disk.kernel_name == "sdb")
    assert [use.kind for use in old.uses] == ["md-member"]
    (line,) = [line for line in said if "still have a superblock" in line]
    assert line.startswith(
        "/dev/disk/by-id/wwn-0x3000013300000002 may still have a superblock; mdadm --examine "
        "/dev/disk/by-id/wwn-0x3000013300000002 shows of which array. One of md127 ("
    )


def test_a_member_that_is_gone_is_rebuilt(run: Run) -> None:
    run.machine.unplug(run.plan.disks[1].id)
    run.machine.advance(10)
    begun(run, member=None)
    assert states(run) == WHOLE


@pytest.mark.parametrize("at", range(1, 4))
def test_an_interrupted_one_goes_on_where_it_is(run: Run, at: int) -> None:
    with cut_in_wait(run.machine, at), pytest.raises(Cut):
        begun(run)
    assert states(run)["sdx"] in ("spare", "replacement")
    begun(run)
    assert states(run) == WHOLE


def test_a_disk_that_is_no_longer_blank_is_not_added(run: Run) -> None:
    found, _ = asked(run)
    disk = next(each for each in run.machine.inventory().disks if each.kernel_name == "sdx")
    run.machine.leave(disk.id, "ext4")
    with pytest.raises(Stale, match=r"holds ext4, which was not there when it was confirmed"):
        carried_out(found, run.machine, run.folder)
    assert "sdx" not in states(run)


@pytest.mark.parametrize("writing", [False, True])
def test_who_reads_the_new_disk_does_not_use_it(run: Run, writing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """multipathd has the paths of each map open, and reads."""
    found, _ = asked(run)
    monkeypatch.setattr(
        run.machine, "users", lambda paths: (User(path=paths[0], by="multipathd (pid 9)", writing=writing),)
    )
    if writing:
        with pytest.raises(Stale, match=r"is open for writing by multipathd \(pid 9\)"):
            carried_out(found, run.machine, run.folder)
        assert "sdx" not in states(run)
    else:
        carried_out(found, run.machine, run.folder)
        assert states(run) == WHOLE


def test_a_link_that_leads_elsewhere_stops_it(run: Run) -> None:
    found, inventory = asked(run)
    disk = next(each for each in inventory.disks if each.kernel_name == "sdx")
    other = next(each for each in inventory.disks if each.kernel_name == "sdy")
    run.machine.lead(disk.path, other.id)
    with pytest.raises(Stale, match=r"is not as planned: member of md127: model, serial number, world-wide name"):
        carried_out(found, run.machine, run.folder)
    assert "sdy" not in states(run)


def test_a_new_disk_that_fails_leaves_the_old_member(run: Run) -> None:
    found, _ = asked(run)
    disk = next(each for each in run.machine.inventory().disks if each.kernel_name == "sdx")
    wait = run.machine.wait

    def pull(seconds: float) -> None:
        if states(run).get("sdx") == "replacement":
            run.machine.unplug(disk.id)
        wait(seconds)

    run.machine.wait = pull  # type: ignore[method-assign]
    with pytest.raises(MachineFailed, match="the new disk sdx failed or is gone"):
        carried_out(found, run.machine, run.folder)
    assert states(run)["sdb"] == "in-sync"


def test_a_second_failure_does_not_stop_the_copy(run: Run) -> None:
    found, _ = asked(run)
    other = next(each for each in run.machine.inventory().disks if each.kernel_name == "sdc")
    wait = run.machine.wait

    def pull(seconds: float) -> None:
        if states(run).get("sdx") == "replacement" and "sdc" in states(run):
            run.machine.unplug(other.id)
        wait(seconds)

    run.machine.wait = pull  # type: ignore[method-assign]
    carried_out(found, run.machine, run.folder)
    assert lacking(run) == 1
    assert states(run) == {name: state for name, state in WHOLE.items() if name != "sdc"} | {
        "slot 2": "missing",
    }


def test_what_is_refused_cannot_be_begun(run: Run) -> None:
    found, _ = asked(run, new="sda")
    with pytest.raises(Refused, match="there is nothing to carry out"):
        carried_out(found, run.machine, run.folder)


@pytest.mark.parametrize(("at", "side"), KILLED)
def test_what_was_confirmed_once_goes_on_by_the_same_words(run: Run, at: int, side: FaultSide) -> None:
    """By the first digest too, as the way out says, and where the words name neither what goes nor what comes."""
    first, root = asked(run)[0], run.folder / "state"
    run.machine.arm(Fault(kind="kill", at=at, side=side))
    with pytest.raises(Killed):
        living.go_on(first, root, run.machine, ControlRequest)
    run.machine.revive()
    assert [each.digest for each in living.unfinished(root, Replacement)] == [first.digest]
    for words in ({"member": "sdb", "new": "sdx"}, {"member": "sdb"}, {}):
        begun = living.unfinished(root, Replacement)
        left = asked_replacement(run.machine, run.machine.inventory(), "data", begun=begun, **words)
        assert is_left_of(left, first)
    if left.steps:  # none where only the check had not begun
        living.go_on(left, root, run.machine, ControlRequest)
    assert (states(run), lacking(run)) == (WHOLE, 0)
    assert say(run.machine, "mdadm", "--examine", "/dev/sdb").strip() == ""
    begun = living.unfinished(root, Replacement)
    ended = asked_replacement(run.machine, run.machine.inventory(), "data", member="sdb", new="sdx", begun=begun)
    assert ([each.code for each in ended.findings], ended.steps) == (["nothing-to-replace"], ())


def test_what_is_left_of_another_replacement_was_not_confirmed(run: Run) -> None:
    first = asked(run)[0]
    assert not is_left_of(asked(run, new="sdy")[0], first)
    assert not is_left_of(asked(run, member="sdc")[0], first)
    assert not is_left_of(replace(first, steps=(*first.steps, first.steps[0])), first)
