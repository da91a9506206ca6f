"""The short form of an act in a file: each disk stands once, defaults are left out, entries that repeat are a table.

In the steps `@3` is the path of the disk whose `number` is 3, and `@@` is `@`. Entries that differ in words only stand
once, in `do`; for each repetition `each` has a line of those words: `@a` is the first of the line, `@b` the second.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from raidtui.values.codec_rules import TextValue, Value

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

_MARK = re.compile(r"@(@|[0-9]+|[a-z]|)")
_COLUMNS = "abcdefgh"
_LONGEST_PERIOD = 8
"""most entries that are repeated together"""
_LEAST_LINES = 4
"""of a table: two or three entries read better one by one"""
_MOST_CHARACTERS = 2**24
"""of all steps of a document, as they may be written out; no plan has as many"""
_TABLES = ("actions", "after", "undo")
"""fields of a step whose entries may be a table"""
_TELLING = frozenset({"kind", "schema"})
"""fields that are written although they have their default: they tell what a value is"""


class ShortForm(Value):
    """Base of documents with `disks` and `steps` that are written in the short form.

    The form with every field written out is read as well, and digests are made of it.
    """

    __slots__ = ()
    WRITTEN_OUT: ClassVar[str]
    """schema of the form that is written out"""
    UNCONFIRMED: ClassVar[frozenset[str]] = frozenset()
    """fields that the digest does not cover"""

    @classmethod
    def digested(cls, fields: Mapping[str, Any]) -> dict[str, Any]:
        """What the digest covers: all that is done, written out. How a file shortens it makes no difference."""
        found = {name: value for name, value in fields.items() if name not in cls.UNCONFIRMED}
        return {**found, "schema": cls.WRITTEN_OUT}

    @classmethod
    def shortened(cls, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The document of these fields in the short form."""
        numbers = {disk.path: f"@{number}" for number, disk in enumerate(fields["disks"], 1)}
        found = {
            name: [_short(each, str) for each in value] if isinstance(value, tuple) else value
            for name, value in fields.items()
            if name != "steps"
        }
        found["disks"] = [{"number": number, **disk} for number, disk in enumerate(found["disks"], 1)]
        found["steps"] = [_folded(_short(step, _marker(numbers))) for step in fields["steps"]]
        return {name: found[name] for name in fields}

    @classmethod
    def written_out(cls, found: Any) -> Any:
        """The fields in a document of either form. Raises ValueError for a mark without a meaning."""
        if not isinstance(found, dict):
            return found
        now = cls.__dataclass_fields__["schema"].default  # type: ignore[attr-defined]
        if found.get("schema") == cls.WRITTEN_OUT:
            return {**found, "schema": now}
        if found.get("schema") != now:
            return found
        disks = [dict(each) for each in _dicts(found.get("disks"))]
        paths = _paths(disks)
        widest, room = max(map(len, paths.values())), _Room()

        def whole(step: dict[str, Any]) -> Any:
            entries = _unfolded(step, room)
            room.take(entries, 1, widest)
            return _mapped(entries, partial(_read, meanings=paths))

        steps = [_at(f"steps.{at}", whole, step) for at, step in enumerate(_dicts(found.get("steps")))]
        return {**found, "disks": disks, "steps": steps}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> Any:
        """Read from either form. Called by pydantic, which start-up does not load."""
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(cls.written_out, handler(source))


class NumberedDisk(Value):
    """Base of the disks of such a document: there each has a `number`, which a document that is written out has not."""

    __slots__ = ()

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """With the number, where there is one. Called by pydantic."""
        found = handler.resolve_ref_schema(handler(core))
        number = {
            "type": "integer",
            "title": "Number",
            "description": "in the steps @3 is the path of disk number 3",
        }
        found["properties"] = {"number": number, **found["properties"]}
        return found


def _paths(disks: list[dict[str, Any]]) -> dict[str, str]:
    """The meaning of each mark in steps; takes the numbers out of `disks`. Raises ValueError for a number that is none,
    or that two disks have."""
    found = {"@@": "@"}
    for at, disk in enumerate(disks):
        number = disk.pop("number", None)
        if type(number) is not int or number < 1 or f"@{number}" in found:
            raise ValueError(f"disks.{at}: its `number` must be a whole number from 1 on that no other disk has")
        found[f"@{number}"] = str(disk.get("path"))
    return found


def _at(place: str, read: Callable[[dict[str, Any]], Any], found: dict[str, Any]) -> Any:
    """What `read` makes of the object at `place`, which its error names."""
    try:
        return read(found)
    except RecursionError:
        raise ValueError(f"{place}: it is nested too deeply") from None
    except ValueError as problem:
        raise ValueError(f"{place}: {problem}") from None


class _Room:
    """How much a document may still become when its tables and marks are written out."""

    def __init__(self) -> None:
        self._left = _MOST_CHARACTERS

    def take(self, value: Any, times: int, widest: int) -> None:
        """Takes what `value` needs so many times, with marks that stand for at most `widest` characters each. Raises
        ValueError where there is no more."""
        text = repr(value)
        self._left -= times * (len(text) + text.count("@") * widest)
        if self._left < 0:
            raise ValueError("its tables and marks stand for more than a plan can have")


def _dicts(found: Any) -> list[Any]:
    """The entries of a list of objects. Raises ValueError if it is none."""
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError("its disks and steps must be lists of objects")
    return found


# Without defaults, and with numbers in place of paths.


def _short(value: Any, text: Callable[[str], str]) -> Any:
    """`value` as JSON has it, without fields that have their default; texts as `text` writes them."""
    if isinstance(value, (str, TextValue)):
        return text(str(value))
    if isinstance(value, (tuple, list)):
        return [_short(each, text) for each in value]
    if not dataclasses.is_dataclass(value):
        return value
    found = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
    return {
        field.name: _short(each, text)
        for field, each in found
        if each is not None and (each != field.default or field.name in _TELLING)
    }


