"""An option, and the forms that its text can have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, make_dataclass
from typing import Any, NamedTuple

from raidtui.model.codec_rules import Value
from raidtui.model.ranges import decimal_number, require_range, whole_number
from raidtui.model.text_values import BinarySize, ByteRate, DecimalSize, Share
from raidtui.model.units import parse_binary_size, parse_rate, parse_share, parse_size

_WITH_UNIT = re.compile(r"(.*?)\s*([A-Za-z]*)")


def _words(text: str) -> tuple[str, ...]:
    """The words between commas, each once, in lower case."""
    return tuple(dict.fromkeys(word.strip().lower() for word in text.split(",") if word.strip()))


def not_empty(text: str) -> str:
    """`text`. Raises ValueError if it is empty."""
    if not text:
        raise ValueError("empty: leave it out")
    return text


class TextForm(NamedTuple):
    """The form of an option's text."""

    metavar: str
    """its name in --help"""
    read: Callable[[str], Any]
    """the value of a text; raises ValueError with the reason"""
    in_recipe: Callable[[Any], Any]
    """the type that recipes hold a value in"""


RATE = TextForm("RATE", parse_rate, ByteRate)
SHARE = TextForm("P", parse_share, Share)
BINARY_SIZE = TextForm("SIZE", parse_binary_size, BinarySize)
DECIMAL_SIZE = TextForm("SIZE", parse_size, DecimalSize)
COUNT = TextForm("N", whole_number, int)
NUMBER = TextForm("N", decimal_number, float)
WORD = TextForm("", str, str)
"""one of `Option.choices`"""
WORDS = TextForm("LIST", _words, tuple)
"""some of `Option.choices`, with commas"""
FLAG = TextForm("", bool, bool)
"""yes or no; `Option.choices` are the words of Design for False and True"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Option:
    """One option, as every surface shows and reads it."""

    key: str
    """its name: in recipes and in Design; on the command line with hyphens"""
    field: str
    """the field of `Decision` that holds its value: `assumptions.afr`"""
    title: str
    """of its line in Design, at most 12 characters"""
    kind: TextForm
    """how its text is read"""
    sentence: str
    """its meaning, without the full stop"""
    otherwise: str
    """what applies where it is left out: a text that it could have, then perhaps a comma and a remark; or what else
    decides"""
    example: str = ""
    """a text that it could have"""
    more: str = ""
    """sources and further reasons, for F1 in Design"""
    range: tuple[float, float] | None = None
    """least and most that its value may be"""
    unit: str = ""
    """what a number counts, or what a share is of"""
    choices: tuple[str, ...] = ()
    """words that it may be"""
    steps: tuple[float, ...] = ()
    """usual values, for the arrow keys"""
    in_recipes: bool = True
    """False: a recipe cannot state it, since each host has its own"""

    @property
    def flag(self) -> str:
        """Its name on the command line: `--restock-days`."""
        return f"--{self.key.replace('_', '-')}"

    @property
    def usual(self) -> str:
        """What applies where it is left out, without the remark."""
        return self.otherwise.partition(",")[0]

    @property
    def meaning(self) -> str:
        """Its sentence, with an example of a text that is more than a number or a word."""
        plain = not self.example or self.kind in (COUNT, NUMBER, WORD, WORDS)
        return self.sentence if plain else f"{self.sentence}, such as {self.example}"

    @property
    def help(self) -> str:
        """Its meaning for --help and man pages."""
        return f"{self.meaning} (default: {self.otherwise})"

    @property
    def schema_text(self) -> str:
        """Its meaning for the schema of recipes."""
        return f"{self.meaning}; left out: {self.otherwise}"

    @property
    def about(self) -> str:
        """Its meaning for F1 and the palette."""
        sentences = (f"{self.meaning[0].upper()}{self.meaning[1:]}.", self.more, f"Default: {self.otherwise}.")
        return " ".join(filter(None, sentences))

    def read(self, text: str) -> Any:
        """The value of `text`. Raises ValueError with the reason."""
        said = text.strip()
        if self.kind is NUMBER and (parts := _WITH_UNIT.fullmatch(said)) and self.unit.startswith(parts[2]):
            said = parts[1]
        value = self.kind.read(said)
        self.check(value)
        return value

    def check(self, value: Any) -> None:
        """Raises ValueError for a value that is out of range, or none of its words."""
        if self.kind in (WORD, WORDS):
            wrong = [word for word in ((value,) if self.kind is WORD else value) if word not in self.choices]
            if wrong or not value:
                raise ValueError(f"'{wrong[0] if wrong else ''}' is none of {', '.join(self.choices)}")
        if self.range is not None:
            require_range(value, *self.range, shown=self._shown)

    def _shown(self, value: float) -> str:
        return f"{value:g}" if self.kind is NUMBER else str(self.kind.in_recipe(value))


def made_of(name: str, text: str, options: Iterable[Option]) -> type:
    """A table of a recipe with a field for each of `options`, None where it is left out."""
    fields = [
        (
            option.key,
            f"{option.kind.in_recipe.__name__} | None",
            field(default=None, metadata={"description": option.schema_text}),  # pydantic's schema has it
        )
        for option in options
    ]
    space = {"__doc__": text, "__module__": __name__}
    return make_dataclass(name, fields, bases=(Value,), namespace=space, frozen=True, slots=True, kw_only=True)
