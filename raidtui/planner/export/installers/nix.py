"""Values as expressions of the Nix language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_'-]*")
_KEYWORDS = frozenset({"assert", "else", "if", "in", "inherit", "let", "or", "rec", "then", "with"})

NixValue = str | int | bool | Sequence["NixValue"] | Mapping[str, "NixValue"]


def nix(value: NixValue, indent: str = "") -> str:
    """`value` as an expression that evaluates to it; attribute sets and lists over several lines.

    Raises ValueError for a NUL, which no Nix string can hold.
    """
    inner = indent + "  "
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return nix_string(value)
        case Mapping():
            rows = [f"{inner}{_name(key)} = {nix(each, inner)};" for key, each in value.items()]
            return "\n".join(["{", *rows, f"{indent}}}"]) if rows else "{ }"
        case _:
            rows = [f"{inner}{nix(each, inner)}" for each in value]
            return "\n".join(["[", *rows, f"{indent}]"]) if rows else "[ ]"


def nix_string(text: str) -> str:
    """A double-quoted string: backslash, quote and line ends escaped, and every $, so that nothing is interpolated.

    Raises ValueError for a NUL.
    """
    if "\0" in text:
        raise ValueError("a Nix string holds no NUL")
    return '"' + "".join("\\$" if char == "$" else _ESCAPES.get(char, char) for char in text) + '"'


def _name(key: str) -> str:
    return key if _NAME.fullmatch(key) and key not in _KEYWORDS else nix_string(key)
