"""Which disks are read at once, and what that says of the links above them."""

from raidtui.machine.inventory import shipped
from raidtui.machine.inventory.measure import LinkGroup, link_groups, together, verdicts
from raidtui.values.inventory import Disk, Inventory, Link, Place
from raidtui.values.speed import Limit

SLOT = Limit("PCIe slot", "0000:01:00.0")
FRONT, REAR = Limit("expander", "expander-0:0"), Limit("expander", "expander-0:1")
MB = 1_000_000


def _disk(name: str, expander: str | None) -> Disk:
    return Disk(id=name, size_bytes=10**12, place=Place(controller="0000:01:00.0", expander=expander))


A, B, C, D = (_disk(name, f"expander-0:{number // 2}") for number, name in enumerate("abcd"))
MACHINE = Inventory(
    origin="machine", name="x", disks=(A, B, C, D),
    links=(Link(name="expander-0:0", kind="expander"), Link(name="expander-0:1", kind="expander")),
)  # fmt: skip


def test_small_groups_come_before_those_that_hold_them() -> None:
    assert link_groups(MACHINE, MACHINE.disks) == (
        LinkGroup((A, B), (FRONT,)),
        LinkGroup((C, D), (REAR,)),
        LinkGroup((A, B, C, D), (SLOT,)),
    )


def test_links_that_carry_the_same_disks_are_one_group_and_one_disk_is_none() -> None:
    assert link_groups(MACHINE, (A, B)) == (LinkGroup((A, B), (FRONT, SLOT)),)
    assert link_groups(MACHINE, (A, C)) == (LinkGroup((A, C), (SLOT,)),)
    assert link_groups(MACHINE, (A,)) == ()


def test_the_narrower_of_two_links_in_a_row_is_guessed_by_what_they_carry() -> None:
    pod = shipped.load("pod45")
    names = {limit for group in link_groups(pod, pod.disks) for limit in group.limits}
    assert sum(limit.kind == "port multiplier" for limit in names) == 9
    assert {len(group.disks) for group in link_groups(pod, pod.disks)} == {5, 15}


def test_disks_read_as_fast_as_alone_show_that_a_link_carries_at_least_that() -> None:
    group = LinkGroup((A, B), (FRONT, SLOT))
    found = verdicts(group, 355 * MB, 360 * MB, error=1.02, busy=False, day="2026-01-31", kernel="6.1.0")
    assert [(link.limit, link.at_least, link.bytes_per_s, link.disks) for link in found] == [
        (FRONT, True, 355 * MB, ("a", "b")),
        (SLOT, True, 355 * MB, ("a", "b")),
    ]


def test_disks_held_back_show_what_the_narrowest_link_carries() -> None:
    group = LinkGroup((A, B), (FRONT, SLOT))
    found = verdicts(group, 200 * MB, 360 * MB, error=1.02, busy=False, day="2026-01-31", kernel="6.1.0")
    assert [(link.limit, link.at_least) for link in found] == [(FRONT, False), (SLOT, True)]
    slow_program = verdicts(group, 200 * MB, 360 * MB, error=1.02, busy=True, day="2026-01-31", kernel="6.1.0")
    assert all(link.at_least for link in slow_program)


def test_a_narrow_link_below_is_not_blamed_on_the_one_above() -> None:
    below = verdicts(
        LinkGroup((A, B), (FRONT,)), 200 * MB, 360 * MB, error=1.02, busy=False, day="2026-01-31", kernel="6.1.0"
    )
    alone = {"a": 180 * MB, "b": 180 * MB, "c": 190 * MB, "d": 150 * MB}
    assert together(LinkGroup((A, B, C, D), (SLOT,)), alone, below) == 540 * MB
    assert together(LinkGroup((A, B, C, D), (SLOT,)), alone, ()) == 700 * MB
