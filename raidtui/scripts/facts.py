"""What both scripts of a plan begin with: its disks, arrays and names, as values and as variables of bash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import PurePosixPath
from typing import Literal

from raidtui import __version__
from raidtui.programs import identity, mdadm, sfdisk
from raidtui.programs.names import Names, crypt_name, device_of
from raidtui.programs.shell_quote import ascii_text, comment, quote, wrapped
from raidtui.steps.array_steps import mirror_request, requested
from raidtui.steps.boot_steps import ManagedBlock, blocks_of
from raidtui.values.blocks import BlockTone, Cell, Grid, cells
from raidtui.values.members import part_names
from raidtui.values.paths import BY_ID_LINKS, LOCK_FILE, STATE_FOLDER
from raidtui.values.plan import MAPPED, RISK_WORDS, Plan, PlanArray, PlanDisk, Risk, Stage, WriteFile, journal_mirrors
from raidtui.values.prediction import ArrayGeometry, LvmGeometry

# A script as a list to read: a head, tables, functions, and numbered parts; its lines are made here once for all.
# The exported file, the text of a plan and screen 4 show the same lines.


WIDTH = 120
LineKind = Literal["comment", "code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is done for one purpose, and why."""

    title: str
    reason: str = ""
    """sentences: why it is done, and why in this way"""
    lines: tuple[str, ...]
    """bash; a command may go over several lines"""
    erases: int = 0
    """disks whose content is gone after it"""
    writes: bool = True
    """False where it only reads"""

    @property
    def risk(self) -> Risk:
        """How much it can hurt."""
        return "erase" if self.erases else "write" if self.writes else "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLine:
    """A line of a script."""

    text: str
    kind: LineKind
    part: int
    """number of its part, from 1; 0: what stands before the first"""
    goes_on: bool = False
    """True of a line of a comment that goes on with the sentence of the line before"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A whole script."""

    file: str
    """name of its file"""
    refusal: str = ""
    """why it ends at its first line; empty where it runs"""
    head: tuple[str, ...]
    """paragraphs: what it does; below its calls, how and what it does not guard against"""
    usage: tuple[tuple[str, str], ...]
    """arguments of each call, and what it does"""
    tables: tuple[str, ...]
    """disks and arrays, as bash variables with comments"""
    functions: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The file."""
        return "".join(f"{line.text}\n" for line in self.lines)

    @property
    def lines(self) -> tuple[ScriptLine, ...]:
        """Its lines, in order."""
        return tuple(self._lines())

    def _lines(self) -> Iterator[ScriptLine]:
        yield from _of(("#!/bin/bash",), 0)
        if self.refusal:
            stop = f"echo {quote(f'STOPPED: {self.refusal}')} >&2; exit 1"
            yield from _of(("# shellcheck disable=SC2317,SC2329 # nothing below the next line runs", stop), 0)
        calls = [f"bash {self.file} {words}".rstrip() for words, _ in self.usage]
        longest = max(map(len, calls))
        usage = [f"#   {call:<{longest}}   {what}" for call, (_, what) in zip(calls, self.usage, strict=True)]
        first, *others = self.head
        yield from _of((comment(first), *usage, *map(comment, others), *_SETTINGS), 0)
        yield from _of((*self.tables, *self.functions), 0)
        for number, part in enumerate(self.parts, start=1):
            yield from _of((comment(f"---- {number}. {part.title}. {part.reason}".rstrip()), *part.lines), number)


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of a script, or its head."""

    script: Script
    number: int
    """of the part, from 1; 0: the head of the script, with its disks"""

    @property
    def key(self) -> str:
        """Its name among the rows of all scripts."""
        return f"{self.script.file} {self.number}"

    @property
    def part(self) -> Part | None:
        """The part; None for the head."""
        return self.script.parts[self.number - 1] if self.number else None

    @property
    def title(self) -> str:
        """What it does."""
        return "Disks and functions" if self.part is None else self.part.title


_RISK_TONES: dict[Risk, BlockTone] = {"none": "good", "write": "warn", "erase": "bad"}


def parts_table(rows: Sequence[PartRow]) -> Grid:
    """Script, number, title, risk and disks erased of each part."""
    return Grid(
        columns=("script", "#", "part", "risk"), rows=tuple(map(_part_cells, rows)), right=frozenset({1}),
        keys=tuple(row.key for row in rows),
    )  # fmt: skip


