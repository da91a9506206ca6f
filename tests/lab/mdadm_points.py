"""In the guest: holds `arrays` and `audit` against mdadm, /proc/mdstat and sysfs each time that a fifo asks for it.

    python3 -m mdadm_points FOLDER

A line on FOLDER/ask names the moment; the answer on FOLDER/answer says that the point is taken, and FOLDER/points.jsonl
has what differs. What others say is parsed here by itself, by nothing of raidtui's. One look of theirs is not of one
moment: what differs is looked at again, and counts where it differs each time.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from raidtui.advice.audit.rules import audit
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.arrays.settings import audit_facts
from raidtui.machine.inventory.probe import this_machine
from raidtui.machine.system.runner import SystemReader
from raidtui.values.arrays import ArrayMember, Audit, ObservedArray, ObservedArrays

_LOOKS = 4
_MDADM = "/usr/lib/mdadm-suite/mdadm"
"""the program itself, behind the wrapper that asks for points"""
_IN_FLIGHT = 2 << 20
"""bytes of a member: /proc/mdstat takes off what is on its way to the disks, so that its figure goes back and forth"""


class Differs(NamedTuple):
    """One value that the two sides have otherwise."""

    what: str
    ours: str
    theirs: str


def _run(*argv: str) -> str:
    """Standard output, whatever the program comes to."""
    return subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL).stdout


def _word(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _names() -> list[str]:
    """Arrays that the kernel has."""
    return re.findall(r"^(md\S+) : ", Path("/proc/mdstat").read_text(), re.MULTILINE)


class Theirs:
    """What mdadm and the kernel say of one array."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[str, str] = {}
        self.table: dict[str, tuple[str, str]] = {}
        """slot and words by device; a slot without one is left out"""
        text = _run(_MDADM, "--detail", f"/dev/{name}")
        for line in text.splitlines():
            if found := re.match(r" {3,}(\S.*?) : (.*)$", line):
                self.lines.setdefault(found[1], found[2].strip())
            elif found := re.match(r"\s+[\d-]+\s+\d+\s+\d+\s+(\d+|-)\s+(\S.*?)\s+/dev/(\S+)$", line):
                self.table[found[3]] = found[1], found[2]
        pairs = (line.partition("=") for line in _run(_MDADM, "--detail", "--export", f"/dev/{name}").splitlines())
        self.export = {key: value for key, _, value in pairs}
        self.roles = {
            self.export[key.replace("_ROLE", "_DEV")].removeprefix("/dev/"): value
            for key, value in self.export.items()
            if key.startswith("MD_DEVICE_") and key.endswith("_ROLE") and key.replace("_ROLE", "_DEV") in self.export
        }
        self.stat = _stat_of(name)

    def md(self, what: str) -> str:
        """A file of its md directory."""
        return _word(f"/sys/block/{self.name}/md/{what}")

    @property
    def state(self) -> set[str]:
        """Words of the state that --detail prints."""
        return {word.strip() for word in self.lines.get("State", "").split(",")}


def _stat_of(name: str) -> str:
    """The lines of /proc/mdstat about an array."""
    for part in re.split(r"\n(?=\S)", Path("/proc/mdstat").read_text()):
        if part.startswith(f"{name} : "):
            return part
    return ""


def _both(text: str) -> tuple[int, int | None]:
    """`4 (3)`: what it will have, and what it had; `-1` is the layout of a RAID0 that states none."""
    found = re.fullmatch(r"(-?\d+)(?: \((-?\d+)\))?", text)
    return (int(found[1]), int(found[2]) if found[2] else None) if found else (0, None)


def _sync(stat: str) -> tuple[str, float | None] | None:
    """Action and percent of what runs or waits, by /proc/mdstat."""
    if found := re.search(r"(resync|recovery|check|reshape|repair)\s*=\s*(DELAYED|PENDING|REMOTE|([\d.]+)%)", stat):
        waits = {"DELAYED": "pending", "PENDING": "held", "REMOTE": "remote"}.get(found[2])
        action = {"recovery": "recover"}.get(found[1], found[1])
        return (waits or action), float(found[3]) if found[3] else None
    return None


