"""Why an array does not start, in whole sentences, and what not to do."""

from dataclasses import replace

from raidtui.advice.arrays.age import why
from raidtui.advice.arrays.state import array_states, by_superblocks
from raidtui.values.arrays import ArrayMember, MemberSuperblock, ObservedArray
from raidtui.values.inventory import Place


def member(device: str, role: int, events: int = 140, **values: object) -> ArrayMember:
    fields = {
        "level": "raid5", "devices": 4, "role": role, "events": events, "updated": "Thu Nov 26 10:05:17 2026",
        "clean": True, "roster": "AAAA", "features": 1, **values,
    }  # fmt: skip
    block = MemberSuperblock(**fields)  # type: ignore[arg-type]
    place = Place(slot=str(role + 1))
    return ArrayMember(state="idle", slot=role, device=device, serial=f"S{role}", place=place, superblock=block)


def array(*members: ArrayMember) -> ObservedArray:
    found = by_superblocks(
        ObservedArray(
            name="md127", label="a:data", made_for="a", path="/dev/md127", uuid="0:1:2:3", level="", metadata="1.2",
            members=members, kernel_state="inactive", states=("inactive",),
        )
    )  # fmt: skip
    return replace(found, states=array_states(found, "a"))


def said(*members: ArrayMember) -> list[tuple[str, str, str]]:
    return [(each.severity, each.code, each.message) for each in why(array(*members))]