def _marker(numbers: Mapping[str, str]) -> Callable[[str], str]:
    """Writes a text with the marks of the disks whose paths it has."""
    paths = "|".join(re.escape(path) for path in sorted(numbers, key=len, reverse=True))
    pattern = re.compile(f"@|(?:{paths})(?![0-9])" if paths else "@")
    return lambda text: pattern.sub(lambda found: numbers.get(found[0], "@@"), text)


def _mapped(value: Any, text: Callable[[str], str]) -> Any:
    """`value` with each text as `text` returns it."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list):
        return [_mapped(each, text) for each in value]
    return {name: _mapped(each, text) for name, each in value.items()} if isinstance(value, dict) else value


def _read(text: str, meanings: Mapping[str, str]) -> str:
    """`text` with the meaning of each mark. Raises ValueError for a mark that has none."""

    def meaning(found: re.Match[str]) -> str:
        if found[0] not in meanings:
            raise ValueError(f"{found[0]} in a step is the number of no disk")
        return meanings[found[0]]

    return _MARK.sub(meaning, text)


# Entries that repeat.


class _Table(NamedTuple):
    """Entries of a list as a table."""

    entries: int
    """how many it stands for"""
    saved: int
    """characters"""
    text: dict[str, Any]


def _folded(step: dict[str, Any]) -> dict[str, Any]:
    """The step with tables in place of entries that repeat."""
    return {name: _tables(value) if name in _TABLES else value for name, value in step.items()}


def _tables(entries: list[Any]) -> list[Any]:
    words: list[list[str]] = [[] for _ in entries]
    shapes = [_shape(entry, words[at]) for at, entry in enumerate(entries)]
    found, at = [], 0
    while at < len(entries):
        tables = (_table(entries, shapes, words, at, period) for period in range(1, _LONGEST_PERIOD + 1))
        best = max((each for each in tables if each), key=lambda each: each.saved, default=None)
        found.append(entries[at] if best is None else best.text)
        at += 1 if best is None else best.entries
    return found


def _shape(value: Any, words: list[str]) -> Any:
    """What is equal where entries repeat: all but the words of texts, which are added to `words`."""
    match value:
        case str():
            words += value.split(" ")
            return value.count(" ")
        case list():
            return [_shape(each, words) for each in value]
        case dict():
            return {name: _shape(each, words) for name, each in value.items()}
        case _:
            return repr(value)


def _table(entries: list[Any], shapes: list[Any], words: list[list[str]], start: int, period: int) -> _Table | None:
    """The entries from `start` on whose shapes recur after `period` of them; None where a table saves nothing."""
    first, end = shapes[start : start + period], start + period
    while shapes[end : end + period] == first:
        end += period
    if end < start + _LEAST_LINES * period:
        return None
    lines = [[word for each in words[at : at + period] for word in each] for at in range(start, end, period)]
    columns = list(zip(*lines, strict=True))
    varying = list(dict.fromkeys(column for column in columns if len(set(column)) > 1))
    if not 0 < len(varying) <= len(_COLUMNS):
        return None
    marks = {column: f"@{name}" for column, name in zip(varying, _COLUMNS, strict=False)}
    template = iter([marks.get(column, column[0]) for column in columns])
    text = {
        "each": [" ".join(line) for line in zip(*varying, strict=True)],
        "do": [_mapped(each, lambda text: " ".join(next(template) for _ in text.split(" ")))
               for each in entries[start : start + period]],
    }  # fmt: skip
    saved = len(repr(entries[start:end])) - len(repr(text))
    return _Table(end - start, saved, text) if saved > 0 else None


def _unfolded(step: dict[str, Any], room: _Room) -> dict[str, Any]:
    """The step with the entries that its tables stand for. Raises ValueError for a table that is none."""
    tables = {name: value for name, value in step.items() if name in _TABLES and isinstance(value, list)}
    return step | {name: [entry for each in value for entry in _entries(each, room)] for name, value in tables.items()}


def _entries(entry: Any, room: _Room) -> Iterator[Any]:
    if not isinstance(entry, dict) or "each" not in entry:
        yield entry
        return
    lines, do = entry["each"], _dicts(entry.get("do"))
    words_only = isinstance(lines, list) and all(isinstance(line, str) for line in lines)
    if not words_only or entry.keys() != {"each", "do"}:
        raise ValueError("a table of a step has the lines `each` and the entries `do`")
    room.take(do, len(lines), max(map(len, lines), default=0))
    for line in lines:
        words = {f"@{name}": word for name, word in zip(_COLUMNS, line.split(" "), strict=False)}
        yield from _mapped(do, partial(_MARK.sub, lambda mark, words=words: words.get(mark[0], mark[0])))


class _Tables:
    """Marks the type of a list that documents may shorten by tables: its schema allows them."""

    def __get_pydantic_json_schema__(self, core: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        found = handler(core)
        items = {"type": "array", "items": found["items"]}
        table = {
            "type": "object",
            "description": "entries that repeat: those of `do` for each line of `each`",
            "properties": {
                "each": {**_LINES, "description": "words, one blank apart: @a is the first of the line, @b the second"},
                "do": {**items, "description": "entries with @a, @b, ... for the words that differ"},
            },
            "required": ["each", "do"],
            "additionalProperties": False,
        }
        return {**found, "items": {"anyOf": [found["items"], table]}}


_LINES = {"type": "array", "items": {"type": "string"}}
TABLES = _Tables()
"""metadata of the type of a list whose entries may be a table in a document"""
