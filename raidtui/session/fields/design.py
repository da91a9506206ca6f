"""Fields beside the layout: chunk, metadata, bitmap, stack, file system, names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from raidtui.predict.design import MEASURE, advised_chunk
from raidtui.predict.options import UNDECIDED, value_of, with_value
from raidtui.programs.names import check_mount_point, check_name
from raidtui.session.fields.field import Field, named, option_field, with_design
from raidtui.values.amounts import known_rate
from raidtui.values.choices import BITMAPS, PURPOSE_WORDS, PURPOSES
from raidtui.values.decision import Decision
from raidtui.values.options import ASSUMPTIONS, HOST, ROW, TARGET, TUNED, Option
from raidtui.values.speed import DiskSpeed, ask_words, parse_ask
from raidtui.values.target import TargetVersions
from raidtui.values.units import KIB, MIB, exact_binary, parse_binary_size

CHUNKS = tuple(4 * KIB << power for power in range(13))
"""4 KiB to 16 MiB: chunks offered by the arrow keys; any power of two from 4 KiB can be typed"""
_LARGEST_CHUNK = 1024 * MIB


def chunk_field(decision: Decision) -> Field:
    """The field of the chunk size."""
    value = decision.design.chunk_bytes
    layout = decision.design.layout
    advice = advised_chunk(decision.purpose)
    advised = exact_binary(advice.chunk_bytes)
    about = (
        f"{ROW.chunk.about} Advised for {PURPOSE_WORDS[decision.purpose]}: {advised}, because "
        f"{advice.reason}. To know instead: {MEASURE}."
    )
    if layout.plain and layout.arrays == 1:
        return Field(key="chunk", title="Chunk", shown="none", aside="disk", about="A disk without md has no chunk.")
    if layout.level == "raid1" and layout.arrays == 1:
        return Field(key="chunk", title="Chunk", shown="none", aside="mirror", about="A mirror has no chunk.")

    def read(text: str) -> Decision:
        size = parse_binary_size(text)
        if size & (size - 1) or not 4 * KIB <= size <= _LARGEST_CHUNK:
            raise ValueError(f"chunk {text.strip()}: expected a power of two from 4 KiB to 1 GiB")
        return with_design(decision, chunk_bytes=size)

    choices = tuple(sorted({*CHUNKS, value}))
    return Field(
        key="chunk", title="Chunk", shown=exact_binary(value), typed=exact_binary(value), about=about,
        aside="" if value == advice.chunk_bytes else f"{advised}?".replace(" ", ""),  # 7 cells at 80 columns
        choices=choices, at=choices.index(value),
        change=lambda size: with_design(decision, chunk_bytes=size), read=read, stop="larger chunks can be typed",
    )  # fmt: skip


def purpose_field(decision: Decision) -> Field:
    """The field of what the file system is for, which the advised chunk and the rates on top follow."""
    return named(
        "purpose", "Use", decision.purpose, PURPOSES, shown=PURPOSE_WORDS[decision.purpose],
        change=lambda value: replace(decision, purpose=value),
        about="What the file system is for. It does not change the design. The chunk that suits it is advised beside "
        "the chunk. If it makes random requests, the rates on top are for those.",
    )  # fmt: skip


def bitmap_field(decision: Decision) -> Field:
    """The field of the write-intent bitmap or partial parity log."""
    design = decision.design
    if design.layout.plain:
        return Field(key="bitmap", title="Bitmap", shown="none", aside="disk", about="Without md there is no bitmap.")
    if design.layout.level == "raid0":
        return Field(key="bitmap", title="Bitmap", shown="none", aside="raid0", about="RAID0 has nothing to resync.")
    choices = (*BITMAPS, "ppl") if design.layout.level == "raid5" else BITMAPS

    def change(value: Any) -> Decision:
        ppl = value == "ppl"
        changed = with_value(ROW.consistency_policy, decision, "ppl" if ppl else None)
        return with_value(ROW.bitmap, changed, "none" if ppl else value)

    return named(
        "bitmap", "Bitmap", "ppl" if design.ppl else design.bitmap, choices, change=change,
        about=ROW.bitmap.about,
    )  # fmt: skip


def stack_field(decision: Decision) -> Field:
    """The field that chooses how several arrays are joined."""
    about = ROW.stack.about
    if decision.design.layout.hybrid is not None:
        return Field(key="stack", title="Stack", shown="lvm", aside="linear", about=about)
    if decision.design.layout.arrays == 1:
        return Field(key="stack", title="Stack", shown="none", aside="one array", about=about)
    return option_field(decision, ROW.stack)


def plan_name_field(decision: Decision) -> Field:
    """The field of the base name."""
    return _checked(decision, ROW.name, check_name)


def mount_point_field(decision: Decision) -> Field:
    """The field of the mount point."""
    return _checked(decision, ROW.mount, check_mount_point)


def _checked(decision: Decision, option: Option, check: Callable[[str], None]) -> Field:
    """The field of a text that plans refuse unless it passes `check`."""

    def read(text: str) -> Decision:
        value = option.read(text)
        check(value)
        return with_value(option, decision, value)

    now = value_of(option, decision)
    return replace(option_field(decision, option), shown=now, typed=now, read=read)


# Fields of the options that few designs need: members, disks, mkfs, mount, alerts, host, versions of the target.


_FILE_SYSTEM = (ROW.mkfs, ROW.mount_options, ROW.benchmark_follows)
_PLAIN = (
    ROW.members, ROW.partition_size, ROW.leave, ROW.member_size, ROW.data_offset, ROW.bitmap_chunk, ROW.journal,
    ROW.read_ahead,
    *TUNED, ROW.io_scheduler, ROW.queue_depth, ROW.first_sync, *_FILE_SYSTEM, ROW.encrypt, ROW.key_file,
    ROW.passphrase, ROW.mail, ROW.alert_program,
)  # fmt: skip
_PAGE = (*_PLAIN, *HOST, *TARGET)
_UNSET = {option.key: value_of(option, UNDECIDED) for option in _PAGE}


def option_fields(decision: Decision, found: TargetVersions | None) -> tuple[Field, ...]:
    """All of them; `found` are the versions of the machine whose disks these are."""
    return (
        *(_no_file_system(decision, option) or option_field(decision, option) for option in _PLAIN),
        _host_field(decision),
        option_field(decision, ROW.initramfs),
        *(option_field(decision, option, otherwise=_found(found, option.key)) for option in TARGET),
    )


def options_line(decision: Decision) -> Field:
    """The line that opens the page of these fields."""
    changed = {option.key for option in _PAGE if value_of(option, decision) != _UNSET[option.key]}
    if changed & {"partition_size", "leave"}:  # they imply it
        changed.discard("members")
    count = len(changed - {"benchmark_follows"})
    return Field(
        key="options", title="Options", shown=f"{count} set" if count else "none set", opens="options",
        about="Members on partitions, data offset, read-ahead, I/O scheduler, queue depth, first sync. Options of "
        "mkfs and mount, alerts, host, versions of the target. Right or Enter opens them.",
    )  # fmt: skip


def _found(target: TargetVersions | None, program: str) -> str:
    known = getattr(target, program, None)
    return f"{known} found" if known else "not known"


def _no_file_system(decision: Decision, option: Option) -> Field | None:
    """The fixed field of an option that this file system does not have."""
    kind = decision.design.fs
    if kind == "none" and option in _FILE_SYSTEM:
        shown, about = "no fs", "Without a file system there is nothing to tell mkfs and mount."
    elif kind == "xfs" and option is ROW.benchmark_follows:
        shown, about = "none", "mkfs.xfs leaves nothing for later: a benchmark can follow at once."
    else:
        return None
    return Field(key=option.key, title=option.title, shown=shown, about=about)


def _host_field(decision: Decision) -> Field:
    def hosted(text: str) -> Decision:
        from raidtui.programs.names import valid_host  # not before one is typed

        host = text.strip()
        if host and not valid_host(host):
            raise ValueError(f"'{host}' is not a valid host name: use the one that `uname -n` prints on that machine")
        return replace(decision, homehost=host or None)

    return replace(option_field(decision, ROW.host), read=hosted)


# Fields of the model assumptions: disk speed, failure rates, replacement time, rebuild load.


def assumption_fields(decision: Decision, speed: DiskSpeed | None) -> tuple[Field, ...]:
    """A workload to ask for, then every assumption; `speed` is the known speed of the slowest disk."""
    known = f"{known_rate(speed.read_bytes_per_s)} {speed.source}" if speed else "unknown"
    here = f"Here: {speed.basis}." if speed else ""
    return (
        _workload(decision),
        *(
            option_field(decision, option, otherwise=known, here=here)
            if option.key == "disk_speed"
            else option_field(decision, option)
            for option in ASSUMPTIONS
        ),
    )


def assumptions_line(decision: Decision) -> Field:
    """The line that opens the page of the assumptions."""
    changed = sum(value_of(option, decision) != value_of(option, UNDECIDED) for option in ASSUMPTIONS)
    return Field(
        key="assumptions", title="Assumptions", shown=f"{changed} changed" if changed else "defaults",
        opens="assumptions",
        about="What the speed and risk models use, and a workload whose rate is asked. Right or Enter opens them.",
    )  # fmt: skip


def _workload(decision: Decision) -> Field:
    ask = decision.ask

    def read(text: str) -> Decision:
        return replace(decision, ask=parse_ask(text.strip()) if text.strip() else None)

    return Field(
        key="ask", title="Workload", shown=str(ask) if ask else "none asked", typed=ask_words(ask) if ask else "",
        read=read,
        about="A workload whose rate is shown first among the results: read,streams=8,size=128K,depth=1, or write, "
        "random. Empty: none.",
    )  # fmt: skip
