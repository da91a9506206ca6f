"""Benchmark values as text: amounts with units, ratios with bands, verdicts. Nothing here draws."""

from __future__ import annotations

from raidtui.model.bench import Compared
from raidtui.model.gauges import Scene
from raidtui.model.location import short_slot
from raidtui.model.safe import safe
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Mark


def ratio(value: float | None) -> str:
    """`0.94`; `-` if there is none."""
    return "-" if value is None else f"{value:.2f}"


def verdict(compared: Compared, glyphs: Glyphs) -> Mark:
    """Mark of a result's verdict."""
    match compared.verdict:
        case "ok":
            return Mark(glyphs.good, "ok", "good")
        case "low":
            return Mark(glyphs.failed, "LOW", "bad")
        case "high":
            return Mark(glyphs.alert, "high", "warn")
        case "not judged":
            return Mark(glyphs.unknown, "not judged", "muted")
        case "no prediction":
            return Mark(glyphs.hole, "no prediction", "muted")
        case "not comparable":
            return Mark(glyphs.unknown, "not comparable", "muted")


def clock(seconds: float) -> str:
    """`0:41`, `12:05`, `1:02:05`."""
    whole = max(int(seconds), 0)
    minutes = f"{whole // 60 % 60:02d}:{whole % 60:02d}"
    return f"{whole // 3600}:{minutes}" if whole >= 3600 else minutes.removeprefix("0") if whole < 600 else minutes


def disk_words(scene: Scene, identity: str) -> str:
    """`d1s07 ZVT0A2K1`: slot and serial of a disk, by identity or kernel name, to find the disk in the chassis."""
    disk = next((each for each in scene.disks if identity in (each.id, each.name)), None)
    if disk is None:
        return safe(identity)
    return safe(" ".join(part for part in (short_slot(disk.slot), disk.serial or disk.name or disk.id) if part))
