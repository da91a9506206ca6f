"""What a drill does next, from what the kernel says of the members: a pure table, so it goes on from any moment.

fail F -> the spare S is rebuilt -> F out, blank, in as a spare -> F takes the place of S again -> S out, blank, in as
a spare -> check. Without `restore` F stays the spare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from raidtui.model.drill import DrillAsk, Move
from raidtui.model.errors import Refused
from raidtui.model.plan import Command, Plan, PlanArray, PlanDisk, Reading, Stage, Step
from raidtui.model.safe import safe
from raidtui.planner.compile.step_builder import fact, member_is_ours
from raidtui.planner.compile.wipe_step import blanking
from raidtui.tools import md_sysfs, mdadm


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSeen:
    """A disk in the array now, as sysfs has it."""

    flags: frozenset[str]
    """in_sync, faulty, spare, replacement, want_replacement, ..."""
    slot: int | None
    """its place; None for a spare or a failed member that lost its place"""

    @property
    def whole(self) -> bool:
        """A member that works and is no longer rebuilt."""
        return "in_sync" in self.flags and self.slot is not None

    @property
    def faulty(self) -> bool:
        """Failed, and still in the array."""
        return "faulty" in self.flags

    @property
    def idle_spare(self) -> bool:
        """A spare that does nothing."""
        return "spare" in self.flags and self.slot is None and not self.faulty


@dataclass(frozen=True, slots=True, kw_only=True)
class ArraySeen:
    """The array now."""

    kernel_name: str
    """md127"""
    members: Mapping[str, MemberSeen]
    """by identity of the plan's disks"""
    strangers: tuple[str, ...] = ()
    """kernel names of members that are no disks of the plan"""
    degraded: int
    """members missing, as the kernel counts"""
    action: str
    """idle, recover, resync, check, ..."""


def next_move(ask: DrillAsk, plan: Plan, seen: ArraySeen, *, past: bool, checked: bool) -> tuple[Move, str]:
    """What comes next, and the identity of the spare it is about, where one is.

    `past`: something was taken out or put in since the member failed, so a whole array is one that was put back;
    `checked`: the check was seen to its end.
    Raises Refused when a member that the drill has nothing to do with is gone or has failed.
    """
    array = plan.arrays[ask.array]
    ours = (*array.members, *array.spares)
    failed = seen.members.get(ask.failed)
    holder = _in_place(seen, ask)
    _refuse_others(ask, plan, array, seen, holder)
    if failed is not None and failed.whole and "replacement" not in failed.flags:
        # in its place: before the drill, or after it came back
        leaving = next((disk for disk, each in seen.members.items() if each.faulty), "")
        if leaving:
            return "remove-spare", leaving
        absent = next((disk for disk in ours if disk not in seen.members), "")
        if not past:
            return "fail", ""
        if absent:
            return "add-spare", absent
        return _checking(seen, checked), ""
    if failed is not None and "replacement" in failed.flags:
        return "await-replace", holder
    if failed is None and not holder and not any(each.idle_spare for each in seen.members.values()):
        return "add-failed", ""  # a boot left both out: it is rebuilt in its own place
    if not holder or not seen.members[holder].whole:
        return "await-rebuild", holder
    if failed is None:
        return "add-failed", holder
    if failed.faulty:
        return "remove-failed", holder
    return ("replace" if ask.restore else _checking(seen, checked)), holder


def move_step(move: Move, number: int, ask: DrillAsk, plan: Plan, seen: ArraySeen, spare: str) -> Step | None:
    """The step of a move, with what must be true after it; None for one that only waits."""
    array, device = plan.arrays[ask.array], ask.device
    known = {disk.id: disk for disk in plan.disks}
    first, second = known[ask.failed], known.get(spare)
    match move:
        case "fail":
            return _step(
                number, "fail", f"Fail {_called(first)}",
                "As if it had broken: md must go on without it and rebuild it onto the spare by itself.",
                mdadm.fail(device, first.path), _counts(device, failed=1),
            )  # fmt: skip
        case "remove-failed":
            return _step(
                number, "exchange", f"Take {_called(first)} out",
                "A failed member stays in the array until it is taken out.",
                mdadm.remove(device, first.path), _counts(device, failed=0),
            )  # fmt: skip
        case "remove-spare" if second:
            return _step(
                number, "exchange", f"Take {_called(second)} out", "It gave its place back, which md counts as failed.",
                mdadm.remove(device, second.path), _counts(device, failed=0),
            )  # fmt: skip
        case "add-failed":
            return _add(number, first, array, plan)
        case "add-spare" if second:
            return _add(number, second, array, plan)
        case "replace" if second:
            return _step(
                number, "exchange", f"Give {_called(first)} its place back",
                f"md copies {_called(second)} onto it while both work; at no moment is redundancy less than before.",
                mdadm.replace(device, second.path, first.path), (),
            )  # fmt: skip
        case "check":
            return _step(number, "scrub", f"Check {device}", "Every block is read and its parity or copy compared.",
                         mdadm.check(device), ())  # fmt: skip
        case "verify":
            return _verify(number, ask, plan, array, seen)
        case "await-rebuild" | "await-replace" | "await-check" | "done":
            return None
        case "remove-spare" | "add-spare" | "replace":
            raise Refused("the spare that took the place is not of this plan", hint="look at mdadm --detail")
        case _:
            assert_never(move)


