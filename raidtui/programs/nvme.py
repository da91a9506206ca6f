"""nvme smart-log (nvme-cli): the health of an NVMe drive where smartctl is not installed.

    {"critical_warning":0, "temperature":314, "avail_spare":100, "percent_used":2,
     "power_on_hours":1200, "media_errors":0}

Temperature is in kelvin; version 2 of nvme-cli writes large counters as strings. Any bit of
critical_warning means that the drive is not well (NVMe base specification, SMART log page).
"""

from __future__ import annotations

from typing import Any

from raidtui.values.codec import parsed
from raidtui.values.inventory import Smart

_KELVIN = 273


def argv(device: str) -> tuple[str, ...]:
    """Asks for the SMART log page."""
    return ("nvme", "smart-log", "--output-format=json", device)


def parse(text: str) -> Smart | None:
    """Health of the drive; None if the output has no health data."""
    try:
        answer = parsed(text)
    except ValueError:
        return None
    if not isinstance(answer, dict) or "critical_warning" not in answer:
        return None
    warning = answer["critical_warning"]
    warning = warning.get("value") if isinstance(warning, dict) else warning
    kelvin = _count(answer.get("temperature"))
    return Smart(
        healthy=None if _count(warning) is None else _count(warning) == 0,
        hours=_count(answer.get("power_on_hours")),
        reallocated=_count(answer.get("media_errors")),
        temperature_c=None if kelvin is None or abs(kelvin - _KELVIN) > 200 else kelvin - _KELVIN,
    )


def _count(value: Any) -> int | None:
    if isinstance(value, str) and (plain := value.replace(",", "")).isascii() and plain.isdecimal() and len(plain) < 40:
        return int(plain)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
