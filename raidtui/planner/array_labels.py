"""Labels of the arrays of a layout, and the names that its arrays get."""

from __future__ import annotations

SPARE = "+"
"""label of a spare, as in `4x(12+2)+4`"""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def array_label(array: int) -> str:
    """Unique label of an array: `A` for the first, ... `Z`, `a`, ... `z` for the 52nd, then `A1`, ..."""
    rounds, letter = divmod(array, len(_LETTERS))
    return _LETTERS[letter] + (str(rounds) if rounds else "")


def part_names(name: str, count: int) -> tuple[str, ...]:
    """Names of the `count` arrays, or disks without md, of the plan with this base name."""
    return tuple(f"{name}-{number}" for number in range(count)) if count > 1 else (name,)


def label_number(label: str) -> int:
    """Number of the array with `label`, from 0; the inverse of `array_label`."""
    return _LETTERS.index(label[0]) + len(_LETTERS) * int(label[1:] or 0)