def _part_cells(row: PartRow) -> tuple[Cell, ...]:
    risk: Risk = "none" if row.part is None else row.part.risk
    erases = f" {row.part.erases}" if row.part is not None and row.part.erases else ""
    return (
        *cells("" if row.number else row.script.file, str(row.number or ""), row.title),
        Cell(text=f"{RISK_WORDS[risk]}{erases}", tone=_RISK_TONES[risk], signed=True),
    )


_SETTINGS = (
    "set -euo pipefail; shopt -s inherit_errexit; umask 022",
    "export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1",
)


def _of(texts: Iterable[str], part: int) -> Iterator[ScriptLine]:
    for text in texts:
        for number, line in enumerate(text.split("\n")):
            comment_line = line.lstrip().startswith("#")
            yield ScriptLine(
                text=line,
                kind="comment" if comment_line else "code",
                part=part,
                goes_on=number > 0 and text.startswith("#") and comment_line,
            )


def shell(argv: Sequence[str], *, before: str = "") -> str:
    """A call as bash, with bash `before` it; a word with a `$` is a variable, or has one in it."""
    words = [word(each) for each in argv]
    return wrapped([f"{before}{words[0]}", *words[1:]], width=WIDTH - 4, indent="  ")


def word(text: str) -> str:
    """A word of bash; one with a `$` is a variable, or has one in it."""
    return f'"{text}"' if "$" in text else quote(text)


def indented(lines: Iterable[str]) -> Iterator[str]:
    """Lines two blanks further in."""
    for text in lines:
        yield "\n".join(f"  {line}" for line in text.split("\n"))


def heredoc(call: str, text: str) -> str:
    """A call that gets `text` on its standard input, as it is."""
    return f"{call} <<'END'\n{text}\nEND"


ONE_FILE = f"raidtui-{__version__}.run"
"""raidtui as one file (topic install)"""
SIMULATED = "the disks of this plan are simulated: a script to read, for disks that no machine has"
BLANK, ZEROS = "blank", "zeros"
"""words in the table of disks: zero at both ends; the same, with content between"""
LINK_FOLDER = "/dev/disk/"
UNTRACED = "{ set +x; } 2>/dev/null"
"""ends the display of commands"""

NODE = 'queue=$(readlink -f "$disk"); queue=/sys/class/block/${queue##*/}/queue'
"""sets the variable `queue` to the directory of a disk's queue settings"""

STOP_AND_IS = (
    'stop() { echo "STOPPED: $*" >&2; exit 1; }',
    "is() { # is WANTED COMMAND...: stops unless the command succeeds and prints WANTED, with a blank for a line end",
    "  local got code=0; got=$(\"${@:2}\" | tr -s '[:space:]' ' ') || code=$?; got=${got# }; got=${got% }",
    "  [[ $code$got == \"0${1% }\" ]] || stop \"expected '$1', found '$got' (exit code $code): ${*:2}\"",
    "}",
)


@dataclass(frozen=True, slots=True)
class AlikeArrays:
    """Arrays that follow one another and are alike."""

    names: tuple[str, ...]
    geometry: ArrayGeometry
    ask: mdadm.Create
    """what is asked of mdadm for each, without what differs"""


