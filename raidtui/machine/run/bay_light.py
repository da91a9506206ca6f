"""The light of a bay: on while its disk is to be pulled, off after it, and no reason to stop."""

from __future__ import annotations

from collections.abc import Callable

from raidtui.machine.ports.runner import Runner
from raidtui.model.errors import MachineFailed

_PULL_S, _LOOK_S = 600, 5.0
"""seconds for which a light is on at most, and between two looks"""
_ENCLOSURES = "/sys/class/enclosure"
"""bays with a file `locate` that switches a light (Linux drivers/misc/enclosure.c), where SES has one"""


class BayLight:
    """Lights of one machine."""

    def __init__(self, runner: Runner, tell: Callable[[str], None]) -> None:
        """`tell` gets a line when a light goes on, off, or does not."""
        self._runner, self._tell = runner, tell

    def shine(self, path: str) -> None:
        """Shows which disk to pull; the light goes off once it is pulled, or after some minutes."""
        pin = self._runner.pin(path)
        lights = self._lights(pin.name) if pin is not None else []
        on = [self._switched(light, 1) for light in lights]
        looks = int(_PULL_S / _LOOK_S) if any(on) else 0
        try:
            while looks and self._runner.pin(path) == pin:
                self._runner.wait(_LOOK_S)
                looks -= 1
        finally:
            for light in lights:
                self._switched(light, 0)

    def _lights(self, disk: str) -> list[str]:
        """Files that switch the light of the bay of a disk; one for each way to its enclosure."""
        bays = [
            f"{_ENCLOSURES}/{each}/{bay}"
            for each in self._names(_ENCLOSURES)
            for bay in self._names(f"{_ENCLOSURES}/{each}")
        ]
        return [f"{bay}/locate" for bay in bays if disk in self._names(f"{bay}/device/block")]

    def _names(self, path: str) -> tuple[str, ...]:
        try:
            return self._runner.names(path)
        except MachineFailed:
            return ()

    def _switched(self, light: str, value: int) -> bool:
        """Switches a light: whether it reads back so. One that does not follow stops nothing."""
        try:
            self._runner.set_value(light, value)
            follows = (self._runner.read_text(light) or "").strip() == str(value)
        except MachineFailed:
            follows = False
        state = f"is {'on' if value else 'off'}" if follows else f"does not go {'on' if value else 'off'}"
        self._tell(f"the light of its bay {state} ({light})")
        return follows
