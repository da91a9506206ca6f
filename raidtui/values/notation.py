"""The layout notation: `4x(12+2)+4`, one short line. `parse` and `show` are inverse.

layout  = group {"+" group} ["+" spares ["spares"]] [level] | [arrays "x"] "disk"
        | "hybrid" "(" disks ["," failures] ")" ["+" spares ["spares"]]
group   = [level] [arrays "x"] [level] "(" shape ")" [level]
shape   = data "+" parity | members | members "," ("n" | "f" | "o") copies

All arrays have one level; neighbouring groups of equal arrays are one group. `disk` stands where the shape of an array
stands, because it takes its place: one disk or LUN, without md, that carries a file system or a part of the LVM stripe.
It has no shape of its own to write, and no spares that md could use. `hybrid` is over disks of mixed size: their sizes
give its arrays, so only the disks and the failures that every array survives (1 where nothing is written) are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidtui.values.codec_rules import TextValue
from raidtui.values.errors import BadInput
from raidtui.values.layout import PARITY, ArrayGroup, ArrayShape, HybridDisks, Layout, Level, Spread, least_members
from raidtui.values.units import (
    LONGEST_NUMBER,
    MOST_DISKS,
    exact_binary,
    exact_decimal,
    parse_binary_size,
    parse_rate,
    parse_share,
    parse_size,
)

_TOKEN = re.compile(
    r"""\s*(?: (?P<level>raid\s*(?:10|\d+)|disk) | (?P<hybrid>hybrid) | (?P<number>\d+) | (?P<word>spares?)
             | (?P<sign>[x×*()+,]) | (?P<spread>[nfo](?=\s*\d)) )""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST = 1000
"""characters of a layout"""
_EXAMPLES = "4x(12+2)+4, (41+2)+2, raid5(3+1), raid10(8,f2), 6x raid1(2)+1, 2x(12+2)+3x(10+2)+2, 4x disk, hybrid(5)+1"
_ELSEWHERE = (
    (r"[\"'`\u2018-\u201f]", "the quotes are part of the word: write them once, as in raidtui model '4x(12+2)+4'"),
    (r"[\[{<]|\d+\s*x?\s*[\[{]", "data and parity stand in parentheses: 4x(12+2)+4"),
    (r"\S*\.(?:jso?n?|sh|md|toml)\s*$", "this names a file; a layout is written 4x(12+2)+4"),
    (r"\(.*\)\s*[x*\u00d7]\s*\d", "the number of arrays stands first: 4x(12+2)"),
    (r"raid\s*-\s*6\s*$", "(12+2) is a RAID6 of 12 data and 2 parity disks"),
    (r"raid\s*-\s*5\s*$", "(6+1) is a RAID5 of 6 data and 1 parity disk"),
    (r"(?:raid\s*-?\s*\d+\s*)?(?:of|over|on|with|across|all|any|max|auto|best)\b",
     "its disks are written out: raid10(8), raid5(3+1), (12+2); raidtui propose chooses for you"),
    (r"raid\s*-?60", "RAID60 is written 4x(12+2): arrays of 12 data and 2 parity disks below one stripe"),
    (r"raid\s*-?50", "RAID50 is written 4x(6+1): arrays of 6 data and 1 parity disk below one stripe"),
    (r"raid\s*-?(?:1\s*\+\s*0|0\s*\+\s*1|01|1e)", "md has RAID10 for that: raid10(8) over 8 disks"),
    (r"raid\s*-?(?:[156]1|[156]\s*\+\s*1)", "arrays of arrays are not built, but for a stripe over them: 4x(12+2)"),
    (r"raid\s*-?z", "RAID-Z is ZFS's; what RAID-Z2 over 12 disks survives, (10+2) survives"),
    (r"shr|x-raid|mixed", "disks of mixed size are written hybrid(5), or hybrid(6,2) to survive 2 failed disks"),
    (r".*[\u2010-\u2015\u2212]", "a dash was pasted: data and parity are joined by +, as in 4x(12+2)+4"),
    (r"\D*\d+\s*-\s*\d", "data and parity are joined by +, as in 4x(12+2)+4"),
    (r"mdadm|--?[a-z]", "write the layout alone: (12+2) for --level=6 --raid-devices=14"),
    (r"zpool|vdev", "ZFS is not built; what RAID-Z2 over 12 disks survives, (10+2) survives"),
    (r"\d+\s*x\s*\d+\s*\+", "data and parity stand in parentheses: 4x(12+2)+4"),
    (r"mirror", "a mirror of two disks is written raid1(2)"),
    (r"strip", "a stripe over 8 disks is written raid0(8)"),
    (r"jbod|linear|concat|single", "a disk without md is written disk; 4x disk is a stripe over four"),
    (r"raid\s*6\s*$", "its disks are missing: (12+2) is a RAID6 of 12 data and 2 parity disks"),
    (r"raid\s*5\s*$", "its disks are missing: (6+1) is a RAID5 of 6 data and 1 parity disk"),
    (r"raid\s*(?:10|[014])\s*$", "its disks are missing: raid10(8), raid1(2), raid0(4)"),
    (r"(?:raid\s*[56]\s*)?\d+\s*\+\s*\d+\s*(?:\+\s*\d+\s*)?$", "data and parity stand in parentheses: 4x(12+2)+4"),
    (r"\d+\s*[d:/]\s*\+?\s*\d+\s*p?\s*$", "data and parity are written (12+2), with arrays and spares 4x(12+2)+4"),
)  # fmt: skip
"""what is written elsewhere, by how it begins, and how it is written here"""
_SPREADS: dict[str, Spread] = {"n": "n", "f": "f", "o": "o"}


