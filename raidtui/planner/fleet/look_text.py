"""Text of a look at many hosts: one line for each distinct machine, each problem and each change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from raidtui.model.by_key import by_key
from raidtui.model.counted import counted
from raidtui.model.fleet.fold import Change, DiskGroup, FleetLook, HostDifference, MachineGroup
from raidtui.model.fleet.hosts import HostLook, HostState
from raidtui.model.safe import safe
from raidtui.model.units import decimal_size, grouped
from raidtui.planner.amounts import moment
from raidtui.planner.numbers import listed
from raidtui.tools.nodeset import fold_nodeset

_NAMED = 4
"""bays or differences that are named one by one"""
_LONGEST = 60
"""characters of a host's own text"""
STATE_WORDS: Mapping[HostState, str] = {
    "answered": "answered",
    "refused": "refused",
    "unreachable": "unreachable",
    "key-changed": "host key not accepted",
    "timed-out": "timed out",
    "half": "half an answer",
    "too-large": "answer too large",
    "garbage": "no valid answer",
    "other-host": "answer to another request",
    "other-version": "another version of raidtui",
    "absent": "raidtui is missing",
    "failed": "failed",
    "other-machine": "another machine",
    "claimed": "followed by another control host",
}


def look_lines(look: FleetLook) -> list[str]:
    """The whole answer but its findings."""
    hosts = look.inventory.hosts
    answered = len(look.inventory.inventories)
    slowest = max((each.answered_in_s for each in hosts), default=0.0)
    lines = [f"{answered} of {counted(len(hosts), 'host')} answered, the slowest in {slowest:.1f} s"]
    lines += [f"{fold_nodeset(group.hosts)}: {machine_text(group, first=not number)}"
              for number, group in enumerate(look.machines)]  # fmt: skip
    lines += _usage(look.inventory.free_disks)
    lines += problem_lines(look.inventory.problems)
    return lines + _changes(look)


def disks_line(look: FleetLook) -> str:
    """The disks of all hosts that answered in one line."""
    inventories = look.inventory.inventories.values()
    count = sum(len(each.disks) for each in inventories)
    raw = sum(disk.size_bytes for each in inventories for disk in each.disks)
    free = sum(unused for unused, _ in look.inventory.free_disks.values())
    held = f", {grouped(count - free)} not free" if free < count else ", all free"
    kinds = f"; {counted(len(look.machines), 'distinct machine')}" if look.machines else ""
    return f"{grouped(count)} disks, {decimal_size(raw)} raw{held}{kinds}"


def problem_lines(looks: Sequence[HostLook]) -> list[str]:
    """Each problem once, with all its hosts and the way out."""
    groups = by_key(
        ((look.state, without_host(look.problem.sentence, look.host)), (look.host, look.problem))
        for look in looks
        if look.problem is not None
    )
    lines = []
    for (state, sentence), members in groups.items():
        (_, first), *more = members
        words = f"{STATE_WORDS[state]}: {safe(sentence if more else first.sentence)}"
        lines += [f"{fold_nodeset(host for host, _ in members)}: {words}", f"  {safe(first.hint)}"]
    return lines


def without_host(sentence: str, host: str) -> str:
    """`sentence` as it is the same for all hosts to which it happens."""
    return sentence.replace(host, "HOST")


def difference_text(each: HostDifference) -> str:
    """`slot 7 empty`, `firmware SN05 in place of SN04`, `slot 9: firmware SN05 in place of SN04`."""
    places = _places(each.places)
    match each.kind:
        case "missing":
            return f"{places} empty ({_raw(each.value)} elsewhere)"
        case "added":
            return f"{places}: {_raw(each.value)} more"
        case "disk":
            edit = f"{_raw(each.property)} {_raw(each.value)} in place of {_raw(each.usual)}"
            return f"{places}: {edit}" if places else f"{edit} on all disks"
        case "controller" if each.property is None:
            here = "no controller" if each.value is None else _raw(each.value)
            return f"{here} at {places}" + (f" in place of {_raw(each.usual)}" if each.usual is not None else "")
        case _:
            noun = "controller " if each.kind == "controller" else ""
            return f"{noun}{places}: {_raw(each.property)} {_raw(each.value)} in place of {_raw(each.usual)}"


