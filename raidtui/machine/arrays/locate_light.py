"""The light that shows a bay: /sys/class/enclosure/*/*/locate (Linux drivers/misc/enclosure.c), where SES has one."""

from __future__ import annotations

from collections.abc import Callable

from raidtui.machine.arrays.reads import Reads
from raidtui.machine.ports.runner import MachineReader, Runner
from raidtui.model.errors import MachineFailed
from raidtui.model.safe import safe

_ENCLOSURES = "/sys/class/enclosure"


def lights_of(reader: MachineReader, disk: str) -> tuple[str, ...]:
    """Files that switch the lights of the bay of a disk (kernel name); one for each way to its enclosure."""
    reads = Reads(reader)
    bays = [
        f"{_ENCLOSURES}/{each}/{bay}"
        for each in reads.names(_ENCLOSURES)
        for bay in reads.names(f"{_ENCLOSURES}/{each}")
    ]
    return tuple(f"{bay}/locate" for bay in bays if disk in reads.names(f"{bay}/device/block"))


def switched(runner: Runner, light: str, value: int, tell: Callable[[str], None]) -> bool | None:
    """Switches a light: whether it reads back so; None where it was not switched. Neither stops anything."""
    try:
        runner.set_value(light, value)
        follows = (runner.read_text(light) or "").strip() == str(value)
    except MachineFailed as problem:
        tell(f"the light of its bay was not switched: {problem}")
        return None
    tell(
        f"the light of its bay is {'on' if value else 'off'}: {safe(light)}"
        if follows
        else f"{safe(light)} does not follow"
    )
    return follows
