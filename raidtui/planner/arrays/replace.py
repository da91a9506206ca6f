"""How a member of an array that exists is replaced, so that redundancy drops as little as it can. Executes nothing.

mdadm(8) --replace copies while the old member still works; a faulty or missing one is rebuilt onto the new disk; where
a spare took over, the new disk becomes the spare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from shlex import join

from raidtui.model.arrays import ArrayMember, MemberState, ObservedArray, ObservedArrays
from raidtui.model.codec import document_digest
from raidtui.model.counted import counted
from raidtui.model.errors import BadInput
from raidtui.model.finding import Finding, refused
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.plan import partition_path
from raidtui.model.replacement import Replacement, ReplacementDisk, ReplacementStep, ReplacementWay
from raidtui.model.safe import safe
from raidtui.model.units import grouped
from raidtui.planner.arrays import words
from raidtui.planner.arrays.document import TONES
from raidtui.planner.arrays.layout import layout_of
from raidtui.planner.arrays.state import REDUNDANT, survives
from raidtui.planner.checks.partitions import COPY_TABLE
from raidtui.planner.design.infer_from_arrays import NotALayout, predict_inferred
from raidtui.planner.findings import error, name, note, warning
from raidtui.planner.numbers import hours, listed
from raidtui.planner.report.blocks import Block, Heading, Item, Items, Listing, Pairs
from raidtui.tools import md_sysfs, mdadm, sysfs

BEGUN: tuple[MemberState, ...] = ("spare", "replacement", "rebuilding")
"""states of a new disk that is in the array already: a replacement that was begun goes on"""


def replacement(
    seen: ObservedArrays, inventory: Inventory, array_name: str, *, member: str | None = None, new: str | None = None
) -> Replacement:
    """What to do to replace a member of an array; `member` and `new` are kernel names, serial numbers or bays.

    Without `member` the one that is faulty or missing; without `new` the only blank disk that fits. Raises BadInput for
    names that are none, or not one.
    """
    array = _array(seen, array_name)
    old = _old(array, member)
    disks = {disk.kernel_name: disk for disk in inventory.disks if disk.kernel_name}
    needed = array.component_bytes + max((each.data_offset_bytes or 0 for each in array.members), default=0)
    parted = _partition_member(array)
    fitting = [disk for disk in inventory.free if not list(_unfit(array, old, disk, needed))]
    chosen = _new(inventory, new) if new is not None else fitting[0] if len(fitting) == 1 else None
    others = {each.disk for each in array.members if each.state == "rebuilding"} - {
        chosen.kernel_name if chosen else ""
    }
    way: ReplacementWay = "copy" if old is not None and old.state == "in-sync" else "spare" if others else "rebuild"
    findings = [*_findings(array, old, chosen, fitting), *(_unfit(array, old, chosen, needed) if chosen else ())]
    path = "" if chosen is None else partition_path(chosen.path, 1) if parted else chosen.path
    built = layout_of(array, seen.arrays, inventory)
    shown = None if old is None else _disk_of(old, disks)
    rebuild = None
    if not isinstance(built, NotALayout):
        risk = predict_inferred(built, inventory).durability
        rebuild = risk.rebuild if risk is not None else None
    lacks, whole = array.lacks or 0, survives(array.level, array.devices)
    made = Replacement(
        host=seen.host,
        simulated=seen.simulated,
        array=array.name,
        uuid=array.uuid,
        level=array.level,
        way=way,
        old=shown,
        slot=None if old is None else old.slot,
        new=None if chosen is None else _chosen(chosen, path),
        candidates=tuple(disk.id for disk in fitting),
        needed_bytes=needed,
        survives=None if whole is None else max(0, whole - lacks),
        hours=None if rebuild is None else rebuild.hours,
        least_hours=None if rebuild is None else rebuild.idle_hours,
        most_hours=None if rebuild is None else rebuild.slow_hours,
        steps=() if refused(findings) or chosen is None else tuple(_steps(array, way, old, shown, chosen, path)),
        findings=tuple(findings),
    )
    return replace(made, digest=document_digest(_confirmed(made)))


def _confirmed(made: Replacement) -> Replacement:
    """What is confirmed of it: array, disks and commands; not how long it takes, nor what else is there."""
    return replace(made, hours=None, least_hours=None, most_hours=None, candidates=(), findings=())


def _array(seen: ObservedArrays, text: str) -> ObservedArray:
    wanted = text.removeprefix("/dev/")
    found = [
        each
        for each in seen.arrays
        if wanted in (each.name, each.path.removeprefix("/dev/"), each.path.rpartition("/")[2], each.label, each.uuid)
    ]
    if len(found) == 1:
        return found[0]
    there = listed([words.name(each) for each in seen.arrays]) if seen.arrays else "none"
    what = "is the name of several arrays" if found else "is no array of this machine"
    raise BadInput(f"{safe(text)} {what}", hint=f"raidtui arrays lists them: {there}")


def _old(array: ObservedArray, text: str | None) -> ArrayMember | None:
    working = [each for each in array.members if each.state in ("in-sync", "rebuilding", "faulty", "missing")]
    if text is not None:
        wanted = text.removeprefix("/dev/")
        found = [
            each for each in working if each.device and wanted in (each.device, each.disk, each.serial, each.place.slot)
        ]
        if len(found) == 1:
            return found[0]
        what = "names several members" if found else "is no member"
        raise BadInput(
            f"{safe(text)} {what} of {words.name(array)}",
            hint=f"name one by kernel name, serial number or bay: {listed([safe(each.device) for each in working])}",
        )
    gone = [each for each in working if each.state in ("faulty", "missing")]
    if len(gone) == 1:
        return gone[0]
    if gone:
        faulty = [each for each in gone if each.device]
        return faulty[0] if len(faulty) == 1 else gone[0]
    if array.lacks:
        return None
    raise BadInput(f"{words.name(array)} lacks no member", hint="name the member that goes: --member sdc")


def _new(inventory: Inventory, text: str) -> Disk:
    wanted = text.removeprefix("/dev/").removeprefix("disk/by-id/")
    found = [
        disk
        for disk in inventory.disks
        if wanted in (disk.kernel_name, disk.serial, disk.id, disk.place.slot, *disk.by_id)
    ]
    if len(found) == 1:
        return found[0]
    what = "names several disks" if found else "is no disk of this machine"
    raise BadInput(
        f"{safe(text)} {what}", hint="raidtui disks lists them; name one by kernel name, serial number or bay"
    )


def _partition_member(array: ObservedArray) -> ArrayMember | None:
    """A member that is a partition of its disk; None where whole disks are members."""
    return next((each for each in array.members if each.disk and each.device != each.disk), None)


def _unfit(array: ObservedArray, old: ArrayMember | None, disk: Disk, needed: int) -> Iterator[Finding]:
    """Why a disk cannot take the place; one that has begun to may go on."""
    members = {each.disk: each.state for each in array.members}
    if disk.kernel_name in members:
        ended = old is not None and old.state == "faulty" and not array.lacks and members[disk.kernel_name] == "in-sync"
        if members[disk.kernel_name] not in BEGUN and not ended:
            yield error("new-is-member", f"{name(disk)} belongs to {words.name(array)}.", "name another disk", disk.id)
        return
    if disk.not_selectable is not None or disk.protected:
        yield error(
            "new-in-use", f"{name(disk)} cannot be used: {safe(disk.not_selectable or 'the system uses it')}.",
            "name a blank disk", disk.id,
        )  # fmt: skip
    elif disk.state != "blank":
        yield error(
            "new-not-blank", f"{name(disk)} is not proven blank (its state is {disk.state}).",
            "read raidtui disks; back up what is on it, and erase it with the tool that made it", disk.id,
        )  # fmt: skip
    if disk.size_bytes < needed:
        yield error(
            "new-too-small",
            f"{name(disk)} has {grouped(disk.size_bytes)} bytes, the member needs {grouped(needed)}.",
            "use a disk at least as large", disk.id,
        )  # fmt: skip
    sector = array.logical_sector_bytes
    if sector is not None and disk.logical_sector_bytes > sector:
        yield error(
            "new-sector-size",
            f"{name(disk)} has sectors of {disk.logical_sector_bytes} bytes, {words.name(array)} of {sector}: a file "
            "system made for smaller sectors may not mount any more.",
            "use a disk whose sectors are no larger", disk.id,
        )  # fmt: skip


def _findings(
    array: ObservedArray, old: ArrayMember | None, new: Disk | None, fitting: Sequence[Disk]
) -> Iterator[Finding]:
    title = words.name(array)
    if not array.size_bytes or "failed" in array.states:
        yield error(
            "array-down", f"{title} is {words.state_words(array)}: no member of it can be rebuilt.",
            "raidtui arrays tells why; do not run mdadm --create or --assemble --force on it", title,
        )  # fmt: skip
    elif array.level not in REDUNDANT:
        yield error(
            "no-redundancy", f"{title} is {safe(array.level)}: a member of it cannot be rebuilt.",
            "copy its data elsewhere while it can be read", title,
        )  # fmt: skip
    if array.metadata.startswith("external"):
        yield error(
            "external-metadata", f"{title} has metadata {safe(array.metadata)}: its container takes the disk.",
            "add the disk to the container with mdadm", title,
        )  # fmt: skip
    if "read-only" in array.states or "auto-read-only" in array.states:
        yield warning(
            "array-read-only", f"{title} is {words.state_words(array)}: md rebuilds nothing before a write.",
            f"mdadm --readwrite /dev/{array.name}", title,
        )  # fmt: skip
    if old is not None and old.state == "in-sync" and array.lacks:
        yield error(
            "other-member-first", f"{title} lacks another member: this one must not go before that is replaced.",
            "leave out --member: the one that is missing comes first", title,
        )  # fmt: skip
    parted = _partition_member(array)
    if parted is not None:
        yield note(
            "new-needs-partition", f"Members of {title} are partitions: the new disk needs one as large first.",
            COPY_TABLE.replace("MEMBER", f"/dev/{safe(parted.disk)}"), title,
        )  # fmt: skip
    if new is None:
        some = listed([name(disk) for disk in fitting[:4]]) if fitting else ""
        yield note(
            "new-not-chosen",
            "No blank disk fits." if not fitting else f"{len(fitting)} blank disks fit: {some}.",
            "insert one and run this again" if not fitting else "name one: --with " + name(fitting[0]), title,
        )  # fmt: skip


def _disk_of(member: ArrayMember, disks: dict[str, Disk]) -> ReplacementDisk:
    disk = disks.get(member.disk)
    path = "" if disk is None else disk.path
    for number in disk.partitions if disk is not None else ():
        if sysfs.partition_name(member.disk, number) == member.device and disk is not None:
            path = partition_path(disk.path, number)
    return ReplacementDisk(
        device=member.device, path=path, id=member.disk_id, serial=member.serial, bay=member.place.slot,
        size_bytes=None if disk is None else disk.size_bytes,
    )  # fmt: skip


def _chosen(disk: Disk, path: str) -> ReplacementDisk:
    return ReplacementDisk(
        device=disk.kernel_name, path=path, id=disk.id, serial=disk.serial, bay=disk.place.slot,
        size_bytes=disk.size_bytes,
    )  # fmt: skip


def _steps(
    array: ObservedArray,
    way: ReplacementWay,
    old: ArrayMember | None,
    shown: ReplacementDisk | None,
    new: Disk,
    path: str,
) -> Iterator[ReplacementStep]:
    device = f"/dev/{array.name}"
    comes = new.kernel_name if path == new.path else sysfs.partition_name(new.kernel_name, 1)
    yield ReplacementStep(
        act="add", title="Add the new disk as a spare", argv=mdadm.add_spare(device, path).argv,
        proof=f"mdadm --examine {path} names the array {array.uuid}",
    )  # fmt: skip
    old_path = "" if old is None or shown is None or not old.device else shown.path or f"/dev/{old.device}"
    if way == "copy":
        yield ReplacementStep(
            act="copy",
            title="Copy the old member onto it; the old one works meanwhile",
            argv=mdadm.replace(device, old_path, path).argv,
            proof=f"/proc/mdstat shows a recovery of {array.name}, and raidtui arrays a replacement",
        )
    if way != "spare":
        yield ReplacementStep(
            act="wait", title="Wait until it has ended", argv=mdadm.wait_question(device),
            proof=f"{md_sysfs.member_path(array.name, comes, 'state')} has in_sync",
        )  # fmt: skip
    if old_path:
        yield ReplacementStep(
            act="remove", title="Take the old member out", argv=mdadm.remove(device, old_path).argv,
            proof=f"mdadm --detail {device} does not list {safe(old.device) if old else ''} any more",
        )  # fmt: skip
        yield ReplacementStep(
            act="locate", title=f"Switch the light of its bay on: ledctl locate=/dev/{safe(old.disk if old else '')}",
            proof=f"the serial number on the label is {safe((old.serial if old else None) or 'unknown')}; then pull it",
        )  # fmt: skip
    yield ReplacementStep(
        act="check", title="Check all members", argv=mdadm.check(device).argv,
        proof=f"when it has ended, /sys/block/{array.name}/md/mismatch_cnt is 0",
    )  # fmt: skip


def replacement_blocks(found: Replacement) -> tuple[Block, ...]:
    """For terminal and app."""
    title = safe(found.array)
    way = {
        "copy": "copied while the old member works: redundancy does not drop",
        "rebuild": "rebuilt from the other members",
        "spare": "a spare has its place already: the new disk becomes the spare",
    }[found.way]
    pairs = [
        ("goes", "nothing: a spare took over" if found.old is None else _shown(found.old, found.slot)),
        ("comes", "not chosen" if found.new is None else _shown(found.new, None)),
        ("needs", f"{grouped(found.needed_bytes)} bytes or more"),
        ("how", way),
        ("meanwhile", _exposure(found)),
    ]
    if found.hours is not None and found.least_hours is not None and found.most_hours is not None:
        pairs.append(
            ("time", f"{hours(found.hours)}, {hours(found.least_hours)} idle to {hours(found.most_hours)} busy")
        )
    blocks: list[Block] = [Heading(text=f"{title} ({safe(found.level)})"), Pairs(pairs=tuple(pairs))]
    items = tuple(
        Item(mark=each.severity, text=f"{each.message} [{each.code}]", more=each.way_out, tone=TONES[each.severity])
        for each in found.findings
    )
    blocks += [Items(items=items)] if items else []
    if found.steps:
        blocks.append(Heading(text="What to do, as root; nothing of it was executed"))
    for number, step in enumerate(found.steps, start=1):
        typed = (f"     {join(step.argv)}",) if step.argv else ()
        blocks.append(Listing(lines=(f"  {number}. {step.title}", *typed, f"     proof: {step.proof}")))
    return tuple(blocks)


def _exposure(found: Replacement) -> str:
    match found.survives:
        case None:
            return "a failure of the wrong member loses data"
        case 0:
            return "one more failure loses data, until it has ended"
        case count:
            return f"it survives {counted(count, 'further failure')}"


def _shown(disk: ReplacementDisk, slot: int | None) -> str:
    parts = [
        "" if slot is None else f"slot {slot}", "" if disk.bay is None else f"bay {safe(disk.bay)}",
        f"serial {safe(disk.serial, longest=40)}" if disk.serial else "",
    ]  # fmt: skip
    return f"{safe(disk.device) or 'a disk that is gone'} ({', '.join(filter(None, parts)) or 'nothing known'})"
