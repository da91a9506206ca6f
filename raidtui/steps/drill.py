"""Next move of a drill, derived from the kernel's state of the members alone, so a drill can resume at any point.

Fail F -> rebuild onto spare S -> remove F, blank it, add it as a spare -> replace S by F -> remove S, blank it, add it
as a spare -> check. Without `restore` F stays the spare.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from raidtui.programs import md, mdadm
from raidtui.steps.disk_steps import blanking
from raidtui.steps.step_builder import fact, member_is_ours
from raidtui.values.arrays import ArrayMember, ObservedArray
from raidtui.values.errors import Refused
from raidtui.values.plan import Command, Plan, PlanArray, PlanDisk, Reading, Stage, Step
from raidtui.values.safe import safe
from raidtui.values.trials import DrillAsk, Move
from raidtui.values.units import counted


def members_of(seen: ObservedArray) -> dict[str, ArrayMember]:
    """The members that are disks of the plan, by their identity."""
    return {each.disk_id: each for each in seen.members if each.disk_id}


def _is_whole(member: ArrayMember | None) -> bool:
    """True for a working member that is in sync, also for a replacement that has been filled."""
    return member is not None and "in_sync" in member.flags and member.slot is not None


def next_move(ask: DrillAsk, plan: Plan, seen: ObservedArray, *, past: bool, checked: bool) -> tuple[Move, str]:
    """The next move, and the identity of the spare that it concerns; empty if it concerns none.

    `past`: a member was removed or added since the failure, so a complete array has been restored;
    `checked`: the check was observed to its end.
    Raises Refused if another member is missing or has failed.
    """
    array = plan.arrays[ask.array]
    ours, members = array.disks, members_of(seen)
    failed = members.get(ask.failed)
    holder = _in_place(members, ask)
    _refuse_others(ask, plan, array, seen, holder)
    if failed is not None and _is_whole(failed) and failed.state != "replacement":
        # in its own role: before the drill, or restored
        leaving = next((disk for disk, each in members.items() if each.state == "faulty"), "")
        if leaving:
            return "remove-spare", leaving
        absent = next((disk for disk in ours if disk not in members), "")
        if not past:
            return "fail", ""
        if absent:
            return "add-spare", absent
        return _checking(seen, checked), ""
    if failed is not None and failed.state == "replacement":
        return "await-replace", holder
    if failed is None and not holder and not any(each.state == "spare" for each in members.values()):
        return "add-failed", ""  # a boot assembled the array without both: it is rebuilt in its own role
    if not holder or not _is_whole(members[holder]):
        return "await-rebuild", holder
    if failed is None:
        return "add-failed", holder
    if failed.state == "faulty":
        return "remove-failed", holder
    return ("replace" if ask.restore else _checking(seen, checked)), holder


def move_step(move: Move, number: int, ask: DrillAsk, plan: Plan, seen: ObservedArray, spare: str) -> Step | None:
    """The step of a move with its postconditions; None for a move that only waits."""
    array, device = plan.arrays[ask.array], ask.device
    known = {disk.id: disk for disk in plan.disks}
    first, second = known[ask.failed], known.get(spare)
    match move:
        case "fail":
            return _step(
                number, "fail", f"Fail {_display_name(first)}",
                "Simulates a disk failure: md must start the rebuild onto the spare by itself.",
                mdadm.fail(device, first.member_of(array).path), _counts(device, failed=1),
            )  # fmt: skip
        case "remove-failed":
            return _step(
                number, "exchange", f"Remove {_display_name(first)}",
                "A failed member stays in the array until it is removed.",
                mdadm.remove(device, first.member_of(array).path), _counts(device, failed=0),
            )  # fmt: skip
        case "remove-spare" if second:
            return _step(
                number, "exchange", f"Remove {_display_name(second)}", "md marks a replaced member as failed.",
                mdadm.remove(device, second.member_of(array).path), _counts(device, failed=0),
            )  # fmt: skip
        case "add-failed":
            return _add(number, first, array, plan)
        case "add-spare" if second:
            return _add(number, second, array, plan)
        case "replace" if second:
            return _step(
                number, "exchange", f"Restore {_display_name(first)} to its role",
                f"md copies {_display_name(second)} onto it while both are in sync; redundancy is never reduced.",
                mdadm.replace(device, second.member_of(array).path, first.member_of(array).path), (),
            )  # fmt: skip
        case "check":
            return _step(number, "scrub", f"Check {device}", "md reads every block and compares its parity or copy.",
                         mdadm.check(device), ())  # fmt: skip
        case "verify":
            return _verify(number, ask, plan, array, seen)
        case "await-rebuild" | "await-replace" | "await-check" | "done":
            return None
        case "remove-spare" | "add-spare" | "replace":
            raise Refused("the spare in use is not a disk of this plan", hint="see mdadm --detail")
        case _:
            assert_never(move)


def _verify(number: int, ask: DrillAsk, plan: Plan, array: PlanArray, seen: ObservedArray) -> Step:
    mismatches = md.read_question(md.value_path(seen.name, "mismatch_cnt"))
    working = str(len(array.disks))
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
        known = {disk.id: disk.member_of(array).path for disk in plan.disks if disk.id in array.disks}
        roles = [(disk, f"Active device {place}") for place, disk in enumerate(array.members)]
        roles += [(disk, "spare") for disk in array.spares]
        readings += [
            fact("predicted", f"{known[disk]} has the role {role}", mdadm.examine(known[disk]), role, key="Device Role")
            for disk, role in roles
        ]
    return Step(
        number=number, stage="verify", title="Verify everything",
        purpose="The array must be as it was before the drill.", actions=(), after=tuple(readings),
    )  # fmt: skip


def _add(number: int, disk: PlanDisk, array: PlanArray, plan: Plan) -> Step:
    member = disk.member_of(array)
    ours = member_is_ours(member.path, array)
    readings = [ours]
    if plan.design.metadata != "0.90":
        readings.append(
            fact(
                "predicted",
                f"{member.path} is a spare",
                mdadm.examine(member.path),
                "spare",
                key="Device Role",
            )
        )
    return Step(
        number=number,
        stage="exchange",
        title=f"Add {_display_name(disk)} as a spare",
        purpose="Zeroes both ends and the data offset, then the superblock if it is still the array's. So a blank "
        "disk is added. An advisory lock keeps udev from opening the disk.",
        actions=(
            *blanking(plan.prediction, member, plan.design.metadata, ours),
            mdadm.add_spare(array.device, member.path),
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
    what = f"{device} has {counted(failed, 'failed device')}"
    return (fact("member count", what, mdadm.detail(device), str(failed), key="Failed Devices"),)


def _display_name(disk: PlanDisk) -> str:
    return f"{safe(disk.place.text or disk.path, longest=60)} (serial {safe(disk.serial or 'unknown', longest=40)})"


def _checking(seen: ObservedArray, checked: bool) -> Move:
    if seen.action == "check":
        return "await-check"
    return "verify" if checked else "check"


def _in_place(members: Mapping[str, ArrayMember], ask: DrillAsk) -> str:
    """Identity of the disk in the failed member's role, in sync or being rebuilt; empty if none."""
    holders = (
        disk
        for disk, each in members.items()
        if each.slot == ask.role and disk != ask.failed and each.state in ("in-sync", "rebuilding")
    )
    return next(holders, "")


def _refuse_others(ask: DrillAsk, plan: Plan, array: PlanArray, seen: ObservedArray, holder: str) -> None:
    """Raises Refused unless all other members are in sync and in their roles."""
    hint = "the drill stopped here; see mdadm --detail, let md finish, then run raidtui drill again"
    members = members_of(seen)
    strangers = [safe(each.device) for each in seen.members if not each.disk_id]
    if strangers:
        raise Refused(f"{', '.join(strangers)} in {ask.device} is not a disk of the plan", hint=hint)
    known = {disk.id: disk for disk in plan.disks}
    for place, disk in enumerate(array.members):
        each = members.get(disk)
        if disk != ask.failed and (each is None or not _is_whole(each) or each.slot != place):
            raise Refused(
                f"the disk in {_display_name(known[disk])} is no longer member {place} of {ask.device}", hint=hint
            )
    for disk in members:
        if disk not in array.disks and disk != holder:
            raise Refused(f"the disk in {_display_name(known[disk])} belongs to another array of the plan", hint=hint)
