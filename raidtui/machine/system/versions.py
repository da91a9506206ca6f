"""Versions of this machine's kernel, mdadm and mkfs, and what else a measurement depends on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType

from raidtui.machine.system import programs
from raidtui.values.safe import safe
from raidtui.values.target import TargetVersions, version_in
from raidtui.values.units import MIB

_SECONDS = 20
_QUESTIONS = MappingProxyType({"mdadm": "--version", "mkfs.xfs": "-V", "mkfs.ext4": "-V"})
"""programs and the option that prints their version: mdadm and mkfs.ext4 on standard error (mdadm.c, mke2fs.c),
mkfs.xfs on standard output"""


@contextmanager
def asked_versions() -> Iterator[Callable[[], TargetVersions]]:
    """Starts the programs at once; the function waits for them, so that other work can be done before.

    It returns the release of the running kernel, and what the installed programs print of themselves.
    """
    with ExitStack() as stack:
        running = {program: _started(program, stack) for program in _QUESTIONS}

        def answers() -> TargetVersions:
            found = {program: _version(process) for program, process in running.items()}
            return TargetVersions(
                kernel=os.uname().release,
                mdadm=found["mdadm"],
                xfsprogs=found["mkfs.xfs"],
                e2fsprogs=found["mkfs.ext4"],
            )

        yield answers


def found_versions() -> TargetVersions:
    """Like `asked_versions`, at once."""
    with asked_versions() as answers:
        return answers()


def _started(program: str, stack: ExitStack) -> programs.Process | None:
    """The running program, which ends with `stack`; None if it is not installed or cannot be started."""
    found = programs.find(program)
    if found is None:
        return None
    try:
        process = stack.enter_context(programs.start([found, _QUESTIONS[program]]))
    except OSError:
        return None
    stack.callback(process.kill)
    return process


def _version(process: programs.Process | None) -> str | None:
    if process is None:
        return None
    try:
        done = programs.finish(process, _SECONDS)
    except programs.Overdue:
        return None
    return version_in(done.stdout or done.stderr)


# What else of the machine a measurement depends on.


def machine_facts(root: str = "/") -> dict[str, str]:
    """Distribution, processor, memory, and each kind of disk adapter with its firmware; what is unknown is left out."""
    release = _fields(f"{root}/etc/os-release", "=")
    processor = _fields(f"{root}/proc/cpuinfo", ":").get("model name", "")
    memory = _fields(f"{root}/proc/meminfo", ":").get("MemTotal", "").split()
    facts = {
        "distribution": release.get("PRETTY_NAME", "").strip('"'),
        "processor": f"{os.cpu_count()} x {processor}" if processor else "",
        "memory": f"{int(memory[0]) / MIB:.1f} GiB" if memory and memory[0].isdigit() else "",
    }
    for number, adapter in enumerate(_adapters(root), start=1):
        facts[f"adapter {number}"] = adapter
    return {name: safe(value, longest=120) for name, value in facts.items() if value}


def _adapters(root: str) -> list[str]:
    """Driver, model and firmware of each SCSI host adapter that names its firmware or model, each kind once."""
    found: dict[str, None] = {}
    for host in sorted(Path(f"{root}/sys/class/scsi_host").glob("host*")):
        model = _text(host / "board_name") or _text(host / "model_name")
        firmware = _text(host / "version_fw") or _text(host / "firmware_revision") or _text(host / "fw_version")
        if model or firmware:
            words = (_text(host / "proc_name"), model, f"firmware {firmware}" if firmware else "")
            found[" ".join(word for word in words if word)] = None
    return list(found)


def _fields(path: str, separator: str) -> dict[str, str]:
    """The lines `name separator value` of a file; the first of each name."""
    pairs = (line.partition(separator) for line in _text(Path(path)).splitlines())
    found: dict[str, str] = {}
    for name, _, value in pairs:
        found.setdefault(name.strip(), value.strip())
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
