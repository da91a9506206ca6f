"""Fields of the options that few designs need: members, disks, mkfs, mount, alerts, versions of the target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from raidtui.model.alert import NOBODY, Alert
from raidtui.model.alert import problem_of as alert_problem
from raidtui.model.choices import FIRST_SYNCS, INITRAMFS, SCHEDULERS
from raidtui.model.decision import Decision
from raidtui.model.design import Partitions, stated_first_sync
from raidtui.model.file_system import DEFAULTS, EXT4_DEFAULTS, XFS_DEFAULTS, FileSystemOptions
from raidtui.model.ranges import LONGEST_NUMBER, MOST_QUEUE_DEPTH
from raidtui.model.target import Target, parse_release
from raidtui.model.units import decimal_size, exact_binary, parse_binary_size, parse_size
from raidtui.tools.mkfs_options import (
    EXT4_WORDS,
    XFS_WORDS,
    ext4_words,
    measurable,
    parse_ext4,
    parse_xfs,
    xfs_words,
)
from raidtui.tools.mount_options import parse as parse_mount_options
from raidtui.tui.fields.field import Field, named, with_design

T = TypeVar("T")
_AS_FOUND = "as found"


def option_fields(decision: Decision, found: Target | None) -> tuple[Field, ...]:
    """All of them; `found` are the versions of the machine whose disks these are."""
    return (*_member_fields(decision), *_disk_fields(decision), *_file_system_fields(decision),
            *_alert_fields(decision), *_host_fields(decision),
            *_target_fields(decision, found or Target()))  # fmt: skip


def options_line(decision: Decision) -> Field:
    """The line that opens the page of these fields."""
    count = sum(bool(field.typed) for field in option_fields(decision, None) if not field.choices)
    parted, scheduler = decision.design.partitions, decision.design.io_scheduler
    count += (parted is not None and parted.size_bytes is None) + (scheduler is not None)
    count += decision.design.zeroes
    count += decision.initramfs is not None
    return Field(
        key="options", title="Options", shown=f"{count} set" if count else "none set", opens="options",
        about="Members on partitions, data offset, read-ahead, I/O scheduler, queue depth, first sync, options of mkfs "
        "and mount, alerts, host, versions of the target. Right or Enter opens them.",
    )  # fmt: skip


def _typed(
    key: str, title: str, value: T | None, unset: str, *, shown: Callable[[T], str], parse: Callable[[str], T],
    change: Callable[[T | None], Decision], about: str,
) -> Field:  # fmt: skip
    """A field that can be empty: `unset` is then shown."""
    text = "" if value is None else shown(value)
    return Field(
        key=key, title=title, shown=text or unset, typed=text.replace(" ", ""), about=f"{about} Empty: {unset}.",
        read=lambda said: change(parse(said.strip()) if said.strip() else None),
    )  # fmt: skip


def _member_fields(decision: Decision) -> tuple[Field, ...]:
    design = decision.design
    size = design.partitions.size_bytes if design.partitions else None

    def sized(value: int | None) -> Decision:
        parted = Partitions(size_bytes=value) if value is not None or design.partitions else None
        return with_design(decision, partitions=parted)

    return (
        named(
            "members_on", "Members", "partitions" if design.partitions else "disks", ("disks", "partitions"),
            change=lambda value: with_design(decision, partitions=Partitions() if value == "partitions" else None),
            about="partitions: one GPT partition on each disk becomes the member; disks: the whole disk.",
        ),
        _typed(
            "partition_size", "Part. size", size, "all of a disk", shown=lambda each: decimal_size(each, 6),
            parse=parse_size, change=sized,
            about="Size of each partition, so that a slightly smaller disk can replace a failed one; then members are "
            "partitions.",
        ),
        _typed(
            "data_offset", "Data offset", design.data_offset_bytes, "mdadm's", shown=exact_binary,
            parse=parse_binary_size, change=lambda value: with_design(decision, data_offset_bytes=value),
            about="Where data starts on every member, such as 1M.",
        ),
        _typed(
            "bitmap_chunk", "Bitmap unit", design.bitmap_chunk_bytes, "mdadm's", shown=exact_binary,
            parse=parse_binary_size, change=lambda value: with_design(decision, bitmap_chunk_bytes=value),
            about="Bytes of member per bit of the write-intent bitmap, such as 256M: larger costs fewer writes of the "
            "bitmap, and longer resyncs after a crash.",
        ),
    )  # fmt: skip


def _disk_fields(decision: Decision) -> tuple[Field, ...]:
    design = decision.design
    schedulers = ("unchanged", *SCHEDULERS)
    return (
        _typed(
            "read_ahead", "Read-ahead", design.read_ahead_bytes, "by stripe", shown=exact_binary,
            parse=parse_binary_size, change=lambda value: with_design(decision, read_ahead_bytes=value),
            about="How far the kernel reads ahead below the file system, such as 24M, kept over reboots. By stripe: "
            "two full stripes, 128 KiB to 64 MiB.",
        ),
        named(
            "io_scheduler", "Scheduler", design.io_scheduler or "unchanged", schedulers,
            change=lambda value: with_design(decision, io_scheduler=None if value == "unchanged" else value),
            about="I/O scheduler of every disk, kept over reboots.",
        ),
        _typed(
            "queue_depth", "Queue depth", design.queue_depth, "unchanged", shown=str, parse=_depth,
            change=lambda value: with_design(decision, queue_depth=value),
            about="Requests that every SATA or SAS disk is given at once, kept over reboots; SATA takes at most 32.",
        ),
        named(
            "first_sync", "First sync", design.first_sync or "resync", FIRST_SYNCS,
            change=lambda value: with_design(decision, first_sync=stated_first_sync(value)),
            about="resync: md computes the redundancy for hours. zeroes: all members are zeroed first, by drives with "
            "Write Zeroes, and nothing is left to sync.",
        ),
    )  # fmt: skip


def _file_system_fields(decision: Decision) -> tuple[Field, ...]:
    kind, options = decision.design.fs, decision.design.options
    if kind == "none":
        about = "Without a file system there is nothing to tell mkfs and mount."
        names = (("mkfs", "mkfs"), ("mount_options", "Mount opts"), ("lazy_init", "Lazy init"))
        return tuple(Field(key=key, title=title, shown="no fs", about=about) for key, title in names)
    ext4 = options.ext4
    at_once = ext4 == measurable(ext4)

    def change(**changes: Any) -> Decision:
        made: FileSystemOptions = replace(options, **changes)
        return with_design(decision, fs_options=None if made == DEFAULTS else made)

    def made(text: str) -> Decision:
        if kind == "xfs":
            return change(xfs=parse_xfs(text) if text.strip() else XFS_DEFAULTS)
        return change(ext4=parse_ext4(text) if text.strip() else EXT4_DEFAULTS)

    said = xfs_words(options.xfs) if kind == "xfs" else ext4_words(options.ext4)
    mounted = ",".join(option.text for option in options.mount)
    return (
        Field(
            key="mkfs", title="mkfs", shown=said or "defaults", typed=said, read=made,
            about=f"What mkfs.{kind} is told beyond the stripe: {XFS_WORDS if kind == 'xfs' else EXT4_WORDS}. Empty: "
            "its defaults.",
        ),
        Field(
            key="mount_options", title="Mount opts", shown=mounted or "defaults", typed=mounted,
            read=lambda text: change(mount=parse_mount_options(text, kind)),
            about="Options of mount, such as pquota,largeio; each is checked against a table, and its cost becomes a "
            "finding. Empty: defaults.",
        ),
        Field(
            key="lazy_init", title="Lazy init", shown="none",
            about="mkfs.xfs leaves nothing for later: a benchmark can follow at once.",
        ) if kind == "xfs" else named(
            "lazy_init", "Lazy init", "by mkfs" if at_once else "by kernel", ("by kernel", "by mkfs"),
            change=lambda value: change(ext4=measurable(ext4) if value == "by mkfs" else replace(
                ext4, lazy_itable_init=None, lazy_journal_init=None)),
            about="by mkfs: mkfs.ext4 writes inode tables and journal, so that a benchmark can follow; by kernel: a "
            "thread does so after the mount, and lowers the rates of a benchmark.",
        ),
    )  # fmt: skip


def _alert_fields(decision: Decision) -> tuple[Field, ...]:
    alert = decision.alert or NOBODY

    def change(**changes: str) -> Decision:
        made: Alert = replace(alert, **changes)
        problem = alert_problem(made)
        if problem:
            raise ValueError(problem)
        return replace(decision, alert=None if made == NOBODY else made)

    return (
        Field(
            key="mail", title="Alert mail", shown=alert.mail or "root", typed=alert.mail,
            read=lambda text: change(mail=text.strip()),
            about="MAILADDR of mdadm.conf: who hears of a failed disk. Empty: root.",
        ),
        Field(
            key="alert_program", title="Alert prog.", shown=alert.program or "none", typed=alert.program,
            read=lambda text: change(program=text.strip()),
            about="PROGRAM of mdadm.conf: what mdadm starts with event, array and member. Empty: none.",
        ),
    )  # fmt: skip


def _host_fields(decision: Decision) -> tuple[Field, ...]:
    def hosted(text: str) -> Decision:
        from raidtui.planner.compile.names import valid_host  # not before one is typed

        host = text.strip()
        if host and not valid_host(host):
            raise ValueError(f"'{host}' is not a valid host name: use the one that `uname -n` prints on that machine")
        return replace(decision, homehost=host or None)

    choices = (_AS_FOUND, *INITRAMFS)
    return (
        Field(
            key="host", title="Host", shown=decision.homehost or "of these disks", typed=decision.homehost or "",
            read=hosted,
            about="Homehost of the arrays: `uname -n` of the machine that assembles them. Empty: that of the machine "
            "whose disks these are.",
        ),
        named(
            "initramfs", "Initramfs", decision.initramfs or _AS_FOUND, choices,
            change=lambda value: replace(decision, initramfs=None if value == _AS_FOUND else value),
            about="Tool that rebuilds the initramfs of that machine: Debian's update-initramfs, or dracut. "
            "as found: dracut where this machine has only that.",
        ),
    )  # fmt: skip


def _target_fields(decision: Decision, found: Target) -> tuple[Field, ...]:
    said = decision.design.target or Target()
    rows = (
        ("kernel", "Kernel", said.kernel, found.kernel),
        ("mdadm", "mdadm", said.mdadm, found.mdadm),
        ("xfsprogs", "xfsprogs", said.xfsprogs, found.xfsprogs),
        ("e2fsprogs", "e2fsprogs", said.e2fsprogs, found.e2fsprogs),
    )
    return tuple(
        _typed(
            key, title, value, f"{known} found" if known else "not known", shown=str, parse=parse_release,
            change=_versioned(decision, said, key),
            about="Version on the server that builds. Findings depend on it, and before it writes anything the build "
            "compares it with what it finds.",
        )
        for key, title, value, known in rows
    )  # fmt: skip


def _versioned(decision: Decision, said: Target, key: str) -> Callable[[str | None], Decision]:
    def change(value: str | None) -> Decision:
        made = replace(said, **{key: value})
        return with_design(decision, target=None if made == Target() else made)

    return change


def _depth(text: str) -> int:
    number = text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER
    if not number or not 1 <= int(text) <= MOST_QUEUE_DEPTH:
        raise ValueError(f"queue depth {text[:LONGEST_NUMBER]}: expected a whole number from 1 to {MOST_QUEUE_DEPTH}")
    return int(text)