def _verify(number: int, ask: DrillAsk, plan: Plan, array: PlanArray, seen: ArraySeen) -> Step:
    mismatches = md_sysfs.read_question(md_sysfs.value_path(seen.kernel_name, "mismatch_cnt"))
    working = str(len(array.members) + len(array.spares))
    readings = [
        fact("predicted", "the check found no mismatch", mismatches, "0"),
        fact(
            "member count",
            f"{ask.device} has {working} working devices",
            mdadm.detail(ask.device),
            working,
            key="Working Devices",
        ),
        *_counts(ask.device, failed=0),
    ]
    if ask.restore and plan.design.metadata != "0.90":
        known = {disk.id: disk.path for disk in plan.disks}
        roles = [(disk, f"Active device {place}") for place, disk in enumerate(array.members)]
        roles += [(disk, "spare") for disk in array.spares]
        readings += [
            fact("predicted", f"{known[disk]} is there as {role}", mdadm.examine(known[disk]), role, key="Device Role")
            for disk, role in roles
        ]
    return Step(
        number=number, stage="verify", title="Verify everything",
        purpose="The array is as it was before the drill.", actions=(), after=tuple(readings),
    )  # fmt: skip


def _add(number: int, disk: PlanDisk, array: PlanArray, plan: Plan) -> Step:
    ours = member_is_ours(disk.path, array)
    readings = [ours]
    if plan.design.metadata != "0.90":
        readings.append(
            fact("predicted", f"{disk.path} is a spare", mdadm.examine(disk.path), "spare", key="Device Role")
        )
    return Step(
        number=number,
        stage="exchange",
        title=f"Put {_called(disk)} in as a spare",
        purpose="Zeroes both ends and the start of its data, then its superblock, if that still belongs to the "
        "array: only a blank disk is added. A lock keeps udev away meanwhile.",
        actions=(
            *blanking(plan.prediction, disk, plan.design.metadata, ours),
            mdadm.add_spare(array.device, disk.path),
        ),
        destroys=(disk.id,),
        locks=(disk.id,),
        after=tuple(readings),
    )


def _step(
    number: int, stage: Stage, title: str, purpose: str, command: Command, after: tuple[Reading, ...]
) -> Step:  # fmt: skip
    return Step(number=number, stage=stage, title=title, purpose=purpose, actions=(command,), after=after)


def _counts(device: str, *, failed: int) -> tuple[Reading, ...]:
    what = f"{device} counts {failed} failed device{'s' if failed != 1 else ''}"
    return (fact("member count", what, mdadm.detail(device), str(failed), key="Failed Devices"),)


def _called(disk: PlanDisk) -> str:
    return f"{safe(disk.place.text or disk.path, longest=60)} (serial {safe(disk.serial or 'unknown', longest=40)})"


def _checking(seen: ArraySeen, checked: bool) -> Move:
    if seen.action == "check":
        return "await-check"
    return "verify" if checked else "check"


def _in_place(seen: ArraySeen, ask: DrillAsk) -> str:
    """Who is at the failed member's place, whole or still rebuilt."""
    return next(
        (
            disk
            for disk, each in seen.members.items()
            if each.slot == ask.role and disk != ask.failed and not each.faulty and "replacement" not in each.flags
        ),
        "",
    )


def _refuse_others(ask: DrillAsk, plan: Plan, array: PlanArray, seen: ArraySeen, holder: str) -> None:
    """Members that the drill did not touch must be whole; the spare that is gone is the one that took the place."""
    hint = "nothing further was started; look at mdadm --detail, let md finish, then raidtui drill again"
    if seen.strangers:
        raise Refused(f"{', '.join(seen.strangers)} in {ask.device} is no disk of the plan", hint=hint)
    known = {disk.id: disk for disk in plan.disks}
    for place, disk in enumerate(array.members):
        each = seen.members.get(disk)
        if disk != ask.failed and (each is None or not each.whole or each.slot != place):
            raise Refused(f"the disk in {_called(known[disk])} is no longer member {place} of {ask.device}", hint=hint)
    for disk in seen.members:
        if disk not in (*array.members, *array.spares) and disk != holder:
            raise Refused(f"the disk in {_called(known[disk])} belongs to another array of the plan", hint=hint)
