"""Numbers three lines high, of box characters. Nothing here draws."""

from __future__ import annotations

HIGH = 3
"""lines of a large number"""
_SHAPES = {
    "0": ("2 0 3", "1 . 1", "4 0 5"), "1": (". 3 .", ". 1 .", ". 1 ."), "2": ("0 0 3", "2 0 5", "4 0 0"),
    "3": ("0 0 3", ". 0 7", "0 0 5"), "4": ("1 . 1", "4 0 7", ". . 1"), "5": ("2 0 0", "4 0 3", "0 0 5"),
    "6": ("2 0 0", "6 0 3", "4 0 5"), "7": ("0 0 3", ". . 1", ". . 1"), "8": ("2 0 3", "6 0 7", "4 0 5"),
    "9": ("2 0 3", "4 0 7", "0 0 5"),
}  # fmt: skip
"""cells of each digit: an index into the box characters, or `.` for a blank"""


def big_digits(number: str, box: str) -> tuple[str, str, str]:
    """`number` in three lines of equal width, drawn with the eight characters of `box`.

    Digits are three cells wide with a blank after each; any other character takes one cell of the lowest line.
    """
    rows = ["", "", ""]
    for char in number:
        shape = _SHAPES.get(char)
        for at in range(HIGH):
            if shape is None:
                rows[at] += char if at == HIGH - 1 else " "
            else:
                rows[at] += "".join(" " if cell == "." else box[int(cell)] for cell in shape[at].split()) + " "
    return rows[0], rows[1], rows[2]
