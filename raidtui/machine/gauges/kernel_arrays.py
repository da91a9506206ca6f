"""md arrays as the kernel has them: the one reader of /sys/block/md*/md, for answers, acts, trials and gauges.

Sources: Documentation/admin-guide/md.rst; drivers/md/md.c for what each file reads while an array changes its shape:
`4 (3)` is what it will have, and what it had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from raidtui.advice.arrays.state import array_states, is_container, member_state
from raidtui.machine.system.ports import MachineReader
from raidtui.programs import md, sysfs
from raidtui.values.arrays import ArrayBitmap, ArrayMember, MdShape, ObservedArray, Reshape
from raidtui.values.units import KIB, SECTOR

BLOCK = "/sys/block"
GONE = frozenset({"", "clear"})
"""array_state of an array that is not assembled"""
_STILL = ("", "clear", "inactive")


class SysfsFiles(Protocol):
    """SysfsFiles of a machine; None and an empty answer: there is none."""

    def text(self, path: str) -> str | None:
        """Content of a file."""

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory."""


class FilesOf:
    """Those of a reader. A file that is there and cannot be read raises MachineFailed."""

    def __init__(self, reader: MachineReader) -> None:
        self.text = reader.read_text
        self.names = reader.names


def assembled(files: SysfsFiles) -> dict[str, str]:
    """Kernel names of the assembled arrays, by number, with the word of their array_state."""
    found = {name: state_word(files, name) for name in files.names(BLOCK) if name[:2] == "md"}
    return {name: found[name] for name in sorted(found, key=md.by_number) if found[name] not in GONE}


def state_word(files: SysfsFiles, name: str) -> str:
    """The word of its array_state; empty for what is no array."""
    return sysfs.word(files.text(md.value_path(name, "array_state")))


def runs(word: str) -> bool:
    """True where an array with this array_state is started."""
    return word not in _STILL


def array_now(files: SysfsFiles, name: str) -> ObservedArray | None:
    """An array by its kernel name, as far as the kernel alone knows it; None for one that is not assembled.

    Its sync, its UUID and what is on it are not read here; slots that no device has are not among its members."""
    kernel = state_word(files, name)
    if kernel in GONE:
        return None

    def text(what: str) -> str:
        return sysfs.word(files.text(md.value_path(name, what)))

    def number(what: str) -> int | None:
        return sysfs.count(text(what))

    started = runs(kernel)
    level, metadata, last = text("level"), text("metadata_version"), text("last_sync_action")
    devices, chunk, layout = (md.both(text(what)) for what in ("raid_disks", "chunk_size", "layout"))
    limit = number("array_size")
    found = ObservedArray(
        name=name, label="", made_for="", path=f"/dev/{name}", uuid="", states=("unknown",), kernel_state=kernel,
        level=level, devices=devices.now or None, lacks=number("degraded"), metadata=metadata,
        chunk_bytes=chunk.now or 0, layout=layout.now or 0,
        reshape=_reshape(
            text("reshape_position"), text("reshape_direction"),
            MdShape(level=level, devices=devices.before or 0, layout=layout.before or 0,
                    chunk_bytes=chunk.before or 0),
        ),
        action=text("sync_action"),
        container=md.container(metadata)[0],
        component_bytes=(number("component_size") or 0) * KIB,
        limit_bytes=None if limit is None or metadata.startswith("external") else limit * KIB,
        logical_sector_bytes=sysfs.count(files.text(f"{BLOCK}/{name}/queue/logical_block_size")),
        stored_sector_bytes=number("logical_block_size"),
        sync_max_bytes_per_s=md.limit(text("sync_speed_max")),
        stripe_cache_pages=number("stripe_cache_size"), parity_threads=number("group_thread_cnt"),
        consistency=text("consistency_policy"),
        members=tuple(members_now(files, name, started=started)),
        bitmap=_bitmap(text) if started else ArrayBitmap(kind="unknown"),
        last_action="" if last in ("none", "idle") else last,
        mismatches=number("mismatch_cnt") if last in ("check", "repair") else None,
    )  # fmt: skip
    if not started and devices.now and not is_container(found):  # of IMSM and DDF the kernel is told before it starts
        slots = {each.slot: each.flags for each in found.members if each.slot is not None}
        there = [slot for slot, flags in slots.items() if "in_sync" in flags]
        found = replace(found, lacks=max(devices.now - len(there), 0) if slots or not found.members else None)
    return replace(found, states=array_states(found, ""))


def _reshape(position: str, direction: str, before: MdShape) -> Reshape | None:
    """The change of shape that is not ended; `position` is `none` without one."""
    if position in ("", "none"):
        return None
    sectors = sysfs.count(position)
    return Reshape(
        before=before, position_bytes=None if sectors is None else sectors * SECTOR, backwards=direction == "backwards"
    )


def members_now(files: SysfsFiles, array: str, *, started: bool) -> Iterator[ArrayMember]:
    """Every device in an array, by its kernel name, as the kernel lists them; of one that was not read no more."""
    for device in md.members(files.names(md.folder(array))):
        yield member_now(files, array, device, started=started) or ArrayMember(device=device, state="unknown")


def member_now(files: SysfsFiles, array: str, device: str, *, started: bool = True) -> ArrayMember | None:
    """A device in an array, both by kernel name; None where it is not in it."""

    def text(what: str) -> str | None:
        return files.text(md.member_path(array, device, what))

    words = text("state")
    if words is None:
        return None
    flags, slot, offset = md.flags(words), sysfs.count(text("slot")), sysfs.count(text("offset"))
    bad = text("bad_blocks")
    return ArrayMember(
        device=device, state=member_state(flags, slot, runs=started), slot=slot, flags=tuple(sorted(flags)),
        errors=sysfs.count(text("errors")), data_offset_bytes=None if offset is None else offset * SECTOR,
        bad_blocks=None if bad is None else len(bad.splitlines()),
    )  # fmt: skip


def _bitmap(text: Callable[[str], str]) -> ArrayBitmap:
    """The bitmap of an array whose files `text` reads."""
    location, kind = text("bitmap/location"), text("bitmap/metadata")
    if sysfs.active_scheduler(text("bitmap_type")) == "llbitmap":
        return ArrayBitmap(kind="lockless", chunk_bytes=md.lockless_chunk(text("llbitmap/metadata")))
    if location in ("", "none"):
        return ArrayBitmap(kind="none")
    internal = location[0] in "+-0123456789"
    return ArrayBitmap(
        kind="clustered" if kind == "clustered" else "internal" if internal else "external",
        chunk_bytes=sysfs.count(text("bitmap/chunksize")),
    )
