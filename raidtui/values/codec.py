"""Values to JSON and back: strict reading, plain writing, schemas. The one place that loads pydantic."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from raidtui.values.codec_rules import STRICT, FormValue, TextValue
from raidtui.values.errors import BadInput
from raidtui.values.short_form import ShortForm

# JSON of no type of ours: the one place that reads it, since text of any depth comes from hosts, tools and files.


def parsed(text: str | bytes, *, number: Callable[[str], object] | None = None) -> Any:
    """What a JSON text holds; `number` reads what is no integer. Raises ValueError, also for text nested too deeply."""
    try:
        return json.loads(text, parse_float=number, parse_constant=number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


T = TypeVar("T")
_SCALARS = frozenset({str, int, float, bool, type(None)})
_SCALAR_KINDS = (str, int, float)
_NAMES: dict[type[Any], tuple[str, ...]] = {}
"""names of the fields of each type met so far"""
_ADAPTERS: dict[type[Any], Any] = {}
"""pydantic's reader of each type; making one takes as long as reading dozens of journal lines with it"""
_MAKING = threading.Lock()


def plain(value: object) -> Any:
    """`value` as dicts, lists and scalars; fields that are None are left out, never written as zero."""
    if isinstance(value, TextValue):
        return str(value)
    if type(value) in _SCALARS or isinstance(value, _SCALAR_KINDS):
        return value
    if isinstance(value, (tuple, list)):
        return [inner if type(inner) in _SCALARS else plain(inner) for inner in value]
    if isinstance(value, dict):
        return {plain(name): plain(inner) for name, inner in value.items()}
    fields = _written_out(value)
    if not isinstance(fields, dict):
        return fields
    return {name: inner if type(inner) in _SCALARS else plain(inner) for name, inner in fields.items()}


def _opened(value: Any) -> Any:
    """What a document has for a value of ours: a dict, with its fields as they are, or a text. json calls it from C."""
    return value.shortened(_written_out(value)) if isinstance(value, ShortForm) else _written_out(value)


def _written_out(value: Any) -> Any:
    """A value of ours as the dict or text that stands for it, with its fields as they are."""
    if isinstance(value, TextValue):
        return str(value)
    if isinstance(value, FormValue):
        return _opened(value.form)
    kind = type(value)
    if not dataclasses.is_dataclass(kind):
        return plain(dict(value))
    return {name: inner for name in _names(kind) if (inner := getattr(value, name)) is not None}


def _names(kind: type[Any]) -> tuple[str, ...]:
    """Names of the fields of a dataclass."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in dataclasses.fields(kind))
    return _NAMES[kind]


def to_json(value: object, *, indent: int | None = 2) -> str:
    """One JSON document of `value`. ASCII only, so no terminal ever sees a raw control character.

    With `indent`, four levels are laid out, deeper values stand in a line each: an action of a plan, a use of a disk.
    """
    return _in_one_line(value) if indent is None else _laid_out(value, "\n", " " * indent, 4)


def _laid_out(value: object, end: str, step: str, levels: int) -> str:
    """`end`: line end and indentation of what follows; a list of scalars is one line on any level."""
    ready = type(value) in _SCALARS or isinstance(value, (*_SCALAR_KINDS, tuple, list, dict))
    fields = value if ready else _opened(value)
    inner = end + step
    match fields:
        case dict() if fields and levels:
            rows = (
                f"{_in_one_line(str(name))}: {_laid_out(each, inner, step, levels - 1)}"
                for name, each in fields.items()
            )
            return f"{{{inner}{f',{inner}'.join(rows)}{end}}}"
        case tuple() | list() if levels and any(type(each) not in _SCALARS for each in fields):
            return f"[{inner}{f',{inner}'.join(_laid_out(each, inner, step, levels - 1) for each in fields)}{end}]"
        case _:
            return _in_one_line(fields)


def canonical_json(value: object) -> str:
    """The JSON that digests are made of: sorted keys, no blanks, ASCII."""
    return _in_one_line(value, sort_keys=True, separators=(",", ":"))


def _in_one_line(value: object, **form: Any) -> str:
    """json's encoder in C, which opens our values as it meets them, but not as names in a mapping."""
    try:
        return json.dumps(value, default=_opened, check_circular=False, **form)
    except TypeError:
        return json.dumps(plain(value), **form)


def document_digest(document: object) -> str:
    """SHA-256 over the canonical JSON of a value without its field `digest`; of its written out form."""
    fields = _written_out(document)
    del fields["digest"]
    if isinstance(document, ShortForm):
        fields = document.digested(fields)
    return hashlib.sha256(canonical_json(fields).encode()).hexdigest()


DocumentPlace = tuple[str | int, ...]
"""keys and numbers of entries that lead to a place in a document"""


