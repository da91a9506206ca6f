"""Parser of layout constraints in one line: `>=800TB survive 2 spares 1 width 16`. `read` and `show` are inverse.

words = ">=" size | "survive" N | "spares" N | "width" N | "outlive" domain | "level" names | "loss" chance
        | "price" money | "wish" names
line  = words [["compare"] layouts] | layouts
layouts: in the notation or by name, with commas or blanks; alone they come to those compared before
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from raidtui.predict.options import UNDECIDED, value_of, with_value
from raidtui.tui.widgets.prompt import TextQuestion, parsed_question
from raidtui.values.notation import LayoutText
from raidtui.values.options import CONSTRAINTS, DECIMAL_SIZE, NUMBER, ROW, SHARE, WORDS, Option, TextForm
from raidtui.values.proposal import Constraints

_ROWS = {option.title: option for option in CONSTRAINTS}
SavedLayout = Callable[[str], LayoutText | None]
"""the layout of that name: of a saved design, or of a level with all disks; None without one"""
_COMPARE = "compare "
_PARTS = re.compile(r",(?![^()]*\))")
"""commas between layouts, not those of `raid10(8,f2)`"""
_BLANKS = re.compile(r"[,\s]+(?![^()]*\))")
"""what separates layouts that have no blanks within them"""
_ODDS_FROM = 1e-9
"""smaller chances are written as a power of ten"""
_UNITS = ((1024**5, "PiB"), (1000**5, "PB"), (1024**4, "TiB"), (1000**4, "TB"), (1024**3, "GiB"), (1000**3, "GB"))


def read(text: str, base: Constraints, saved: SavedLayout = lambda _: None) -> Constraints:
    """`base` with exactly the constraints and layouts in `text`; `saved` finds them by name. Raises ValueError."""
    if more := _own_layouts(text, saved):
        return replace(base, compare=tuple(dict.fromkeys((*base.compare, *more))))
    text, compares, layouts = text.partition(_COMPARE)
    bare = Constraints(
        chunk_bytes=base.chunk_bytes, stack=base.stack, fs=base.fs, fs_options=base.fs_options,
        compare=tuple(_layout(each, saved) for each in _PARTS.split(layouts)) if compares else (),
    )  # fmt: skip
    words = text.replace(">=", " >= ").split()
    found, said = bare, set[str]()
    while words:
        word = words.pop(0).lower()
        option = _ROWS.get(word)
        if option is None:
            more = _own_layouts(" ".join((word, *words)), saved)
            if not more:
                raise ValueError(_unknown((word, *words), saved))
            return replace(found, compare=tuple(dict.fromkeys((*more, *found.compare))))
        if word in said:
            raise ValueError(f"'{word}' is given twice")
        said.add(word)
        if not words:
            raise ValueError(f"'{word}' needs a value, for example {_example(word)}")
        found = _taken(option, found, _argument(word, words))
    return found


def show(constraints: Constraints) -> str:
    """The line for `constraints`; empty if there are none."""
    asked, nothing = (replace(UNDECIDED, constraints=each) for each in (constraints, Constraints()))
    said = ((option, value_of(option, asked)) for option in CONSTRAINTS)
    words = [
        _with_word(option, _SHOWN.get(option.kind, str)(value))
        for option, value in said
        if value != value_of(option, nothing)
    ]
    return " ".join([*words, *([f"{_COMPARE}{', '.join(constraints.compare)}"] if constraints.compare else [])])


def _own_layouts(text: str, saved: SavedLayout) -> list[LayoutText]:
    """The layouts that `text` is made of; empty if it is made of something else too."""
    for separator in (_PARTS, _BLANKS):
        with suppress(ValueError):
            return [_layout(each, saved) for each in separator.split(text.strip())]
    return []


def _unknown(words: Sequence[str], saved: SavedLayout) -> str:
    """Why `words` are no layouts: names the first that is none, where another is one."""
    parts = [part for part in _BLANKS.split(" ".join(words)) if part]
    wrong = [part for part in parts if not _own_layouts(part, saved)]
    if wrong and len(wrong) < len(parts):
        return f"'{wrong[0]}' is no layout; write for example 4x(12+2)+4 or raid10(60)"
    return f"'{words[0]}' is neither a layout nor one of {', '.join(_ROWS)}"


def _layout(text: str, saved: SavedLayout) -> LayoutText:
    name = text.strip()
    return saved(name) or LayoutText.read(name)


def _with_word(option: Option, text: str) -> str:
    return f"{option.title}{'' if option is ROW.usable else ' '}{text}"


def _odds(chance: float) -> str:
    """The text for exactly `chance`."""
    count = round(1 / chance) if chance > _ODDS_FROM else 0
    return f"1 in {count}" if count and 1 / count == chance else repr(chance)


def _argument(word: str, words: list[str]) -> str:
    """The next value; a size may be separated from its unit, and a list may have blanks after commas."""
    value = words.pop(0)
    if word == ">=" and words and value.replace(".", "").isdigit() and words[0].lower().endswith("b"):
        value += words.pop(0)
    if word == "loss" and value == "1" and words[:1] == ["in"]:
        value = "".join((value, words.pop(0), *_digits(words)))
    while value.endswith(",") and words:
        value += words.pop(0)
    return value


def _digits(words: list[str]) -> list[str]:
    """The digit groups at the start of `words`, which loses them."""
    count = next((at for at, word in enumerate(words) if not word.isdecimal()), len(words))
    found, words[:] = words[:count], words[count:]
    return found


def _example(word: str) -> str:
    return next(example for example, _ in HELP if example.startswith(word))


def _size(count: int) -> str:
    """The shortest size text for exactly `count` bytes."""
    return next((f"{count // unit}{name}" for unit, name in _UNITS if count % unit == 0), str(count))


_SHOWN: dict[TextForm, Callable[[Any], str]] = {
    DECIMAL_SIZE: _size, SHARE: _odds, NUMBER: lambda number: repr(number).removesuffix(".0"), WORDS: ",".join,
}  # fmt: skip
"""texts that read back as the same value"""
HELP = (
    ("4x(12+2)+4, raid10(60)", "layouts of your own beside the others, also by the name of a saved design"),
    *((_with_word(option, option.example), option.sentence) for option in CONSTRAINTS),
)
"""every keyword with an example and its meaning"""


def _taken(option: Option, asked: Constraints, text: str) -> Constraints:
    """`asked` with the value in `text`. Raises ValueError that names the word."""
    try:
        value = option.read(text.lower() if option.choices else text)
        found = with_value(option, replace(UNDECIDED, constraints=asked), value).constraints
    except ValueError as problem:
        raise ValueError(f"{option.title}: {problem}") from problem
    assert found is not None
    return found


# Question for layout constraints: validated while typed, applied on Enter.


def constraint_question(
    now: Constraints,
    saved: SavedLayout,
    decide: Callable[[Constraints], None],
    cancel: Callable[[], None],
) -> TextQuestion:
    """The question for constraints and layouts to compare, with `now` as initial text; `saved` finds one by name."""

    return parsed_question("constraints, or layouts", show(now), lambda text: read(text, now, saved), decide, cancel)