def parse(text: str) -> Layout:
    """The layout written as `text`. Blanks and case do not matter.

    Raises BadInput with the reason and the column (from 1) of what cannot be.
    """
    if len(text) > _LONGEST:
        raise BadInput(
            f"layout '{text[:40]}...', column {_LONGEST + 1}: too long, expected at most {_LONGEST} characters",
            hint=f"examples: {_EXAMPLES}",
        )
    return _Parser(text).layout()


def show(layout: Layout, *, times: str = "x") -> str:
    """The canonical form; `times` is `x` in files and `×` on a screen that has it."""
    tail = f"+{layout.spares}" if layout.spares else ""
    if layout.hybrid is not None:
        failures = f",{layout.hybrid.failures}" if layout.hybrid.failures > 1 else ""
        return f"hybrid({layout.hybrid.disks}{failures}){tail}"
    return "+".join(_group_text(group, times) for group in layout.groups) + tail


def _group_text(group: ArrayGroup, times: str) -> str:
    text = _shape_text(group.shape)
    blank = "" if text.startswith("(") else " "
    return f"{group.arrays}{times}{blank}{text}" if group.arrays > 1 else text


def _shape_text(shape: ArrayShape) -> str:
    match shape.level:
        case "raid5" | "raid6":
            return f"({shape.members - shape.parity}+{shape.parity})"
        case "raid4":
            return f"raid4({shape.members - 1}+1)"
        case "disk":
            return "disk"
        case "raid10" if (shape.spread, shape.copies) != ("n", 2):
            return f"raid10({shape.members},{shape.spread}{shape.copies})"
        case _:
            return f"{shape.level}({shape.members})"


@dataclass(frozen=True, slots=True)
class _Number:
    value: int
    column: int


@dataclass(frozen=True, slots=True)
class _Shape:
    """Content of the parentheses."""

    first: _Number
    parity: _Number | None = None
    spread: Spread = "n"
    spread_column: int | None = None
    copies: int = 2


@dataclass(frozen=True, slots=True)
class _Group:
    """Equal arrays as written."""

    shape: _Shape
    arrays: int
    column: int
    """of the parenthesis"""


