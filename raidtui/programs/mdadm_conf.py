"""mdadm.conf(5) as mdadm reads it: statements, which devices it may look at, which ARRAY lines match an array.

Source: mdadm 4.2 to 4.6: config.c (match_keyword, devline, arrayline, autoline, conf_test_dev, conf_get_devs,
conf_match, devname_matches, load_conffile), lib.c (conf_word, conf_line), Incremental.c. What follows from them:

- DEVICE lines add up; without one every partition and disk is allowed, with one only what some line names: `partitions`
  names all, a pattern is compared with every name that udev has for the device. `mdadm --incremental` and `--examine
  --scan` both obey them.
- AUTO and HOMEHOST concern arrays that no ARRAY line matches; POLICY concerns bare disks and where spares may move.
- An array that two ARRAY lines match is not assembled, nor is one that `ARRAY <ignore>` matches. `devices=` is compared
  with the kernel's name of each device alone; up to 4.2 a line whose `name=` is another than the superblock's does not
  match. `spares=` is for the monitor alone.
- CREATE says who owns the nodes of arrays and how they are named; no array is assembled or left because of it.
- One of two places is read (load_conffile): CONFFILE and the *.conf files of CONFFILE.d; where there is no CONFFILE but
  a CONFFILE2, that one and those of CONFFILE2.d. Whoever builds mdadm sets both: upstream's Makefile /etc/mdadm.conf
  and /etc/mdadm/mdadm.conf (Debian from 13 on, as its mdadm.conf(5) says), Debian up to 12 the reverse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from raidtui.programs.mdadm import CONFIGURATIONS

Keyword = Literal[
    "devices", "array", "mailaddr", "program", "homehost", "auto", "policy", "part-policy", "other"
]  # fmt: skip
_KEYWORDS: tuple[Keyword | str, ...] = (
    "devices", "array", "mailaddr", "mailfrom", "program", "create", "homehost", "homecluster", "auto", "policy",
    "part-policy",
)  # fmt: skip
"""in the order of config.c: a word cut short is the first that it fits"""
_KNOWN: tuple[Keyword, ...] = (
    "devices", "array", "mailaddr", "program", "homehost", "auto", "policy", "part-policy"
)  # fmt: skip
_LEAST = 3
"""letters of a keyword"""
_SHORTEST_NAME = 6
"""shortest name of a file that a .d directory is read for, with its .conf"""
_UUID = re.compile(r"[0-9a-f]{8}(?::[0-9a-f]{8}){3}")
_OFFSET = re.compile(r"\d+:(/etc/mdadm(?:/mdadm)?\.conf(?:\.d)?)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement: a line and the indented lines after it."""

    path: str
    """file that has it"""
    line: int
    """its first line, from 1"""
    keyword: Keyword
    """what it is about"""
    words: tuple[str, ...]
    """behind the keyword"""

    @property
    def place(self) -> str:
        """`/etc/mdadm/mdadm.conf line 12`."""
        return f"{self.path} line {self.line}"

    @property
    def text(self) -> str:
        """Its words, in one line."""
        return " ".join(self.words)


def statements(path: str, text: str) -> tuple[Statement, ...]:
    """Every statement of a configuration file, in order."""
    found: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = _words(line)
        if line[:1] in (" ", "\t") and found:
            found[-1][1].extend(words)
        elif words:
            found.append((number, words))
    return tuple(
        Statement(path=path, line=number, keyword=_keyword(words[0]), words=tuple(words[1:])) for number, words in found
    )


def folder_of(path: str) -> str:
    """The directory whose *.conf files mdadm reads after the file itself."""
    return f"{path}.d"


def preference_question(program: str) -> tuple[str, ...]:
    """The strings of an mdadm that are a place of its configuration, with their offsets."""
    form = "/etc/mdadm(/mdadm)?[.]conf([.]d)?"
    return (
        "grep", "--null-data", "--text", "--byte-offset", "--line-regexp", "--extended-regexp", form, program
    )  # fmt: skip


def one_file_question() -> tuple[str, ...]:
    """Prints the first place if both lead to one file."""
    first, second = CONFIGURATIONS
    return ("find", "-L", first, "-maxdepth", "0", "-samefile", second)


