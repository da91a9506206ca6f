"""Compared with the last look: by identity of the disk, not by its name."""

from collections.abc import Sequence
from dataclasses import replace

from raidtui.fleet.machines import changes
from raidtui.fleet.texts import change_text
from raidtui.fleet.values import HostLook, HostProblem
from raidtui.machine.inventory import shipped
from raidtui.values.inventory import Disk, Inventory, Use
from raidtui.values.target import TargetVersions

NAS = replace(shipped.load("nas4"), origin="machine", target=TargetVersions(kernel="6.1.0-50-amd64", mdadm="4.2"))
WHEN = "2026-11-22T10:00:00Z"


def look(inventory: Inventory | None, host: str = "n1", when: str = WHEN) -> HostLook:
    problem = None if inventory is not None else HostProblem(state="timed-out", sentence="no answer")
    return HostLook(
        host=host, asked_at=when, answered_in_s=1, inventory=inventory, raidtui="0.1.0", problem=problem
    )  # fmt: skip


def changed(inventory: Inventory, number: int, **edits: object) -> Inventory:
    disks = list(inventory.disks)
    disks[number] = replace(disks[number], **edits)  # type: ignore[arg-type]
    return replace(inventory, disks=tuple(disks))


def texts(before: Inventory, after: Inventory) -> list[str]:
    return [change_text(each) for each in changes({"n1": look(before)}, {"n1": look(after)})]


def test_nothing_changed() -> None:
    assert texts(NAS, changed(NAS, 0, kernel_name="sdz", opened_by=())) == []


def test_what_changed_of_a_disk() -> None:
    first = NAS.disks[0].id
    assert texts(NAS, replace(NAS, disks=NAS.disks[1:])) == [f"bay 1: {first} is gone"]
    assert texts(replace(NAS, disks=NAS.disks[1:]), NAS) == [f"bay 1: {first} is new"]
    assert texts(NAS, changed(NAS, 0, firmware="SN05")) == [f"firmware {NAS.disks[0].firmware}, now SN05: bay 1"]
    moved = changed(NAS, 0, place=replace(NAS.disks[0].place, slot="bay 9"))
    assert texts(NAS, moved) == [f"{first} moved from bay 1 to bay 9"]
    used = changed(NAS, 1, state="content", uses=(Use(kind="file-system", where="ext4 notes", active=False),))
    assert texts(NAS, used) == ["content blank, now file-system ext4 notes: bay 2"]


def test_what_changed_of_a_host() -> None:
    new = replace(NAS, target=TargetVersions(kernel="6.12.5", mdadm="4.2"))
    assert texts(NAS, new) == ["kernel 6.1.0-50-amd64, now 6.12.5"]


def test_the_same_change_of_many_hosts_and_disks_is_one() -> None:
    hosts = [f"n{number}" for number in range(1, 4)]
    after = replace(NAS, disks=tuple(replace(disk, firmware="SN05") for disk in NAS.disks))
    (found,) = changes({host: look(NAS, host) for host in hosts}, {host: look(after, host) for host in hosts})
    assert found.hosts == tuple(hosts) and len(found.disks) == 12 and len(found.places) == 4
    assert change_text(found) == (f"firmware {NAS.disks[0].firmware}, now SN05: bay 1, bay 2, bay 3 and bay 4")


def test_only_hosts_that_answered_both_times_are_compared() -> None:
    gone = replace(NAS, disks=())
    assert changes({"n1": look(None)}, {"n1": look(gone)}) == ()
    assert changes({"n1": look(NAS)}, {"n1": look(None)}) == ()
    assert changes({}, {"n1": look(NAS)}) == ()


def test_disks_without_identity_are_not_compared() -> None:
    nameless: Sequence[Disk] = [replace(disk, id="") for disk in NAS.disks]
    assert texts(replace(NAS, disks=tuple(nameless)), replace(NAS, disks=tuple(nameless[1:]))) == []
