"""How the pieces of a plan are written as bash: the head with its tables, an action, a question."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from raidtui.model.paths import STATE_FOLDER
from raidtui.model.plan import Action, Command, Plan, PlanArray, PlanDisk, Reading, WriteFile
from raidtui.model.units import MIB
from raidtui.planner.array_labels import part_names
from raidtui.planner.compile.names import Names, begin_line, end_line
from raidtui.planner.compile.plain_disks import plain_marks
from raidtui.planner.compile.step_builder import group_text, in_groups
from raidtui.planner.compile.wipe_step import END_BYTES
from raidtui.planner.export.bash_functions import bash_text
from raidtui.planner.export.bash_loops import BashLine, BashPiece, Table, subject
from raidtui.planner.text.confirm import content_text, kinds, known_as
from raidtui.planner.text.shell_quote import ascii_text, comment, quote, wrapped
from raidtui.tools import identity, mdadm

_OWN_TOOLS = (
    "b2sum", "blockdev", "cat", "cmp", "cp", "cut", "dd", "df", "find", "flock", "grep", "head", "install", "lsblk",
    "mv", "readlink", "sed", "sort", "stat", "sync", "tail", "tr", "wc", "wipefs",
)  # fmt: skip


def head(
    plan: Plan,
    title: str,
    usage: str,
    limits: Sequence[str],
    way_back: str,
    argvs: Iterable[Sequence[str]],
    *,
    content: bool = True,
) -> str:
    """Everything before the functions: title, usage, limits, tables; with `content` the old content that is erased."""
    return "\n".join(
        (
            "#!/bin/bash",
            comment(f"{title} Made by raidtui for {plan.host}, plan {plan.name}, run {plan.run_id}."),
            comment(f"Digest of the plan: {plan.digest}."),
            "#",
            comment(usage),
            "# The tables of disks and arrays come first; then functions, the same in every script; then the steps.",
            "# Exit codes: 0 done, 1 refused, 2 wrong usage, 3 a command failed, 4 not as planned, 5 a lock is held.",
            "#",
            "# Limits of this script compared with raidtui itself:",
            *(comment(f"- {limit}").replace("\n# ", "\n#   ") for limit in limits),
            "",
            bash_text("settings"),
            f"readonly STATE={STATE_FOLDER}/{plan.run_id}",
            f"readonly DIGEST={quote(plan.digest)}",
            f"readonly BEGIN={quote(begin_line(plan.run_id, plan.name))}",
            f"readonly END={quote(end_line(plan.run_id))}",
            f"readonly WAY_BACK={quote(way_back)}",
            comment(
                f"The {len(plan.disks)} disks. Their content: the BLAKE2b fingerprint (128 bits) of the first and "
                "last MiB when the plan was made. blank: all zero; zeros: zero there, with content elsewhere."
            ),
            "# path|bytes|sector|world-wide name|serial|model|becomes|place|content"
            + ("|table GUID|partition GUIDs|names|sectors" if plan.design.on_partitions else ""),
            *_heredoc("TABLE", [_row(disk) for disk in plan.disks]),
            "# The arrays: name|UUID|UUID of the LVM physical volume on it|row of its first member (from 0)|members",
            *_heredoc("ARRAYS", [_array_row(plan, number) for number in range(_legs(plan))]),
            *_marks(plan),
            *(_content(plan) if content else ()),
            f"readonly ZEROS={_ZEROS} # the fingerprint of zeros",
            *_list("TOOLS", sorted({*_OWN_TOOLS, *(argv[0] for argv in argvs)})),
            "",
        )
    )


_ZEROS = hashlib.blake2b(bytes(2 * MIB), digest_size=16).hexdigest()


def tables(plan: Plan) -> dict[str, Table]:
    """The tables that the loops of the scripts iterate over; `row`, `array` and `some` of bash set their fields."""
    legs = plan.arrays[: _legs(plan)]
    marks = plain_marks(plan)
    of = {disk: array for array in legs for disk in (*array.members, *array.spares)}
    volumes = _volumes(plan)
    known = {disk.id: disk for disk in plan.disks}
    return {
        "disks": Table(
            every='for n in "${!DISKS[@]}"; do',
            some="for n in {{{first}..{last}}}; do",
            load='row "$n"',
            rows=tuple(
                {
                    "path": disk.path,
                    **_member_fields(disk, marks.get(disk.path), of.get(disk.id)),
                    "last": str(disk.size_bytes - END_BYTES),
                }
                for disk in plan.disks
            ),
        ),
        "groups": Table(
            every="for ((n = 0; n < ${#DISKS[@]}; n += 16)); do",
            some="for n in $(seq $(({first} * 16)) 16 $(({last} * 16))); do",
            load='some "$n"',
            rows=tuple(
                {
                    "some": group,
                    "which": group_text(group),
                    "bare": identity.tree_answer(group),
                }
                for group in in_groups([disk.path for disk in plan.disks])
            ),
        ),
        "arrays": Table(
            every='for n in "${!ARRAYS[@]}"; do',
            some="for n in {{{first}..{last}}}; do",
            load='array "$n"',
            rows=tuple(
                {
                    **_successive(array, known),
                    "array": array.name,
                    "device": array.device,
                    "uuid": array.uuid,
                    "volume": volumes.get(array.name, ""),
                }
                for array in legs
            ),
        ),
    }


def _member_fields(disk: PlanDisk, mark: str | None, array: PlanArray | None) -> dict[str, str]:
    """Fields of what is on a disk with one member; a disk with several has no single array, and only its table."""
    if mark is not None:
        return {"member": disk.path, "uuid": mark}
    assert array is not None
    if array.partition is not None:
        return {"table": disk.table.guid} if disk.table is not None else {}
    role = f"Active device {array.members.index(disk.id)}" if disk.id in array.members else "spare"
    return {
        "member": disk.members[0].path,
        **_table_fields(disk),
        "array": array.name,
        "device": array.device,
        "uuid": array.uuid,
        "role": role,
    }


def _successive(array: PlanArray, known: Mapping[str, PlanDisk]) -> dict[str, tuple[str, ...]]:
    """The members of an array that follow one another in the table of disks; those of a band need not."""
    if array.partition is not None:
        return {}
    return {"members": tuple(known[each].members[0].path for each in array.members)}


def action_pieces(actions: Sequence[Action], known: dict[str, Table], *, verb: str = "run") -> list[BashPiece]:
    """Actions as pieces; neighbours with the same condition share one `if`."""
    found: list[BashPiece] = []
    for condition, group in groupby(actions, lambda action: action.only_if if isinstance(action, Command) else None):
        lines: list[BashLine | str] = []
        words: list[str] = []
        for action in group:
            match action:
                case Command():
                    fed = ("feed", action.stdin) if action.stdin else ()
                    line = BashLine(words=(*fed, verb, *action.argv), indent=2 if condition else 0)
                    words = list(action.argv)
                    if condition is None:
                        found.append(_piece(words, (line,), known))
                    else:
                        device = action.devices[0] if action.devices else ""
                        if replace(action, only_if=None) == mdadm.zero_superblock(device):
                            lines.append(BashLine(words=("stop_leftover", device), indent=2))
                        lines.append(line)
                case WriteFile():
                    found.append(BashPiece(lines=(_file(action),)))
        if condition is not None:
            ask = BashLine(words=("is", *_asked(condition)), before="if ", after="; then")
            found.append(_piece([*words, *condition.question.argv], (ask, *lines, "fi"), known))
    return found


def reading_pieces(
    readings: Sequence[Reading], known: dict[str, Table], blocks: Mapping[Reading, str]
) -> list[BashPiece]:
    """Readings as pieces; several values of one output share one line. `blocks`: see `block_readings`."""
    found: list[BashPiece] = []
    for (argv, keyed), group in groupby(readings, lambda each: (each.question.argv, bool(each.key))):
        some = list(group)
        if some[0] in blocks:
            found += [BashPiece(lines=(f"has_block {quote(blocks[each])}",)) for each in some]
            continue
        if keyed and all(each.question.good_exits == (0,) for each in some):
            pairs = [word for each in some for word in (each.key, each.answer)]
            lines = [BashLine(words=("shows", *pairs, "--", *argv))]
        else:
            assert not keyed, "a value is only looked for where the exit code is 0"
            lines = [BashLine(words=("must", ascii_text(each.what), *_asked(each)[1:])) for each in some]
        found += [_piece(argv, (line,), known) for line in lines]
    return found


def block_readings(plan: Plan) -> dict[Reading, str]:
    """Readings of the plan's lines in a shared file, each with its path: `has_block` of bash checks the same."""
    begin, end = begin_line(plan.run_id, plan.name), end_line(plan.run_id)
    files = {
        identity.block_question(begin, end, action.path): action.path
        for step in plan.steps
        for action in step.actions
        if isinstance(action, WriteFile) and action.fenced
    }
    return {
        reading: files[reading.question.argv]
        for step in plan.steps
        for reading in step.after
        if reading.role == "lines"
    }