class _Parser:
    """One pass over the tokens; every token keeps its column for the error."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        self.at = 0
        self.level: Level | None = None
        self.groups = 0
        """groups of arrays begun so far"""
        self.level_group = 0
        """number of the group that the level was last written in"""
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                start = len(text) - len(text[position:].lstrip())
                raise self.problem(f"unexpected character '{text[start]}'", start)
            kind = str(match.lastgroup)
            self.tokens.append((kind, re.sub(r"\s", "", match.group(kind)).lower(), match.start(kind)))
            position = match.end()

    def layout(self) -> Layout:
        if not self.tokens:
            raise self.problem("empty layout", 0)
        if any(kind == "level" and value == "disk" for kind, value, _ in self.tokens):
            return self.plain()
        if any(kind == "hybrid" for kind, _, _ in self.tokens):
            return self.hybrid()
        found = [self.group()]
        spares = 0
        while self.take("sign", "+"):
            if self.begins_group():
                found.append(self.group())
            else:
                spares = self.need_number("a number of spares, or another group of arrays").value
                self.take("word")
                break
        self.take_level()
        if self.at < len(self.tokens):
            raise self.problem(f"expected the end of the layout, found '{self.tokens[self.at][1]}'", self.here())
        shapes = [self.resolve(group) for group in found]
        for written, shape in zip(found, shapes, strict=True):
            if (shape.copies, shape.spread) != (shapes[0].copies, shapes[0].spread):
                copies = [f"{each.spread}{each.copies}" for each in (shapes[0], shape)]
                raise self.mixed(" and ".join(copies), written.column)
        disks = sum(group.arrays * shape.members for group, shape in zip(found, shapes, strict=True)) + spares
        if disks > MOST_DISKS:
            raise self.problem(f"{disks} disks exceed the limit of {MOST_DISKS} per plan", 0)
        return Layout.joined(
            (shape for group, shape in zip(found, shapes, strict=True) for _ in range(group.arrays)), spares
        )

    def begins_group(self) -> bool:
        """True if a group follows: a level, a parenthesis, or a number before `x`."""
        kinds = [kind if kind != "sign" else value for kind, value, _ in self.tokens[self.at : self.at + 2]]
        return kinds[:1] in (["level"], ["("]) or (len(kinds) == 2 and kinds[0] == "number" and kinds[1] in "x×*")

    def group(self) -> _Group:
        self.groups += 1
        self.take_level()
        arrays = 1
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "number":
            arrays = self.take_arrays()
            self.take_level()
        column = self.here()
        shape = self.take_shape()
        self.take_level()
        return _Group(shape, arrays, column)

    def plain(self) -> Layout:
        """Disks without md: nothing but their number may stand beside the word."""
        arrays = self.take_arrays() if self.tokens[0][0] == "number" else 1
        if not self.take("level", "disk") or self.at < len(self.tokens):
            reason = "a disk without md has neither a shape nor spares; write disk, or 4x disk for a stripe over four"
            raise self.problem(reason, self.here())
        if arrays > MOST_DISKS:
            raise self.problem(f"{arrays} disks exceed the limit of {MOST_DISKS} per plan", 0)
        return Layout.of(level="disk", members=1, arrays=arrays)

    def hybrid(self) -> Layout:
        """Disks of mixed size; no level and no number of arrays stands beside the word, for the disks give them."""
        if not self.take("hybrid"):
            reason = "the sizes of the disks give the levels and arrays; write hybrid(5), or hybrid(5,2)+1"
            raise self.problem(reason, self.here())
        self.need("'(' and the number of disks", "sign", "(")
        disks = self.need_number("a number of disks")
        failures = _Number(1, disks.column)
        if self.take("sign", ","):
            failures = self.need_number("1 or 2 failed disks to survive")
        self.need("')'", "sign", ")")
        spares = 0
        if self.take("sign", "+"):
            spares = self.need_number("a number of spares").value
            self.take("word")
        if self.at < len(self.tokens):
            reason = f"expected the end of the layout, found '{self.tokens[self.at][1]}'"
            raise self.problem(f"{reason}: the sizes of the disks give the levels and arrays", self.here())
        if failures.value not in (1, 2):
            reason = f"{failures.value} failed disks: every array survives 1 (RAID5, RAID1) or 2 (RAID6)"
            raise self.problem(reason, failures.column)
        if disks.value <= failures.value:
            least = failures.value + 1
            reason = f"hybrid needs at least {least} disks to survive {failures.value}, found {disks.value}"
            raise self.problem(reason, disks.column)
        if disks.value + spares > MOST_DISKS:
            raise self.problem(f"{disks.value + spares} disks exceed the limit of {MOST_DISKS} per plan", 0)
        return Layout.over(HybridDisks(disks=disks.value, failures=failures.value), spares)

    def take_level(self) -> None:
        """A level, which holds for all groups wherever it is written."""
        column = self.here()
        word = self.take("level")
        if word is None:
            return
        level = next((level for level in PARITY if level == word), None)
        if level is None:
            raise self.problem(f"unknown level {word}: expected {', '.join(PARITY)}", column)
        if self.level not in (None, level):
            if self.groups > self.level_group:
                raise self.mixed(f"{self.level} and {level}", column)
            raise self.problem(f"{level} contradicts {self.level}", column)
        self.level, self.level_group = level, self.groups

    def take_arrays(self) -> int:
        arrays = self.need_number("a number of arrays")
        self.need("'x' after the number of arrays", "sign", "x", "×", "*")
        if arrays.value < 1:
            raise self.problem("there must be at least one array", arrays.column)
        return arrays.value

    def take_shape(self) -> _Shape:
        self.need("'(' and the members of an array", "sign", "(")
        shape = _Shape(self.need_number("a number of disks"))
        if self.take("sign", "+"):
            shape = _Shape(shape.first, parity=self.need_number("a number of parity disks"))
        elif self.take("sign", ","):
            column = self.here()
            spread = _SPREADS[self.need("n, f or o and the number of copies, such as f2,", "spread")]
            copies = self.need_number("a number of copies")
            if copies.value < 2:
                raise self.problem("RAID10 needs at least 2 copies", copies.column)
            shape = _Shape(shape.first, spread=spread, spread_column=column, copies=copies.value)
        self.need("')'", "sign", ")")
        return shape

    def resolve(self, group: _Group) -> ArrayShape:
        """The shape of the arrays of `group`. Raises BadInput if they are impossible."""
        shape = group.shape
        level = self.level = self.level or self.level_of_parity(shape, group.column)
        first, parity, own = shape.first, shape.parity, PARITY[level]
        if parity is None and own:
            example = f"{level}({max(first.value - own, 2)}+{own})"
            raise self.problem(f"{level} is written data+parity, for example {example}", first.column)
        if parity is not None and self.groups > 1 and own and parity.value in (1, 2) and parity.value != own:
            other = self.level_of_parity(shape, group.column)
            raise self.mixed(f"{level} and {other}", parity.column)
        if parity is not None and own == 0:
            raise self.problem(
                f"{level} has no parity disks; write {level}({first.value + parity.value})", parity.column
            )
        if parity is not None and parity.value != own:
            raise self.problem(
                f"{level} has {own} parity, not {parity.value}; md has 1 (RAID5) and 2 (RAID6)", parity.column
            )
        if parity is not None and first.value < 1:
            raise self.problem("there must be at least one data disk", first.column)
        if shape.spread_column is not None and level != "raid10":
            raise self.problem(f"near, far and offset copies are for raid10, not {level}", shape.spread_column)
        members = first.value + own
        least = least_members(level, shape.copies)
        if members < least:
            why = f"raid10 with {shape.copies} copies" if level == "raid10" else level
            raise self.problem(f"{why} needs at least {least} members, found {members}", first.column)
        return ArrayShape(level=level, members=members, copies=shape.copies, spread=shape.spread)

    def mixed(self, what: str, column: int) -> BadInput:
        reason = f"{what} in one layout: all arrays need one level and one number of copies, since data is lost with"
        return self.problem(f"{reason} the weakest of them and every option is for all", column)

    def level_of_parity(self, shape: _Shape, open_column: int) -> Level:
        if shape.parity is None:
            raise self.problem("missing level: write raid0(N), raid1(N), raid10(N) or (data+parity)", open_column)
        if shape.parity.value not in (1, 2):
            reason = f"{shape.parity.value} parity disks: md supports 1 (RAID5) and 2 (RAID6)"
            raise self.problem(reason, shape.parity.column)
        return "raid5" if shape.parity.value == 1 else "raid6"

    def take(self, kind: str, *values: str) -> str | None:
        if self.at < len(self.tokens):
            found, value, _ = self.tokens[self.at]
            if found == kind and (not values or value in values):
                self.at += 1
                return value
        return None

    def need(self, what: str, kind: str, *values: str) -> str:
        value = self.take(kind, *values)
        if value is None:
            raise self.problem(f"expected {what}", self.here())
        return value

    def need_number(self, what: str) -> _Number:
        column = self.here()
        text = self.need(what, "number")
        if len(text) > LONGEST_NUMBER or int(text) > MOST_DISKS:
            raise self.problem(f"number {text[:12]} is too large", column)
        return _Number(int(text), column)

    def here(self) -> int:
        return self.tokens[self.at][2] if self.at < len(self.tokens) else len(self.text.rstrip())

    def problem(self, reason: str, column: int) -> BadInput:
        start = self.text.strip().lower()
        instead = next((said for shape, said in _ELSEWHERE if re.match(shape, start, re.ASCII)), "")
        hint = instead or f"examples: {_EXAMPLES}"
        return BadInput(f"layout '{self.text}', column {column + 1}: {reason}", hint=hint)


# Values that a file for people holds as text, as the options of the command line take them: `256K`, `2TB`, `1.5%`.


@dataclass(frozen=True, slots=True)
class BinarySize(TextValue):
    """A size whose single letter is binary, as in mdadm's options: `256K`, `24MiB`, `4096`."""

    count: int
    """bytes"""

    @classmethod
    def read(cls, text: str) -> BinarySize:
        """See TextValue."""
        return cls(parse_binary_size(text))

    def __str__(self) -> str:
        return exact_binary(self.count).replace(" ", "")


