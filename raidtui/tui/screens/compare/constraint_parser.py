"""Parser of layout constraints in one line: `>=800TB survive 2 spares 1 width 16`. `read` and `show` are inverse.

words = ">=" size | "survive" N | "spares" N | "width" N | "outlive" domain | "level" names | "loss" chance
        | "price" money | "wish" names
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from raidtui.model.choices import OUTAGES, WISHES, Wish
from raidtui.model.layout import LEVELS, Level
from raidtui.model.proposal import Constraints
from raidtui.model.units import parse_share, parse_size

HELP = (
    (">=800TB", "minimum usable capacity as shown by df; TB and TiB work"),
    ("survive 2", "failed disks that every array must survive"),
    ("spares 1", "minimum hot spares in total"),
    ("width 16", "maximum members per array"),
    ("outlive enclosure", "data survives the loss of any one enclosure, controller or expander"),
    ("level raid6,raid10", "only these levels"),
    ("loss 1 in 10000", "maximum probability of data loss per year; 1e-4 and 0.01% work"),
    ("price 300", "price of a disk: adds cost as a criterion"),
    ("wish capacity,write", f"goals by priority: {', '.join(WISHES)}"),
)
"""every keyword with an example and its meaning"""
_ODDS_FROM = 1e-9
"""smaller chances are written as a power of ten"""
_UNITS = ((1024**5, "PiB"), (1000**5, "PB"), (1024**4, "TiB"), (1000**4, "TB"), (1024**3, "GiB"), (1000**3, "GB"))


def read(text: str, base: Constraints) -> Constraints:
    """`base` with exactly the constraints in `text`. Raises ValueError."""
    bare = Constraints(chunk_bytes=base.chunk_bytes, stack=base.stack, fs=base.fs, fs_options=base.fs_options)
    words = text.replace(">=", " >= ").split()
    found, said = bare, set[str]()
    while words:
        word = words.pop(0).lower()
        take = _TAKERS.get(word)
        if take is None:
            raise ValueError(f"unknown constraint '{word}'; expected one of {', '.join(_TAKERS)}")
        if word in said:
            raise ValueError(f"'{word}' is given twice")
        said.add(word)
        if not words:
            raise ValueError(f"'{word}' needs a value, for example {_example(word)}")
        found = take(found, _argument(word, words))
    return found


def show(constraints: Constraints) -> str:
    """The line for `constraints`; empty if there are none."""
    asked = constraints
    domain = asked.survive_domain
    parts = [
        f">={_size(asked.usable_bytes)}" if asked.usable_bytes else "",
        f"survive {asked.survive}" if asked.survive else "",
        f"spares {asked.spares}" if asked.spares else "",
        f"width {asked.max_width}" if asked.max_width is not None else "",
        f"outlive {domain}" if domain else "",
        f"level {','.join(asked.levels)}" if asked.levels else "",
        _loss(asked.max_annual_loss) if asked.max_annual_loss is not None else "",
        f"price {asked.price_per_disk!r}".removesuffix(".0") if asked.price_per_disk is not None else "",
        f"wish {','.join(asked.wishes)}" if asked.wishes else "",
    ]
    return " ".join(part for part in parts if part)


def _loss(chance: float) -> str:
    """The text for exactly `chance`."""
    count = round(1 / chance) if chance > _ODDS_FROM else 0
    return f"loss 1 in {count}" if count and 1 / count == chance else f"loss {chance!r}"


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


def _number(word: str, text: str, least: int) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 6 or int(text) < least:
        raise ValueError(f"{word} {text}: expected a whole number of at least {least}")
    return int(text)


def _fraction(word: str, text: str, most: float) -> float:
    share = text.removesuffix("%")
    try:
        value = float(share) / (100 if share != text else 1)
    except ValueError:
        raise ValueError(f"{word} {text}: expected a number such as {_example(word).split()[1]}") from None
    if not 0 < value <= most:
        raise ValueError(f"{word} {text}: expected more than 0 and at most {most:g}")
    return value


def _chance(text: str) -> float:
    chance = parse_share(text)
    if not chance:
        raise ValueError(f"loss {text}: expected more than 0")
    return chance


def _names(word: str, text: str, known: Sequence[str]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name for name in text.lower().split(",") if name))
    wrong = [name for name in names if name not in known]
    if wrong or not names:
        raise ValueError(f"{word} {wrong[0] if wrong else text}: expected one of {', '.join(known)}")
    return names


def _take_room(asked: Constraints, text: str) -> Constraints:
    return replace(asked, usable_bytes=parse_size(text))


def _take_domain(asked: Constraints, text: str) -> Constraints:
    names = _names("outlive", text, OUTAGES)
    if len(names) > 1:
        raise ValueError(f"outlive {text}: expected exactly one of {', '.join(OUTAGES)}")
    return replace(asked, survive_domain=next(kind for kind in OUTAGES if kind == names[0]))


def _take_levels(asked: Constraints, text: str) -> Constraints:
    names = _names("level", text, LEVELS)
    levels: tuple[Level, ...] = tuple(level for level in LEVELS if level in names)
    return replace(asked, levels=levels)


def _take_wishes(asked: Constraints, text: str) -> Constraints:
    names = _names("wish", text, WISHES)
    wishes: tuple[Wish, ...] = tuple(sorted((wish for wish in WISHES if wish in names), key=names.index))
    return replace(asked, wishes=wishes)


_TAKERS: dict[str, Callable[[Constraints, str], Constraints]] = {
    ">=": _take_room,
    "survive": lambda asked, text: replace(asked, survive=_number("survive", text, 0)),
    "spares": lambda asked, text: replace(asked, spares=_number("spares", text, 0)),
    "width": lambda asked, text: replace(asked, max_width=_number("width", text, 2)),
    "outlive": _take_domain,
    "level": _take_levels,
    "loss": lambda asked, text: replace(asked, max_annual_loss=_chance(text)),
    "price": lambda asked, text: replace(asked, price_per_disk=_fraction("price", text, 1e9)),
    "wish": _take_wishes,
}