def _asked(reading: Reading) -> tuple[str, ...]:
    """KEY WANTED EXITS COMMAND..."""
    exits = ",".join(str(code) for code in reading.question.good_exits)
    return (reading.key, reading.answer, exits, *reading.question.argv)


def _piece(argv: Sequence[str], lines: tuple[BashLine | str, ...], known: dict[str, Table]) -> BashPiece:
    table, row = subject(argv, known)
    return BashPiece(table=table, row=row, lines=lines)


def _file(action: WriteFile) -> str:
    if action.fenced and not action.text:
        return f"drop_block {quote(action.path)}"
    verb = "put_block" if action.fenced else "put_file"
    place = " first" if action.first else ""
    return f"{verb} {quote(action.path)} {action.mode:04o}{place} <<'END_OF_TEXT'\n{action.text}\nEND_OF_TEXT"


def _row(disk: PlanDisk) -> str:
    fields = (
        disk.path,
        str(disk.size_bytes),
        str(disk.logical_sector_bytes),
        *(_field(identity.pair_value(text or "")) for text in (disk.wwn, disk.serial, disk.model)),
        disk.role,
        _field(ascii_text(disk.place.text)),
        disk.fingerprint or ("zeros" if disk.content else "blank"),
        *_table_fields(disk).values(),
    )
    return "|".join(fields)


