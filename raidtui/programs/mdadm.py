"""mdadm: commands that create, query and stop arrays, and lines of mdadm.conf (mdadm 4.2 to 4.6, mdadm(8)).

--force is never used, --assume-clean only for trials, whose content is discarded. Programs run with stdin closed, so
that mdadm's own question about old content is answered "no".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.values.design import NOBODY, Alert
from raidtui.values.layout import Level
from raidtui.values.plan import Command
from raidtui.values.units import KIB, SECTOR

SENDMAIL = "/usr/sbin/sendmail"
"""what the monitor hands its mails to (mdadm's Makefile, Debian's and Fedora's packages)"""
CONFIGURATIONS = ("/etc/mdadm/mdadm.conf", "/etc/mdadm.conf")
"""where distributions have mdadm.conf"""
_DEVICE = re.compile(r"/dev/(?!\.)[\w:-]+(?:[./][\w:-]+)*", re.ASCII)
_MONITOR = re.compile(r"(?:[^\0]*/)?mdadm\0(?:.*\0)?(?:--monitor|--follow|-F)\0", re.DOTALL)
"""command line of a monitor"""
_ALERTED = re.compile(r"\0(?:--(mail|program|alert)[=\0]|-([mp])\0?)(?=[^\0])")
"""where a monitor sends its alerts (mdadm(8), For Monitor mode)"""
_LAYOUT_WORDS = {"n": "near", "f": "far", "o": "offset"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """All options of `mdadm --create`, so that no version's default matters."""

    device: str
    """path under /dev/md"""
    name: str | None
    """None: the last part of `device`, which mdadm takes by itself"""
    homehost: str
    uuid: str
    level: Level
    metadata: str
    members: tuple[str, ...]
    """device paths, in order"""
    chunk_bytes: int | None = None
    layout: str | None = None
    bitmap: Literal["internal", "none"] | None = None
    """None where the level or the policy has no bitmap to speak of"""
    bitmap_chunk_bytes: int | None = None
    """None: mdadm's own"""
    ppl: bool = False
    journal: str | None = None
    """path of the device that becomes its write journal; None: it has none"""
    size_bytes: int | None = None
    """component; None lets RAID0 use each member whole"""
    data_offset_bytes: int | None = None
    """None: mdadm's own"""
    accept_sizes: bool = False
    """adds --run: only where members of unequal size were accepted and all were just proven blank"""
    assume_clean: bool = False
    """adds --assume-clean, no first sync: only for a trial, whose content is thrown away"""


def create(ask: Create) -> Command:
    """`mdadm --create`. Sizes in KiB, as mdadm counts."""
    all_of_it = (*ask.members, *(() if ask.journal is None else (ask.journal,)))
    return Command(
        argv=create_argv(ask, ask.members), effect="destroy", devices=(ask.device, *all_of_it), makes=ask.device,
        members=all_of_it, without_sync=ask.assume_clean,
    )  # fmt: skip


def create_argv(ask: Create, members: Sequence[str]) -> tuple[str, ...]:
    """The call, with its members as they are written in it."""
    argv = ["mdadm", "--create", ask.device, *(() if ask.name is None else (f"--name={ask.name}",))]
    argv += [f"--homehost={ask.homehost}", f"--uuid={ask.uuid}"]
    argv += [f"--metadata={ask.metadata}", f"--level={ask.level.removeprefix('raid')}"]
    argv += [f"--raid-devices={len(ask.members)}", *value_options(ask)]
    if ask.assume_clean:
        argv.append("--assume-clean")
    if ask.accept_sizes:
        argv.append("--run")
    # behind the members: mdadm takes words in their order, and the data offset of all follows from the first device
    journal = () if ask.journal is None else ("--write-journal", ask.journal)
    return (*argv, *members, *journal)


def value_options(ask: Create) -> tuple[str, ...]:
    """The options of `create` that state values of which mdadm has defaults, metadata excepted; sizes in KiB."""
    values = (
        ("layout", ask.layout),
        ("chunk", _kib(ask.chunk_bytes)),
        ("size", None if ask.size_bytes is None else str(ask.size_bytes // KIB)),
        ("data-offset", _kib(ask.data_offset_bytes)),
        ("bitmap", ask.bitmap),
        ("bitmap-chunk", _kib(ask.bitmap_chunk_bytes)),
        ("consistency-policy", "ppl" if ask.ppl else None),
    )
    return tuple(f"--{name}={value}" for name, value in values if value is not None)


def _kib(count: int | None) -> str | None:
    return None if count is None else f"{count // KIB}K"


def add_spare(device: str, disk: str, *, failfast: bool = False) -> Command:
    """Adds `disk` as a spare and nothing else: no attempt to take it for a member that comes back.

    There is no `write_mostly`: with --write-mostly mdadm writes a superblock that md takes for that of a faulty device
    (super1.c, add_to_super1, of 4.2 and later)."""
    argv = (*add_spare_argv(device), *(("--failfast",) if failfast else ()), disk)
    return Command(argv=argv, effect="change", devices=(device, disk), members=(disk,), joins=device)


def add_spare_argv(device: str) -> tuple[str, ...]:
    """The call, but for the disks to add."""
    return ("mdadm", "--manage", device, "--add-spare")


def add_journal(device: str, disk: str) -> Command:
    """Makes `disk` the write journal of an array that lost its own and is read-only; the array is writable then."""
    argv = ("mdadm", "--manage", device, "--add-journal", disk)
    return Command(argv=argv, effect="change", devices=(device, disk), members=(disk,), joins=device)


def set_policy(device: str, policy: Literal["resync", "ppl"]) -> Command:
    """Gives a RAID5 a partial parity log, or takes it away: md resizes and reshapes none that has one."""
    argv = ("mdadm", "--grow", device, f"--consistency-policy={policy}")
    return Command(argv=argv, effect="change", devices=(device,))


def fail(device: str, disk: str) -> Command:
    """Marks a member as failed; the rebuild onto a spare starts at once."""
    return Command(argv=("mdadm", "--manage", device, "--fail", disk), effect="change", devices=(device, disk))


def remove(device: str, disk: str) -> Command:
    """Takes a failed member or a spare out of the array."""
    return Command(argv=("mdadm", "--manage", device, "--remove", disk), effect="change", devices=(device, disk))


def replace(device: str, old: str, new: str) -> Command:
    """Has the spare `new` take the place of the member `old`, which works until then and counts as failed after."""
    argv = ("mdadm", "--manage", device, "--replace", old, "--with", new)
    return Command(argv=argv, effect="change", devices=(device, old, new))


def set_bitmap(device: str, kind: Literal["internal", "none"], chunk_bytes: int | None = None) -> Command:
    """Adds a write-intent bitmap to a running array, or takes it away (Grow.c); to change one takes both."""
    chunk = () if chunk_bytes is None else (f"--bitmap-chunk={_kib(chunk_bytes)}",)
    return Command(argv=("mdadm", "--grow", device, f"--bitmap={kind}", *chunk), effect="change", devices=(device,))


def use_whole_members(device: str) -> Command:
    """Uses as much of each member of a running array as the smallest has; what is new is synced."""
    return Command(argv=("mdadm", "--grow", device, "--size=max"), effect="change", devices=(device,))


def reshape(
    device: str, *, level: str | None, devices: int, chunk_bytes: int | None, backup_file: str | None
) -> Command:
    """Gives a running array another shape (Grow.c); for people to read, raidtui does not run it."""
    values = (
        ("level", None if level is None else level.removeprefix("raid")), ("raid-devices", str(devices)),
        ("chunk", _kib(chunk_bytes)), ("backup-file", backup_file),
    )  # fmt: skip
    words = tuple(f"--{name}={value}" for name, value in values if value is not None)
    return Command(argv=("mdadm", "--grow", device, *words), effect="change", devices=(device,))


def check(device: str) -> Command:
    """Reads all members and counts where parity or copies do not fit; repairs nothing."""
    return Command(argv=("mdadm", "--misc", "--action=check", device), effect="change", devices=(device,))


def test_alert(devices: Sequence[str]) -> Command:
    """Sends a TestMessage for each array the way that alarms go: to the MAILADDR and PROGRAM of mdadm.conf.

    It looks once and ends, and moves no spare (mdadm.c: --oneshot turns sharing off). Whether a mail arrives, its exit
    code does not say.
    """
    argv = ("mdadm", "--monitor", "--oneshot", "--test", *devices)
    return Command(argv=argv, effect="change", devices=tuple(devices), by_name=True)


def is_monitor(line: str) -> bool:
    """True for the command line, words divided by zero bytes, of an mdadm that monitors."""
    return _MONITOR.match(line) is not None


def alerts_named(line: str) -> frozenset[Literal["program", "mailaddr"]]:
    """What such a line names: a program, an address; each goes before that of mdadm.conf (Monitor.c)."""
    words = {long or short for long, short in _ALERTED.findall(line)}
    return frozenset("mailaddr" if word in ("mail", "m") else "program" for word in words)


def stop(device: str) -> Command:
    """Stops a running array; its members keep their superblocks."""
    return Command(argv=("mdadm", "--stop", device), effect="change", devices=(device,), retry="while busy")


def zero_superblock(disk: str) -> Command:
    """Erases the md superblock of a device that no array uses (it is opened exclusively)."""
    return Command(argv=("mdadm", "--zero-superblock", disk), effect="destroy", devices=(disk,))


SUPERBLOCK_BYTES = 4 * KIB
"""room of one superblock on a member (MD_SB_BYTES in the kernel's md_p.h, MAX_SB_SIZE in super1.c)"""


SEES_THROUGH = ("0.90", "1.0")
"""metadata versions with the superblock at the end (md(4)): the array's data starts where the member does, so that its
signatures show on the member"""


def superblock_offset(metadata: str, size_bytes: int) -> int:
    """Where the superblock of a member of `size_bytes` is, bytes from the start (md(4); mdadm's super0.c, super1.c)."""
    sectors = size_bytes // SECTOR
    match metadata:
        case "1.2":
            return 4 * KIB
        case "1.1":
            return 0
        case "1.0":
            return ((sectors - 16) & ~7) * SECTOR
        case _:
            return ((sectors & ~127) - 128) * SECTOR


def search() -> tuple[str, ...]:
    """Every md superblock on every block device of the machine; no line of mdadm.conf leaves a device out."""
    return ("mdadm", "--examine", "--scan", "--verbose", "--config=partitions")


def searched(text: str) -> tuple[tuple[str, str], ...]:
    """(UUID, device) of every superblock that `search` printed (Examine.c: an ARRAY line, then devices=).

    The names of arrays, which disks decide, stand between them as they are: what is no path of a device is left out.
    """
    found: list[tuple[str, str]] = []
    uuid = ""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["ARRAY"]:
            uuid = next((word.removeprefix("UUID=") for word in words if word.startswith("UUID=")), "")
        for word in words:
            if word.startswith("devices="):
                devices = word.removeprefix("devices=").split(",")
                found += [(uuid, device) for device in devices if _DEVICE.fullmatch(device)]
    return tuple(found)


def export(device: str) -> tuple[str, ...]:
    """MD_LEVEL=, MD_DEVICES=, MD_METADATA=, MD_UUID= of a running array."""
    return ("mdadm", "--detail", "--export", device)


def detail(device: str) -> tuple[str, ...]:
    """`Name : value` lines of a running array: chunk, layout and working devices are in no export."""
    return ("mdadm", "--detail", device)


def examine_export(disk: str) -> tuple[str, ...]:
    """MD_UUID= and the like from a member's superblock."""
    return ("mdadm", "--examine", "--export", disk)


def examine(disk: str) -> tuple[str, ...]:
    """`Name : value` lines of a member's superblock: role and data offset are in no export."""
    return ("mdadm", "--examine", disk)


def exported(text: str) -> dict[str, str]:
    """The KEY=value lines of `export` and `examine_export`, each key where it occurs first: names are printed raw."""
    return {key: value for key, _, value in reversed([line.partition("=") for line in text.splitlines()])}


def blkid_uuid(uuid: str) -> str:
    """The UUID of an array as libblkid writes it."""
    digits = uuid.replace(":", "")
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def examine_brief(disk: str) -> tuple[str, ...]:
    """An ARRAY line for the array or container of a device, and one for each array in the container, with UUIDs."""
    return ("mdadm", "--examine", "--brief", disk)


def examine_bitmap(disk: str) -> tuple[str, ...]:
    """`Name : value` lines of the bitmap on a member; its chunk is in no other output."""
    return ("mdadm", "--examine-bitmap", disk)


def examine_scan() -> tuple[str, ...]:
    """An ARRAY line for each array found on the devices that the DEVICE lines of mdadm.conf and its .d directory allow.

    Without --config: a named file would be read without the directory (config.c, load_conffile; mdadm.c, Examine).
    """
    return ("mdadm", "--examine", "--scan")


def scanned_uuids(answer: str) -> frozenset[str]:
    """UUIDs in the answer to `examine_scan`, in md's form."""
    return frozenset(re.findall(r"\bUUID=([0-9a-f]{8}(?::[0-9a-f]{8}){3})\b", answer))


def shown_chunk(chunk_bytes: int) -> str:
    """`256K`: the value of `Chunk Size` in --detail and --examine."""
    return f"{chunk_bytes // KIB}K"


def shown_bitmap_chunk(chunk_bytes: int) -> str:
    """`256 MB`: the value of `Chunksize` in --examine-bitmap (bitmap.c, human_chunksize; its units are binary)."""
    power = (chunk_bytes.bit_length() - 1) // 10
    return f"{chunk_bytes >> 10 * power} {('B', 'KB', 'MB', 'GB', 'TB')[power]}"


def shown_layout(layout: str) -> str:
    """The value of `Layout` in --detail: `n2` is shown as `near=2`."""
    word = _LAYOUT_WORDS.get(layout[0])
    return f"{word}={layout[1:]}" if word and layout[1:].isdigit() else layout


def shown_offset(sectors: int) -> str:
    """The value of `Data Offset` in --examine of 1.x metadata."""
    return f"{sectors} sectors"


def sectors_as_bytes(sectors: int) -> int:
    """Bytes of 512-byte sectors, the unit of data offsets."""
    return sectors * SECTOR


def array_line(device: str, metadata: str, uuid: str, spare_group: str | None = None) -> str:
    """One ARRAY line of mdadm.conf(5).

    Only the UUID identifies the array: a name= would prevent assembly after the host is renamed.
    """
    group = f" spare-group={spare_group}" if spare_group else ""
    return f"ARRAY {device} metadata={metadata} UUID={uuid}{group}"


def conf_text(lines: Sequence[str], alert: Alert = NOBODY) -> str:
    """The plan's lines in mdadm.conf. The first MAILADDR and PROGRAM of the file win."""
    recipient = alert_lines(alert)
    return "\n".join((*lines, *(() if alert.mail else ("MAILADDR root",)), *recipient))


def alert_lines(alert: Alert) -> tuple[str, ...]:
    """The lines of mdadm.conf for what is named of `alert`."""
    named = (("MAILADDR", alert.mail), ("PROGRAM", alert.program))
    return tuple(f"{keyword} {word}" for keyword, word in named if word)


def first_line_question(line: str, path: str) -> tuple[str, ...]:
    """The first statement of mdadm.conf with the keyword of `line`, which may be cut to three letters (config.c)."""
    return ("grep", "--max-count=1", "--ignore-case", "--extended-regexp", f"^{line[:3].lower()}", path)


def program_question(path: str) -> tuple[str, ...]:
    """Prints the path if it leads to a file that may be executed."""
    return ("find", "-L", path, "-maxdepth", "0", "-type", "f", "-perm", "/111")
