"""systemctl and udevadm: units, and waiting for udev (systemd 247+)."""

from __future__ import annotations

MONITOR = "mdmonitor.service"
"""mdadm --monitor --scan: mails, and moves spares between arrays of one spare-group"""


def restart(unit: str) -> tuple[str, ...]:
    """Starts the unit, or starts it anew so that it reads its configuration again."""
    return ("systemctl", "restart", unit)


def try_restart(unit: str) -> tuple[str, ...]:
    """Restarts the unit if it runs."""
    return ("systemctl", "try-restart", unit)


def enable(unit: str) -> tuple[str, ...]:
    """Starts the unit at every boot; a unit that udev starts has nothing to enable, which is no error."""
    return ("systemctl", "enable", unit)


def daemon_reload() -> tuple[str, ...]:
    """Makes systemd read fstab again."""
    return ("systemctl", "daemon-reload")


def active_question(unit: str) -> tuple[str, ...]:
    """`active` when the unit runs."""
    return ("systemctl", "is-active", unit)


def settle(seconds: int = 180) -> tuple[str, ...]:
    """Waits until udev has handled what happened so far. Never while disk locks are held: it would wait for them."""
    return ("udevadm", "settle", f"--timeout={seconds}")