@dataclass(frozen=True)
class ScriptFacts:
    """A plan as its scripts see it."""

    plan: Plan

    @cached_property
    def names(self) -> Names:
        """Its names and UUIDs."""
        plan = self.plan
        return Names(
            run_id=plan.run_id,
            name=plan.name,
            host=plan.host,
            arrays=part_names(plan.name, plan.design.layout.arrays),
            mount_points=tuple(made.mount_point for made in plan.filesystems),
            outer=plan.name,
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of its arrays whose members are disks, without md of its disks."""
        return self.names.arrays

    @property
    def plain(self) -> bool:
        """True without md."""
        return self.plan.design.layout.plain

    @property
    def arrays(self) -> tuple[PlanArray, ...]:
        """The arrays whose members are disks; none without md."""
        return self.plan.data_arrays

    @property
    def mirrors(self) -> tuple[PlanArray, ...]:
        """The mirrors that carry their write journals."""
        return journal_mirrors(self.plan.arrays)

    @property
    def on_disks(self) -> tuple[PlanArray, ...]:
        """Both."""
        return (*self.arrays, *self.mirrors)

    @property
    def outer(self) -> PlanArray | None:
        """The RAID0 over the arrays."""
        return self.plan.outer

    @property
    def lvm(self) -> LvmGeometry | None:
        """The LVM volume over the arrays, or over the disks."""
        volume = self.plan.prediction.volume
        return volume if isinstance(volume, LvmGeometry) else None

    @property
    def content(self) -> bool:
        """True if a disk was not blank when the plan was made."""
        return any(disk.content for disk in self.plan.disks)

    @property
    def tail(self) -> str:
        """The end of the digest, which is typed to begin."""
        return self.plan.digest[-8:]

    @property
    def log_folder(self) -> str:
        """Where scripts and raidtui keep the log of the plan."""
        return f"{STATE_FOLDER}/{self.plan.run_id}"

    @property
    def blocks(self) -> tuple[ManagedBlock, ...]:
        """Its lines in files of others."""
        return blocks_of(self.plan)

    @property
    def files(self) -> tuple[WriteFile, ...]:
        """The files that are its alone."""
        actions = (action for step in self.plan.steps for action in step.actions if isinstance(action, WriteFile))
        return tuple(action for action in actions if not action.fenced)

    @property
    def mount_parents(self) -> tuple[str, ...]:
        """The directories in which its mount points are."""
        return tuple(str(PurePosixPath(made.mount_point).parent) for made in self.plan.filesystems)

    @property
    def joined(self) -> str:
        """The variable with the devices that LVM joins: the arrays, the disks, or what is opened on the arrays."""
        return "${OPENED[@]}" if self.plan.design.encrypts_arrays else "${DEVICES[@]}"

    def physical(self, array: str) -> str:
        """Path of the physical volume on the array with this name, which may be a variable or a pattern of names."""
        return f"{MAPPED}{crypt_name(array)}" if self.plan.design.encrypts_arrays else device_of(array)

    def uuid(self, name: str) -> str:
        """UUID of the array with this name, which may be the variable `array`."""
        return next((array.uuid for array in self.on_disks if array.name == name), "${UUID[$array]}")

    # Tables.

    @property
    def folder(self) -> str:
        """The folder of the links in the table of disks."""
        by_id = all(disk.path.startswith(BY_ID_LINKS) for disk in self.plan.disks)
        return BY_ID_LINKS if by_id else LINK_FOLDER

    def link(self, disk: PlanDisk) -> str:
        """Its link, as the table has it."""
        return disk.path.removeprefix(self.folder)

    def disk_table(self, heading: str = "", more: Mapping[str, str] | None = None) -> Iterator[str]:
        """The disks, one a line; `more`: one more column, by path, with its heading."""
        roles = self.roles()
        rows = [
            (
                *roles[disk.id], self.link(disk), str(disk.size_bytes), str(disk.logical_sector_bytes), _serial(disk),
                *((more[disk.path],) if more else ()), ascii_text(disk.place.text),
            )
            for disk in self.plan.disks
        ]  # fmt: skip
        other = f"{heading}  " if more else ""
        yield f"# array  member  link in {self.folder}  bytes  sector  serial number  {other}place"
        yield table("DISKS", rows)

    @property
    def ends(self) -> Mapping[str, str]:
        """Path of each disk to what was at its ends; empty where all were blank."""
        ends = {disk.path: disk.fingerprint or (ZEROS if disk.content else BLANK) for disk in self.plan.disks}
        return ends if self.content else {}

    def roles(self) -> dict[str, tuple[str, str]]:
        """Identity of each disk to its arrays, and what it is there: number of a member, spare, journal."""
        if self.plain:
            return {disk.id: (part, "-") for disk, part in zip(self.plan.disks, self.parts, strict=True)}
        found: dict[str, tuple[str, str]] = {}
        for array in self.on_disks:
            numbered = [(disk, str(number)) for number, disk in enumerate(array.members)]
            numbered += [(spare, "spare") for spare in array.spares]
            for disk, role in (*numbered, *([(array.journal, "journal")] if array.journal is not None else ())):
                found[disk] = (f"{found[disk][0]},{array.name}" if disk in found else array.name, role)
        return found

    def identity_lines(self, *, nothing_on_it: bool) -> Iterator[str]:
        """Lines of a loop over the disks that prove each the planned one, unless it may have something on it unused."""
        kind, serial = "disk", "$serial"
        if any(disk.is_map for disk in self.plan.disks):
            yield "  kind=disk; [[ $link != *dm-uuid-mpath-* ]] || kind=mpath"
            kind = "$kind"
        if any(_serial(disk) == "-" for disk in self.plan.disks):
            serial = "${serial#-}"
        asked = (
            "-brno TYPE,SIZE,LOG-SEC,RO,SERIAL,FSTYPE,MOUNTPOINT"
            if nothing_on_it
            else "-bdrno TYPE,SIZE,LOG-SEC,RO,SERIAL"
        )
        question = f'is "{kind} $bytes $sector 0 {serial}" lsblk {asked} "$disk"'
        yield from (
            (f"  disk={self.folder}$link", f"  {question}")
            if nothing_on_it
            else (f"  disk={self.folder}$link; {question}",)
        )

    def variables(self, *, volumes: bool) -> Iterator[str]:
        """Names of several arrays, or of disks without md, and their UUIDs; `volumes`: with those of LVM on them."""
        if len(self.parts) == 1 and not self.mirrors:
            return
        if self.arrays:
            if len(self.parts) > 1:
                names = f"{self.plan.name}-{{0..{len(self.parts) - 1}}}"
                yield f"readonly ARRAYS=({names}) DEVICES=(/dev/md/{names})"
            yield mapping("UUID", {array.name: array.uuid for array in self.on_disks})
        if self.plan.design.encrypts_arrays and volumes:
            yield f"readonly OPENED=({self.physical(names)})"
        if self.lvm and volumes:
            yield mapping("PV", {name: self.names.volume_uuid(name) for name in self.parts})

    @property
    def member_table(self) -> str:
        """The table whose rows are members of arrays."""
        return "PARTITIONS" if self.plan.design.on_partitions else "DISKS"

    def partitions(self) -> Iterator[tuple[str, ...]]:
        """Rows of the table of partitions: for each array its members in order, then its spares."""
        known = {disk.id: disk for disk in self.plan.disks}
        for array in self.arrays:
            numbered = [(disk, str(number)) for number, disk in enumerate(array.members)]
            for identity_of, role in (*numbered, *((spare, "spare") for spare in array.spares)):
                disk, number = known[identity_of], array.partition or 1
                assert disk.table is not None
                made = sfdisk.planned(disk, disk.table)
                entry = made.entries[number - 1]
                yield (
                    array.name, role, self.link(disk), str(number), str(disk.logical_sector_bytes),
                    str(entry.start_sectors), str(entry.size_sectors), entry.guid, entry.name, made.guid,
                )  # fmt: skip

    @property
    def single_journals(self) -> bool:
        """True if the write journal of each array is on one disk."""
        return self.plan.design.journal_disks > 0 and not self.mirrors

    def disks_function(self) -> str:
        """The function that prints the members of an array, with a 1 behind its name the spares, 2 the journal."""
        path = f'"{self.folder}" $3' + (' "-part" $4' if self.plan.design.on_partitions else "")
        kind = '($2 == "spare")' + (' + 2 * ($2 == "journal")' if self.single_journals else "")
        words = f"""'$1 == a && {kind} == s {{ print {path} }}' <<<"${self.member_table}\""""
        return f'disks() {{ awk -v a="$1" -v s="${{2-0}}" {words}; }}'

    @property
    def stages(self) -> frozenset[Stage]:
        """The kinds of steps that it has."""
        return frozenset(step.stage for step in self.plan.steps)

    # Loops.

    @property
    def several_file_systems(self) -> bool:
        """True where lines about file systems are loops."""
        return len(self.plan.filesystems) > 1

    @cached_property
    def shapes(self) -> tuple[AlikeArrays, ...]:
        """The arrays whose members are disks, those that follow one another and are alike in one; none without md."""
        plan = self.plan
        paired = zip(self.arrays, plan.prediction.arrays, strict=False)
        return _alike(
            (geometry, requested(plan.design, plan.disks, array, geometry, host=plan.host), array.name)
            for array, geometry in paired
        )

    @cached_property
    def mirror_shapes(self) -> tuple[AlikeArrays, ...]:
        """The same of the mirrors that carry write journals."""
        plan = self.plan
        paired = zip(self.mirrors, plan.prediction.journals or (), strict=True)
        return _alike(
            (geometry, mirror_request(plan.disks, mirror, geometry, host=plan.host), mirror.name)
            for mirror, geometry in paired
        )

    def each_array(self, lines: Callable[[str, AlikeArrays], Iterable[str]], *, mirrors: bool = False) -> Iterator[str]:
        """Lines about each array, or mirror that carries a write journal, as a loop over those that are alike."""
        for shape in self.mirror_shapes if mirrors else self.shapes:
            if len(shape.names) == 1:
                yield from lines(shape.names[0], shape)
            else:
                yield from self.loop(shape.names, list(lines("$array", shape)))

    def over(self, names: tuple[str, ...]) -> str:
        """The words of a loop over arrays."""
        return '"${ARRAYS[@]}"' if names == self.parts else " ".join(names)

    def loop(self, names: tuple[str, ...], lines: Sequence[str]) -> Iterator[str]:
        """A loop over arrays, on one line where it has room."""
        over = self.over(names)
        short = f"for array in {over}; do {lines[0]}; done"
        if len(lines) == 1 and "\n" not in lines[0] and len(short) <= WIDTH + 5:
            yield short
        else:
            yield from (*loop_head("array", [over]), *indented(lines), "done")

    def each_file_system(self, lines: Callable[[str, str, str], Iterable[str]]) -> Iterator[str]:
        """Lines about UUID, device and mount point of each file system, as a loop where there are several."""
        if self.several_file_systems:
            yield "while read -ru3 uuid device place; do"
            yield from indented(lines("$uuid", "$device", "$place"))
            yield 'done 3<<<"${FILE_SYSTEMS:1}"'
        for made in self.plan.filesystems[:1] if not self.several_file_systems else ():
            yield from lines(made.uuid, made.device, made.mount_point)

    # Lines at the beginning.

    def beginning(self, files: Iterable[str]) -> tuple[str, ...]:
        """Lines that check who runs the script and where, take the lock, and look at all paths that are written."""
        plan = self.plan
        machine = () if plan.machine_id is None else (shell(("is", plan.machine_id, "cat", "/etc/machine-id")),)
        busy = "stop 'raidtui, or another of its scripts, is running'"
        return (
            "[[ $EUID -eq 0 && ! -e /run/systemd/container ]] || stop 'run this as root, not in a container'",
            f'exec {{lock}}>>{LOCK_FILE}; flock --nonblock "$lock" || {busy}',
            shell(("is", plan.host, *identity.host_question())),
            *machine,
            f"others=$(find {' '.join(_with_parents(files))} -maxdepth 0 \\",
            "  '!' -type f '!' -type d -o '!' -user root -o -perm /022 2>/dev/null) || : # some are not there yet",
            '[[ -z $others ]] || stop "not a file or directory that root alone can change: $others"',
        )

    def begun(self, way_back: str) -> tuple[str, ...]:
        """Lines that begin the log, where the rest is shown."""
        log = f"{self.log_folder}/log"
        return (
            f"install --directory --mode=0700 {STATE_FOLDER} {self.log_folder}",
            f"exec </dev/null > >(tee --append {log} || true) 2>&1; tee=$! # no program can ask",
            f"trap '((! $?)) || echo \"STOPPED. {way_back} Log: {STATE_FOLDER}\"; exec >&- 2>&-; wait $tee' EXIT",
            "PS4='$ '; set -x # each command is shown before it runs",
        )


def _alike(asked: Iterable[tuple[ArrayGeometry, mdadm.Create, str]]) -> tuple[AlikeArrays, ...]:
    """Arrays, by geometry, what is asked of mdadm, and name; those that follow one another and are alike in one."""
    alike = (
        (
            geometry,
            replace(ask, device="", name=None, uuid="", members=("",) * len(ask.members), journal=ask.journal and ""),
            name,
        )
        for geometry, ask, name in asked
    )
    return tuple(
        AlikeArrays(tuple(name for _, _, name in run), geometry, ask)
        for (geometry, ask), run in groupby(alike, key=lambda each: each[:2])
    )


def _serial(disk: PlanDisk) -> str:
    """As lsblk prints it; it prints none of a multipath map."""
    return identity.raw_value(disk.serial) if disk.serial and not disk.is_map else "-"


def table(name: str, rows: Sequence[Sequence[str]]) -> str:
    """A variable with a line for each row; its first line is empty."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    text = "\n".join(["", *lines])
    return f"readonly {name}={quote(text)}"


def mapping(name: str, values: Mapping[str, str]) -> str:
    """An associative array."""
    first, *words = (f"[{key}]={quote(value)}" for key, value in values.items())
    return wrapped([f"declare -rA {name}=({first}", *words], width=WIDTH - 2, indent="  ").replace(" \\\n", "\n") + ")"


def loop_head(name: str, values: Sequence[str]) -> Iterator[str]:
    """`for name in values; do`, over several lines where it is long."""
    yield wrapped([f"for {name} in", *values], width=WIDTH - 5, indent="  ") + "; do"


def _with_parents(files: Iterable[str]) -> list[str]:
    """The paths and all directories above them, with the braces of bash."""
    below: dict[str, set[str]] = {}
    for file in files:
        path = PurePosixPath(file)
        for each in (path, *path.parents)[:-1]:
            below.setdefault(str(each.parent), set()).add(str(each))

    def written(path: str) -> str:
        name = path.removeprefix(str(PurePosixPath(path).parent).rstrip("/"))
        inner = sorted(map(written, below.get(path, ())))
        return f"{name}{{{','.join(['', *inner])}}}" if inner else name

    return ["/", *sorted(map(written, below["/"]))]
