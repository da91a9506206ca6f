"""Reads what an audit needs beside the arrays: disks' error recovery, kernels, checks, alerts, mounted stripes.

Sources: Documentation/ABI (device/timeout), smartctl(8) -l scterc as root, /boot, mdadm.conf, systemd timers and cron,
/proc/self/mountinfo. What cannot be read is unknown, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from raidtui.machine.boot import look
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.arrays import KnownBy, ObservedArrays
from raidtui.model.boot import TextFile
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.planner.arrays.audit.facts import AuditFacts, DiskSettings, MountedStripe
from raidtui.planner.design.infer_from_arrays import VolumeFacts
from raidtui.planner.preflight.boot import statements_of
from raidtui.tools import initramfs, md_sysfs, mdadm, mountinfo, smartctl, systemd
from raidtui.tools.mdadm_conf import Keyword

_KERNEL = "/proc/sys/kernel/osrelease"
_MOUNTS = "/proc/self/mountinfo"
_BLOCK = "/sys/block"
_TIMERS = ("mdcheck_start.timer", "raid-check.timer")
_CRON = ("/etc/cron.d/mdadm", "/etc/cron.d/raid-check", "/etc/cron.weekly/99-raid-check")
_CHECKS = re.compile(r"^[^#\n]*(?:checkarray|raid-check|mdcheck)", re.MULTILINE)
_SATA = ("sata", "ata")
_ALERTS: tuple[Keyword, ...] = ("program", "mailaddr")
T = TypeVar("T")


def audit_facts(
    reader: MachineReader, inventory: Inventory, seen: ObservedArrays, plans: Sequence[Plan] = ()
) -> AuditFacts:
    """Everything that the rules go by."""
    arrays = [array.name for array in seen.arrays if array.size_bytes]
    disks = sorted({member.disk for array in seen.arrays for member in array.members if member.disk})
    transports = {disk.kernel_name: disk.transport for disk in inventory.disks}
    conf = _tried(lambda: look.configuration(reader))
    mounts = {each.device for array in seen.arrays for each in array.stands_on_it if each.mount_points}
    return AuditFacts(
        seen=seen,
        inventory=inventory,
        kernel=_text(reader, _KERNEL),
        kernels=_kernels(reader),
        checks=_checks(reader),
        alerts=_alerts(reader, conf),
        shared_spares=conf if conf is None else any("spare-group" in file.text for file in conf),
        disks={name: _disk(reader, name, transports.get(name)) for name in disks},
        caches={name: _number(reader, md_sysfs.value_path(name, "stripe_cache_size")) for name in arrays},
        read_ahead={name: _number(reader, f"{_BLOCK}/{name}/queue/read_ahead_kb") for name in arrays},
        mounted=tuple(_mounted(reader, mounts)),
        volumes=_volumes(reader),
        plans=tuple(plans),
    )


def _disk(reader: MachineReader, name: str, transport: str | None) -> DiskSettings:
    timeout = _number(reader, f"{_BLOCK}/{name}/device/timeout")
    if transport not in _SATA:
        return DiskSettings(timeout_s=timeout, recovery="not-asked")
    try:
        ran = reader.ask(smartctl.recovery_argv(f"/dev/{name}"))
    except MachineFailed as problem:
        return DiskSettings(timeout_s=timeout, recovery="unknown", why=str(problem))
    found = smartctl.recovery(ran.stdout)
    if found is None:
        return DiskSettings(timeout_s=timeout, recovery="unknown", why="smartctl -l scterc gave no answer: run as root")
    kind, seconds = found
    return DiskSettings(timeout_s=timeout, recovery=kind, recovery_s=seconds)


def _kernels(reader: MachineReader) -> tuple[str, ...]:
    names = _tried(lambda: reader.names(initramfs.FOLDER)) or ()
    return tuple(dict.fromkeys(name.removeprefix("vmlinuz-") for name in names if name.startswith("vmlinuz-")))


def _checks(reader: MachineReader) -> KnownBy:
    unread = ""
    for timer in _TIMERS:
        try:
            if reader.ask(systemd.active_question(timer)).stdout.strip() == "active":
                return KnownBy(answer="yes", why=f"{timer} is active")
        except MachineFailed as problem:
            unread = str(problem)
    for path in _CRON:
        if _CHECKS.search(_text(reader, path)):
            return KnownBy(answer="yes", why=f"{path} starts one")
    nothing = f"neither {' nor '.join(_TIMERS)} is active, and {', '.join(_CRON)} start no check"
    return KnownBy(answer="unknown", why=unread) if unread else KnownBy(answer="no", why=nothing)


def _alerts(reader: MachineReader, conf: Sequence[TextFile] | None) -> KnownBy:
    if conf is None:
        return KnownBy(answer="unknown", why="mdadm.conf could not be read")
    words = {each.keyword: each for each in statements_of(conf) if each.words}
    for keyword in _ALERTS:
        if keyword in words:
            where = words[keyword].place
            if keyword == "program":
                return KnownBy(answer="yes", why=f"{where} names a program")
            if "sendmail" in (_tried(lambda: reader.names("/usr/sbin")) or ()):
                return KnownBy(answer="yes", why=f"{where} names an address, and {mdadm.SENDMAIL} is there")
            return KnownBy(answer="no", why=f"{where} names an address, and there is no {mdadm.SENDMAIL}")
    return KnownBy(answer="no", why="mdadm.conf has neither MAILADDR nor PROGRAM")


def _mounted(reader: MachineReader, devices: set[str]) -> Iterable[MountedStripe]:
    text = _text(reader, _MOUNTS)
    mounts = _tried(partial(mountinfo.parse, text)) or ()
    for device in sorted(devices):
        number = _text(reader, f"{_BLOCK}/{device}/dev")
        mount = next((each for each in mounts if each.number == number and each.root == "/"), None)
        if mount is None:
            yield MountedStripe(device=device, kind="", point=device, unit_bytes=None, width=None)
        elif mount.fstype in ("xfs", "ext4"):
            unit, width = mount.stripe
            yield MountedStripe(device=device, kind=mount.fstype, point=mount.point, unit_bytes=unit, width=width)


def _volumes(reader: MachineReader) -> tuple[VolumeFacts, ...]:
    names = [name for name in _tried(lambda: reader.names(_BLOCK)) or () if name.startswith("dm-")]
    found = []
    for name in names:
        below = _tried(partial(reader.names, f"{_BLOCK}/{name}/slaves")) or ()
        if below:
            least, most = (_number(reader, f"{_BLOCK}/{name}/queue/{size}_io_size") for size in ("minimum", "optimal"))
            found.append(VolumeFacts(name=name, below=below, io_min_bytes=least or 0, io_opt_bytes=most or 0))
    return tuple(found)


def _tried(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except MachineFailed:
        return None


def _text(reader: MachineReader, path: str) -> str:
    return (_tried(partial(reader.read_text, path)) or "").strip()


def _number(reader: MachineReader, path: str) -> int | None:
    return md_sysfs.number(_text(reader, path))
