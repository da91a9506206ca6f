"""Bash that differs only in its disk, its array or its group of disks, written as one loop over a table.

A template is the words of a piece with the fields of its row replaced by names. Pieces with equal templates become one
loop: filling in the fields of each row reproduces exactly its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from raidtui.planner.text.shell_quote import quote, wrapped

WIDTH = 120
_PLAIN = re.compile(r"[^\"\\$`\x00-\x1f\x7f-\U0010ffff]*")
"""text that needs no escape between double quotes"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BashLine:
    """A command of the script, with bash around it."""

    words: tuple[str, ...]
    before: str = ""
    after: str = ""
    indent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of equal kind (disks, groups of disks, arrays) and the loop heads over them."""

    every: str
    """head of the loop over all rows"""
    some: str
    """head of a loop over the rows {first} to {last}"""
    load: str
    """first line of the loop: sets the fields as variables"""
    rows: tuple[Mapping[str, str | tuple[str, ...]], ...]
    """fields by name; a tuple is a bash array"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BashPiece:
    """Lines about one row of a table; about none of them: `table` is empty. A text is bash as it is."""

    table: str = ""
    row: int = 0
    lines: tuple[BashLine | str, ...]


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    many: bool = False


_Word = tuple["str | _Field", ...]


def folded(pieces: Iterable[BashPiece], tables: Mapping[str, Table]) -> list[str]:
    """The pieces as bash, in order, runs of equal ones as loops."""
    lines: list[str] = []
    for (name, _), run in groupby(_merged(pieces), key=lambda piece: (piece.table, _template(piece, tables))):
        alike = list(run)
        if not name or len(alike) == 1 or not _successive(alike):
            lines += [text for piece in alike for text in _plain(piece)]
        else:
            lines += _loop(alike, tables[name])
    return lines


_SUBJECTS = (
    ("disks", "path"), ("disks", "member"), ("groups", "some"), ("arrays", "members"), ("arrays", "device"),
)  # fmt: skip
"""table and field of the devices by which a command is known to be about a row, in the order of the search"""


def subject(argv: Sequence[str], tables: Mapping[str, Table]) -> tuple[str, int]:
    """The table and the row that a command is about, `("", 0)` for none: one disk, or one group, or one array."""
    words = set(argv)
    for name, field in _SUBJECTS:
        found = [
            number for number, row in enumerate(tables[name].rows) if field in row and _names(words, argv, row[field])
        ]
        if len(found) == 1:
            return name, found[0]
        if found and name == "arrays":
            return "", 0
    found = [
        number for number, row in enumerate(tables["arrays"].rows) if any(_bounded(str(row["array"]), w) for w in argv)
    ]
    return ("arrays", found[0]) if len(found) == 1 else ("", 0)


def _names(words: set[str], argv: Sequence[str], value: str | tuple[str, ...]) -> bool:
    return value in words if isinstance(value, str) else _place(argv, value) is not None


def _place(argv: Sequence[str], run: Sequence[str]) -> int | None:
    """Where `run` begins in `argv`, and is not part of a longer run of devices; None when it is not there."""
    if not run or run[0] not in argv:
        return None
    start = list(argv).index(run[0])
    return start if tuple(argv[start : start + len(run)]) == tuple(run) and start + len(run) == len(argv) else None


def _bounded(value: str, word: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9_-]){re.escape(value)}(?![A-Za-z0-9_-])", word) is not None


def _merged(pieces: Iterable[BashPiece]) -> Iterator[BashPiece]:
    """Neighbours about the same row become one piece."""
    for (table, row), group in groupby(pieces, key=lambda piece: (piece.table, piece.row)):
        same = list(group)
        if table:
            yield BashPiece(table=table, row=row, lines=tuple(line for piece in same for line in piece.lines))
        else:
            yield from same


def _successive(pieces: Sequence[BashPiece]) -> bool:
    return all(piece.row == pieces[0].row + number for number, piece in enumerate(pieces))


