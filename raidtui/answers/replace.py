"""The answer of `raidtui replace` as blocks, for terminal and app."""

from __future__ import annotations

from raidtui.steps.living import finding_items, step_blocks
from raidtui.values.acts import Extension, Replacement, ReplacementDisk
from raidtui.values.amounts import hours, listed
from raidtui.values.blocks import Block, Heading, Pairs
from raidtui.values.location import Location
from raidtui.values.safe import safe
from raidtui.values.units import counted, grouped


def replacement_blocks(found: Replacement) -> tuple[Block, ...]:
    """What goes, what comes, how and how long; then each step with what to type."""
    title = safe(found.array)
    way = {
        "copy": "copied while the old member works: redundancy does not drop",
        "rebuild": "rebuilt from the other members",
        "spare": "a spare has its place already: the new disk becomes the spare",
        "journal": "the new disk becomes the write journal; until then md fails every write",
    }[found.way]
    pairs = [
        ("arrays", f"{title} and {listed([safe(each) for each in found.also])}" if found.also else ""),
        ("goes", _goes(found)),
        ("comes", "not chosen" if found.new is None else _shown(found.new, None)),
        ("needs", f"{grouped(found.needed_bytes)} bytes or more"),
        ("how", way),
        ("meanwhile", _exposure(found)),
    ]
    if found.hours is not None and found.least_hours is not None and found.most_hours is not None:
        pairs.append(
            ("time", f"{hours(found.hours)}, {hours(found.least_hours)} idle to {hours(found.most_hours)} busy")
        )
    blocks: list[Block] = [
        Heading(text=f"{title} ({safe(found.level)})"),
        Pairs(pairs=tuple(each for each in pairs if each[1])),
    ]
    blocks += finding_items(found.findings)
    blocks += step_blocks(found.steps)
    return tuple(blocks)


def confirm_phrase(found: Replacement | Extension) -> str:
    """The phrase that confirms it, the same on the command line and in the app. A replacement has a new disk."""
    if isinstance(found, Extension):
        data = any(each.code == "back-up-first" for each in found.findings)
        return safe(f"extend {found.array}{', its data is backed up' if data else ''}")
    assert found.new is not None
    return safe(f"replace in {found.array} by {found.new.serial or found.new.device}")


def _goes(found: Replacement) -> str:
    if found.old is None:
        return "nothing: a spare took over" if found.way == "spare" else "nothing"
    return _shown(found.old, found.slot)


def _exposure(found: Replacement) -> str:
    if any(each.code == "array-down" for each in found.findings):
        return ""
    match found.survives:
        case None:
            return "a failure of the wrong member loses data"
        case 0:
            return "one more failure loses data, until it has ended"
        case count:
            return f"it survives {counted(count, 'further failure')}"


def _shown(disk: ReplacementDisk, slot: int | None) -> str:
    parts = [
        "" if slot is None else f"member {slot}", safe(Location.in_plan(disk.bay or "", "").text),
        f"serial {safe(disk.serial, longest=40)}" if disk.serial else "",
    ]  # fmt: skip
    return f"{safe(disk.device) or 'a disk that is gone'} ({', '.join(filter(None, parts)) or 'nothing known'})"
