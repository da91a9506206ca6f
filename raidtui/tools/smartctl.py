"""smartctl --json (smartmontools 7.0 and later): health reported by the drive, for ATA, SCSI and NVMe.

ATA, shortened:

    {"smartctl": {"exit_status": 0}, "device": {"protocol": "ATA"}, "rotation_rate": 7200,
     "smart_status": {"passed": true}, "power_on_time": {"hours": 31337}, "temperature": {"current": 34},
     "ata_smart_attributes": {"table": [{"id": 5, "name": "Reallocated_Sector_Ct", "raw": {"value": 8}}]}}

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

from typing import Any, Literal

from raidtui.model.inventory import Smart
from raidtui.model.json_text import parsed

ASLEEP = 3
"""exit code given to --nocheck, so that it cannot be mistaken for another"""


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
    rpm = _count(answer.get("rotation_rate"))
    smart = Smart(
        healthy=_deep(answer, "smart_status", "passed"),
        hours=_count(_deep(answer, "power_on_time", "hours")),
        reallocated=_reallocated(answer),
        temperature_c=_count(_deep(answer, "temperature", "current")) or None,  # 0: there is no sensor
    )
    return (None if smart == Smart() else smart), rpm or None


def _reallocated(answer: dict[str, Any]) -> int | None:
    for row in _deep(answer, "ata_smart_attributes", "table") or ():
        if row.get("id") == 5:
            return _count(_deep(row, "raw", "value"))
    grown = _count(answer.get("scsi_grown_defect_list"))
    return grown if grown is not None else _count(_deep(answer, "nvme_smart_health_information_log", "media_errors"))


def _deep(answer: dict[str, Any], *keys: str) -> Any:
    value: Any = answer
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
