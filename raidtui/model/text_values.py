"""Values that a file for people holds as text, as the options of the command line take them: `256K`, `2TB`, `1.5%`."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.model.codec_rules import TextValue
from raidtui.model.errors import BadInput
from raidtui.model.layout import AnyLayout
from raidtui.model.notation import parse, show
from raidtui.model.units import exact_binary, exact_decimal, parse_binary_size, parse_rate, parse_share, parse_size


@dataclass(frozen=True, slots=True)
class BinarySize(TextValue):
    """A size whose single letter is binary, as in mdadm's options: `256K`, `24MiB`, `4096`."""

    count: int
    """bytes"""

    @classmethod
    def read(cls, text: str) -> BinarySize:
        """See TextValue."""
        return cls(parse_binary_size(text))

    def __str__(self) -> str:
        return exact_binary(self.count).replace(" ", "")


@dataclass(frozen=True, slots=True)
class DecimalSize(TextValue):
    """A size whose single letter is decimal, as on a disk's label: `2TB`, `1.8TiB`, `2000398934016`."""

    count: int
    """bytes"""

    @classmethod
    def read(cls, text: str) -> DecimalSize:
        """See TextValue."""
        return cls(parse_size(text))

    def __str__(self) -> str:
        return exact_decimal(self.count)


@dataclass(frozen=True, slots=True)
class ByteRate(TextValue):
    """A rate: `94MB/s`, `1.2GiB/s`."""

    count: int
    """bytes per second"""

    @classmethod
    def read(cls, text: str) -> ByteRate:
        """See TextValue."""
        return cls(parse_rate(text))

    def __str__(self) -> str:
        return f"{exact_decimal(self.count)}/s"


@dataclass(frozen=True, slots=True)
class Share(TextValue):
    """A share or probability: `1.5%`, `1e-15`, `1 in 10 000`."""

    value: float
    """from 0 to 1"""

    @classmethod
    def read(cls, text: str) -> Share:
        """See TextValue."""
        return cls(parse_share(text))

    def __str__(self) -> str:
        return repr(self.value)


class LayoutText(str, TextValue):
    """A layout in the notation: `4x(12+2)+4`. It keeps the layout, so that nobody parses its text."""

    __slots__ = ("layout",)
    layout: AnyLayout
    """arrays, members, spares"""

    def __new__(cls, layout: AnyLayout) -> LayoutText:
        """The text of `layout` in canonical notation."""
        made = super().__new__(cls, show(layout))
        made.layout = layout
        return made

    def __reduce__(self) -> tuple[type[LayoutText], tuple[AnyLayout]]:
        """What a copy is made of."""
        return LayoutText, (self.layout,)

    @classmethod
    def read(cls, text: str) -> LayoutText:
        """See TextValue."""
        try:
            return cls(parse(text))
        except BadInput as problem:
            raise ValueError(str(problem)) from problem
