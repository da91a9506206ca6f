"""What a drill does next, for everything that sysfs may say of the members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.arrays.state import member_state
from raidtui.steps.drill import move_step, next_move
from raidtui.values.arrays import ArrayMember, ObservedArray
from raidtui.values.errors import Refused
from raidtui.values.plan import Command
from raidtui.values.trials import DrillAsk, Move
from tests.planner.plans import plan_of

PLAN = plan_of("2x(2+1)+2")
ARRAY = PLAN.arrays[0]
F, B, C = ARRAY.members
(S,) = ARRAY.spares
ASK = DrillAsk(
    run_id=PLAN.run_id, plan_digest=PLAN.digest, array=0, device="/dev/md/data-0", failed=F, role=0, restore=True
)
D = "/dev/disk/by-id/wwn-0x5000c5000000000"


def member(flags: str, slot: int | None) -> ArrayMember:
    words = frozenset(flags.split(","))
    return ArrayMember(flags=tuple(sorted(words)), slot=slot, state=member_state(words, slot, runs=True))


def seen(action: str = "idle", /, **members: ArrayMember) -> ObservedArray:
    known = {"f": F, "s": S, "b": B, "c": C}
    whole = {"b": member("in_sync", 1), "c": member("in_sync", 2)}
    return observed({known[name]: each for name, each in {**whole, **members}.items()}, action)


def observed(members: Mapping[str, ArrayMember], action: str) -> ObservedArray:
    return ObservedArray(
        name="md127", label="", made_for="", path="/dev/md127", uuid="", states=("clean",), level="raid5", lacks=0,
        metadata="1.2", action=action,
        members=tuple(replace(each, disk_id=disk, device="sdx") for disk, each in members.items()),
    )  # fmt: skip


WHOLE = {"f": member("in_sync", 0), "s": member("spare", None)}
TABLE: list[tuple[str, ObservedArray, bool, bool, tuple[Move, str]]] = [
    ("as it was built", seen(**WHOLE), False, False, ("fail", "")),
    ("failed, md not yet at it", seen(f=member("faulty", None), s=member("spare", None)), False, False,
     ("await-rebuild", "")),
    ("failed, blocked in its place", seen(f=member("faulty,blocked", 0), s=member("spare", None)), False, False,
     ("await-rebuild", "")),
    ("rebuilding", seen("recover", f=member("faulty", None), s=member("spare", 0)), False, False, ("await-rebuild", S)),
    ("rebuilt", seen(f=member("faulty", None), s=member("in_sync", 0)), False, False, ("remove-failed", S)),
    ("taken out", seen(s=member("in_sync", 0)), True, False, ("add-failed", S)),
    ("a boot took it out meanwhile", seen("recover", s=member("spare", 0)), False, False, ("await-rebuild", S)),
    ("a boot left both out", seen(), False, False, ("add-failed", "")),
    ("and it is rebuilt in its own place", seen("recover", f=member("spare", 0)), True, False, ("await-rebuild", "")),
    ("in as a spare", seen(f=member("spare", None), s=member("in_sync", 0)), True, False, ("replace", S)),
    ("copied back", seen("recover", f=member("spare,replacement", 0), s=member("in_sync,want_replacement", 0)), True,
     False, ("await-replace", S)),
    ("copied, the place not yet given", seen(f=member("in_sync,replacement", 0), s=member("faulty", 0)), True, False,
     ("await-replace", "")),
    ("its place is its own", seen(f=member("in_sync", 0), s=member("faulty", None)), True, False, ("remove-spare", S)),
    ("the spare is out", seen(f=member("in_sync", 0)), True, False, ("add-spare", S)),
    ("all back", seen(**WHOLE), True, False, ("check", "")),
    ("checked", seen("check", **WHOLE), True, False, ("await-check", "")),
    ("checked before", seen(**WHOLE), True, True, ("verify", "")),
]  # fmt: skip


@pytest.mark.parametrize(("what", "now", "past", "checked", "wanted"), TABLE, ids=[row[0] for row in TABLE])
def test_the_next_move(what: str, now: ObservedArray, past: bool, checked: bool, wanted: tuple[Move, str]) -> None:
    assert next_move(ASK, PLAN, now, past=past, checked=checked) == wanted


def test_without_restore_the_failed_one_stays_the_spare() -> None:
    ask = replace(ASK, restore=False)
    now = seen(f=member("spare", None), s=member("in_sync", 0))
    assert next_move(ask, PLAN, now, past=True, checked=False) == ("check", S)
    assert next_move(ask, PLAN, now, past=True, checked=True) == ("verify", S)


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (seen(f=member("faulty", None), b=member("faulty", 1), s=member("spare", 0)), "no longer member 1"),
        (seen(**WHOLE, c=member("spare", 2)), "no longer member 2"),
        (
            replace(seen(), members=(replace(member("spare", None), device="sdx"),)),
            "sdx in /dev/md/data-0 is not a disk",
        ),
    ],
)
def test_members_that_the_drill_did_not_touch_must_be_whole(now: ObservedArray, words: str) -> None:
    with pytest.raises(Refused, match=words):
        next_move(ASK, PLAN, now, past=False, checked=False)


@given(
    members=st.dictionaries(
        st.sampled_from([F, S, B, C, PLAN.arrays[1].members[0]]),
        st.builds(
            member,
            st.lists(st.sampled_from(["in_sync", "faulty", "spare", "replacement", "want_replacement", "blocked"])).map(
                ",".join
            ),
            st.sampled_from([None, 0, 1, 2, 3]),
        ),
    ),
    past=st.booleans(),
    checked=st.booleans(),
    restore=st.booleans(),
)
def test_whatever_the_kernel_says_nothing_but_the_two_disks_is_ever_touched(
    members: dict[str, ArrayMember], past: bool, checked: bool, restore: bool
) -> None:
    ask = replace(ASK, restore=restore)
    now = observed(members, "idle")
    try:
        move, spare = next_move(ask, PLAN, now, past=past, checked=checked)
        step = move_step(move, 1, ask, PLAN, now, spare)
    except Refused:
        return
    paths = {disk.id: disk.path for disk in PLAN.disks}
    allowed = {paths[F], paths[S], paths.get(spare, "")}
    for action in step.actions if step else ():
        assert isinstance(action, Command)
        disks = {word for word in action.argv if word.startswith("/dev/disk/")}
        assert disks <= allowed
        assert not disks & {paths[B], paths[C]}
    if move == "fail":  # never on an array that lacks anybody
        assert all("in_sync" in members[each].flags and members[each].slot is not None for each in (F, B, C))


def zeroed(path: str) -> list[str]:
    """The superblock, which proves whose the rest is, goes last."""
    areas = ((0, 4096), (8192, 4186112), (135266304, 4194304), (2000394739712, 4194304), (4096, 4096))
    return [f"blkdiscard --zeroout --offset={start} --length={length} {path}" for start, length in areas]


def test_the_commands_of_a_drill() -> None:
    def said(move: Move, now: ObservedArray, spare: str = "") -> list[str]:
        step = move_step(move, 1, ASK, PLAN, now, spare)
        assert step is not None
        return [" ".join(action.argv) for action in step.actions if isinstance(action, Command)]

    now = seen(**WHOLE)
    assert said("fail", now) == [f"mdadm --manage /dev/md/data-0 --fail {D}1"]
    assert said("remove-failed", now, S) == [f"mdadm --manage /dev/md/data-0 --remove {D}1"]
    assert said("add-failed", now, S) == [*zeroed(f"{D}1"), f"mdadm --manage /dev/md/data-0 --add-spare {D}1"]
    assert said("replace", now, S) == [f"mdadm --manage /dev/md/data-0 --replace {D}7 --with {D}1"]
    assert said("remove-spare", now, S) == [f"mdadm --manage /dev/md/data-0 --remove {D}7"]
    assert said("add-spare", now, S) == [*zeroed(f"{D}7"), f"mdadm --manage /dev/md/data-0 --add-spare {D}7"]
    assert said("check", now) == ["mdadm --misc --action=check /dev/md/data-0"]
    assert said("verify", now) == []
    wipe = move_step("add-failed", 1, ASK, PLAN, now, S).actions[0]  # type: ignore[union-attr]
    assert wipe.only_if.answer == ARRAY.uuid  # type: ignore[union-attr]