def change_text(each: Change) -> str:
    """`slot 7: disk wwn-0x5000 is gone`, `firmware SN04, now SN05: 60 disks`."""
    edit = f"{_raw(each.before)}, now {_raw(each.after)}"
    match each.kind:
        case "disk-gone" | "disk-new":
            what = "gone" if each.kind == "disk-gone" else "new"
            names = [_raw(disk) for disk in each.disks[:_NAMED]]
            if len(each.disks) > _NAMED:
                return f"{counted(len(each.disks), 'disk')} {'are' if len(each.disks) > 1 else 'is'} {what}"
            return f"{_places(each.places)}: {listed(names)} {'are' if len(names) > 1 else 'is'} {what}"
        case "disk-moved":
            return f"{listed([_raw(disk) for disk in each.disks[:_NAMED]])} moved from {_raw(each.before)} to " + (
                _raw(each.after)
            )
        case "version":
            return f"{_raw(each.property)} {edit}"
        case _:
            noun = "content" if each.property is None else _raw(each.property)
            return f"{noun} {edit}: {_places(each.places)}"


def machine_text(group: MachineGroup, *, first: bool) -> str:
    """The disks of the most common machine (`first`), of any other one its differences from that."""
    disks = _disks(group.disks)
    if first:
        return f"{disks}{', alike' if len(group.hosts) > 1 else ''}"
    count = sum(each.count for each in group.disks)
    edited = sum(max(len(each.places), 1) for each in group.differences if each.kind in ("missing", "added"))
    if edited > count:
        return f"{disks}, another machine"
    texts = [difference_text(each) for each in group.differences[:_NAMED]]
    more = len(group.differences) - _NAMED
    return "; ".join((*texts, *((f"and {counted(more, 'difference')} more",) if more > 0 else ())))


def _disks(groups: Sequence[DiskGroup]) -> str:
    """`60 x 2 TB ST2000 firmware SN04, 2 x 480 GB ...`."""
    texts = [
        " ".join(
            (f"{each.count} x {decimal_size(each.size_bytes)}", *((_raw(each.model),) if each.model else ()),
             *((f"firmware {_raw(each.firmware)}",) if each.firmware else ()))
        )
        for each in groups[:_NAMED]
    ]  # fmt: skip
    left = sum(each.count for each in groups[_NAMED:])
    return ", ".join((*texts, *((f"{counted(left, 'disk')} more",) if left else ()))) or "no disks"


def _usage(free: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """How many disks are free, where it is not all of them."""
    for (unused, count), hosts in by_key((counts, host) for host, counts in free.items()).items():
        if unused < count:
            yield f"{fold_nodeset(hosts)}: {unused} of {counted(count, 'disk')} free"


def _changes(look: FleetLook) -> list[str]:
    if not look.compared:
        return []
    times = sorted({each.since for each in look.changes})
    if not times:
        return [f"no change of {fold_nodeset(look.compared)} since the last look"]
    return [
        line
        for since in times
        for line in (
            f"changed since {moment(since)}:",
            *(f"  {fold_nodeset(each.hosts)}: {change_text(each)}" for each in look.changes if each.since == since),
        )
    ]


def _places(places: Sequence[str]) -> str:
    shown = [_raw(place) for place in places[:_NAMED]]
    more = len(places) - _NAMED
    return listed([*shown, *((f"{more} more",) if more > 0 else ())]) if shown else ""


def _raw(text: str | None) -> str:
    return safe(text, longest=_LONGEST) if text is not None else "unknown"
