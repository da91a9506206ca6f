"""Values of the options that several verbs share: disks, assumptions, a design."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from raidtui.model.assumptions import Assumptions, defaults_for
from raidtui.model.decision import Decision
from raidtui.model.design import DEFAULT_CHUNK, Design, Partitions
from raidtui.model.errors import BadInput
from raidtui.model.file_system import FileSystemOptions
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.notation import parse
from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.options.option import Option
from raidtui.model.target import Target, merged, parse_release
from raidtui.model.units import parse_binary_size, parse_size
from raidtui.planner.design.choose_disks import choose_disks
from raidtui.planner.design.file_system_words import file_system_options, parse_mkfs
from raidtui.planner.design.options import UNDECIDED, with_value
from raidtui.tools.mount_options import parse as parse_mount_options

T = TypeVar("T")
U = TypeVar("U")


def pool(inventory: Inventory, options: argparse.Namespace) -> tuple[Disk, ...]:
    """Disks that a layout may use, in the order of the inventory."""
    return choose_disks(inventory, only=tuple(options.only or ()), exclude=tuple(options.exclude or ()))


def chosen(inventory: Inventory, options: argparse.Namespace, design: Design) -> tuple[Disk, ...]:
    """Disks that a layout may use, in the order that it uses them."""
    disks = pool(inventory, options)
    if not options.spread:
        return disks
    from raidtui.planner.placement.place import placed_disks  # verbs without a layout start faster without it

    return placed_disks(design.layout, disks)


def assumptions(options: argparse.Namespace, disks: Sequence[Disk]) -> Assumptions:
    """Assumptions about `disks`: the defaults, replaced by what the options give."""
    return _decided(options, ASSUMPTIONS, replace(UNDECIDED, assumptions=defaults_for(disks))).assumptions


def _decided(options: argparse.Namespace, rows: Iterable[Option], decision: Decision) -> Decision:
    """`decision` with what `options` give of these rows of the table. Raises BadInput that names the option."""
    for row in rows:
        value = option_value(options, row)
        if value is not None:
            decision = with_value(row, decision, value)
    return decision


def option_value(options: argparse.Namespace, row: Option) -> Any:
    """What `options` give of a row of the table; None if nothing. Raises BadInput that names the option."""
    said = getattr(options, row.key)
    return read_option(row.flag, said, row.read, None) if isinstance(said, str) else said


def target_of(options: argparse.Namespace, inventory: Inventory) -> Target | None:
    """Versions that the options state, else those found on the machine of `inventory`; None without any."""
    said = Target(
        kernel=read_option("--kernel", options.kernel, parse_release, None),
        mdadm=read_option("--mdadm", options.mdadm, parse_release, None),
        xfsprogs=read_option("--xfsprogs", options.xfsprogs, parse_release, None),
        e2fsprogs=read_option("--e2fsprogs", options.e2fsprogs, parse_release, None),
    )
    return merged(said, inventory.target)


def design_of(options: argparse.Namespace) -> Design:
    """The design that a layout and its options describe."""
    return Design(
        layout=parse(options.layout),
        chunk_bytes=chunk_of(options),
        metadata=options.metadata,
        bitmap=options.bitmap,
        bitmap_chunk_bytes=read_option("--bitmap-chunk", options.bitmap_chunk, parse_binary_size, None),
        data_offset_bytes=read_option("--data-offset", options.data_offset, parse_binary_size, None),
        ppl=options.consistency_policy == "ppl",
        stack=options.stack,
        fs=options.fs,
        fs_options=fs_options_of(options),
        partitions=_partitions(options),
    )


def fs_options_of(options: argparse.Namespace) -> FileSystemOptions | None:
    """What --mkfs, --mount-options and --benchmark-follows ask for; None if that is nothing."""
    said, kind = options.mkfs, options.fs
    if kind == "none":
        if said is not None or options.mount_options is not None:
            raise BadInput("--fs none has no file system for --mkfs and --mount-options", hint="leave them out")
        return None
    return file_system_options(
        kind,
        made=read_option("--mkfs", said, partial(parse_mkfs, kind=kind), None),
        mount=read_option("--mount-options", options.mount_options, partial(parse_mount_options, kind=kind), ()),
        benchmark_follows=options.benchmark_follows,
    )


def _partitions(options: argparse.Namespace) -> Partitions | None:
    """What --members and --partition-size say. Raises BadInput where they contradict each other."""
    size = read_option("--partition-size", options.partition_size, parse_size, None)
    if size is not None and options.members == "disks":
        raise BadInput("--partition-size needs partitions", hint="leave out --members disks")
    return Partitions(size_bytes=size) if size is not None or options.members == "partitions" else None


def chunk_of(options: argparse.Namespace) -> int:
    """The chunk size that --chunk gives, else the default."""
    return read_option("--chunk", options.chunk, parse_binary_size, DEFAULT_CHUNK)


def check_times(options: argparse.Namespace) -> None:
    """Raises BadInput when --seconds or --repeats is out of range."""
    if options.seconds is not None and not 1 <= options.seconds <= 86400:
        raise BadInput(f"--seconds {options.seconds:g} is out of range", hint="write 1 to 86400")
    repeats = getattr(options, "repeats", None)
    if repeats is not None and not 1 <= repeats <= 100:
        raise BadInput(f"--repeats {repeats} is out of range", hint="write 1 to 100")


def read_option(option: str, text: str | None, read: Callable[[str], T], otherwise: U) -> T | U:
    """The value of `text`, `otherwise` when the option is not given. Raises BadInput that names the option."""
    if text is None:
        return otherwise
    try:
        return read(text)
    except ValueError as problem:
        raise BadInput(f"{option}: {problem}", hint=f"the verb's --help describes {option}") from problem