def _differ(what: str, ours: object, theirs: object) -> Iterator[Differs]:
    if ours != theirs:
        yield Differs(what, str(ours), str(theirs))


def compared(array: ObservedArray, theirs: Theirs, before: str) -> Iterator[Differs]:
    """What differs about one array; `before`: its lines of /proc/mdstat before raidtui looked."""
    level = theirs.md("level")
    yield from _differ("level", array.level or "container", level or "container")
    yield from _differ("metadata", array.metadata, theirs.md("metadata_version"))
    yield from _differ("kernel state", array.kernel_state, theirs.md("array_state"))
    container = theirs.md("metadata_version").startswith("external:") and level in ("", "container")
    if not container:
        yield from _shape(array, theirs)
        yield from _sizes(array, theirs)
    yield from _words(array, theirs, container=container)
    yield from _identity(array, theirs)
    yield from _syncs(array, theirs, before)
    yield from _members(array, theirs, container=container)


def _shape(array: ObservedArray, theirs: Theirs) -> Iterator[Differs]:
    devices = _both(theirs.md("raid_disks"))[0]
    yield from _differ("devices", array.devices or 0, devices)
    if "Raid Devices" in theirs.lines:
        yield from _differ("devices (--detail)", array.devices or 0, int(theirs.lines["Raid Devices"]))
    if array.runs and theirs.md("degraded"):
        yield from _differ("lacks", array.lacks, int(theirs.md("degraded")))
    moves = theirs.md("reshape_position") not in ("", "none")
    yield from _differ("reshape", array.reshape is not None, moves)
    for what, now in (("layout", array.layout), ("chunk_size", array.chunk_bytes)):
        yield from _differ(what, now, _both(theirs.md(what))[0])
    if array.reshape is not None:
        shape = array.reshape.before
        old = {"raid_disks": shape.devices, "layout": shape.layout, "chunk_size": shape.chunk_bytes}
        for what, ours in old.items():
            now, past = _both(theirs.md(what))
            yield from _differ(f"{what} before", ours, now if past is None else past)
    yield from _differ("policy", array.consistency, theirs.md("consistency_policy"))
    if "Consistency Policy" in theirs.lines and array.runs:
        yield from _differ("policy (--detail)", array.consistency, theirs.lines["Consistency Policy"])
    if array.runs:
        bitmap = theirs.lines.get("Intent Bitmap")
        kind = "none" if bitmap is None else "internal" if bitmap.startswith("Internal") else "external"
        yield from _differ("bitmap", array.bitmap.kind, kind)
        if found := re.search(r"bitmap: .*?, (\d+)KB chunk", theirs.stat):
            yield from _differ("bitmap chunk", array.bitmap.chunk_bytes, int(found[1]) * 1024)


def _sizes(array: ObservedArray, theirs: Theirs) -> Iterator[Differs]:
    sectors = int(_word(f"/sys/block/{theirs.name}/size") or 0)
    yield from _differ("size", array.size_bytes, sectors * 512 if array.runs else 0)
    yield from _differ("component", array.component_bytes, int(theirs.md("component_size") or 0) * 1024)
    if "Array Size" in theirs.lines and array.runs:
        yield from _differ("size (--detail)", array.size_bytes, int(theirs.lines["Array Size"].split()[0]) * 1024)
    if "Used Dev Size" in theirs.lines and (size := theirs.lines["Used Dev Size"].split()[0]).isdecimal():
        yield from _differ("component (--detail)", array.component_bytes, int(size) * 1024)


def _words(array: ObservedArray, theirs: Theirs, *, container: bool) -> Iterator[Differs]:
    said = theirs.state
    inactive = theirs.stat.split(" : ")[1].startswith("inactive")
    yield from _differ("read-only", "read-only" in array.states, "(read-only)" in theirs.stat)
    yield from _differ("auto-read-only", "auto-read-only" in array.states, "(auto-read-only)" in theirs.stat)
    yield from _differ("runs", array.runs, not inactive)
    if container or inactive or not said - {""}:
        return
    yield from _differ("failed", "failed" in array.states, bool({"FAILED", "broken"} & said))
    yield from _differ("degraded", "degraded" in array.states, "degraded" in said and "FAILED" not in said)


