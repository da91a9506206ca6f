"""Exact sizes: integers of bytes in, text for people out, and back.

Disk labels use decimal units (2 TB = 2 * 10**12), md and mkfs use binary ones
(512 KiB = 512 * 2**10). Both are read; nothing is ever a float of bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

# Ranges of what is typed or read from files: sizes, counts and rates that a machine can have.


LEAST_DISK = 1024**2
"""bytes of a disk; less is a unit forgotten"""
MOST_DISK = 1024**6
"""bytes of a disk: 1 EiB, thirty thousand times the largest that is sold"""
MOST_DISKS = 4096
"""of one machine, plan or layout"""
MOST_SEARCHED = 1024
"""disks that proposals are searched for; the search takes about 5 ms for each, more than in proportion"""
MOST_SIZE = MOST_DISK * MOST_DISKS
"""bytes of anything"""
MOST_RATE = 10**14
"""bytes per second of anything, the memory of a machine included"""
MOST_QUEUE_DEPTH = 10_240
"""BLK_MQ_MAX_DEPTH of Linux (include/linux/blk-mq.h)"""
MOST_THREADS = 8192
"""group_thread_cnt (drivers/md/raid5.c, raid5_store_group_thread_cnt)"""
LONGEST_NUMBER = 40
"""characters of a number with its unit"""


def whole_number(text: str) -> int:
    """The whole number in `text`. Raises ValueError."""
    said = text.strip()
    digits = said.removeprefix("-")
    if len(said) > LONGEST_NUMBER or not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f"'{said[:LONGEST_NUMBER]}' is not a whole number")
    return int(said)


def decimal_number(text: str) -> float:
    """The number in `text`, nan and infinity too. Raises ValueError."""
    try:
        if len(text) <= LONGEST_NUMBER:
            return float(text)
    except ValueError:
        pass
    raise ValueError(f"'{text[:LONGEST_NUMBER]}' is not a number")


def require_range(value: float, least: float, most: float, shown: Callable[[float], str] = "{:g}".format) -> None:
    """Raises ValueError unless `value` is from `least` to `most`; nan is neither."""
    if not least <= value <= most:
        wanted = f"out of range: {shown(least)} to {shown(most)}" if least < most else f"not {shown(least)}"
        raise ValueError(f"{shown(value)} is {wanted}")


SECTOR = 512
"""bytes; the unit md and the kernel count in, whatever the disk's own sector"""
KIB = 1024
MIB = 1024**2
GIB = 1024**3
TIB = 1024**4
HOURS_PER_YEAR = 8760.0

_BINARY = {"K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGTP]?)(I?B?)", re.IGNORECASE)


def parse_size(text: str, *, bare_suffix_is_binary: bool = False) -> int:
    """Bytes meant by `text`: `2TB`, `1.5 TiB`, `512K`, `2000398934016`.

    `TB` is decimal and `TiB` binary. A lone letter (`512K`) is decimal on a disk's label
    and binary in mdadm's and mkfs' options: the caller says which.

    Raises ValueError with the reason when the text is no size or not whole bytes.
    """
    value = _parsed(text, bare_suffix_is_binary=bare_suffix_is_binary)
    if value != int(value):
        raise ValueError(f"invalid size '{text}': not a whole number of bytes")
    return int(value)


def parse_nominal_size(text: str, multiple: int) -> tuple[int, bool]:
    """(bytes meant by `text`, rounded down to a multiple of `multiple`; True if they were rounded).

    The text is one of `parse_size`, also one of no whole bytes: `1.82TiB`. Raises ValueError with the reason.
    """
    value = _parsed(text, bare_suffix_is_binary=False)
    rounded = round_down(int(value), multiple)
    return rounded, rounded != value


def _parsed(text: str, *, bare_suffix_is_binary: bool) -> Decimal:
    """Bytes meant by `text`, exact."""
    if len(text.strip()) > LONGEST_NUMBER:
        raise ValueError(f"invalid size '{text.strip()[:LONGEST_NUMBER]}...': too long")
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        examples = "64K, 2G or 65536" if bare_suffix_is_binary else "2TB, 1.8TiB or 2000398934016"
        raise ValueError(f"invalid size '{text}': write for example {examples}")
    number, letter, tail = match.group(1), match.group(2).upper(), match.group(3).upper()
    if tail == "I":
        raise ValueError(f"incomplete unit in '{text}': write {number}{letter}iB")
    if not letter and tail == "IB":
        raise ValueError(f"missing unit before 'iB' in '{text}': write for example TiB")
    binary = tail == "IB" or (tail == "" and bare_suffix_is_binary)
    power = _BINARY[letter] if letter else 0
    value = Decimal(number) * Decimal((1024 if binary else 1000) ** power)
    if value > MOST_SIZE:
        raise ValueError(f"invalid size '{text}': too large")
    return value


def parse_binary_size(text: str) -> int:
    """Bytes meant by `text`; a single-letter unit is binary, as in mdadm's `--chunk=512K`."""
    return parse_size(text, bare_suffix_is_binary=True)