@dataclass(frozen=True, slots=True)
class DecimalSize(TextValue):
    """A size whose single letter is decimal, as on a disk's label: `2TB`, `1.8TiB`, `2000398934016`."""

    count: int
    """bytes"""

    @classmethod
    def read(cls, text: str) -> DecimalSize:
        """See TextValue."""
        return cls(parse_size(text))

    def __str__(self) -> str:
        return exact_decimal(self.count)


@dataclass(frozen=True, slots=True)
class ByteRate(TextValue):
    """A rate: `94MB/s`, `1.2GiB/s`."""

    count: int
    """bytes per second"""

    @classmethod
    def read(cls, text: str) -> ByteRate:
        """See TextValue."""
        return cls(parse_rate(text))

    def __str__(self) -> str:
        return f"{exact_decimal(self.count)}/s"


@dataclass(frozen=True, slots=True)
class Share(TextValue):
    """A share or probability: `1.5%`, `1e-15`, `1 in 10 000`."""

    value: float
    """from 0 to 1"""

    @classmethod
    def read(cls, text: str) -> Share:
        """See TextValue."""
        return cls(parse_share(text))

    def __str__(self) -> str:
        return repr(self.value)


class LayoutText(str, TextValue):
    """A layout in the notation: `4x(12+2)+4`. It keeps the layout, so that nobody parses its text."""

    __slots__ = ("layout",)
    layout: Layout
    """arrays, members, spares"""

    def __new__(cls, layout: Layout) -> LayoutText:
        """The text of `layout` in canonical notation."""
        made = super().__new__(cls, show(layout))
        made.layout = layout
        return made

    def __reduce__(self) -> tuple[type[LayoutText], tuple[Layout]]:
        """What a copy is made of."""
        return LayoutText, (self.layout,)

    @classmethod
    def read(cls, text: str) -> LayoutText:
        """See TextValue."""
        try:
            return cls(parse(text))
        except BadInput as problem:
            raise ValueError(str(problem)) from problem