def _identity(array: ObservedArray, theirs: Theirs) -> Iterator[Differs]:
    if uuid := theirs.export.get("MD_UUID"):
        yield from _differ("UUID", array.uuid, uuid if uuid.strip("0:") else "")  # zeros: it has no superblock
    if name := theirs.export.get("MD_NAME"):
        yield from _differ("name", array.label, name)
    for path in Path("/dev/md").glob("*") if Path("/dev/md").is_dir() else ():
        if path.resolve().name == theirs.name and not path.name.isdecimal():
            yield from _differ("path", str(path) if array.path.startswith("/dev/md/") else array.path, str(path))


def _syncs(array: ObservedArray, theirs: Theirs, before: str) -> Iterator[Differs]:
    ours, at_first, now = array.sync, _sync(before), _sync(theirs.stat)
    yield from _differ("sync", None if ours is None or ours.action == "frozen" else ours.action, now and now[0])
    if ours is not None and at_first and now and at_first[1] is not None and now[1] is not None and ours.whole_bytes:
        percent, slack = 100 * ours.done_bytes / ours.whole_bytes, 100 * _IN_FLIGHT / ours.whole_bytes
        if not at_first[1] - slack <= percent <= now[1] + slack:
            yield Differs("percent", f"{percent:.1f}", f"{at_first[1]} to {now[1]}")


def _members(array: ObservedArray, theirs: Theirs, *, container: bool) -> Iterator[Differs]:
    held = {name[4:].replace("!", "/"): f"/sys/block/{theirs.name}/md/{name}" for name in _device_names(theirs.name)}
    ours = {each.device: each for each in array.members if each.device and each.state != "dropped"}
    yield from _differ("members", sorted(ours), sorted(held))
    for device, folder in held.items():
        if (member := ours.get(device)) is None:
            continue
        flags = set(filter(None, _word(f"{folder}/state").split(",")))
        yield from _differ(f"{device} flags", sorted(member.flags), sorted(flags))
        slot, offset = _word(f"{folder}/slot"), _word(f"{folder}/offset")
        if member.state not in ("faulty",) and not container:
            by_block = member.superblock is not None and not array.runs
            yield from _differ(
                f"{device} slot", member.slot, int(slot) if slot.isdecimal() else member.slot if by_block else None
            )
        if offset:
            yield from _differ(f"{device} offset", member.data_offset_bytes, int(offset) * 512)
        if device in theirs.table and array.runs and not container:
            yield from _part(member, *theirs.table[device])
        role = theirs.roles.get(device, "")
        if role and array.runs and not container and member.state != "faulty":
            expected = {"spare": ("spare",), "journal": ("journal",)}.get(
                role, ("in-sync", "rebuilding", "replacement")
            )
            if member.state not in expected:
                yield Differs(f"{device} role (--export)", member.state, role)


def _part(member: ArrayMember, slot: str, words: str) -> Iterator[Differs]:
    """A line of the table of --detail."""
    said = words.split()
    part = (
        "faulty" if "faulty" in said
        else "journal" if "journal" in said
        else "replacement" if "replacement" in said
        else "rebuilding" if "rebuilding" in said
        else "in-sync" if "sync" in said
        else "spare"
    )  # fmt: skip
    yield from _differ(f"{member.device} part (--detail)", member.state, part)
    if part in ("in-sync", "rebuilding"):
        yield from _differ(f"{member.device} slot (--detail)", str(member.slot), slot)
    for word, flag in (("writemostly", "write_mostly"), ("failfast", "failfast")):
        yield from _differ(f"{member.device} {word} (--detail)", flag in member.flags, word in said)


def _device_names(array: str) -> list[str]:
    folder = Path(f"/sys/block/{array}/md")
    return sorted(path.name for path in folder.glob("dev-*")) if folder.is_dir() else []


