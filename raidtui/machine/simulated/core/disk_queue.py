"""I/O scheduler, queue depth and Write Zeroes of a disk: what sysfs shows, what may be set."""

from __future__ import annotations

import re

from raidtui.machine.simulated.core.argv_parser import ProgramFailed
from raidtui.machine.simulated.core.state import Drive, State

_PATH = re.compile(r"/sys/block/([^/]+)/(queue/scheduler|queue/write_zeroes_max_bytes|device/queue_depth)")
_SCSI_DEPTH = 32
_SCHEDULERS = ("mq-deadline", "kyber", "bfq", "none")


def queue_of(drive: Drive) -> tuple[str, int | None]:
    """Active I/O scheduler and queue depth of a drive; None where its driver has none."""
    nvme = drive.disk.transport == "nvme"
    return drive.scheduler or ("none" if nvme else "mq-deadline"), None if nvme else drive.queue_depth or _SCSI_DEPTH


def text_of(state: State, path: str) -> str | None:
    """What a file reads, with its line end; None when there is none."""
    drive, name = _found(state, path)
    if drive is None:
        return None
    scheduler, depth = queue_of(drive)
    if name == "queue/write_zeroes_max_bytes":
        return None if (most := drive.disk.write_zeroes_max_bytes) is None else f"{most}\n"
    if name == "device/queue_depth":
        return None if depth is None else f"{depth}\n"
    return " ".join(f"[{each}]" if each == scheduler else each for each in _SCHEDULERS) + "\n"


def put(state: State, path: str, value: str) -> None:
    """Sets a value. Failed as the kernel fails."""
    drive, name = _found(state, path)
    if drive is None or text_of(state, path) is None:
        raise ProgramFailed("No such file or directory")
    if name == "queue/scheduler" and value in _SCHEDULERS:
        drive.scheduler = value
    elif name == "device/queue_depth" and value.isdigit() and int(value) > 0:
        drive.queue_depth = int(value)
    else:
        raise ProgramFailed("Invalid argument")


def is_queue(path: str) -> bool:
    """True for a path of one of these files."""
    return _PATH.fullmatch(path) is not None


def _found(state: State, path: str) -> tuple[Drive | None, str]:
    match = _PATH.fullmatch(path)
    if match is None:
        return None, ""
    return next((drive for drive in state.drives if drive.name == match[1] and drive.present), None), match[2]
