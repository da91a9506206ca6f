"""Options that several verbs share, and readers of numbers with a range."""

from __future__ import annotations

import argparse
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from raidtui.cli.options.verb_parser import OptionGroup, SafeParser, further
from raidtui.values.units import decimal_number, require_range, whole_number

if TYPE_CHECKING:
    from raidtui.values.options import Option


# Numbers of the command line, with a range each. argparse reports what is outside as wrong usage, exit code 2.


N = TypeVar("N", int, float)
SPEED_UP = (0.001, 1e9)
"""range of the factor by which simulated time is faster than real time"""


def whole(least: int, most: int) -> Callable[[str], int]:
    """A reader of whole numbers from `least` to `most`."""
    return _within(whole_number, least, most)


def number(least: float, most: float) -> Callable[[str], float]:
    """A reader of numbers from `least` to `most`; nan is refused."""
    return _within(decimal_number, least, most)


def _within(read: Callable[[str], N], least: float, most: float) -> Callable[[str], N]:
    def reader(text: str) -> N:
        try:
            value = read(text)
            require_range(value, least, most)
        except ValueError as problem:
            raise ArgumentTypeError(str(problem)) from problem
        return value

    return reader


SECONDS = number(1, 86400)
"""of a measurement"""
REPEATS = whole(1, 100)
"""of a measurement"""


def add_disk_options(parser: SafeParser, *, top: bool = False) -> None:
    """Adds options that are allowed before and after the verb; only the top parser holds their defaults."""
    unset = argparse.SUPPRESS

    def default(value: object) -> object:
        return value if top else unset

    group = parser.group("disks (default: this machine's)")
    source = group.exclusive()
    source.add_argument(
        "--inventory", metavar="FILE|NAME", default=default(None), help="inventory file, or a shipped chassis"
    )
    source.add_argument(
        "--disks",
        metavar="LIST",
        default=default(None),
        help="disks not bought yet: 60x2TB or 4x4TB@5400",
    )
    group = further(parser, "about these disks")
    kind = group.exclusive()
    kind.add_argument(
        "--rotational",
        dest="rotational",
        action="store_true",
        default=default(True),
        help="with --disks: hard disks (default)",
    )
    kind.add_argument(
        "--ssd", dest="rotational", action="store_false", default=default(True), help="with --disks: SSDs"
    )
    kind.add_argument(
        "--nvme", metavar="GENxLANES", default=default(None),
        help="with --disks: NVMe drives, each on its own PCIe link: 4x4 is generation 4 with four lanes",
    )  # fmt: skip
    group.add_argument(
        "--no-measured", dest="measured", action="store_false", default=default(True),
        help="ignore what raidtui disks --measure and benchmarks found out about these disks and their machine",
    )  # fmt: skip
    group.add_argument(
        "--lun", metavar="[DISK=]D+P,CHUNK[,RATE]", action="append", default=default(None),
        help="the disk (default: all that are free) is a LUN of a hardware controller; data and parity drives, chunk, "
        "rate of one drive: sdb=12+2,256K or 12+2,256K,130MB/s (may be repeated)",
    )  # fmt: skip
    group.add_argument(
        "--bind-by-path", action="store_true", default=default(False),
        help="also use disks of a virtual machine that have no serial number; place, size and content identify them; "
        "an equal disk at the same place is taken for them",
    )  # fmt: skip
    group.add_argument(
        "--sector", metavar="BYTES", default=default("512"), help="with --disks: logical sector, 512 (default) or 4096"
    )


def add_options(parser: SafeParser | OptionGroup, rows: Iterable[Option]) -> None:
    """These rows of the table of options: texts that the verb reads (`cli.inputs`); None for one that is not given."""
    from raidtui.values.options import (
        FLAG,
        WORD,  # the parser of all verbs starts without the table
    )

    for row in rows:
        settings: dict[str, Any] = {"help": row.help.replace("%", "%%")}
        if row.kind is FLAG:
            settings["action"] = argparse.BooleanOptionalAction
        elif row.kind is WORD:
            settings["choices"] = row.choices
        else:
            settings["metavar"] = row.kind.metavar
        parser.add_argument(row.flag, **settings)


def add_speed_up(parser: SafeParser) -> None:
    """Adds --speed-up, which applies to simulated machines only."""
    further(parser, "simulated disks").add_argument(
        "--speed-up", metavar="N", type=number(*SPEED_UP), default=600.0,
        help="run N times as fast as real time (default 600)",
    )  # fmt: skip


def add_sync_options(parser: SafeParser) -> None:
    """Adds what a build does about syncs: of other arrays, and of its own."""
    parser.add_argument(
        "--during-sync",
        action="store_true",
        help="build although other arrays sync; RAID4 and RAID5 do not wait for their first sync either",
    )
    parser.add_argument(
        "--wait-for-sync", action="store_true", help="make file systems only when the first sync has ended"
    )