def _table_fields(disk: PlanDisk) -> dict[str, str]:
    """Fields of the partition table of a disk, by the names that `row` of bash gives them; none without a table."""
    table = disk.table
    if table is None:
        return {}
    entries = table.entries
    return {
        "table": table.guid,
        "guid": " ".join(entry.partition_guid for entry in entries),
        "label": " ".join(entry.name for entry in entries),
        "span": " ".join(str(entry.size_bytes // disk.logical_sector_bytes) for entry in entries),
    }


def _array_row(plan: Plan, number: int) -> str:
    array = plan.arrays[number]
    if array.partition is not None:
        return f"{array.name}|{array.uuid}|{_volumes(plan).get(array.name, '')}||"
    order = [disk.id for disk in plan.disks]
    first = order.index(array.members[0])
    assert tuple(order[first : first + len(array.members)]) == array.members
    return f"{array.name}|{array.uuid}|{_volumes(plan).get(array.name, '')}|{first}|{len(array.members)}"


def _volumes(plan: Plan) -> dict[str, str]:
    """UUID of the LVM physical volume of each array; none without LVM."""
    if plan.prediction.volume is None or plan.prediction.volume.kind != "lvm":
        return {}
    return {array.name: minted(plan).volume_uuid(array.name) for array in plan.arrays}


def minted(plan: Plan) -> Names:
    """The names and UUIDs of a plan."""
    return Names(
        run_id=plan.run_id,
        name=plan.name,
        host=plan.host,
        arrays=part_names(plan.name, plan.design.layout.arrays),
        mount_points=tuple(made.mount_point for made in plan.filesystems),
        outer=plan.name,
    )


def _legs(plan: Plan) -> int:
    """Number of arrays whose members are disks; 0 without md."""
    return 0 if plan.design.layout.plain else len(plan.prediction.arrays)


def _marks(plan: Plan) -> list[str]:
    """bash table of the UUIDs that a plan without md writes on its disks, by row of the table of disks."""
    rows = [f"  [{number}]={uuid}" for number, uuid in enumerate(plain_marks(plan).values())]
    if not rows:
        return ["readonly MARKS=()"]
    return [
        "# The UUID that the plan writes on each disk: of its file system or LVM volume.",
        "readonly MARKS=(",
        *rows,
        ")",
    ]


def _content(plan: Plan) -> list[str]:
    """bash constants: old content of disks that were not blank, by row of the table."""
    held = [(number, disk) for number, disk in enumerate(plan.disks) if disk.content]
    if not held:
        return ["readonly CONTENT=() KINDS=() NAMES=() PARTS=() # all disks were blank"]
    lines = [
        "# Content of the disks when the plan was made, by row of the table: description, kinds, the name that accepts",
        "# its loss, and the output of lsblk for each partition.",
    ]
    for name, text in (
        ("CONTENT", content_text),
        ("KINDS", lambda disk: " ".join(kinds(disk))),
        ("NAMES", known_as),
        ("PARTS", _partitions),
    ):
        texts = [(number, text(disk)) for number, disk in held]
        rows = [f"  [{number}]={quote(ascii_lines(words))}" for number, words in texts if words]
        lines += [f"readonly {name}=(", *rows, ")"] if rows else [f"readonly {name}=()"]
    return lines


def _partitions(disk: PlanDisk) -> str:
    """Lines `1: ext4 LABEL UUID`, in the form in which the bash functions write the output of lsblk."""
    return "".join(f"{part.number}: {identity.pair_value(part.holds)}\n" for part in disk.partitions)


def ascii_lines(text: str) -> str:
    """Printable ASCII, line ends kept."""
    return "\n".join(ascii_text(line) for line in text.split("\n"))


def _field(text: str) -> str:
    return text.replace("|", "\\x7c")


def _heredoc(name: str, rows: Sequence[str]) -> list[str]:
    return [f"mapfile -t {name} <<'END_OF_TABLE'", *rows, "END_OF_TABLE", f"readonly {name}"]


def _list(name: str, words: Sequence[str]) -> list[str]:
    return [wrapped([quote(word) for word in words], before=f"readonly {name}=(", after=")", width=118)]
