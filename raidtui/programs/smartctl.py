"""smartctl --json (smartmontools 7.0 and later): health reported by the drive, for ATA, SCSI and NVMe.

ATA, shortened:

    {"smartctl": {"exit_status": 0}, "device": {"protocol": "ATA"}, "rotation_rate": 7200,
     "smart_status": {"passed": true}, "power_on_time": {"hours": 31337}, "temperature": {"current": 34},
     "ata_smart_attributes": {"table": [{"id": 5, "name": "Reallocated_Sector_Ct",
       "raw": {"value": 8589934592008, "string": "8 (2000 0)"}}]}}

`raw.value` is all 48 bits, in which drives pack several counters; `raw.string` begins with the count (smartmontools
atacmds.cpp, RAWFMT_RAW16_OPT_RAW16).

SCSI says "scsi_grown_defect_list": 3, NVMe

    {"device": {"protocol": "NVMe"}, "smart_status": {"passed": true}, "power_on_time": {"hours": 12},
     "nvme_smart_health_information_log": {"media_errors": 0, "temperature": 41}}

A sleeping disk is left asleep and answers

    {"smartctl": {"messages": [{"string": "Device is in STANDBY mode, exit(3)", "severity": "information"}],
     "exit_status": 3}}

The exit code is a set of bits (smartctl(8)): a failing drive is an answer, not an error.
For SCSI smartctl opens the device for writing, and udev looks at it again when it is closed.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from raidtui.values.codec import parsed
from raidtui.values.inventory import Smart

ASLEEP = 3
"""exit code given to --nocheck, so that it cannot be mistaken for another"""
_LEADING = re.compile(r"([0-9]{1,15})(?:$| \(|/)")
"""the count that a raw value begins with; words without brackets are the three parts, the highest first"""
_MOST_UNPACKED = 0xFFFF
"""a count of reallocated sectors has 16 bits (raw16(raw16)); what is above them is other counters"""
_FASTEST = 100_000
"""revolutions per minute"""
_MOST_HOURS = 100 * 365 * 24
"""no drive is older; more is a packed value that smartctl's database does not know"""


def argv(device: str) -> tuple[str, ...]:
    """Asks for health, attributes and identity; wakes nothing."""
    return ("smartctl", "--json=c", "--info", "--health", "--attributes", f"--nocheck=standby,{ASLEEP}", device)


def recovery_argv(device: str) -> tuple[str, ...]:
    """Asks how long the drive tries to read a bad sector (SCT error recovery control); wakes nothing."""
    return ("smartctl", "--json=c", "--capabilities", "--log=scterc", f"--nocheck=standby,{ASLEEP}", device)


def recovery(text: str) -> tuple[Literal["limited", "unlimited", "none"], float | None] | None:
    """The drive's limit for reads, and its seconds; None where it did not answer.

    {"ata_sct_capabilities": {"error_recovery_control_supported": true},
     "ata_sct_erc": {"read": {"enabled": true, "deciseconds": 70}}}
    """
    try:
        answer = parsed(text)
    except ValueError:
        return None
    enabled = _deep(answer, "ata_sct_erc", "read", "enabled")
    if enabled is True and (limit := _count(_deep(answer, "ata_sct_erc", "read", "deciseconds"))):
        return "limited", limit / 10
    if enabled is False:
        return "unlimited", None
    supported = _deep(answer, "ata_sct_capabilities", "error_recovery_control_supported")
    return ("none", None) if supported is False or _deep(answer, "ata_sct_capabilities", "value") == 0 else None


def parse(text: str) -> tuple[Smart | None, int | None]:
    """Health and revolutions per minute; None for values that the drive does not report."""
    try:
        answer = parsed(text)
    except ValueError:
        return None, None
    if not isinstance(answer, dict):
        return None, None
    rpm = _count(answer.get("rotation_rate")) or 0
    passed, hours = _deep(answer, "smart_status", "passed"), _count(_deep(answer, "power_on_time", "hours"))
    smart = Smart(
        healthy=passed if isinstance(passed, bool) else None,
        hours=hours if hours is not None and hours <= _MOST_HOURS else None,
        reallocated=_reallocated(answer),
        temperature_c=_celsius(_deep(answer, "temperature", "current")),
    )
    return (None if smart == Smart() else smart), rpm if 1 < rpm <= _FASTEST else None


def _reallocated(answer: dict[str, Any]) -> int | None:
    table = _deep(answer, "ata_smart_attributes", "table")
    for row in table if isinstance(table, list) else ():
        if _deep(row, "id") == 5:
            return _unpacked(_deep(row, "raw", "value"), _deep(row, "raw", "string"))
    grown = _count(answer.get("scsi_grown_defect_list"))
    return grown if grown is not None else _count(_deep(answer, "nvme_smart_health_information_log", "media_errors"))


def _unpacked(value: Any, text: Any) -> int | None:
    """The count in a raw value; None where it is packed in a way that is not known."""
    match = _LEADING.match(text) if isinstance(text, str) else None
    if match is not None:
        return int(match[1])
    count = _count(value)
    return count if count is not None and count <= _MOST_UNPACKED else None


def _celsius(value: Any) -> int | None:
    """A temperature; None where there is no sensor, which smartctl shows as 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value and abs(value) < 200 else None


def _deep(answer: Any, *keys: str) -> Any:
    value = answer
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
