"""Writes `screenshots/*.svg` and the text goldens in `tests/golden/`: `python -m tests.regenerate_screenshots`.

Everything is drawn from the simulated chassis e2660 without a terminal, so the same program gives the same files.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

from raidtui.tui.profile import Tier
from tests.tui.robot import robot

ROOT = Path(__file__).resolve().parent.parent
SCREENSHOTS = ROOT / "screenshots"
GOLDEN = ROOT / "tests" / "golden"
KEYS = {
    "disks": (),
    "design": ("2", "S", "a", "enter", "down", "down", "down", "left", "left", "down", "down", "right", "right"),
    "commands": ("3", "down", "down", "down"),
}
SMALL: tuple[Tier, ...] = ("ascii", "console", "unicode")
_CHECKSUM = re.compile(r"terminal-\d+")
_MAKER = re.compile(r"\s*<!-- Generated .*?-->", re.DOTALL)
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """One screen at one size in one tier."""

    screen: str
    width: int
    height: int
    tier: Tier

    @property
    def stem(self) -> str:
        """File name without its ending."""
        return f"{self.screen}-{self.width}x{self.height}-{self.tier}"


PICTURES = (
    *(Picture(screen, 80, 24, tier) for screen in KEYS for tier in SMALL),
    *(Picture(screen, 200, 60, "unicode") for screen in KEYS),
    *(Picture(screen, 120, 36, "unicode") for screen in KEYS),
)


async def drawn(picture: Picture) -> tuple[str, str]:
    """The screen as text, and as SVG."""
    theme = "raidtui" if picture.tier == "unicode" else "raidtui-ansi"
    async with robot(width=picture.width, height=picture.height, tier=picture.tier, theme=theme) as user:
        await user.press(*KEYS[picture.screen])
        await user.pilot.pause()
        text = "\n".join(user.lines()) + "\n"
        return text, standing_alone(user.app.export_screenshot(title="raidtui"))


def standing_alone(svg: str) -> str:
    """`svg` with fonts of the reader's own machine in place of fonts fetched from elsewhere."""
    local = "font-family: 'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
    return _CHECKSUM.sub("terminal", _MAKER.sub("", _FONT_FACE.sub("", svg))).replace(
        "font-family: Fira Code, monospace", local
    )


def main() -> None:
    """Writes every file."""
    for directory in (SCREENSHOTS, GOLDEN):
        directory.mkdir(exist_ok=True)
    for picture in PICTURES:
        text, svg = asyncio.run(drawn(picture))
        (GOLDEN / f"{picture.stem}.txt").write_text(text, encoding="utf-8")
        (SCREENSHOTS / f"{picture.stem}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
