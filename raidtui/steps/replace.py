"""How a member of an array that exists is replaced, so that redundancy drops as little as it can. Executes nothing.

mdadm(8) --replace copies while the old member still works; a faulty or missing one is rebuilt onto the new disk; where
a spare took over, the new disk becomes the spare. A write journal is exchanged while the array is read-only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType

from raidtui.advice.arrays import words
from raidtui.advice.arrays.repair import failure_words
from raidtui.advice.arrays.state import IN_ARRAY, journal_lost, layout_of, left_to_lose
from raidtui.advice.inferred_design import NotALayout, predict_inferred
from raidtui.predict.checks.disks import COPY_TABLE
from raidtui.predict.checks.journal import least_journal
from raidtui.programs import md, mdadm, sfdisk, systemd
from raidtui.programs.sfdisk import Dump
from raidtui.programs.sysfs import partition_name
from raidtui.steps.disk_binding import plan_disk
from raidtui.steps.living import (
    belongs,
    bytes_for,
    copied,
    device_of,
    has_none,
    joins,
    numbered,
    offset_of,
    room_of,
    step,
    table_of,
    thing,
)
from raidtui.steps.step_builder import fact, only_if
from raidtui.values.acts import Replacement, ReplacementDisk, ReplacementWay, digest_of
from raidtui.values.amounts import listed
from raidtui.values.arrays import ArrayMember, MemberState, ObservedArray, ObservedArrays
from raidtui.values.errors import BadInput
from raidtui.values.findings import Finding, error, name, note, refused, warning
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import REDUNDANT
from raidtui.values.location import short_slot
from raidtui.values.plan import PartInArray, PlanDisk, PlanPartition, Step, partition_path
from raidtui.values.safe import safe
from raidtui.values.units import plural

BEGUN: tuple[MemberState, ...] = ("spare", "replacement", "rebuilding")
"""states of a new disk that is in the array already: a replacement that was begun goes on"""
_LEAVE: tuple[MemberState, ...] = ("in-sync", "rebuilding", "faulty", "missing", "spare")
"""states of a member whose place the new disk takes"""


@dataclass(frozen=True, slots=True)
class _Part:
    """What is done in one array."""

    array: ObservedArray
    old: ArrayMember | None
    number: int
    """of the partition of both disks; 0: the whole disk is the member"""
    way: ReplacementWay


def replacement(
    seen: ObservedArrays,
    inventory: Inventory,
    array_name: str,
    *,
    member: str | None = None,
    new: str | None = None,
    tables: Mapping[str, Dump] = MappingProxyType({}),
) -> Replacement:
    """What to do to replace a member of an array; `member` and `new` are kernel names, serial numbers or bays.

    Without `member` the one that is faulty or missing; without `new` the only blank disk that fits. `tables`: partition
    tables by kernel name of the disk. Where members are partitions, each array that has one on the disk gets its new
    one in turn. Raises BadInput for names that are none, or not one.
    """
    named = array_named(seen, array_name)
    if _is_journal(named, member):
        return _new_journal(seen, inventory, named, member, new)
    if "failed" in named.states:
        return _of_failed(seen, named)
    disks = {disk.kernel_name: disk for disk in inventory.disks if disk.kernel_name}
    chosen = None if new is None else disk_named(inventory, new)
    try:
        array, old = _first(seen, named, member, chosen)
    except BadInput:
        if chosen is None or not _has_place(named, chosen):
            raise
        return _nothing_left(seen, named, chosen)
    parted = bool(partition_of(old)) if old is not None and old.device else partition_member(array) is not None
    members = [(array, old), *(_beside(seen, array, old, chosen) if parted else ())]
    numbers = [_number(each, gone) if parted else 0 for each, gone in members]
    sources = [disks[each.disk] for each in array.members if each.disk in disks]
    needed = room_of(array)
    source = table_of(disks.get(old.disk) if old else None, sources, numbers, tables) if parted else None
    if source is not None:
        needed = bytes_for(*source)
    fitting = [disk for disk in inventory.free if not list(unfit(array, old, disk, inventory, needed))]
    if chosen is None and len(fitting) == 1:
        chosen = fitting[0]
    table = copied(*source, chosen) if source is not None and chosen is not None else None
    ready = table is not None and chosen is not None and tables.get(chosen.kernel_name) == table
    parts = [
        _Part(each, gone, number, _way(each, gone, chosen))
        for (each, gone), number in zip(members, numbers, strict=True)
    ]
    findings = [finding for part in parts for finding in _findings(part.array, part.old)]
    if parted:
        findings += _of_partitions(array, old, numbers, source is not None, disks)
    if chosen is None:
        findings += _not_chosen(array, fitting)
    else:
        unfitting = (unfit(part.array, part.old, chosen, inventory, needed, ready=ready) for part in parts)
        findings += dict.fromkeys(finding for each in unfitting for finding in each)
        findings += [finding for part in parts for finding in _not_kept(part, chosen)]
    hours = [_hours(part.array, seen, inventory) for part in parts]
    least, usual, most = (None if None in each else sum(filter(None, each)) for each in zip(*hours, strict=True))
    left = [left_to_lose(part.array) for part in parts]
    done = refused(findings) or chosen is None
    bound = None if done or chosen is None else _bound(chosen, parts, table)
    made = Replacement(
        host=seen.host, simulated=seen.simulated, array=array.name, uuid=array.uuid, level=array.level,
        also=tuple(part.array.name for part in parts[1:]), way=parts[0].way,
        old=None if old is None else _disk_of(_pulled(array, old), disks), slot=None if old is None else old.slot,
        new=None if chosen is None else _chosen(chosen), candidates=tuple(disk.id for disk in fitting),
        needed_bytes=needed, survives=None if None in left else min(each or 0 for each in left),
        hours=usual, least_hours=least, most_hours=most,
        disks=() if bound is None else (bound,), arrays=tuple(thing(part.array) for part in parts),
        members=tuple(path for part in parts if (path := _leaves(part, disks))),
        steps=() if bound is None else numbered(_steps(parts, disks, bound, table)), findings=tuple(findings),
    )  # fmt: skip
    return replace(made, digest=digest_of(made))


def _of_failed(seen: ObservedArrays, array: ObservedArray) -> Replacement:
    """The answer for an array that has failed: why nothing is replaced, what failed, what may still be saved."""
    title = words.name(array)
    found = list(unusable(array, "copy its data elsewhere while it can be read"))
    if failed := failure_words(array):
        found.append(
            note(
                "members-failed", f"Failed: {failed}.",
                "read the kernel's log for why: a cable, a slot or its power may have taken disks that work", title,
            )
        )  # fmt: skip
    found.append(
        note(
            "what-may-be-saved",
            "A member that failed last misses only the last writes; one that failed long before is out of date.",
            "write nothing to these disks; copy each, whole, to another disk before anything is tried with them, or "
            "restore from the backup",
            title,
        )
    )
    made = Replacement(
        host=seen.host, simulated=seen.simulated, array=array.name, uuid=array.uuid, level=array.level, way="rebuild",
        candidates=(), needed_bytes=room_of(array), survives=0, arrays=(thing(array),), steps=(), findings=tuple(found),
    )  # fmt: skip
    return replace(made, digest=digest_of(made))


def _has_place(array: ObservedArray, disk: Disk) -> bool:
    """True if the disk works in the array, which lacks no member."""
    has = ("in-sync", "journal")
    return not array.lacks and any(each.disk == disk.kernel_name and each.state in has for each in array.members)


def _nothing_left(seen: ObservedArrays, array: ObservedArray, new: Disk) -> Replacement:
    """The answer where a disk has its place, and the one that it replaced is no member any more."""
    title = words.name(array)
    found = note(
        "nothing-to-replace", f"{name(new)} works in {title}, which has no missing member.",
        f"nothing is left to do; mdadm --misc --action=check /dev/{array.name} checks all members", title,
    )  # fmt: skip
    made = Replacement(
        host=seen.host, simulated=seen.simulated, array=array.name, uuid=array.uuid, level=array.level, way="rebuild",
        new=_chosen(new), candidates=(), needed_bytes=room_of(array), survives=left_to_lose(array),
        arrays=(thing(array),), steps=(), findings=(found,),
    )  # fmt: skip
    return replace(made, digest=digest_of(made))


def begun_names(begun: Replacement, member: str | None, new: str | None) -> tuple[str | None, str | None] | None:
    """(member, new) of a replacement that was begun, where neither is given as another; None where one is."""

    def names(disk: ReplacementDisk | None, text: str | None) -> bool:
        shown = () if disk is None else (disk.device, disk.id, disk.serial, disk.bay, disk.path)
        return text is None or text in shown or f"/dev/{text}" in shown or text.removeprefix("/dev/") in shown

    if begun.new is None or not names(begun.old, member) or not names(begun.new, new):
        return None
    old = None if begun.old is None else begun.old.serial or begun.old.device or None
    return member or old, new or begun.new.id


def of_one_member(one: Replacement, other: Replacement) -> bool:
    """True if the same member goes."""
    ids = [each.old.id if each.old is not None else "" for each in (one, other)]
    return ids[0] == ids[1] if all(ids) else one.slot == other.slot


def _pulled(array: ObservedArray, old: ArrayMember) -> ArrayMember:
    """The disk that is pulled: of a slot whose member was dropped and is plugged in, that one."""
    dropped = (each for each in array.dropped if each.slot == old.slot and each.slot is not None)
    return old if old.device else next(dropped, old)


def _journals(array: ObservedArray) -> list[ArrayMember]:
    """The write journal, also a failed one that is attached, before those that it had."""
    were = (each for each in array.dropped if each.superblock is not None and each.superblock.journal)
    if array.consistency != "journal":
        return []
    return [*(each for each in array.members if each.is_journal and each.state != "dropped"), *were]


def _is_journal(array: ObservedArray, member: str | None) -> bool:
    """True where a journal is named, and where it is lost and no member is named."""
    return journal_lost(array) if member is None else _journal_named(array, member) is not None


def _journal_named(array: ObservedArray, member: str) -> ArrayMember | None:
    wanted = member.removeprefix("/dev/")
    named = (each for each in _journals(array) if wanted in (each.device, each.disk, each.serial, each.place.slot))
    return next(named, None) if wanted else None


def _new_journal(
    seen: ObservedArrays, inventory: Inventory, array: ObservedArray, member: str | None, new: str | None
) -> Replacement:
    """The answer for the write journal of an array, lost or at work: md takes another one while it is read-only.

    Raises BadInput where `member` was its journal, and another one works that is not `new`."""
    title, device = words.name(array), device_of(array)
    disks = {disk.kernel_name: disk for disk in inventory.disks if disk.kernel_name}
    least = least_journal(offset_of(array))
    fitting = [disk for disk in inventory.free if not list(joins(array, disk, inventory, least))]
    chosen = disk_named(inventory, new) if new is not None else fitting[0] if len(fitting) == 1 else None
    attached = next((each for each in _journals(array) if each.state in ("journal", "faulty")), None)
    old = attached if member is None else _journal_named(array, member)
    done = False
    if old != attached and attached is not None:
        done = attached.state == "journal" and chosen is not None and attached.disk == chosen.kernel_name
        if attached.state == "journal" and not done:
            raise BadInput(
                f"{safe(member or '')} is no member of {title} any more: its journal is {safe(attached.device)}",
                hint=f"name that one: --member {safe(attached.device)}",
            )
        old = old if done else attached
    findings = [*unusable(array, "copy its data elsewhere while it can be read")]
    if "read-only" not in array.states and not done:
        out = (
            f"mdadm {device} --remove {safe(old.path) or f'/dev/{safe(old.device)}'}; "
            if old is not None and old.state == "faulty"
            else ""
        )
        findings.append(
            error(
                "journal-needs-read-only", f"{title} is not read-only: md takes a write journal only then.",
                f"unmount what is on it; {out}mdadm --readonly {device}; then the same again", title,
            )
        )  # fmt: skip
    if not done:
        findings += _not_chosen(array, fitting) if chosen is None else joins(array, chosen, inventory, least)
    bound = None if chosen is None or refused(findings) else plan_disk(chosen, f"write journal of {title}")
    part = _Part(array, old, 0, "journal")
    leaves = _leaves(part, disks) if bound is not None else ""
    made = Replacement(
        host=seen.host, simulated=seen.simulated, array=array.name, uuid=array.uuid, level=array.level, way="journal",
        old=None if old is None else _disk_of(old, disks), new=None if chosen is None else _chosen(chosen),
        candidates=tuple(disk.id for disk in fitting), needed_bytes=least, survives=left_to_lose(array),
        disks=() if bound is None else (bound,), arrays=(thing(array),), members=(leaves,) if leaves else (),
        steps=() if bound is None else numbered(_journal_steps(part, leaves, bound, done=done)),
        findings=tuple(findings),
    )  # fmt: skip
    return replace(made, digest=digest_of(made))


def _journal_steps(part: _Part, leaves: str, new: PlanDisk, *, done: bool) -> Iterator[Step]:
    """The old journal goes, if it is attached; then md takes the new one. `leaves`: path of the old one, or empty;
    `done`: the new one is the journal."""
    array, device, title = part.array, device_of(part.array), words.name(part.array)
    state = "missing" if part.old is None else part.old.state
    out = PartInArray(array=device, device=leaves, parts=("missing",))
    if state in ("journal", "faulty"):
        question = md.read_question(md.value_path(array.name, "array_state"))
        read_only = fact("setting", f"{title} is read-only", question, "readonly")
        fails = [only_if(read_only, mdadm.fail(device, leaves))] if state == "journal" else []
        removed = step(
            array, "exchange", "Take the old journal out", [*fails, mdadm.remove(device, leaves)], then=(out,),
            purpose="md wrote all that it held to the members when the array became read-only." if fails
            else "md takes no other journal while the failed one is attached.",
            cut="the array has no journal and is read-only; the same call goes on",
        )  # fmt: skip
        yield replace(removed, before=(replace(out, parts=("journal", "faulty")),))
    if not done:
        purpose = "md makes the array writable again with it."
        added = step(
            array, "exchange", f"Make the new disk the write journal of {title}",
            [mdadm.add_journal(device, new.path)], (belongs(new.path, array),),
            then=(PartInArray(array=device, device=new.path, parts=("journal",)),),
            purpose=purpose if state == "journal" else f"{purpose} What the old journal alone held is lost.",
            cut="the disk is the journal of the array or of none",
        )  # fmt: skip
        yield replace(added, destroys=(new.id,))
    if state == "journal" or (done and leaves):
        yield _erased(part, leaves, out)
    yield _check(array)


def _hours(array: ObservedArray, seen: ObservedArrays, inventory: Inventory) -> tuple[float | None, ...]:
    """(idle, usual, busy) of its rebuild."""
    built = layout_of(array, seen.arrays, inventory)
    risk = None if isinstance(built, NotALayout) else predict_inferred(built, inventory).durability
    rebuild = None if risk is None else risk.rebuild
    return (None,) * 3 if rebuild is None else (rebuild.idle_hours, rebuild.hours, rebuild.slow_hours)


def _way(array: ObservedArray, old: ArrayMember | None, new: Disk | None) -> ReplacementWay:
    own = next((each.state for each in array.members if new is not None and each.disk == new.kernel_name), None)
    if old is not None and old.state == "in-sync":
        return "copy"
    if own in ("in-sync", "rebuilding", "replacement"):
        return "rebuild"
    others = sum(each.state == "rebuilding" for each in array.members)
    place_taken = (array.lacks or 0) <= others or (old is not None and old.state == "spare")
    return "spare" if place_taken else "rebuild"


def array_named(seen: ObservedArrays, text: str) -> ObservedArray:
    """The array of that name, path or UUID. Raises BadInput for none, or several, and for one whose UUID is not known:
    nothing else tells it from another that gets its name."""
    wanted = text.removeprefix("/dev/")
    found = [
        each
        for each in seen.arrays
        if wanted in (each.name, each.path.removeprefix("/dev/"), each.path.rpartition("/")[2], each.label, each.uuid)
    ]
    if len(found) == 1 and found[0].uuid:
        return found[0]
    if len(found) == 1:
        raise BadInput(
            f"{safe(text)} has no UUID: it was made without superblocks, or they were not read",
            hint="as root, mdadm --detail shows which; raidtui changes no array without superblocks",
        )
    there = listed([words.name(each) for each in found or seen.arrays]) if seen.arrays else "none"
    what = "is the name of several arrays" if found else "is not an array on this machine"
    raise BadInput(f"{safe(text)} {what}", hint=f"raidtui arrays lists them: {there}")


def _first(
    seen: ObservedArrays, array: ObservedArray, member: str | None, new: Disk | None
) -> tuple[ObservedArray, ArrayMember | None]:
    """The array and its member that goes; where its part is done, those of the next array with partitions beside it."""
    for each in (array, *(_sharing(seen, array) if partition_member(array) is not None else ())):
        with suppress(BadInput):
            return each, _old(each, member, new)
    return array, _old(array, member, new)


def _sharing(seen: ObservedArrays, array: ObservedArray) -> Iterator[ObservedArray]:
    """Other running arrays with members on disks of its members."""
    disks = {each.disk for each in array.members if each.disk}
    for each in seen.arrays:
        if each is not array and each.size_bytes and disks & {member.disk for member in each.members}:
            yield each


def _beside(
    seen: ObservedArrays, array: ObservedArray, old: ArrayMember | None, new: Disk | None
) -> Iterator[tuple[ObservedArray, ArrayMember | None]]:
    """The other arrays that have, or had, a member on the disk that goes, with that member."""
    disk = old.disk if old is not None else ""
    for each in _sharing(seen, array):
        here = [m for m in each.members if m.state in _LEAVE]
        there = (m for m in (*here, *_left(each, new)) if (m.disk == disk if disk else m.state == "missing"))
        if (gone := next(there, None)) is not None:
            yield each, gone


def _number(array: ObservedArray, old: ArrayMember | None) -> int:
    """Number of the partition that is the member on the disk that goes, else on all others; 0: not known."""
    members = [old] if old is not None and old.device else [each for each in array.members if each.device]
    found = set(map(partition_of, members))
    return found.pop() if len(found) == 1 else 0


def partition_of(member: ArrayMember) -> int:
    """Number of the partition that is the member; 0: it is a whole disk, or on none that is known."""
    number = member.device.removeprefix(member.disk).removeprefix("p") if member.disk else ""
    return int(number) if number.isdecimal() else 0


def _left(array: ObservedArray, new: Disk | None) -> tuple[ArrayMember, ...]:
    """Members that were taken out for `new` and have their superblock still."""
    there = any(each.disk == new.kernel_name and each.state in IN_ARRAY for each in array.members) if new else False
    return array.dropped if there else ()


def _old(array: ObservedArray, text: str | None, new: Disk | None) -> ArrayMember | None:
    working = [each for each in array.members if each.state in ("in-sync", "rebuilding", "faulty", "missing")]
    if text is not None:
        wanted = text.removeprefix("/dev/")
        found = [
            each
            for each in (*working, *_left(array, new))
            if each.device and wanted in (each.device, each.disk, each.serial, each.place.slot)
        ]
        if len(found) == 1:
            return found[0]
        what = "names several members" if found else "is no member"
        raise BadInput(
            f"{safe(text)} {what} of {words.name(array)}",
            hint=f"name one by kernel name, serial number or slot: {listed([safe(each.device) for each in working])}",
        )
    gone = [each for each in working if each.state in ("faulty", "missing")]
    if len(gone) == 1:
        return gone[0]
    if gone:
        faulty = [each for each in gone if each.device]
        return faulty[0] if len(faulty) == 1 else gone[0]
    if array.lacks:
        return None
    raise BadInput(
        f"{words.name(array)} has no missing member",
        hint="name the member that goes: --member sdc; raidtui extend adds a spare, where one took over",
    )


def disk_named(inventory: Inventory, text: str) -> Disk:
    """The disk of that kernel name, serial number, identity, bay or link. Raises BadInput for none, or several."""
    wanted = text.removeprefix("/dev/").removeprefix("disk/by-id/")
    found = [
        disk
        for disk in inventory.disks
        if wanted in (disk.kernel_name, disk.serial, disk.id, disk.place.slot, short_slot(disk.place.slot or ""))
        or wanted in disk.by_id
    ]
    if len(found) == 1:
        return found[0]
    what = "names several disks" if found else "is no disk of this machine"
    raise BadInput(
        f"{safe(text)} {what}", hint="raidtui disks lists them; name one by kernel name, serial number or slot"
    )


def partition_member(array: ObservedArray) -> ArrayMember | None:
    """A member that is a partition of its disk; None where whole disks are members."""
    return next((each for each in array.members if partition_of(each)), None)


def unfit(
    array: ObservedArray, old: ArrayMember | None, disk: Disk, inventory: Inventory, needed: int, *, ready: bool = False
) -> Iterator[Finding]:
    """Why a disk cannot take the place; one that has begun to may go on, and one that is `ready` has its table."""
    members = {each.disk: each.state for each in array.members}
    if disk.kernel_name in members:
        ended = old is not None and old.state in ("faulty", "dropped") and _has_place(array, disk)
        if members[disk.kernel_name] not in BEGUN and not ended:
            yield error("new-is-member", f"{name(disk)} belongs to {words.name(array)}.", "name another disk", disk.id)
    elif not ready:
        yield from joins(array, disk, inventory, needed)


def unusable(array: ObservedArray, way_out: str) -> Iterator[Finding]:
    """Why no member of it can be rebuilt; `way_out` where its level cannot."""
    title = words.name(array)
    if not array.size_bytes or "failed" in array.states:
        yield error(
            "array-down", f"{title} is {words.state_words(array)}: no member of it can be rebuilt.",
            "raidtui arrays shows why; do not run mdadm --create or --assemble --force on it", title,
        )  # fmt: skip
    elif array.level not in REDUNDANT:
        message = f"{title} is {safe(array.level)}: a member of it cannot be rebuilt."
        yield error("no-redundancy", message, way_out, title)
    if array.container or array.metadata.startswith("external"):
        held = f"/dev/{safe(array.container)}" if array.container else "CONTAINER"
        yield error(
            "external-metadata", f"{title} has metadata {safe(array.metadata)}: its container takes the disk.",
            f"mdadm {held} --add DISK; mdmon rebuilds onto it", title,
        )  # fmt: skip
    if array.reshape is not None:
        yield error(
            "array-reshaping",
            f"{title} is between two shapes ({words.reshape_words(array)}): md takes no other change.",
            "raidtui audit says whether it goes on; wait for its end", title,
        )  # fmt: skip


def _findings(array: ObservedArray, old: ArrayMember | None) -> Iterator[Finding]:
    title = words.name(array)
    yield from unusable(array, "copy its data elsewhere while it can be read")
    if "read-only" in array.states or "auto-read-only" in array.states:
        yield warning(
            "array-read-only", f"{title} is {words.state_words(array)}: md rebuilds nothing before a write.",
            f"mdadm --readwrite /dev/{array.name}", title,
        )  # fmt: skip
    elif array.action == "frozen":
        yield warning(
            "array-frozen", f"{title} is frozen: md rebuilds nothing.", words.sync_way_out(array.name, "frozen"), title
        )
    if journal_lost(array):
        yield error(
            "journal-lost", f"The write journal of {title} is lost: md writes nothing to it, no new member either.",
            f"raidtui replace {title} --with DISK gives it another one first", title,
        )  # fmt: skip
    if old is not None and old.state == "in-sync" and array.lacks:
        yield error(
            "other-member-first", f"{title} has another missing member: replace that one first.",
            "leave out --member: the one that is missing comes first", title,
        )  # fmt: skip


def _not_kept(part: _Part, new: Disk) -> Iterator[Finding]:
    """What the new member does not get by itself, and mdadm cannot give it."""
    array, old = part.array, part.old
    if old is None or "write_mostly" not in old.flags or part.way == "spare":
        return
    device = partition_name(new.kernel_name, part.number) if part.number else new.kernel_name
    yield warning(
        "write-mostly-by-hand",
        f"{words.member_name(old)} is write-mostly; mdadm makes a faulty device of a spare that is added as one.",
        f"once the new disk is added: echo writemostly > /sys/block/{array.name}/md/dev-{device}/state, which md keeps",
        words.name(array),
    )


def _of_partitions(
    array: ObservedArray, old: ArrayMember | None, numbers: Sequence[int], copyable: bool, disks: Mapping[str, Disk]
) -> Iterator[Finding]:
    title = words.name(array)
    if not copyable or 0 in numbers or len(set(numbers)) < len(numbers):
        member = next(each.disk for each in array.members if each.disk)
        yield error(
            "table-not-copied",
            f"Members of {title} are partitions. None of their disks has a GPT that could be read, with partitions "
            f"numbered from 1 on.",
            "run it as root; else by hand: " + COPY_TABLE.replace("MEMBER", f"/dev/{safe(member)}"), title,
        )  # fmt: skip
    disk = disks.get(old.disk) if old is not None else None
    rest = [str(each) for each in disk.partitions if each not in numbers] if disk is not None else []
    if disk is not None and rest:
        yield warning(
            "partitions-not-copied",
            f"{plural('Partition', len(rest))} {listed(rest)} of {name(disk)} {'is' if len(rest) == 1 else 'are'} no "
            "member of an array that runs: what is there is not copied.",
            "copy it before the disk is pulled; a boot loader is installed anew", disk.id,
        )  # fmt: skip


def _not_chosen(array: ObservedArray, fitting: Sequence[Disk]) -> Iterator[Finding]:
    some = listed([name(disk) for disk in fitting[:4]]) if fitting else ""
    yield note(
        "new-not-chosen",
        "No blank disk fits." if not fitting else f"{len(fitting)} blank disks fit: {some}.",
        "insert one and run this again" if not fitting else "name one: --with " + name(fitting[0]), words.name(array),
    )  # fmt: skip


def _disk_of(member: ArrayMember, disks: Mapping[str, Disk]) -> ReplacementDisk:
    disk, number = disks.get(member.disk), partition_of(member)
    path = "" if disk is None else partition_path(disk.path, number) if number else disk.path
    return ReplacementDisk(
        device=member.device, path=path, id=member.disk_id, serial=member.serial, bay=member.place.slot,
        size_bytes=None if disk is None else disk.size_bytes,
    )  # fmt: skip


def _chosen(disk: Disk) -> ReplacementDisk:
    return ReplacementDisk(
        device=disk.kernel_name, path=disk.path, id=disk.id, serial=disk.serial, bay=disk.place.slot,
        size_bytes=disk.size_bytes,
    )  # fmt: skip


def _bound(disk: Disk, parts: Sequence[_Part], table: Dump | None) -> PlanDisk:
    """The new disk, with the partitions that it gets."""
    role = f"member of {listed([words.name(part.array) for part in parts])}"
    made = range(1, 1 + len(table.entries)) if table is not None else ()
    return replace(plan_disk(disk, role), partitions=tuple(PlanPartition(number=number) for number in made))


def _leaves(part: _Part, disks: Mapping[str, Disk]) -> str:
    """Path of the member that leaves an array; empty where it is gone."""
    old = part.old
    return "" if old is None or not old.device else _disk_of(old, disks).path or f"/dev/{old.device}"


def _steps(parts: Sequence[_Part], disks: Mapping[str, Disk], new: PlanDisk, table: Dump | None) -> Iterator[Step]:
    if table is not None:
        yield _table_step(parts, new, table)
    for part in parts:
        yield from _steps_of(part, disks, new)
    for part in parts:
        yield _check(part.array)
    old = None if parts[0].old is None else _pulled(parts[0].array, parts[0].old)
    if old is not None and old.device:
        path = disks[old.disk].path if old.disk in disks else f"/dev/{old.device}"
        given = step(
            parts[0].array, "pull", f"Switch the light of its slot on: ledctl locate=/dev/{safe(old.disk)}",
            purpose=f"The serial number on the label is {safe(old.serial or 'unknown')}; then pull it.",
            cut="the light may stay on: ledctl locate_off",
        )  # fmt: skip
        yield replace(given, light=path, otherwise="the light of its slot was not switched")


def _check(array: ObservedArray) -> Step:
    command = mdadm.check(device_of(array))
    check = step(
        array, "scrub", f"Check all members of {words.name(array)}", [command],
        purpose="md reads every block and compares its parity or copy; mismatch_cnt in sysfs counts what differs.",
        cut="md goes on by itself",
    )  # fmt: skip
    return replace(check, otherwise=f"the check did not begin; later: {' '.join(command.argv)}")


def _table_step(parts: Sequence[_Part], new: PlanDisk, table: Dump) -> Step:
    write = replace(sfdisk.write(new.path, table), members=(new.path,))
    readings = [fact("ours", f"{new.path} has the partition table {table.guid}", sfdisk.table_question(new.path),
                     table.guid, key="PTUUID")]  # fmt: skip
    for number, entry in enumerate(table.entries, start=1):
        part = partition_path(new.path, number)
        readings += [
            fact("predicted", f"{part} has {key}={value}", sfdisk.table_question(part), value, key=key)
            for key, value in sfdisk.copied_answers(entry, number, new.logical_sector_bytes)
        ]
    made = step(
        parts[0].array, "partition", "Give the new disk the partitions of a member", [write, systemd.settle()],
        readings, purpose="Same sectors and types as on the member that it is copied from, with GUIDs of its own.",
        cut="the disk has this table, or none",
    )  # fmt: skip
    return replace(made, destroys=(new.id,))


def _steps_of(part: _Part, disks: Mapping[str, Disk], new: PlanDisk) -> Iterator[Step]:
    """One array gets its new member."""
    array, device = part.array, device_of(part.array)
    path = partition_path(new.path, part.number) if part.number else new.path
    leaves, title = _leaves(part, disks), words.name(array)

    def is_part(member: str, *parts: MemberState) -> PartInArray:
        return PartInArray(array=device, device=member, parts=parts)

    there = [each for each in array.members if each.disk_id == new.id and partition_of(each) == part.number]
    if not any(each.state in (*BEGUN, "in-sync") for each in there):
        failfast = part.old is not None and array.metadata[:2] == "1." and "failfast" in part.old.flags
        kept = [fact("setting", f"{path} is failfast", mdadm.examine(path), "failfast", key="Flags")]
        command = mdadm.add_spare(device, path, failfast=failfast)
        added = step(
            array, "exchange", f"Add the new disk as a spare of {title}", [command],
            (belongs(path, array), *(kept if failfast else ())), then=(is_part(path, *BEGUN, "in-sync"),),
            purpose="A spare alone, no attempt to take it for a member that comes back.",
            cut="the disk is a spare of the array or of none",
        )  # fmt: skip
        yield replace(added, destroys=(new.id,))
    if part.way == "copy":
        copied_now = step(
            array, "exchange", "Copy the old member onto it; the old one works meanwhile",
            [mdadm.replace(device, leaves, path)], then=(is_part(path, "replacement", "rebuilding", "in-sync"),),
            purpose="Redundancy does not drop: the old member counts as failed only when the copy has ended.",
            cut="md goes on by itself; the same command waits for it",
        )  # fmt: skip
        yield replace(copied_now, before=(is_part(path, "spare"), is_part(leaves, "in-sync")))
    if part.way != "spare":
        waited = step(
            array, "exchange", f"Wait until {title} has ended it", then=(is_part(path, "in-sync"),),
            purpose="md copies or rebuilds, and goes on after a boot.", cut="md goes on by itself",
        )  # fmt: skip
        yield replace(waited, waits_for=device)
    if leaves:
        out = is_part(leaves, "missing")
        removed = step(
            array, "exchange", "Take the old member out", [mdadm.remove(device, leaves)], then=(out,),
            purpose="md keeps a member that failed, or was copied, until it is removed.",
            cut="the old member is in the array as a failed one, or out of it",
        )  # fmt: skip
        yield replace(removed, before=(is_part(leaves, "faulty"), is_part(path, "in-sync", "spare")))
        yield _erased(part, leaves, out)


def _erased(part: _Part, leaves: str, out: PartInArray) -> Step:
    """The member that left gets no superblock any more: a boot that finds it, and not the others, would start it."""
    made = step(
        part.array, "exchange", "Erase the superblock of the old member",
        [only_if(belongs(leaves, part.array), mdadm.zero_superblock(leaves))], (has_none(leaves),), then=(out,),
        purpose="A boot may start an array from members that were taken out, with what they held then.",
        cut="the old member has a superblock of the array or none",
    )  # fmt: skip
    return replace(
        made,
        before=(out,),
        otherwise=f"{safe(leaves)} may still have a superblock; mdadm --examine {safe(leaves)} shows of which array. "
        f"One of {words.name(part.array)} ({part.array.uuid}) may start with old data at a boot. Before the disk is "
        f"used again, erase it: mdadm --zero-superblock {safe(leaves)}",
    )