def _template(piece: BashPiece, tables: Mapping[str, Table]) -> object:
    if not piece.table:
        return None
    row = tables[piece.table].rows[piece.row]
    return tuple(
        line if isinstance(line, str) else (_words(line.words, row), line.before, line.after, line.indent)
        for line in piece.lines
    )


def _words(words: Sequence[str], row: Mapping[str, str | tuple[str, ...]]) -> tuple[_Word, ...]:
    found: list[_Word] = []
    rest = list(words)
    runs = [(name, value) for name, value in row.items() if isinstance(value, tuple)]
    while rest:
        run = next((each for each in runs if each[1] and tuple(rest[: len(each[1])]) == each[1]), None)
        if run is not None:
            found.append((_Field(run[0], many=True),))
            del rest[: len(run[1])]
        else:
            found.append(_word(rest.pop(0), row))
    return tuple(found)


def _word(word: str, row: Mapping[str, str | tuple[str, ...]]) -> _Word:
    parts: list[str | _Field] = [word]
    values = [(name, value) for name, value in row.items() if isinstance(value, str) and value]
    for name, value in sorted(values, key=lambda each: -len(each[1])):
        pattern = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(value)}(?![A-Za-z0-9_])")
        parts = [new for part in parts for new in (_split(part, pattern, name) if isinstance(part, str) else [part])]
    return tuple(parts)


def _split(text: str, pattern: re.Pattern[str], name: str) -> list[str | _Field]:
    found: list[str | _Field] = []
    for number, piece in enumerate(pattern.split(text)):
        found += [_Field(name)] if number else []
        found += [piece] if piece else []
    return found


def _plain(piece: BashPiece) -> list[str]:
    return [
        line if isinstance(line, str) else _written(line, [quote(word) for word in line.words]) for line in piece.lines
    ]


def _written(line: BashLine, words: Sequence[str], more: int = 0) -> str:
    return wrapped(words, indent=" " * (line.indent + more), width=WIDTH, before=line.before, after=line.after)


def _loop(pieces: Sequence[BashPiece], table: Table) -> list[str]:
    rows = [table.rows[piece.row] for piece in pieces]
    differ = {name for name, value in rows[0].items() if any(row[name] != value for row in rows)}
    head = table.every
    if len(pieces) < len(table.rows):
        head = table.some.format(first=pieces[0].row, last=pieces[-1].row)
    lines = [head, f"  {table.load}"]
    for line in pieces[0].lines:
        if isinstance(line, str):
            lines.append("\n".join(f"  {each}" for each in line.splitlines()))
        else:
            words = [text for word in _words(line.words, rows[0]) for text in _texts(word, rows[0], differ)]
            lines.append(_written(line, words, more=2))
    return [*lines, "done"]


def _texts(word: _Word, row: Mapping[str, str | tuple[str, ...]], differ: set[str]) -> list[str]:
    """A word of a template as bash; what is the same in all rows is written out."""
    parts: list[str | _Field] = []
    for part in word:
        if isinstance(part, _Field) and part.name not in differ:
            value = row[part.name]
            if not isinstance(value, str):
                return [quote(each) for each in value]
            part = value
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        else:
            parts.append(part)
    if not any(isinstance(part, _Field) for part in parts):
        return [quote("".join(str(part) for part in parts))]
    if isinstance(parts[0], _Field) and parts[0].many:
        return [f'"${{{parts[0].name}[@]}}"']
    if all(isinstance(part, _Field) or _PLAIN.fullmatch(part) for part in parts):
        return ['"' + "".join(_named(parts, number) for number in range(len(parts))) + '"']
    return ["".join(f'"${part.name}"' if isinstance(part, _Field) else quote(part) for part in parts)]


def _named(parts: Sequence[str | _Field], number: int) -> str:
    part = parts[number]
    if isinstance(part, str):
        return part
    after = parts[number + 1] if number + 1 < len(parts) else ""
    braces = isinstance(after, str) and re.match(r"[A-Za-z0-9_\[]", after)
    return f"${{{part.name}}}" if braces else f"${part.name}"