def test_a_member_behind_leaves_it_incomplete() -> None:
    found = said(member("sda", 0), member("sdb", 1, 118), member("sdc", 2))
    assert found == [
        (
            "warning",
            "member-stale",
            "sdb (slot 2, serial S1) missed what was written to md127 last: event count 118, the array's 140; last "
            "written Thu Nov 26 10:05:17 2026, the array Thu Nov 26 10:05:17 2026; slots AAAA by it, AAAA by the "
            "array.",
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
    assert "(write hole). So md does not start it by itself" in dirty.message


def test_feature_bits_that_no_kernel_up_to_now_knows() -> None:
    (found,) = [each for each in said(*(member(f"sd{at}", at, features=0x2001 if at else 1) for at in (0, 1)))
                if each[1] == "feature-unknown"]  # fmt: skip
    assert found[2] == (
        "sd1 (slot 2, serial S1): the superblock of md127 has feature bits 0x2000 that Linux up to 6.18 does not "
        "know. Such a kernel refuses it."
    )


def test_a_whole_array_that_nothing_started() -> None:
    (found,) = why(array(*(member(f"sd{role}", role) for role in range(4))))
    assert found.message == "md127 has all of its 4 members with one event count, and does not run."
    assert "mdadm --run /dev/md127 starts it" in found.way_out


def test_superblocks_that_were_not_read_explain_nothing() -> None:
    unread = replace(member("sda", 0), superblock=None, unread="mdadm: must be super-user to perform this action")
    assert said(unread, unread) == [
        (
            "note",
            "superblock-unread",
            "md127: the superblocks of 2 members were not read: mdadm: must be super-user to perform this action.",
        )
    ]


RUNS = {"size_bytes": 2**30, "states": ("degraded", "clean")}
OLDER = (
    "its content is older than the array's; before it is put back or replaced, find out why it was dropped (dmesg, "
    "smartctl); never build on it"
)
KEEP = (
    "keep both as they are; put none back (--re-add, --add) and zero none; start each by itself read-only (mdadm "
    "--assemble --readonly) and compare its files, then decide"
)


def dropped(events: int, roster: str = "AAAA", **values: object) -> ArrayMember:
    return replace(member("sdz", 3, events, roster=roster, **values), state="dropped", serial="Z", place=Place())


def of_running(lost: ArrayMember, roster: str = "AAA.") -> tuple[str, str, str]:
    """Severity, message and way out of a device that is not in an array of three that runs."""
    there = [replace(member(f"sd{role}", role, roster=roster), state="in-sync") for role in range(3)]
    ((severity, code, message, way_out),) = (
        (each.severity, each.code, each.message, each.way_out)
        for each in why(replace(array(*there, lost), **RUNS), "2026-11-26T12:00:00+00:00")  # type: ignore[arg-type]
    )
    assert code == "member-dropped"
    return severity, message, way_out


def test_a_device_that_an_array_lost_is_older() -> None:
    assert of_running(dropped(118)) == (
        "warning",
        "sdz (serial Z) has the superblock of md127 and is not in it: event count 118, the array's 140; last written "
        "Thu Nov 26 10:05:17 2026, the array Thu Nov 26 10:05:17 2026; slots AAAA by it, AAA. by the array. It is no "
        "blank disk: its content is older than the array's, and it may be failing.",
        OLDER,
    )


def test_one_with_more_events_than_the_array_is_never_called_older() -> None:
    severity, message, way_out = of_running(dropped(151), "AAAA")
    assert severity == "error"
    assert message.endswith("The array runs without what was written last: its own content is the older one.")
    assert way_out == (
        f"write nothing to the array and find out what started it (raidtui audit, DEVICE in mdadm.conf); {KEEP}"
    )
    severity, message, way_out = of_running(dropped(151, updated="Wed Nov 25 10:05:17 2026"))
    assert (severity, way_out) == ("error", KEEP)
    assert message.endswith(
        "Which of both is older, its superblock cannot tell: it counts more changes and was written earlier: a clock "
        "was wrong, or both were written alone."
    )


def test_both_sides_that_ran_alone_are_kept() -> None:
    severity, message, way_out = of_running(dropped(118, "...A"))
    assert (severity, way_out) == ("error", KEEP)
    assert message.endswith("Neither is the older one: each lists itself and not the other: both were written alone.")


def test_one_that_was_replaced_or_is_of_the_same_moment() -> None:
    new = replace(member("sd3", 3, roster="AAAA"), state="in-sync")
    there = [replace(member(f"sd{role}", role, roster="AAAA"), state="in-sync") for role in range(3)]
    (found,) = why(replace(array(*there, new), removed=(dropped(118, "AAAR"),), size_bytes=2**30, states=("clean",)))
    assert (found.code, found.severity) == ("member-dropped", "warning")
    assert found.message.endswith("another disk took its place, and its content is older than the array's.")
    assert found.way_out == (
        "once the array is checked and nothing on it is needed, mdadm --zero-superblock /dev/sdz; until then keep it "
        "from boots"
    )
    assert of_running(dropped(140, "AAA."))[2] == (
        "find out why it is not in the array (dmesg, smartctl -x); mdadm /dev/md127 --re-add /dev/sdz puts it "
        "back. Once the array is written without a bitmap, md refuses that. Then mdadm --zero-superblock /dev/sdz and "
        "mdadm /dev/md127 --add /dev/sdz rebuild onto it"
    )


def test_one_that_came_too_late_for_an_array_that_does_not_run() -> None:
    late = dropped(140)
    found = {each.code: each.way_out for each in why(array(*(member(f"sd{role}", role) for role in range(3)), late))}
    assert found["member-dropped"] == (
        "it came too late, or was left out: mdadm --stop /dev/md127 and mdadm --assemble --scan take it in"
    )


def test_members_that_do_not_agree_are_not_called_older() -> None:
    found = list(why(array(member("sda", 0, roster="A..."), member("sdb", 1, 118, roster=".A.."))))
    assert (found[0].severity, found[0].code) == ("error", "member-stale")
    assert found[0].message == (
        "sdb (slot 2, serial S1) and the newest member of md127 differ: event count 118, the array's 140; last written "
        "Thu Nov 26 10:05:17 2026, the array Thu Nov 26 10:05:17 2026; slots .A.. by it, A... by the array. Neither is "
        "the older one: each lists itself and not the other: both were written alone."
    )
    assert found[0].way_out == f"md would go by the count alone and leave it out; {KEEP}"
