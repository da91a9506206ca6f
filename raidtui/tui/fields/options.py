"""Fields of the options that few designs need: members, disks, mkfs, mount, alerts, host, versions of the target."""

from __future__ import annotations

from dataclasses import replace

from raidtui.model.decision import Decision
from raidtui.model.options.design import HOST, TARGET, TUNED
from raidtui.model.options.option import Option
from raidtui.model.options.table import ROW
from raidtui.model.target import TargetVersions
from raidtui.planner.design.options import UNDECIDED, value_of
from raidtui.tui.fields.field import Field
from raidtui.tui.fields.option_field import option_field

_FILE_SYSTEM = (ROW.mkfs, ROW.mount_options, ROW.benchmark_follows)
_PLAIN = (
    ROW.members, ROW.partition_size, ROW.member_size, ROW.data_offset, ROW.bitmap_chunk, ROW.read_ahead,
    *TUNED, ROW.io_scheduler, ROW.queue_depth, ROW.first_sync, *_FILE_SYSTEM, ROW.mail, ROW.alert_program,
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
    count = len(changed - {"benchmark_follows"}) - ({"members", "partition_size"} <= changed)
    return Field(
        key="options", title="Options", shown=f"{count} set" if count else "none set", opens="options",
        about="Members on partitions, data offset, read-ahead, I/O scheduler, queue depth, first sync, options of mkfs "
        "and mount, alerts, host, versions of the target. Right or Enter opens them.",
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
        from raidtui.planner.compile.names import valid_host  # not before one is typed

        host = text.strip()
        if host and not valid_host(host):
            raise ValueError(f"'{host}' is not a valid host name: use the one that `uname -n` prints on that machine")
        return replace(decision, homehost=host or None)

    return replace(option_field(decision, ROW.host), read=hosted)
