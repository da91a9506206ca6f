"""systemctl and udevadm: units, and waiting for udev (systemd 247+)."""

from __future__ import annotations

import re

from raidtui.values.plan import Command

MONITOR = "mdmonitor.service"
"""mdadm --monitor --scan: mails, and moves spares between arrays of one spare-group"""


def restart(unit: str) -> Command:
    """Starts or restarts the unit, so that it reads its configuration."""
    return Command(argv=("systemctl", "restart", unit), effect="change")


def try_restart(unit: str) -> Command:
    """Restarts the unit if it runs."""
    return Command(argv=("systemctl", "try-restart", unit), effect="change")


def enable(unit: str) -> Command:
    """Starts the unit at every boot; a unit that udev starts has nothing to enable, which is no error."""
    return Command(argv=("systemctl", "enable", unit), effect="change")


def daemon_reload() -> Command:
    """Makes systemd read fstab again."""
    return Command(argv=("systemctl", "daemon-reload"), effect="change")


def active_question(unit: str) -> tuple[str, ...]:
    """`active` when the unit runs."""
    return ("systemctl", "is-active", unit)


def settle(seconds: int = 180) -> Command:
    """Waits until udev has handled what happened so far. Never while disk locks are held: it would wait for them."""
    return Command(argv=("udevadm", "settle", f"--timeout={seconds}"), effect="change")


_FOLDERS = (
    "/etc/systemd/system.control", "/run/systemd/system.control", "/run/systemd/transient",
    "/run/systemd/generator.early", "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system", "/lib/systemd/system",
)  # fmt: skip
"""where units come from, but for the directory of the fstab generator (systemd.unit(5), UNIT FILE LOAD PATH)"""


def unit_name(path: str, kind: str) -> str:
    """Name of the unit of a mount point, `systemd-escape --path --suffix=KIND` (systemd.unit(5), STRING ESCAPING)."""
    inner = path.strip("/")
    if not inner:
        return f"-.{kind}"
    parts = [_escaped(part) for part in re.sub("/+", "/", inner).split("/")]
    first = f"\\x2e{parts[0][1:]}" if parts[0].startswith(".") else parts[0]
    return f"{'-'.join([first, *parts[1:]])}.{kind}"


def _escaped(text: str) -> str:
    return "".join(
        chr(byte) if re.match(rb"[A-Za-z0-9:_.]", bytes([byte])) else f"\\x{byte:02x}" for byte in text.encode()
    )


def other_units_question(mount_point: str) -> tuple[str, ...]:
    """The first file that is a mount or automount unit of the place, or changes one, and is not fstab's; else nothing.

    A link to /dev/null, by which a unit is masked, is one too. Exit 1 where one of the directories does not exist.
    """
    mount, automount = (unit_name(mount_point, kind).replace("\\", "\\\\") for kind in ("mount", "automount"))
    return (
        "find", *_FOLDERS, "-maxdepth", "2",
        "-name", mount, "-print", "-quit", "-o", "-name", automount, "-print", "-quit",
        "-o", "-path", f"*/{mount}.d/*.conf", "-print", "-quit",
        "-o", "-path", f"*/{automount}.d/*.conf", "-print", "-quit",
    )  # fmt: skip


def fragment_question(mount_point: str) -> tuple[str, ...]:
    """The file that systemd has loaded the mount unit of the place from; nothing when it has none."""
    return ("systemctl", "show", "--property=FragmentPath", "--value", unit_name(mount_point, "mount"))


def fragment_of_fstab(mount_point: str) -> str:
    """What `fragment_question` answers for a place that fstab names (systemd-fstab-generator(8))."""
    return f"/run/systemd/generator/{unit_name(mount_point, 'mount')}"
