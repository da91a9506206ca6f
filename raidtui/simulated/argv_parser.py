"""Strict parser of the programs' arguments: an unknown argument is a bug, never guessed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from raidtui.values.errors import MachineFailed


@dataclass(frozen=True, slots=True)
class Given:
    """Arguments by what they are."""

    flags: frozenset[str]
    values: dict[str, str]
    operands: tuple[str, ...]

    def number(self, name: str, unit: str = "") -> int:
        """Integer value of an option, which must end in `unit`."""
        text = self.values[name]
        if not text.endswith(unit) or not text.removesuffix(unit).isdigit():
            raise unknown((name, text))
        return int(text.removesuffix(unit))


class ProgramFailed(Exception):
    """A program fails: its message, its exit code, and whether the message goes to standard output."""

    def __init__(self, text: str, code: int = 1, *, aloud: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.aloud = aloud


def unknown(argv: Sequence[str]) -> MachineFailed:
    """Error for a command that the simulated machine does not implement."""
    return MachineFailed(f"the simulated machine does not know: {' '.join(argv)}")


def read(
    argv: Sequence[str],
    *,
    flags: Collection[str] = (),
    values: Collection[str] = (),
    apart: Collection[str] = (),
    least: int = 0,
    most: int = 1_000,
) -> Given:
    """`--name=value` for `values`, `-n value` in two words for `apart`; an option twice is unknown too."""
    seen: set[str] = set()
    options: dict[str, str] = {}
    operands: list[str] = []
    words = list(argv[1:])
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            operands.append(word)
        elif word == "--" and "--" in flags:
            operands += words
            words = []
        elif word in flags and word not in seen:
            seen.add(word)
        elif equals and name in values and name not in options:
            options[name] = value
        elif word in apart and word not in options and words:
            options[word] = words.pop(0)
        else:
            raise unknown(argv)
    if not least <= len(operands) <= most:
        raise unknown(argv)
    return Given(frozenset(seen), options, tuple(operands))
