"""What an admin should know of hosts as a set; the sentences are written by hand."""

from dataclasses import replace

from raidtui.fleet.facts import remarks
from raidtui.fleet.values import HostLook
from raidtui.machine.inventory import shipped
from raidtui.values.inventory import Inventory, LackingArray
from raidtui.values.target import TargetVersions

TARGET = TargetVersions(kernel="6.1.0-50-amd64", mdadm="4.2", xfsprogs="6.1", e2fsprogs="1.47")


def inventory(number: int) -> Inventory:
    chassis = shipped.load("nas4")
    disks = tuple(replace(disk, id=f"wwn-{number}-{place}") for place, disk in enumerate(chassis.disks))
    return replace(chassis, disks=disks, machine_id=f"{number:032x}", target=TARGET)


def look(number: int, found: Inventory | None = None, **more: object) -> HostLook:
    fields = {"clock_ahead_s": 0.0, "raidtui": "0.1.0", "answered_in_s": 1.0, **more}
    return HostLook(
        host=f"n{number}", asked_at="2026-11-22T10:00:00Z", inventory=found or inventory(number),
        **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def messages(*looks: HostLook) -> list[str]:
    return [finding.message for finding in remarks(looks)]


def test_nothing_to_say_of_equal_hosts() -> None:
    assert messages(look(1), look(2), look(3)) == []


def test_versions_that_differ_are_named_with_their_hosts() -> None:
    old = replace(inventory(3), target=replace(TARGET, mdadm="4.1", xfsprogs=None))
    assert messages(look(1), look(2), look(3, old, raidtui="0.0.9")) == [
        "Hosts differ in raidtui: 0.1.0: n[1-2]; 0.0.9: n3.",
        "Hosts differ in mdadm: 4.2: n[1-2]; 4.1: n3.",
        "Hosts differ in xfsprogs: 6.1: n[1-2]; not installed or unknown: n3.",
    ]


def test_hosts_whose_array_lacks_a_member_are_named_together() -> None:
    lacking = (LackingArray(name="md0", level="raid5", devices=4, lacks=1),)
    first, second = (look(number, replace(inventory(number), lacking=lacking)) for number in (1, 2))
    assert messages(first, second, look(3)) == ["n[1-2]: md0 (raid5): 1 of 4 members missing."]


def test_a_clock_that_is_off_by_an_hour_is_named() -> None:
    assert messages(look(1), look(2, clock_ahead_s=3600.0), look(3, clock_ahead_s=-90.0)) == [
        "The clock of n2 is 1.0 h ahead.",
        "The clock of n3 is 90 s behind.",
    ]


def test_a_host_that_answers_late_is_named() -> None:
    looks = [look(number) for number in range(1, 5)]
    assert messages(*looks, look(5, answered_in_s=45.0)) == [
        "n5 answered late, after up to 45 s; half of all within 1.0 s."
    ]


def test_one_machine_under_two_names_and_disks_that_two_hosts_see() -> None:
    twin = replace(inventory(2), machine_id=inventory(1).machine_id)
    assert messages(look(1), look(2, twin)) == [
        "n[1-2] have one /etc/machine-id: one machine with several names, or copies of an image."
    ]
    shared = replace(inventory(2), disks=(*inventory(1).disks[:2], *inventory(2).disks[2:]))
    assert messages(look(1), look(2, shared)) == ["n[1-2] see the same 2 disks."]


def test_what_hosts_could_not_read_is_said_once() -> None:
    looks = [look(number, replace(inventory(number), unread=("the ends of 4 disks",))) for number in (1, 2)]
    assert messages(*looks) == ["n[1-2]: not read: the ends of 4 disks."]
