"""`mdadm --create` (mdadm 4.2: Create.c), and what it leaves when it ends half-way.

Its question about old content is answered "no", for standard input is closed; it knows ext2 to ext4, md and partition
tables only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from raidtui.machine.simulated.core.argv_parser import Given, ProgramFailed, read, unknown
from raidtui.machine.simulated.core.devices import busy, resolve
from raidtui.machine.simulated.core.state import Array, ArrayConfig, Member, State
from raidtui.machine.simulated.core.storage import below, drive_of, seen
from raidtui.machine.simulated.md import superblocks
from raidtui.model.choices import Metadata
from raidtui.model.layout import PARITY, MdLevel, Spread
from raidtui.model.units import KIB, SECTOR
from raidtui.planner.geometry.md import ArrayRequest, array_geometry, component_kib, least_bitmap_chunk

_LEVELS: dict[str, MdLevel] = {"0": "raid0", "1": "raid1", "4": "raid4", "5": "raid5", "6": "raid6", "10": "raid10"}
_CREATE = ("--name", "--homehost", "--uuid", "--metadata", "--level", "--raid-devices", "--layout", "--chunk", "--size",
           "--data-offset", "--bitmap", "--bitmap-chunk", "--consistency-policy")  # fmt: skip
_KNOWN = frozenset({"ext2", "ext3", "ext4", "linux_raid_member", "gpt", "dos"})


def create(state: State, argv: Sequence[str], device: str, share: float) -> str:
    """`mdadm --create`; `share` below 1: it was killed when so many superblocks were written."""
    given = read(("mdadm", *argv[2:]), flags={"--run", "--assume-clean"}, values=_CREATE, least=2)
    paths = given.operands[1:]
    if given.operands[0] != device or not device.startswith("/dev/md/"):
        raise unknown(argv)
    if resolve(state, device) is not None:
        raise ProgramFailed(f"mdadm: {device} is already in use.")
    if given.number("--raid-devices") != len(paths):
        raise ProgramFailed(f"mdadm: You have listed {len(paths)} devices, not {given.values['--raid-devices']}")
    keys = [_member(state, path) for path in paths]
    if len(set(keys)) < len(keys):
        raise ProgramFailed("mdadm: a device was listed twice")
    config = _config(state, given, argv, [below(state, key)[2] for key in keys])
    if "--run" not in given.flags:
        _ask_about(state, config, list(zip(paths, keys, strict=True)))
    return _make(state, config, device.removeprefix("/dev/md/"), keys, share, clean="--assume-clean" in given.flags)


def _member(state: State, path: str) -> str:
    key = resolve(state, path)
    if key is None:
        raise ProgramFailed(f"mdadm: cannot open {path}: No such file or directory")
    drive = drive_of(state, key)
    if drive is not None and any(hold.how == "read-only" for hold in drive.holds):
        raise ProgramFailed(f"mdadm: cannot open {path}: Read-only file system")
    if busy(state, key):
        raise ProgramFailed(f"mdadm: cannot open {path}: Device or resource busy")
    return key


def _config(state: State, given: Given, argv: Sequence[str], sizes: list[int]) -> ArrayConfig:
    options = given.values
    level = _LEVELS.get(options["--level"])
    metadata = next((each for each in get_args(Metadata) if each == options["--metadata"]), None)
    if level is None or metadata is None:
        raise unknown(argv)
    layout, bitmap = options.get("--layout", ""), options.get("--bitmap")
    if level == "raid0" and bitmap is not None:
        raise ProgramFailed("mdadm: bitmaps not meaningful with level raid0")
    chunk = given.number("--chunk", "K") * KIB if "--chunk" in options else 0
    ppl = options.get("--consistency-policy") == "ppl"
    spreads: dict[str, Spread] = {"n": "n", "f": "f", "o": "o"}
    ask = ArrayRequest(
        level=level, member_bytes=tuple(sizes), chunk_bytes=chunk or 512 * KIB, metadata=metadata, ppl=ppl,
        bitmap="internal" if bitmap == "internal" else "none",
        bitmap_chunk_bytes=given.number("--bitmap-chunk", "K") * KIB if "--bitmap-chunk" in options else None,
        copies=int(layout[1:]) if level == "raid10" else 2, spread=spreads[layout[0]] if level == "raid10" else "n",
        data_offset_sectors=given.number("--data-offset", "K") * 2 if "--data-offset" in options else None,
    )  # fmt: skip
    geometry = array_geometry(ask)
    least_chunk = least_bitmap_chunk(ask, component_kib(ask, geometry.data_offset_sectors))
    if ask.bitmap_chunk_bytes is not None and (least_chunk is None or ask.bitmap_chunk_bytes < least_chunk):
        raise ProgramFailed("mdadm: Given bitmap chunk size not supported.")
    component = given.number("--size") * KIB if "--size" in options else geometry.component_bytes or 0
    if component > (geometry.component_bytes or component):
        raise ProgramFailed(f"mdadm: a device is smaller than given size. {component // KIB}K < required")
    config = ArrayConfig(
        uuid=options["--uuid"], name=f"{options['--homehost']}:{options['--name']}", level=level, devices=len(sizes),
        chunk_bytes=chunk, layout=layout, component_sectors=component // SECTOR, array_sectors=geometry.sectors,
        metadata=metadata, data_offset=geometry.data_offset_sectors, bitmap=bitmap == "internal",
        bitmap_chunk_bytes=geometry.bitmap_chunk_bytes or 0, ppl=ppl,
        created=state.now, read_ahead_kib=geometry.read_ahead_kib,
    )  # fmt: skip
    return config if level == "raid0" else of_component(config, component)


def of_component(config: ArrayConfig, component: int) -> ArrayConfig:
    """The array whose members give `component` bytes each (raid5.c, raid10.c: raid10_size)."""
    size, chunk = component, config.chunk_bytes or 512 * KIB
    if config.level == "raid10":
        copies = int(config.layout[1:])
        near, far = (copies, 1) if config.layout[0] == "n" else (1, copies)
        size = component // chunk // far * config.devices // near * chunk
    elif config.level != "raid1":
        size = component // chunk * chunk * (config.devices - PARITY[config.level])
    return replace(config, component_sectors=component // SECTOR, array_sectors=size // SECTOR)


def _ask_about(state: State, config: ArrayConfig, members: list[tuple[str, str]]) -> None:
    """mdadm's own question, which closed input answers with no."""
    for path, key in members:
        found = next((mark.kind for mark in seen(state, key) if mark.kind in _KNOWN), None)
        if found is not None:
            raise ProgramFailed(
                f"mdadm: {path} appears to contain {found}\nContinue creating array? mdadm: create aborted."
            )
    if config.level != "raid0":
        sizes = [below(state, key)[2] // SECTOR - config.data_offset for _, key in members]
        if max(sizes) * 100 > 101 * config.component_sectors:
            raise ProgramFailed(
                f"mdadm: largest drive exceeds size ({config.component_sectors // 2}K) by more than 1%\n"
                "Continue creating array? mdadm: create aborted."
            )


def _make(state: State, config: ArrayConfig, link: str, keys: list[str], share: float, *, clean: bool) -> str:
    """Superblocks on all members, then the array; killed in between it leaves what it wrote, and its mark for udev."""
    name = superblocks.free_name(state)
    claim = f"/run/mdadm/creating-{name}"
    state.files[claim] = ""
    for role, key in enumerate(keys[: round(share * len(keys))] if share < 1 else keys):
        block = superblocks.new_superblock(
            state, config, role, in_sync=clean or config.level in ("raid0", "raid4", "raid5")
        )
        block.recovered = clean or not (config.level in ("raid4", "raid5") and role == config.devices - 1)
        try:
            superblocks.write_superblock(state, key, block)
        except ProgramFailed as problem:
            del state.files[claim]
            _leave_inactive(state, config, name, keys[:role])
            raise ProgramFailed(f"mdadm: failed to write metadata to {key}: {problem}") from None
        if key not in state.woken:
            state.woken.append(key)
    if share < 1:
        return ""
    members = [Member(key=key, role=role, state="active") for role, key in enumerate(keys)]
    if config.level in ("raid4", "raid5") and not clean:
        members[-1].state = "rebuilding"  # as a spare that is built in at once: faster than reading all parity
    array = _array(state, config, name, members)
    array.running, array.link = True, link
    array.in_sync = clean or config.level in ("raid0", "raid4", "raid5")
    array.unproven = clean and config.level != "raid0"
    state.arrays.append(array)
    superblocks.record(state, array)
    del state.files[claim]
    return f"mdadm: array {link} started.\n"


def _leave_inactive(state: State, config: ArrayConfig, name: str, keys: list[str]) -> None:
    """mdadm that fails half-way takes nothing back."""
    if keys:
        members = [Member(key=key, role=role, state="active") for role, key in enumerate(keys)]
        state.arrays.append(_array(state, config, name, members))


def _array(state: State, config: ArrayConfig, name: str, members: list[Member]) -> Array:
    return Array(
        name=name, link="", config=config, members=members, running=False, in_sync=False, waiting=False, events=0,
        sequence=state.number(), read_ahead_sectors=2 * config.read_ahead_kib, born=state.now,
    )  # fmt: skip
