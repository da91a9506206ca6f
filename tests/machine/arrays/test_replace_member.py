"""A replacement carried out on the simulated machine: copied, rebuilt, interrupted, and what goes wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.arrays.read import observe
from raidtui.machine.arrays.replace_member import ReplacingMember
from raidtui.machine.ports.runner import User
from raidtui.model.errors import MachineFailed, Stale
from raidtui.model.inventory import Inventory
from raidtui.model.replacement import Replacement
from raidtui.planner.arrays.replace import replacement
from tests.machine.simulation import Run, planned


@pytest.fixture
def run(tmp_path: Path) -> Run:
    built = Run(tmp_path, planned("raid6(4+2)", name="data"))
    built.build()
    built.machine.advance(100_000)
    return built


def asked(run: Run, member: str | None = "sdb", new: str = "sdx") -> tuple[Replacement, Inventory]:
    inventory = run.machine.inventory()
    return replacement(observe(run.machine, inventory), inventory, "data", member=member, new=new), inventory


def begun(run: Run, member: str | None = "sdb", new: str = "sdx", tell: list[str] | None = None) -> ReplacingMember:
    found, inventory = asked(run, member, new)
    return ReplacingMember(found, run.machine, inventory, (tell if tell is not None else []).append)


def states(run: Run) -> dict[str, str]:
    (array,) = observe(run.machine, run.machine.inventory()).arrays
    return {member.device or f"slot {member.slot}": member.state for member in array.members}


WHOLE = {"sda": "in-sync", "sdx": "in-sync", "sdc": "in-sync", "sdd": "in-sync", "sde": "in-sync", "sdf": "in-sync"}


def test_a_member_that_works_is_copied_and_taken_out(run: Run) -> None:
    said: list[str] = []
    assert begun(run, tell=said).carry_out() == {"md127": 0}
    assert states(run) == WHOLE
    assert said[:2] == ["Add the new disk as a spare", "Copy the old member onto it; the old one works meanwhile"]
    assert said[-2] == "Check all members of md127"
    assert said[-1].endswith("the serial number on the label is SIME26600002; then pull it")


def test_a_member_that_is_gone_is_rebuilt(run: Run) -> None:
    run.machine.unplug(run.plan.disks[1].id)
    run.machine.advance(10)
    begun(run, member=None).carry_out()
    assert states(run) == WHOLE


class Cut(Exception):
    """The call ends here."""


@pytest.mark.parametrize("at", range(1, 4))
def test_an_interrupted_one_goes_on_where_it_is(run: Run, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def cut(seconds: float) -> None:
        nonlocal count
        count += 1
        if count == at:
            raise Cut
        run.machine.advance(seconds)

    with monkeypatch.context() as patched:
        patched.setattr(run.machine, "wait", cut)
        with pytest.raises(Cut):
            begun(run).carry_out()
    assert states(run)["sdx"] in ("spare", "replacement")
    begun(run).carry_out()
    assert states(run) == WHOLE


def test_a_disk_that_is_no_longer_blank_is_not_added(run: Run) -> None:
    found = begun(run)
    disk = next(each for each in run.machine.inventory().disks if each.kernel_name == "sdx")
    run.machine.leave(disk.id, "ext4")
    with pytest.raises(Stale, match=r"is not blank any more .*nothing was written"):
        found.carry_out()
    assert "sdx" not in states(run)


@pytest.mark.parametrize("writing", [False, True])
def test_who_reads_the_new_disk_does_not_use_it(run: Run, writing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """multipathd has the paths of each map open, and reads."""
    found = begun(run)
    user = User(path="/dev/sdx", by="multipathd (pid 9)", writing=writing)
    monkeypatch.setattr(run.machine, "users", lambda _: (user,))
    if writing:
        with pytest.raises(Stale, match="is in use now; nothing was written to it"):
            found.carry_out()
        assert "sdx" not in states(run)
    else:
        found.carry_out()
        assert states(run) == WHOLE


def test_a_link_that_leads_elsewhere_stops_it(run: Run) -> None:
    found, inventory = asked(run)
    disk = next(each for each in inventory.disks if each.kernel_name == "sdx")
    other = next(each for each in inventory.disks if each.kernel_name == "sdy")
    run.machine.lead(disk.path, other.id)
    with pytest.raises(Stale, match="leads to another disk than when it was shown"):
        ReplacingMember(found, run.machine, inventory, print)
    assert "sdy" not in states(run)


def test_a_new_disk_that_fails_leaves_the_old_member(run: Run) -> None:
    found = begun(run)
    disk = next(each for each in run.machine.inventory().disks if each.kernel_name == "sdx")
    wait = run.machine.wait

    def pull(seconds: float) -> None:
        if states(run).get("sdx") == "replacement":
            run.machine.unplug(disk.id)
        wait(seconds)

    run.machine.wait = pull  # type: ignore[method-assign]
    with pytest.raises(MachineFailed, match="the new disk sdx failed or is gone"):
        found.carry_out()
    assert states(run)["sdb"] == "in-sync"


def test_a_second_failure_does_not_stop_the_copy(run: Run) -> None:
    found = begun(run)
    other = next(each for each in run.machine.inventory().disks if each.kernel_name == "sdc")
    wait = run.machine.wait

    def pull(seconds: float) -> None:
        if states(run).get("sdx") == "replacement" and "sdc" in states(run):
            run.machine.unplug(other.id)
        wait(seconds)

    run.machine.wait = pull  # type: ignore[method-assign]
    assert found.carry_out() == {"md127": 1}
    assert states(run) == {name: state for name, state in WHOLE.items() if name != "sdc"} | {
        "slot 2": "missing",
        "sdb": "dropped",
    }


def test_what_is_refused_cannot_be_begun(run: Run) -> None:
    found, inventory = asked(run, new="sda")
    with pytest.raises(Stale, match="nothing to carry out"):
        ReplacingMember(found, run.machine, inventory, print)
    with pytest.raises(Stale, match="nothing to carry out"):
        ReplacingMember(replace(found, new=None), run.machine, inventory, print)
