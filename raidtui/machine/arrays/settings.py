"""Reads what an audit needs beside the arrays: disks' error recovery, kernels, checks, alerts, mounted stripes.

Sources: Documentation/ABI (device/timeout), smartctl(8) -l scterc as root, /boot, mdadm.conf, systemd timers and cron,
/proc/self/mountinfo. What cannot be read is unknown, with the reason.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import takewhile

from raidtui.advice.arrays.state import layout_of
from raidtui.advice.audit.facts import AuditFacts, DiskSettings, EncryptedVolume, FileSystemStripe, KeptFile
from raidtui.advice.boot.configuration import files_read, statements_of
from raidtui.advice.inferred_design import InferredDesign
from raidtui.machine.arrays.read import ArraysLook, Reads
from raidtui.machine.gauges.expected_load import ExpectedLoads, parts_of, work_of
from raidtui.machine.inventory.capture import unforeseen
from raidtui.machine.inventory.probe import AT_ONCE
from raidtui.machine.system.ports import MachineReader
from raidtui.programs import cryptsetup, file_systems, identity, initramfs, md, mdadm, smartctl, sysfs, systemd
from raidtui.programs import mount as mountinfo
from raidtui.programs.mount import Mount
from raidtui.steps.check_step import value_of
from raidtui.values.arrays import KnownBy, ObservedArrays, OnArray
from raidtui.values.choices import MadeFileSystem, made_kind
from raidtui.values.errors import MachineFailed
from raidtui.values.gauges import Scene
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.speed import WorkloadQuestion

_KERNEL = "/proc/sys/kernel/osrelease"
_MOUNTS = "/proc/self/mountinfo"
_BLOCK = "/sys/block"
_TIMERS = ("mdcheck_start.timer", "raid-check.timer")
_CRON = ("/etc/cron.d/mdadm", "/etc/cron.d/raid-check", "/etc/cron.weekly/99-raid-check")
_CHECKS = re.compile(r"^[^#\n]*(?:checkarray|raid-check|mdcheck)", re.MULTILINE)


def audit_facts(look: ArraysLook, seen: ObservedArrays, plans: Sequence[Plan] = ()) -> AuditFacts:
    """Everything that the rules go by; `seen`: the arrays as `look` took them."""
    reads = Reads(look.reader)
    arrays = [array.name for array in seen.arrays if array.size_bytes]
    disks = sorted({member.disk for array in seen.arrays for member in array.members if member.disk})
    ata = {disk.kernel_name for disk in look.inventory.disks if disk.speaks_ata}
    conf = None if isinstance(look.conf, str) else files_read(look.conf)
    with ThreadPoolExecutor(max_workers=1 if seen.simulated else AT_ONCE) as pool:
        settings = pool.map(lambda name: _disk(reads, name, ata=name in ata), disks)
    return AuditFacts(
        seen=seen,
        inventory=look.inventory,
        kernel=reads.word(_KERNEL),
        kernels=_kernels(reads),
        checks=_checks(reads),
        alerts=_alerts(look, reads),
        shared_spares=conf if conf is None else any("spare-group" in file.text for file in conf),
        disks=dict(zip(disks, settings, strict=True)),
        caches={name: reads.number(md.value_path(name, "stripe_cache_size")) for name in arrays},
        read_ahead={name: reads.number(f"{_BLOCK}/{name}/queue/read_ahead_kb") for name in arrays},
        stripes=tuple(_stripes(reads, seen)),
        encrypted=tuple(_encrypted(look, reads, seen, plans)),
        plans=tuple(plans),
        family=look.family,
        boot=look.boot,
    )


def _disk(reads: Reads, name: str, *, ata: bool) -> DiskSettings:
    """The settings of one disk; whatever it answers costs no other."""
    try:
        return _asked(reads, name, ata=ata)
    except Exception as problem:
        return DiskSettings(timeout_s=None, recovery="unknown", why=unforeseen(problem))


def _asked(reads: Reads, name: str, *, ata: bool) -> DiskSettings:
    timeout = reads.number(f"{_BLOCK}/{name}/device/timeout")
    if not ata:
        return DiskSettings(timeout_s=timeout, recovery="not-asked")
    try:
        ran = reads.reader.ask(smartctl.recovery_argv(f"/dev/{name}"))
    except MachineFailed as problem:
        return DiskSettings(timeout_s=timeout, recovery="unknown", why=str(problem))
    found = smartctl.recovery(ran.stdout)
    if found is None:
        return DiskSettings(timeout_s=timeout, recovery="unknown", why="smartctl -l scterc gave no answer: run as root")
    kind, seconds = found
    return DiskSettings(timeout_s=timeout, recovery=kind, recovery_s=seconds)


def _kernels(reads: Reads) -> tuple[str, ...]:
    names = reads.names(initramfs.FOLDER)
    return tuple(dict.fromkeys(name.removeprefix("vmlinuz-") for name in names if name.startswith("vmlinuz-")))


def _checks(reads: Reads) -> KnownBy:
    unread = ""
    for timer in _TIMERS:
        try:
            if reads.reader.ask(systemd.active_question(timer)).stdout.strip() == "active":
                return KnownBy(answer="yes", why=f"{timer} is active")
        except MachineFailed as problem:
            unread = str(problem)
    for path in _CRON:
        if _CHECKS.search(reads.word(path)):
            return KnownBy(answer="yes", why=f"{path} starts one")
    nothing = (
        f"neither {' nor '.join(_TIMERS)} is active, and {', '.join(_CRON)} start no check; other timers and crontabs "
        "were not read"
    )
    return KnownBy(answer="unknown", why=unread) if unread else KnownBy(answer="no", why=nothing)


def _alerts(look: ArraysLook, reads: Reads) -> KnownBy:
    if isinstance(look.conf, str):
        return KnownBy(answer="unknown", why=look.conf)
    monitors = look.monitors()
    named: dict[str, str] = {each.keyword: each.place for each in statements_of(files_read(look.conf)) if each.words}
    named |= {keyword: f"process {pid}" for pid, line in monitors.items() for keyword in mdadm.alerts_named(line)}
    if "program" in named:
        return KnownBy(answer="yes", why=f"{named['program']} names a program")
    mailed = f"{named['mailaddr']} names an address" if "mailaddr" in named else ""
    if mailed and "sendmail" in reads.names("/usr/sbin"):
        return KnownBy(answer="yes", why=f"{mailed}, and {mdadm.SENDMAIL} is there")
    if not monitors:
        return KnownBy(answer="unknown", why="the command line of the monitor, which may name a program, was not read")
    nobody = "neither mdadm.conf nor the monitor's command line names an address or a program"
    return KnownBy(answer="no", why=f"{mailed}, and there is no {mdadm.SENDMAIL}" if mailed else nobody)


def _stripes(reads: Reads, seen: ObservedArrays) -> Iterable[FileSystemStripe]:
    """Of each XFS and ext4 on an array, mounted or not."""
    nothing: tuple[Mount, ...] = ()
    mounts = reads.tried(partial(mountinfo.parse, reads.word(_MOUNTS)), nothing)
    on_arrays = {each.device: each for array in seen.arrays for each in array.stands_on_it}
    for device, each in sorted(on_arrays.items()):
        point, path = next(iter(each.mount_points), ""), f"/dev/{each.name}"
        number = reads.word(f"{_BLOCK}/{device}/dev") if point else ""
        mount = next((mount for mount in mounts if number and mount.number == number and mount.root == "/"), None)
        kind = mount.fstype if mount is not None else each.content
        held = FileSystemStripe(device=device, path=path, kind=kind, point=mount.point if mount is not None else point)
        if mount is not None and kind in ("xfs", "ext4"):
            unit, width = mount.stripe
            yield replace(held, unit_bytes=unit, width=width)
        elif mount is None and point and point != "[SWAP]":
            yield replace(held, why="its line of /proc/self/mountinfo was not found")
        elif mount is None and (made := made_kind(kind)) is not None:
            yield _by_superblock(reads, held, made)


def _by_superblock(reads: Reads, held: FileSystemStripe, kind: MadeFileSystem) -> FileSystemStripe:
    """The stripe of a file system that is not mounted."""
    try:
        ran = reads.reader.ask(file_systems.geometry_question(kind, held.path))
    except MachineFailed as problem:
        return replace(held, why=str(problem))
    if ran.exit != 0:
        why = ran.stderr.strip().rpartition("\n")[2] or "its superblock could not be read"
        return replace(held, why=f"it is not mounted: {why}")
    match kind:
        case "xfs":
            keys = ("blocksize", "unit", "width")
        case "ext4":
            keys = ("Block size", "RAID stride", "RAID stripe width")
    block, unit, width = (sysfs.count(value_of(key, ran.exit, ran.stdout)) or 0 for key in keys)
    scale = block if kind == "xfs" else 1
    return replace(held, unit_bytes=unit * scale or None, width=width * scale or None)


def _encrypted(
    look: ArraysLook, reads: Reads, seen: ObservedArrays, plans: Sequence[Plan]
) -> Iterator[EncryptedVolume]:
    """LUKS volumes on arrays, one that is on several arrays once."""
    backups = {crypt.uuid: crypt.backup for plan in plans for crypt in plan.crypts or ()}
    met: set[str] = set()
    for array in seen.arrays:
        for at, each in enumerate(array.stands_on_it):
            if each.content != cryptsetup.KIND or each.device in met:
                continue
            met.add(each.device)
            line, backup = look.crypttab_line(each), backups.get(each.uuid)
            deeper = takewhile(partial(_above, each), array.stands_on_it[at + 1 :])
            inside = {point for other in deeper for point in other.mount_points}
            found = EncryptedVolume(
                on=array, device=each, line=line,
                key=None if line is None or not line.has_key_file else _kept(reads, line.key, inside),
                backup=None if backup is None else _kept(reads, backup, inside),
            )  # fmt: skip
            yield _with_header(reads, found)


def _above(lower: OnArray, other: OnArray) -> bool:
    return other.depth > lower.depth


def _with_header(reads: Reads, volume: EncryptedVolume) -> EncryptedVolume:
    try:
        ran = reads.reader.ask(cryptsetup.dump_question(f"/dev/{volume.device.name}"))
    except MachineFailed as problem:
        return replace(volume, why=str(problem))
    if ran.exit != 0:
        return replace(volume, why=ran.stderr.strip().rpartition("\n")[2] or "cryptsetup luksDump gave no answer")
    sectors, offset = (
        sysfs.count((value_of(key, ran.exit, ran.stdout) or "").partition(" ")[0])
        for key in (cryptsetup.SECTORS, cryptsetup.OFFSET)
    )
    return replace(volume, sector_bytes=sectors, offset_bytes=offset or 0)


def _kept(reads: Reads, path: str, inside: Collection[str]) -> KeptFile:
    """A file that opens a volume or saves its header; `inside`: mount points of what is on that volume."""
    try:
        ran = reads.reader.ask(identity.file_question(path))
        if ran.exit != 0:
            reads.reader.names(posixpath.dirname(path))  # fails where this user may not look
            return KeptFile(path=path)
        mode, owner, mounted = ran.stdout.rstrip("\n").split(" ", 2)
        only_roots = owner == "0" and not int(mode, 16) & 0o077
    except (MachineFailed, ValueError) as problem:
        return KeptFile(path=path, why=str(problem))
    return KeptFile(path=path, there=True, only_roots=only_roots, inside=mounted in inside)


# What the members of the arrays that exist should move under a stated workload.


def asked_loads(ask: WorkloadQuestion, reader: MachineReader, inventory: Inventory, scene: Scene) -> ExpectedLoads:
    """The loads of the arrays of `scene` whose layout is known."""
    seen = ArraysLook(reader, inventory, around=False).take()
    parts = {}
    for array in seen.arrays:
        found = layout_of(array, seen.arrays, inventory)
        if isinstance(found, InferredDesign):
            spins = any(disk.rotational is not False for disk in found.disks)
            parts[array.name] = parts_of(found.design.layout.shapes[0], work_of(ask), rotational=spins)
    return ExpectedLoads(scene, parts)
