"""A reader of the part of the Nix language that exports use, written from the Nix manual (Data Types, Strings)."""

from __future__ import annotations

import re
from typing import Any

_TOKEN = re.compile(r'\s*(?:([{}\[\];=])|("(?:[^"\\]|\\.)*")|(-?\d+)|([A-Za-z_][A-Za-z0-9_\'-]*))', re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


def read_nix(text: str) -> Any:
    """The value of an expression. Raises ValueError where it is no such expression, or would be interpolated."""
    tokens, at = [], 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"no Nix at {text[at : at + 20]!r}")
        tokens.append(found.group().strip())
        at = found.end()
    value, rest = _value(tokens)
    if rest:
        raise ValueError("text after the expression")
    return value


def _value(tokens: list[str]) -> tuple[Any, list[str]]:
    first, *rest = tokens
    if first == "{":
        made = {}
        while rest[0] != "}":
            key, equals, *rest = rest
            assert equals == "="
            made[_string(key) if key.startswith('"') else key], rest = _value(rest)
            assert rest[0] == ";"
            rest = rest[1:]
        return made, rest[1:]
    if first == "[":
        items = []
        while rest[0] != "]":
            item, rest = _value(rest)
            items.append(item)
        return items, rest[1:]
    if first.startswith('"'):
        return _string(first), rest
    return {"true": True, "false": False}[first] if first in ("true", "false") else int(first), rest


def _string(token: str) -> str:
    body = token[1:-1]
    if re.search(r"(?<!\\)(?:\\\\)*\$\{", body):
        raise ValueError("interpolation")
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), body, flags=re.DOTALL)
