"""Why an array does not start, in whole sentences, and what not to do."""

from dataclasses import replace

from raidtui.model.arrays import ArrayMember, KnownBy, MemberSuperblock, ObservedArray
from raidtui.model.inventory import Place
from raidtui.planner.arrays.state import array_states, newest_roster
from raidtui.planner.arrays.why import why

UNKNOWN = KnownBy(answer="unknown", why="")


def member(device: str, role: int, events: int = 140, **values: object) -> ArrayMember:
    fields = {
        "level": "raid5", "devices": 4, "role": role, "events": events, "updated": "Thu Nov 26 10:05:17 2026",
        "clean": True, "roster": "AAAA", "features": 1, **values,
    }  # fmt: skip
    block = MemberSuperblock(**fields)  # type: ignore[arg-type]
    place = Place(slot=str(role + 1))
    return ArrayMember(state="idle", slot=role, device=device, serial=f"S{role}", place=place, superblock=block)


def array(*members: ArrayMember) -> ObservedArray:
    level, devices, lacks = newest_roster(members)
    return ObservedArray(
        name="md127", label="a:data", made_for="a", path="/dev/md127", uuid="0:1:2:3", level=level,
        devices=devices, lacks=lacks,
        metadata="1.2", members=members, in_conf=UNKNOWN, in_initramfs=UNKNOWN, in_fstab=UNKNOWN, monitored=UNKNOWN,
        states=array_states(
            "inactive", level=level, devices=devices, lacks=lacks, metadata="1.2", sync=None, made_for="a", host="a"
        ),
    )  # fmt: skip


def said(*members: ArrayMember) -> list[tuple[str, str, str]]:
    return [(each.severity, each.code, each.message) for each in why(array(*members))]


def test_a_member_behind_leaves_it_incomplete() -> None:
    found = said(member("sda", 0), member("sdb", 1, 118), member("sdc", 2))
    assert found == [
        (
            "warning",
            "member-stale",
            "sdb (bay 2, serial S1) missed what was written to md127 last: event count 118, 22 behind the newest, last "
            "written Thu Nov 26 10:05:17 2026.",
        ),
        (
            "error",
            "array-incomplete",
            "md127 (raid5) has 2 of 4 members that are up to date in it; slots 1 and 3 are missing.",
        ),
    ]


def test_members_that_suffice_can_be_started() -> None:
    (found,) = why(array(*(member(f"sd{role}", role) for role in range(3))))
    assert (found.severity, found.code) == ("warning", "array-incomplete")
    assert "mdadm --run /dev/md127 starts it without them" in found.way_out


def test_it_was_in_use_and_lacks_a_member() -> None:
    found = why(array(*(member(f"sd{role}", role, clean=False, roster="AAA.") for role in range(3))))
    incomplete, dirty = list(found)
    assert incomplete.message == (
        "md127 (raid5) has 3 of 4 members that are up to date in it; slot 3 is missing. It ran without 1 before."
    )
    assert "do not run mdadm --create, --zero-superblock or --assemble --force" in incomplete.way_out
    assert (dirty.code, dirty.severity) == ("dirty-degraded", "error")
    assert "(write hole), so md does not start it by itself" in dirty.message


def test_feature_bits_that_no_kernel_up_to_now_knows() -> None:
    (found,) = [each for each in said(*(member(f"sd{at}", at, features=0x2001 if at else 1) for at in (0, 1)))
                if each[1] == "feature-unknown"]  # fmt: skip
    assert found[2] == (
        "sd1 (bay 2, serial S1): the superblock of md127 has feature bits 0x2000 that Linux up to 6.18 does not know: "
        "such a kernel refuses it."
    )


def test_a_whole_array_that_nothing_started() -> None:
    (found,) = why(array(*(member(f"sd{role}", role) for role in range(4))))
    assert found.message == "md127 has all of its 4 members with one event count, and does not run."
    assert "mdadm --assemble --scan --uuid=0:1:2:3 starts it" in found.way_out


def test_superblocks_that_were_not_read_explain_nothing() -> None:
    unread = replace(member("sda", 0), superblock=None, unread="mdadm: must be super-user to perform this action")
    assert said(unread, unread) == [
        (
            "note",
            "superblock-unread",
            "md127: the superblocks of 2 members were not read: mdadm: must be super-user to perform this action.",
        )
    ]