def judged(seen: ObservedArrays, found: Audit, theirs: dict[str, Theirs]) -> Iterator[Differs]:
    """Findings about a state that the array has not, and states without a finding."""
    by_code: dict[str, set[str]] = {}
    for each in found.findings:
        by_code.setdefault(each.code, set()).add(each.subject.split()[0])
    for array in seen.arrays:
        if (them := theirs.get(array.name)) is None or not array.level or array.level == "container":
            continue

        def has(*codes: str, name: str = array.name) -> bool:
            return any(name in by_code.get(code, ()) for code in codes)

        said, inactive = them.state, them.stat.split(" : ")[1].startswith("inactive")
        down = inactive or bool({"FAILED", "broken"} & said)
        lacks = them.md("degraded") not in ("", "0") and not inactive
        yield from _differ(f"{array.name} audit down", has("array-down"), down)
        yield from _differ(
            f"{array.name} audit degraded", has("array-degraded", "slots-in-reserve"), lacks and not down
        )
        moves = them.md("reshape_position") not in ("", "none") and not inactive
        yield from _differ(f"{array.name} audit reshape", has("reshape-running", "reshape-halted"), moves)
        read_only = "(read-only)" in them.stat
        told = has("array-read-only", "journal-lost", "reshape-halted")
        yield from _differ(f"{array.name} audit read-only", told or not read_only, True)
        yield from _differ(
            f"{array.name} audit read-only though written", has("array-read-only") and not read_only, False
        )


def stopped(seen: ObservedArrays) -> Iterator[Differs]:
    """Arrays of which only superblocks are there."""
    held = {each.device for array in seen.arrays if array.name for each in array.members if each.state != "dropped"}
    free = [path.name for path in sorted(Path("/sys/block").glob("loop*")) if path.name not in held]
    free = [name for name in free if (Path("/sys/block") / name / "loop").is_dir()]
    text = _run(_MDADM, "--examine", "--brief", *(f"/dev/{name}" for name in free)) if free else ""
    running = {array.uuid for array in seen.arrays if array.name or array.container}
    theirs = set(re.findall(r"\bUUID=([0-9a-f:]{35})", text)) - running
    ours = {array.uuid for array in seen.arrays if not array.name and not array.container}
    if not ours <= theirs or not theirs <= ours:
        yield Differs("stopped", str(sorted(ours)), str(sorted(theirs)))


def point() -> list[Differs]:
    """What differs now."""
    before = {name: _stat_of(name) for name in _names()}
    look = ArraysLook(SystemReader(), this_machine(smart=False))
    seen = look.take()
    found = audit(audit_facts(look, seen))
    theirs = {name: Theirs(name) for name in _names()}
    ours = {array.name: array for array in seen.arrays if array.name}
    differs = list(_differ("arrays", sorted(ours), sorted(theirs)))
    for name in ours.keys() & theirs.keys():
        differs += [
            each._replace(what=f"{name} {each.what}")
            for each in compared(ours[name], theirs[name], before.get(name, ""))
        ]
    return [*differs, *stopped(seen), *judged(seen, found, theirs)]


def take(moment: str) -> dict[str, object]:
    """One point; what differs is looked at again, for the two looks are not of one moment."""
    began, differs, looks = time.monotonic(), [Differs("", "", "")], 0
    while differs and looks < _LOOKS:
        if looks:
            _run("udevadm", "settle")
            time.sleep(0.3)
        looks += 1
        try:
            differs = point()
        except Exception:
            differs = [Differs("traceback", traceback.format_exc(limit=-6), "")]
    found: dict[str, object] = {
        "moment": moment, "seconds": round(time.monotonic() - began, 2), "looks": looks,
        "arrays": len(_names()), "differs": [list(each) for each in differs],
    }  # fmt: skip
    if differs:
        found["mdstat"] = Path("/proc/mdstat").read_text()
        found["detail"] = {name: _run(_MDADM, "--detail", f"/dev/{name}") for name in _names()}
    return found


def main(folder: Path) -> int:
    """Answers until the fifo is removed."""
    while True:
        with (folder / "ask").open() as asked:
            moments = asked.read().splitlines()
        for moment in moments:
            found = take(moment)
            with (folder / "points.jsonl").open("a") as out:
                out.write(f"{json.dumps(found)}\n")
            with (folder / "answer").open("w") as answer:
                answer.write("taken\n")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