def parse_rate(text: str) -> int:
    """Bytes per second meant by `text`: `94MB/s`, `1.2 GiB/s`, `750M`, `94000000`. `/s` may be left out.

    Raises ValueError with the reason when it is no rate, no whole number of bytes, or nothing at all.
    """
    said = text.strip()
    try:
        rate = parse_size(said[:-2] if said.lower().endswith("/s") else said)
    except ValueError as problem:
        raise ValueError(f"invalid rate '{text}': write for example 94MB/s, 1.2GiB/s or 94000000") from problem
    if not 0 < rate <= MOST_RATE:
        raise ValueError(f"invalid rate '{text}': expected 1 B/s to {decimal_size(MOST_RATE)}/s")
    return rate


def parse_share(text: str) -> float:
    """A share or probability: `1.5%`, `0.015`, `1e-15`, `1 in 10 000`. Raises ValueError unless it is from 0 to 1."""
    said = text.strip()
    if len(said) > LONGEST_NUMBER:
        raise ValueError(f"invalid share '{said[:LONGEST_NUMBER]}...': too long")
    try:
        first, one_in, count = said.partition("in")
        if one_in and first.strip() == "1":
            value = 1 / float(count.replace(" ", ""))
        else:
            value = float(said.removesuffix("%")) / (100 if said.endswith("%") else 1)
    except (ValueError, ZeroDivisionError) as problem:
        raise ValueError(f"invalid share '{text}': write for example 1.5%, 0.015, 1e-15 or 1 in 10 000") from problem
    if not 0 <= value <= 1:
        raise ValueError(f"invalid share '{text}': expected 0 to 1 (or 0% to 100%)")
    return value


def decimal_size(count: int, digits: int = 3) -> str:
    """`2.00 TB`: the unit printed on disks, to `digits` significant digits."""
    return _scaled(count, 1000, ("B", "kB", "MB", "GB", "TB", "PB", "EB"), digits)


def binary_size(count: int) -> str:
    """`78.22 TiB`: the unit that `df -h` and mkfs mean, to four significant digits."""
    return _scaled(count, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"), 4)


def df_size(count: int) -> str:
    """`79T`, `1.8T`: as `df -h` prints it, rounded up, with a tenth below 10."""
    power = 0
    while -(-count // 1024**power) >= 1024:
        power += 1
    letter, tenths = "BKMGTPEZ"[power], -(-10 * count // 1024**power)
    return f"{tenths / 10:.1f}{letter}" if power and tenths < 100 else f"{-(-count // 1024**power)}{letter}"


def exact_binary(count: int) -> str:
    """`3 MiB`, `1408 KiB`: the largest binary unit that divides `count`, so nothing is rounded."""
    for name, unit in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if count and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count} B"


def exact_decimal(count: int) -> str:
    """`2TB`, `1500GB`, `2000398934016`: the largest decimal unit that divides `count`; `parse_size` reads it back."""
    for name, unit in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if count and count % unit == 0:
            return f"{count // unit}{name}"
    return str(count)


def grouped(count: int) -> str:
    """`83 995 443 200`: digits grouped in threes."""
    return f"{count:,}".replace(",", " ")


def round_up(value: int, multiple: int) -> int:
    """The smallest multiple of `multiple` that is not below `value`."""
    return -(-value // multiple) * multiple


def round_down(value: int, multiple: int) -> int:
    """The largest multiple of `multiple` that is not above `value`."""
    return value // multiple * multiple


def _scaled(count: int, base: int, names: tuple[str, ...], digits: int) -> str:
    scaled = Decimal(count)
    for name in names:
        whole = len(str(int(scaled)))
        if scaled < base or name == names[-1]:
            if name == names[0]:
                return f"{count} {name}"
            return f"{scaled:.{max(digits - whole, 0)}f} {name}"
        scaled /= base
    raise AssertionError(count)


# A count and its noun as text; numbers in text that is broken into lines.


HARD_BLANK = "\N{NO-BREAK SPACE}"
_JOINED = re.compile(
    r"(?<=\d) (?=\d{3}\b|%|h\b|min\b|days\b|[KMGTPE]i?B\b|[KMGT]bit\b|IOPS\b|/ \d)|(?<=\d /) (?=\d)"
    r"|(?<=<) (?=\d)|(?<=\b1) (?=in \d)|(?<=\b1 in) (?=\d)"
)


def counted(count: int, noun: str) -> str:
    """`1 disk`, `4 disks`, `0 disks`."""
    return f"{count} {plural(noun, count)}"


def plural(noun: str, count: int) -> str:
    """`disk` for 1, `disks` for any other count."""
    return noun if count == 1 else f"{noun}s"


def joined(text: str) -> str:
    """`text` with no-break spaces within numbers, before units, in `1.48 / 1.14` and in `1 in 9 100`."""
    return _JOINED.sub(HARD_BLANK, text)