def preferred(answer: str) -> str:
    """The place that an mdadm reads where both have a file, by `preference_question`; empty: it does not show.

    config.c defines four arrays: CONFFILE, CONFFILE.d, CONFFILE2, CONFFILE2.d. A compiler puts them into the program in
    that order or in the reverse one (seen in Debian's 4.1 to 4.6, and in builds of 4.2 and 4.6 by gcc and clang, with
    and without optimisation and LTO), and which of the two it is shows: a file stands before its directory or behind.
    """
    found = tuple(match[1] for each in answer.split("\0") if (match := _OFFSET.fullmatch(each.strip("\n"))))
    for first, second in (CONFIGURATIONS, CONFIGURATIONS[::-1]):
        order = (first, folder_of(first), second, folder_of(second))
        if found in (order, order[::-1]):
            return first
    return ""


def places_read(there: Iterable[str], first: str) -> tuple[str, ...]:
    """Which of both places mdadm reads where `there` have a file; both where it prefers one that is not known.

    `first`: the place that it prefers; empty: not known.
    """
    found = [place for place in CONFIGURATIONS if place in there]
    if len(found) == 1:
        return (found[0],)
    return (first,) if first else CONFIGURATIONS


def is_read(name: str) -> bool:
    """True for the name of a file that mdadm reads in such a directory."""
    return len(name) >= _SHORTEST_NAME and name.endswith(".conf") and not name.startswith(".")


def programs(path: str, text: str) -> tuple[str, ...]:
    """Paths of the programs that a configuration file has mdadm's monitor start."""
    return tuple(each.words[0] for each in statements(path, text) if each.keyword == "program" and each.words)


def patterns(found: Iterable[Statement]) -> tuple[tuple[str, Statement], ...]:
    """The words of all DEVICE lines that mdadm takes, each with its line; empty: everything is allowed."""
    return tuple(
        (word, each)
        for each in found
        if each.keyword == "devices"
        for word in each.words
        if word.startswith("/") or word.lower() in ("partitions", "containers")
    )


def allows(words: Sequence[str], names: Iterable[str]) -> bool:
    """True when DEVICE words allow a device that goes by `names`; no words at all allow everything."""
    if not words or any(word.lower() == "partitions" for word in words):
        return True
    return any(_fits(name, word) for word in words for name in names)


def lasting(words: Sequence[str], name: str, links: Iterable[str]) -> bool:
    """True when the device is allowed under any kernel name that a boot may give it, or by a link of its own."""
    others = _other_names(name)
    return allows(words, links) or all(allows(words, (other,)) for other in others)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayLine:
    """The content of an ARRAY line."""

    statement: Statement
    device: str
    """path, name or <ignore>; empty when it names none"""
    uuid: str
    """md's form; empty when it has none"""
    devices: tuple[str, ...]
    """patterns of its devices="""
    name: str = ""
    """of its name=; empty when it has none"""
    minor: int | None = None
    """of its super-minor=, which 0.90 superblocks have"""
    spares: int = 0
    """of its spares="""

    @property
    def ignored(self) -> bool:
        """True when mdadm leaves the arrays alone that the line matches."""
        return self.device.lower() == "<ignore>"

    def lists(self, name: str) -> bool:
        """True when its devices= are none, or one of them fits the kernel's name of a device."""
        return not self.devices or any(_fits(name, each) for each in self.devices)

    def matches(self, uuid: str, members: Iterable[str], label: str = "", minor: int | None = None) -> bool:
        """True when mdadm takes an array of that UUID, found on a device with one of the names, for the line's.

        `label`: its name in the superblock; empty: not known. `minor`: the number in a superblock of 0.90."""
        if self.uuid and self.uuid != uuid:
            return False
        if self.devices and not any(_fits(name, each) for each in self.devices for name in members):
            return False
        if self.minor is not None and self.minor != minor:
            return False
        return bool(self.uuid or self.devices or self.minor is not None) or self.is_named(label)

    def is_named(self, label: str) -> bool:
        """True when its name= is the name in a superblock, with its host or without (Assemble.c, name_matches)."""
        one, other = self.name.lower(), label.lower()
        if ":" not in one:
            other = other.rpartition(":")[2]
        return bool(one) and one == other