def nowhere(_place: DocumentPlace) -> int | None:
    """No line of any place: of a document whose lines nobody knows."""
    return None


def from_json(
    kind: type[T],
    text: str | bytes,
    *,
    source: str,
    line_of: Callable[[DocumentPlace], int | None] = nowhere,
    hint: str = "",
) -> T:
    """The value of type `kind` that `text` holds; `source` names the file in the error.

    `line_of` finds the line of a place in the file, for the error; `hint` replaces its way out.
    Raises BadInput naming the place in the document and what is wrong there.
    """
    from pydantic import ValidationError

    try:
        return _validated(kind, text)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        line = line_of(first["loc"])
        more = problem.error_count() - 1
        rest = f" (and {more} more)" if more else ""
        raise BadInput(
            f"{source}: {f'line {line}: ' if line else ''}{place}: {_reason(first)}{rest}",
            hint=hint or f"the file must follow the schema of {kind.__name__}",
        ) from problem


def _validated(kind: type[T], text: str | bytes) -> T:
    """The value in `text`. Raises pydantic's ValidationError.

    pydantic reads no bytes that are not UTF-8, which `surrogateescape` decodes to lone surrogates; Python's json does.
    """
    from pydantic import ValidationError

    value: T
    try:
        value = _adapter(kind).validate_json(text)
    except ValidationError as problem:
        if "surrogate" not in str(problem.errors(include_url=False, include_input=False)[0]["msg"]):
            raise
        try:
            found = parsed(text)
        except ValueError:
            raise problem from None
        value = _adapter(kind).validate_python(found)
    return value


def _reason(error: Mapping[str, Any]) -> str:
    """What is wrong: the reason of a reader of ours, else pydantic's."""
    if error["type"] == "unexpected_keyword_argument":
        return "unknown key"
    return str(error["ctx"]["error"] if error["type"] == "value_error" else error["msg"])


def schema(name: str, kind: type[Any]) -> dict[str, Any]:
    """The JSON Schema of the document `name`, whose value is a `kind`, complete in itself."""
    return {**_HEAD, "$id": f"urn:raidtui:{name}", **_described({name: kind})[name]}


def bundle(kinds: Mapping[str, type[Any]]) -> dict[str, Any]:
    """One JSON Schema of all documents: in `$defs` each by its name, and once what several of them hold."""
    found = _described(kinds)
    return {**_HEAD, "$id": "urn:raidtui:documents", "$defs": {**found.pop("$defs"), **found}}


_HEAD = {"$schema": "https://json-schema.org/draft/2020-12/schema"}


def _described(kinds: Mapping[str, type[Any]]) -> dict[str, Any]:
    """Schemas by name, with descriptions: the texts under fields, for which pydantic parses the sources.

    Of one document complete in itself; of several with what they share in `$defs`.
    """
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    def adapter_with_texts(kind: Any) -> Any:
        with _MAKING:
            STRICT["use_attribute_docstrings"] = True
            try:
                return TypeAdapter(kind)
            finally:
                del STRICT["use_attribute_docstrings"]

    class _Schema(GenerateJsonSchema):
        def encode_default(self, default: Any) -> Any:
            return str(default) if isinstance(default, TextValue) else super().encode_default(default)

        def dataclass_schema(self, schema: Any) -> Any:
            """With the texts of inherited fields, which stand in the source of the class that has them."""
            found, above = super().dataclass_schema(schema), schema["cls"].__mro__[1:]
            for base in (each for each in above if dataclasses.is_dataclass(each)):
                for name, field in adapter_with_texts(base).json_schema()["properties"].items():
                    text = {"description": field["description"]} if "description" in field else {}
                    found["properties"][name] = text | found["properties"][name]
            return found

        def literal_schema(self, schema: Any) -> Any:
            found = super().literal_schema(schema)
            return {**found, "description": "always this word: it tells the kind"} if "const" in found else found

    described = {name: adapter_with_texts(kind) for name, kind in kinds.items()}
    if len(described) == 1:
        return {name: each.json_schema(schema_generator=_Schema) for name, each in described.items()}
    each_input = [(name, "validation", each) for name, each in described.items()]
    named, shared = TypeAdapter.json_schemas(each_input, schema_generator=_Schema)  # type: ignore[arg-type]
    return {"$defs": shared["$defs"], **{name: found for (name, _), found in named.items()}}


def _adapter(kind: type[Any]) -> Any:
    """Made once, by one thread, and never while `schema` asks for descriptions."""
    with _MAKING:
        if kind not in _ADAPTERS:
            from pydantic import TypeAdapter

            _ADAPTERS[kind] = TypeAdapter(kind)
        return _ADAPTERS[kind]


# Pairs of a key and a value as one list of values for each key.


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def by_key(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of each key; keys and values in the order of `pairs`."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