def array_lines(found: Iterable[Statement]) -> tuple[ArrayLine, ...]:
    """Every ARRAY line."""
    return tuple(_array(each) for each in found if each.keyword == "array")


def same_name(one: str, other: str) -> bool:
    """True when two names of an array are the same one to mdadm: /dev/md/data, /dev/data and data are."""
    return _bare(one) == _bare(other)


def auto_denies(words: Sequence[str], version: str, *, local: bool = False) -> bool:
    """True when an AUTO line keeps arrays of a metadata version (`1.2`, `0.90`) apart that no ARRAY line names.

    `local`: their name in the superblock says that they were made for this host.
    """
    kinds = ("1", "1.x", version) if version.startswith("1") else ("0", version)
    for word in words:
        lower = word.lower()
        if lower == "homehost" and local:
            return False
        if lower in ("yes", "+all") or (lower[:1] == "+" and lower[1:] in kinds):
            return False
        if lower in ("no", "-all") or (lower[:1] == "-" and lower[1:] in kinds):
            return True
    return False


def _array(statement: Statement) -> ArrayLine:
    device = uuid = name = ""
    devices: tuple[str, ...] = ()
    spares, minor = 0, None
    for word in statement.words:
        key, equal, value = word.partition("=")
        if word.startswith("/") or not equal:
            device = device or word
        elif key.lower() == "uuid":
            uuid = uuid or _uuid(value)
        elif key.lower() == "devices":
            devices = devices or tuple(value.split(","))
        elif key.lower() == "name":
            name = name or value
        elif key.lower() == "super-minor" and re.fullmatch(r"\d{1,7}", value, re.ASCII):
            minor = int(value)
        elif key.lower() == "spares" and re.fullmatch(r"\d{1,9}", value, re.ASCII):
            spares = int(value)
    return ArrayLine(
        statement=statement, device=device, uuid=uuid, devices=devices, name=name, minor=minor, spares=spares
    )


def _uuid(text: str) -> str:
    """md's form of a UUID, however it is divided (util.c, parse_uuid); empty when it is none."""
    digits = re.sub(r"[:. -]", "", text).lower()
    parted = ":".join(digits[start : start + 8] for start in range(0, 32, 8))
    return parted if len(digits) == 32 and _UUID.fullmatch(parted) else ""


def _keyword(word: str) -> Keyword:
    lower = word.lower()
    full = next((each for each in _KEYWORDS if len(lower) >= _LEAST and each.startswith(lower)), "other")
    return next((known for known in _KNOWN if known == full), "other")


def _words(line: str) -> list[str]:
    """Words of a line; a # where a word would begin starts a comment, quotes keep blanks (lib.c, conf_word)."""
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    for sign in line:
        if word is None and sign == "#":
            break
        if not quote and sign in " \t":
            if word is not None:
                words.append("".join(word))
            word = None
        elif quote and sign == quote:
            quote = ""
        elif not quote and sign in "'\"":
            quote, word = sign, word or []
        else:
            word = [*(word or []), sign]
    return [*words, "".join(word)] if word is not None else words


def _fits(name: str, pattern: str) -> bool:
    """fnmatch(3) with FNM_PATHNAME: wildcards do not match a slash."""
    parts, wanted = name.split("/"), pattern.replace("[^", "[!").split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _other_names(name: str) -> tuple[str, ...]:
    """Names that the kernel may give the device at the next boot."""
    kind = re.sub(r"[^a-z/].*", "", name)
    if name.startswith("/dev/nvme"):
        return ("/dev/nvme0n1", "/dev/nvme17n1")
    if name.startswith("/dev/sd"):
        return ("/dev/sda", "/dev/sdz", "/dev/sdbz")
    if name.startswith("/dev/dm-"):
        return ("/dev/dm-0", "/dev/dm-17")
    if name.startswith("/dev/md"):
        return ("/dev/md0", "/dev/md126", "/dev/md127")
    return (name,) if kind else ()


def _bare(name: str) -> str:
    short = next((name.removeprefix(start) for start in ("/dev/md/", "/dev/") if name.startswith(start)), name)
    return short[2:] if re.match(r"md\d", short) else short
