"""FIELD.md: the figures of four published reports, each asked of the command line and held against its answer.

A row is a question, the command that asks it, what to take from the command's JSON, and the report's own figure. A new
row goes into `ROWS` of its report; `python -m tests.validation` runs every command and writes the page.
"""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

from raidtui.cli.main import main
from raidtui.values.notation import parse
from raidtui.values.units import KIB, MIB
from tests.validation.figures import table
from tests.validation.kipac import survey

FIELD = Path(__file__).with_name("FIELD.md")
MB = 1_000_000
NEAR = 0.15
"""a load of one disk that far from the figure is near it"""
Answer = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure of a report."""

    question: str
    command: str
    """words after `raidtui`, without --json"""
    answer: Answer
    """from the JSON document to the figure, in the unit of `figure`; of a band the middle of three"""
    figure: float
    """the report's own, in `unit`"""
    unit: str
    """`MB/s` (10**6 bytes per second), `KiB`, `blocks`, ..."""
    note: str = ""
    fitted: bool = False
    """a constant of the model was taken from this figure: it judges nothing"""
    echo: bool = False
    """the answer repeats what the command states: it judges nothing"""
    run: str = ""
    """the command that asks this and other questions at once; empty where `command` is run itself"""


def rate(field: str) -> Answer:
    """(low, expected, high) of a predicted rate, MB/s."""
    return lambda found: tuple(found["throughput"][field][end] / MB for end in ("low", "bytes_per_s", "high"))


def asked(number: int) -> Answer:
    """(low, expected, high) of the answer to the --ask of that place, MB/s."""
    return lambda found: tuple(found["asked"][number][end] / MB for end in ("low", "bytes_per_s", "high"))


def bitmap(chunk: int | None) -> Answer:
    """(low, expected, high) of the first --ask with a bitmap of `chunk` bytes a bit, or without one; MB/s."""

    def answer(found: Any) -> tuple[float, ...]:
        (own,) = (each for each in found["asked"][0]["bitmaps"] if each.get("chunk_bytes") == chunk)
        return tuple(own[end] / MB for end in ("low", "bytes_per_s", "high"))

    return answer


def member(kind: str, place: int) -> Answer:
    """What one member does under the first --ask, MB/s, in the inventory's order; of reads (least, point, most)."""

    def answer(found: Any) -> tuple[float, ...] | float:
        own = found["asked"][0]["members"][place]
        point = own[f"{kind}_bytes_per_s"] / MB
        return (own["read_low"] / MB, point, own["read_high"] / MB) if kind == "read" else point

    return answer


def df(field: str) -> Answer:
    """A size as `df -h` prints it, which rounds up; TiB."""
    return lambda found: -(-found["filesystem"][field] // 1024**4)


def array(field: str, unit: int = 1) -> Answer:
    """A figure of the first array."""
    return lambda found: found["arrays"][0][field] // unit


def bitmap_pages(found: Any) -> int:
    """Pages of 4 KiB with two bytes for each bit, as /proc/mdstat counts them (md-bitmap.h)."""
    first = found["arrays"][0]
    bits: int = ceil(first["component_bytes"] / first["bitmap_chunk_bytes"])
    return ceil(2 * bits / 4096)


def picked(count: Answer) -> Answer:
    """A figure of the layout that is proposed as the balanced one."""

    def answer(found: Any) -> Any:
        layout = next(pick["layout"] for pick in found["picks"] if pick["name"] == "balanced")
        return count(next(each for each in found["candidates"] if each["layout"] == layout))

    return answer


def over(other: str, field: str) -> Answer:
    """A predicted rate in per cent of that of another command."""
    return lambda found: round(100 * rate(field)(found)[1] / rate(field)(answered(other))[1])


def file_system(field: str, unit: int = 1) -> Answer:
    """A figure of the file system."""
    return lambda found: found["filesystem"][field] / unit


def lazy(found: Any) -> int:
    """How many of mkfs.ext4's two lazy initialisations a plan leaves on."""
    chosen = found["design"]["fs_options"]["ext4"]
    return sum(chosen[name] for name in ("lazy_itable_init", "lazy_journal_init"))


def mount_options(found: Any) -> int:
    """Mount options that a plan writes to fstab because they were asked for."""
    return len(found["design"]["fs_options"]["mount"])


def ceiling(field: str, name: str) -> Answer:
    """One ceiling of a predicted rate, MB/s."""
    return lambda found: found["throughput"][field]["ceilings"][name] / MB


_KIPAC = "--inventory e2660-luns"


def _hoffman() -> list[Row]:
    pod, then = "--inventory pod45 --chunk 256K", "--data-offset 1160K"
    whole, kept = f"model raid6(43+2) {pod}", f"model (41+2)+2 {pod}"
    writes = "seq_write_one_stream"
    return [
        Row(question="XFS on 43+2: agcount", command=whole, answer=file_system("agcount"), figure=79, unit="groups"),
        Row(question="agsize", command=whole, answer=file_system("agsize_blocks"), figure=268435392, unit="blocks"),
        Row(question="sunit", command=whole, answer=file_system("sunit_blocks"), figure=64, unit="blocks"),
        Row(question="swidth", command=whole, answer=file_system("swidth_blocks"), figure=2752, unit="blocks"),
        Row(question="log", command=whole, answer=file_system("log_blocks"), figure=521728, unit="blocks"),
        Row(
            question="blocks of the file system", command=f"{whole} {then} --bitmap none", answer=file_system("blocks"),
            figure=21000267072, unit="blocks",
            note="the room that mdadm 3.1 to 3.2.3 leaves: 1 MiB, 128 KiB for a bitmap (choose_bm_space), 8 KiB",
        ),
        Row(
            question="size of (41+2)+2", command=f"{kept} {then} --bitmap-chunk 256M",
            answer=array("array_bytes", KIB), figure=80094041856, unit="KiB",
            note="the same room: super1.c, avail_size1; mdadm's own data offset of today holds one chunk more",
        ),
        Row(
            question="pages of its bitmap", command=f"{kept} {then} --bitmap-chunk 256M", answer=bitmap_pages,
            figure=4, unit="pages", note="counted from chunk and component: md keeps two bytes a bit, 4 KiB a page",
        ),
        Row(
            question="bitmap chunk", echo=True, command=f"{kept} --bitmap-chunk 256M",
            answer=array("bitmap_chunk_bytes", KIB), figure=262144, unit="KiB",
        ),
        Row(question="RAID0 of 43, dd", fitted=True,
            command=f"model raid0(43) {pod}", answer=rate(writes), figure=418, unit="MB/s"),
        Row(question="RAID5 of 44, dd", fitted=True,
            command=f"model (43+1) {pod}", answer=rate(writes), figure=424, unit="MB/s"),
        Row(question="RAID6 of 45, dd", fitted=True, command=whole, answer=rate(writes), figure=394, unit="MB/s"),
        Row(
            question="(41+2)+2 with a bitmap of 256 MiB, dd", fitted=True, command=f"{kept} --bitmap-chunk 256M",
            answer=rate(writes), figure=401, unit="MB/s",
        ),
        Row(
            question="df -h of (41+2)+2, total", command=kept, answer=df("total_bytes"), figure=75, unit="T",
        ),
        Row(question="df -h of 43+2, total", command=whole, answer=df("total_bytes"), figure=79, unit="T"),
        Row(question="df -h of 43+2, available", command=f"{whole} --mkfs reflink=0,rmapbt=0,finobt=0",
            answer=df("available_bytes"), figure=79, unit="T",
            note="without features that XFS had not in 2012, which set space aside"),
        Row(question="imaxpct", command=whole, answer=file_system("imaxpct"), figure=1, unit="%"),
        Row(question="log sunit", command=whole, answer=file_system("log_sunit_blocks"), figure=64, unit="blocks"),
        *(
            Row(question=f"RAID6 of 45, dd with bs={size}", fitted=True,
                command=f"{whole} --ask write,streams=1,size={size}",
                answer=asked(0), figure=394, unit="MB/s",
                note="\"pretty consistent\" with those of 1M; the page cache collects writes")
            for size in ("60K", "4M")
        ),
        Row(
            question="(41+2)+2 without a bitmap, dd", fitted=True,
            command=f"{kept} --bitmap none", answer=rate(writes), figure=394,
            unit="MB/s", note="\"~400\"; the figure is that of 45 disks. Before and after: the same, as measured",
        ),
        *(
            Row(question=f"(41+2)+2 in one question, {words}", fitted=True,
                command=f"{kept} --ask write,streams=1,size=1M",
                answer=bitmap(chunk), figure=figure, unit="MB/s")
            for words, chunk, figure in (("without a bitmap", None, 394), ("a bitmap of 256 MiB", 256 * 1024**2, 401))
        ),
    ]  # fmt: skip


def _segfault() -> list[Row]:
    nas = "--inventory nas4 --fs ext4"
    small, large = f"model (3+1) {nas} --chunk 64K", f"model (3+1) {nas} --chunk 512K"
    return [
        Row(
            question="size of RAID5 of four, 64 KiB chunks", command=small, answer=array("array_bytes", KIB),
            figure=11603447232, unit="KiB",
        ),
        Row(
            question="the same, 512 KiB chunks", command=large, answer=array("array_bytes", KIB), figure=11603447232,
            unit="KiB", note="mdstat of the report shows 512 KiB, but md rounds each member down to whole chunks "
            "(raid5_run), and 3 867 815 744 KiB are 60 434 621 chunks of 64 KiB and no whole number of 512: it has "
            "64 KiB chunks",
        ),
        Row(
            question="stride with 32 KiB chunks", command=f"model (3+1) {nas} --chunk 32K",
            answer=file_system("stride_blocks"), figure=8, unit="blocks",
        ),
        Row(
            question="stripe width with 32 KiB chunks", command=f"model (3+1) {nas} --chunk 32K",
            answer=file_system("stripe_width_blocks"), figure=24, unit="blocks",
        ),
        Row(
            question="block size of ext4", echo=True, command=f"model disk {nas} --mkfs block=4K",
            answer=file_system("block_bytes"), figure=4096, unit="bytes",
        ),
        Row(
            question="disk fully formatted: lazy_itable_init + lazy_journal_init", echo=True,
            command=f"plan disk {nas} --mkfs lazy_itable_init=0,lazy_journal_init=0", answer=lazy, figure=0, unit="on",
        ),
        Row(
            question="its mount options", echo=True, answer=mount_options, figure=7, unit="options",
            command=f"plan disk {nas} --mount-options "
            "noatime,async,barrier=1,nodiscard,journal_async_commit,nodelalloc,data=writeback",
            note="the report writes nodiscard twice",
        ),
        Row(
            question="one disk formatted and tested alone", echo=True, command=f"model disk {nas} --disk-speed 140MB/s",
            answer=rate("seq_write_one_stream"), figure=140, unit="MB/s", note="the rate is the report's own",
        ),
        Row(
            question="best case of RAID5 of four such disks", echo=True, command=f"{small} --disk-speed 140MB/s",
            answer=ceiling("seq_write", "members"), figure=420, unit="MB/s", note="the ceiling, before any loss",
        ),
        Row(
            question="big NAS, 64 KiB chunks, big files", command=f"{small} --disk-speed 140MB/s",
            answer=rate("seq_write_one_stream"), figure=370, unit="MB/s",
        ),
        Row(
            question="big NAS, 512 KiB chunks, big files",
            command=f"{large} --stripe-cache 256 --disk-speed 140MB/s",
            answer=rate("seq_write_one_stream"), figure=240, unit="MB/s",
            note="partial stripes: the default stripe cache holds two rows of such chunks; a plan sets a larger one",
        ),
        Row(
            question="the same by its other statement: 64 KiB is 23 % faster",
            command=f"{large} --stripe-cache 256 --disk-speed 140MB/s",
            answer=rate("seq_write_one_stream"), figure=301, unit="MB/s",
            note="370 over 1.23; the report's 370 and 240 say 54 %",
        ),
        Row(
            question="big files with 4 KiB chunks, write: best of all sizes, 64 KiB wrote 370", unit="MB/s", figure=370,
            command=f"model (3+1) {nas} --chunk 4K --disk-speed 140MB/s", answer=rate("seq_write_one_stream"),
            note="the report has no figure but \"best\"",
        ),
        Row(
            question="big files with 4 KiB chunks, read, over 64 KiB", unit="%", figure=80,
            command=f"model (3+1) {nas} --chunk 4K --disk-speed 140MB/s",
            answer=over(f"{small} --disk-speed 140MB/s", "seq_read_one_stream"),
            note="the model knows no penalty of small chunks in reading",
        ),
    ]  # fmt: skip


def _kipac() -> list[Row]:
    four, md = f"model '4x disk' {_KIPAC}", f"model 'raid0(4)' --chunk 3M {_KIPAC}"
    in_mib = "the table's MB are MiB"
    return [
        Row(question="four LUNs, read", fitted=True,
            command=four, answer=rate("seq_read"), figure=2872.94 * MIB / MB, unit="MB/s",
            note=in_mib),
        Row(question="four LUNs, write", fitted=True,
            command=four, answer=rate("seq_write"), figure=1553.71 * MIB / MB, unit="MB/s",
            note=f"{in_mib}; the share of a mirrored cache is from this report"),
        Row(question="two LUNs, read", fitted=True, command=f"model '2x disk' {_KIPAC}", answer=rate("seq_read"),
            figure=2839.13 * MIB / MB, unit="MB/s"),
        Row(question="two LUNs, write", fitted=True, command=f"model '2x disk' {_KIPAC}", answer=rate("seq_write"),
            figure=1543.15 * MIB / MB, unit="MB/s"),
        Row(question="one LUN, read", fitted=True, command=f"model disk {_KIPAC}", answer=rate("seq_read"),
            figure=1423.02 * MIB / MB, unit="MB/s"),
        Row(question="one LUN, write", fitted=True, command=f"model disk {_KIPAC}", answer=rate("seq_write"),
            figure=1061.28 * MIB / MB, unit="MB/s"),
        *_sgpdd(),
        Row(question="one volume over four LUNs", command=four, answer=lambda found: found["volume_bytes"] / 1024**4,
            figure=86, unit="TiB", note="the report writes TB and adds four LUNs of 21; their exact size is not given"),
        Row(question="XFS stripe unit over the LUNs", command=four, answer=file_system("sunit_blocks"), figure=64,
            unit="blocks", note="256 KiB segments"),
        Row(question="XFS stripe width over the LUNs", command=four, answer=file_system("swidth_blocks"), figure=3072,
            unit="blocks", note="4 x 12 data drives"),
        Row(question="the same by an md stripe", command=md, answer=file_system("swidth_blocks"), figure=3072,
            unit="blocks"),
        Row(question="quotas for users and projects", echo=True, answer=mount_options, figure=2, unit="options",
            command=f"plan '4x disk' {_KIPAC} --mount-options uquota,pquota"),
        Row(question="how many spares for 60 drives", command="propose --disks 60x2TB",
            answer=picked(lambda found: found["spares"]), figure=4, unit="disks",
            note="the balanced pick; tests hold it to this layout"),
        Row(question="which ratio: data drives of a group", command="propose --disks 60x2TB",
            answer=picked(lambda found: parse(found["layout"]).first.data), figure=12, unit="disks",
            note="the same; the report asks \"a good ratio of data drives to parity drives\" and chose 12+2"),
        Row(question="which ratio: parity drives of a group", command="propose --disks 60x2TB",
            answer=picked(lambda found: parse(found["layout"]).first.parity), figure=2, unit="disks"),
    ]  # fmt: skip


def _sgpdd() -> list[Row]:
    """Every rate of sgpdd-survey: 80 lines, in both directions."""
    rows = []
    layouts = {(1, 128): "disk --lun 12+2,128K,130MB/s", (1, 256): "disk", (2, 256): "'2x disk'", (4, 256): "'4x disk'"}
    for (luns, segment), layout in layouts.items():
        own = [each for each in survey() if (each.luns, each.segment_bytes) == (luns, segment * KIB)]
        lines = [(each, kind, getattr(each, kind)) for each in own for kind in ("read", "write")]
        asks = [f"--ask {kind},streams={at.regions},size=1M,depth={at.threads // at.regions}" for at, kind, _ in lines]
        model, note = f"model {layout} {_KIPAC}", "" if segment == 128 or luns > 1 else "the terms were fitted to it"
        for number, ((at, kind, figure), ask) in enumerate(zip(lines, asks, strict=True)):
            question = f"{kind}, {luns} x {segment} KiB, {at.regions} regions, {at.threads} threads"
            rows.append(
                Row(
                    question=question, command=f"{model} {ask}", answer=asked(number), figure=figure / MB, unit="MB/s",
                    note=note, fitted=bool(note), run=f"{model} {' '.join(asks)}",
                )
            )  # fmt: skip
    return rows


def _three_disks() -> list[Row]:
    trio = "--inventory trio"
    one_read, one_write = "seq_read_one_stream", "seq_write_one_stream"

    def of(layout: str, field: str, figure: float, words: str, note: str = "", *, echo: bool = False) -> Row:
        return Row(question=words, command=f"model {layout} {trio}", answer=rate(field), figure=figure, unit="MB/s",
                   note=note, echo=echo)  # fmt: skip

    iostat = "sum over the disks of iostat, less the second copy"
    return [
        of("disk --only SIMTRIO0001", one_read, 95, "the 250 GB disk alone", echo=True),
        of("disk --only SIMTRIO0003", one_read, 111.96, "a 1 TB disk alone", echo=True),
        of("raid0(3)", one_write, 287, "RAID0, write"),
        of("raid0(3)", one_read, 275, "RAID0, read"),
        of("raid1(3)", one_write, 92.9, "RAID1, write"),
        of("raid1(3)", one_read, 92.6, "RAID1, one reader"),
        of(
            "raid1(3)",
            "seq_read",
            317.34,
            "RAID1, three readers",
            "each reader has a disk of its own, at its own rate",
        ),
        of("raid5(2+1)", one_write, 176, "RAID5, write"),
        of("raid5(2+1)", one_read, 185, "RAID5, read"),
        of("raid10(3)", one_write, 141.1, "RAID10 n2, write", iostat),
        of("raid10(3)", one_read, 156.25, "RAID10 n2, read"),
        of("raid10(3,o2)", one_write, 135.9, "RAID10 o2, write", iostat),
        of("raid10(3,o2)", one_read, 140.66, "RAID10 o2, read"),
        of("raid10(3,f2)", one_write, 129.8, "RAID10 f2, write", iostat),
        of("raid10(3,f2)", one_read, 284.67, "RAID10 f2, read"),
        *_each_disk(),
        Row(
            question="RAID5 of partitions, usable",
            command=f"model raid5(2+1) {trio} --member-size 50GB --fs none",
            answer=lambda found: round(found["arrays"][0]["array_bytes"] / 1e9),
            figure=100,
            unit="GB",
        ),
    ]


def _each_disk() -> list[Row]:
    """What iostat shows of each disk, in the report's order."""
    found: list[tuple[str, str, str, str, tuple[float, ...]]] = [
        ("RAID0", "raid0(3)", "write", "streams=1", (94.28, 94.17, 94.17)),
        ("RAID0", "raid0(3)", "read", "streams=1", (92.42, 92.33, 92.33)),
        ("RAID1", "raid1(3)", "write", "streams=1", (93.41, 93.19, 93.19)),
        ("RAID1, one reader", "raid1(3)", "read", "streams=1", (94.46, 0, 0)),
        ("RAID1, three readers", "raid1(3)", "read", "streams=3", (95, 111.96, 110.38)),
        ("RAID5", "raid5(2+1)", "write", "streams=1", (86.84, 87.62, 87.58)),
        ("RAID5", "raid5(2+1)", "read", "streams=1", (62.33, 62.25, 62)),
        ("RAID10 n2", "raid10(3)", "write", "streams=1", (93.62, 94.33, 94.28)),
        ("RAID10 o2", "raid10(3,o2)", "write", "streams=1", (94.72, 90.05, 86.96)),
        ("RAID10 f2", "raid10(3,f2)", "write", "streams=1", (84.44, 87.1, 88.04)),
        ("RAID10 n2", "raid10(3)", "read", "streams=1", (15.17, 87.08, 54)),
        ("RAID10 o2", "raid10(3,o2)", "read", "streams=1", (46.83, 46.83, 47)),
        ("RAID10 f2", "raid10(3,f2)", "read", "streams=1", (95, 95, 94.67)),
    ]
    return [
        Row(
            question=f"{words}, {kind}, disk {place + 1}",
            command=f"model {layout} --inventory trio --ask {kind},{streams}",
            answer=member(kind, place),
            figure=figure,
            unit="MB/s",
        )
        for words, layout, kind, streams, figures in found
        for place, figure in enumerate(figures)
    ]


REPORTS: tuple[tuple[str, Callable[[], list[Row]], tuple[str, ...]], ...] = (
    (
        "S1, XFS write speeds: software RAID 0/5/6 across 45 spindles", _hoffman,
        (
            "isize=256: XFS with checksums needs inodes of 512 bytes, and XFS without them is not made; `--mkfs "
            "inode=256` is refused and names 512, 1K and 2K",
        ),
    ),
    (
        "S2, SW-Raid & performance", _segfault,
        (
            "154 212 small files in 32 s, deleted in 7 s, and 13 % by chunk size, before the disks are there: files a "
            "second are measured, not predicted; with the disks `raidtui bench DIR --tree small.tar` (`O` on Bench) "
            "times the unpacking, listing, reading and deletion of that tree",
            "the effect of `data=writeback`, `nodelalloc`, barriers and the block size on speed, before the disks are "
            "there: `raidtui model` names the cost of each in words, without a figure; with the disks `raidtui tune "
            "'(3+1)' --fs ext4 --chunks 4K..512K --mkfs ';block=1K' --mount-options ';data=writeback,nodelalloc'` "
            "measures each of them with each chunk, in one table (`T` on Bench: the chunks)",
            "the small NAS' 128 MB/s: the report does not describe its disks",
            "small files with 64 KiB chunks 13, 6 and 3 % faster than with 512, 256 and 128: see the first line; the "
            "model has no small files",
        ),
    ),
    (
        "S3, LSI E2660, 60 disks, LUNs of 12+2", _kipac,
        (
            "IOR of ext4 against XFS, and of RAID60: the report prints charts without figures. `raidtui model` answers "
            "alike for both file systems; `raidtui bench` measures the one that was made",
            "why 128 KiB segments read 7 % more than 256 and write 6 % less: the controllers' code decides. The answer "
            "is the same for both, and both lie in its band",
            "rebuild time and risk of a drive inside a LUN: the controllers show neither a drive nor a rebuild, and "
            "`raidtui model` states that (`lun-hidden`). Asked as md arrays of the 60 drives, "
            "`'4x(12+2)+4' --inventory e2660` answers",
            "ext4 of RHEL 6 ends at 16 TB, so that a LUN of 21 TB did not fit: `--e2fsprogs 1.41` gets the size that "
            "mkfs of today makes, with the warning `mkfs-not-compared` and the note `ext4-over-16-tib`. It should be "
            "refused: a miss",
        ),
    ),
    (
        "S4, Benchmarking 3 disk RAID array speeds", _three_disks, (),
    ),
)  # fmt: skip
"""title, rows, and the questions that it refuses to answer with a figure, with the reason of each"""
TOLD = {
    "S1": "the share of a link that 15 disks leave (0.56)",
    "S2": "the rate of one disk (140 MB/s)",
    "S3": "queues, streams and mirrored cache, from 40 of its own rates; one drive's rate",
    "S4": "the rates of its three disks alone (95, 110, 112 MB/s)",
}
"""what the model or the inventory has from the report: its rates are not independent of it"""
WORDS = {
    "S1": (
        "adding a bitmap of 256 MiB to an array that runs: `raidtui extend md0 bitmap 256M` shows what changes, and "
        "with `--begin` does it",
        "dd with blocks of 60 KB to 4 MB on the array itself: `raidtui bench DIR --profile dd-sizes`, with the "
        "prediction beside each",
        "RAID5 faster than RAID0 by 10 to 15 MB/s: both have 43 data disks behind three cards, 15 members on the "
        "fullest, so that one link carries the same share of the data, and both get the same answer (`raidtui help "
        "speeds`). The runs printed are 416, 416, 423 and 416, 424, 433 MB/s: 6 MB/s apart in the mean, less than "
        "either spreads",
    ),
    "S2": (
        "chunks of 4 KiB write big files best and read them 20 % slower: `raidtui model` says the same rate for 4, 64 "
        "and, with the stripe cache that a plan sets, 512 KiB; `raidtui tune` measures them",
    ),
    "S3": (
        'rates with the controllers\' cache mirroring turned off: "even higher", without a figure; asked by what a LUN '
        "then writes, `--disk-write-speed 1450MB/s`: four LUNs are then bound by the host adapter's slot, 2.85 GB/s "
        "in place of 1.54",
        "hot spares: which drives a controller keeps as spares of its LUNs is set there; asked as md arrays of the 60 "
        "drives, `raidtui propose` answers above",
    ),
    "S4": (
        "which of the three disks of RAID10 n2 serves which share: the report names no order of members. md takes the "
        "copy nearest to where a head was left, which gives 0, 1/3 and 2/3, and of members with nothing pending the "
        "first, which gives 1/3 each; the report has 0.10, 0.35 and 0.56",
        'the size of the partitions behind "100 G": not given; with 50 GB each it is the answer',
        "what it leaves for later, RAID5 with several readers, RAID4, three copies and two disks, is asked as `--ask "
        "read,streams=3` of `raid5(2+1)`, `raid4(2+1)`, `raid10(3,n3)` and `raid1(2)`",
        "iostat beside the tests: `raidtui bench` and `raidtui watch --ask` show what each disk moves beside what it "
        "should",
    ),
}
"""questions of a report that are answered without a figure"""


@cache
def answered(command: str) -> Any:
    """The JSON document that `raidtui COMMAND --json` prints."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*shlex.split(command), "--json"])
    assert code == 0, (command, err.getvalue(), out.getvalue()[-400:])
    return json.loads(out.getvalue())


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row with the program's answer."""

    row: Row
    low: float
    point: float
    high: float

    @property
    def ratio(self) -> float:
        """The answer over the report's figure."""
        if self.point == self.row.figure:
            return 1.0
        return self.point / self.row.figure if self.row.figure else float("inf")

    @property
    def banded(self) -> bool:
        """True for predictions with a band; sizes have none."""
        return self.low < self.high

    @property
    def judges(self) -> bool:
        """True for a rate with a band that was neither fitted nor told to the program."""
        return self.banded and not self.row.fitted and not self.row.echo

    @property
    def is_load(self) -> bool:
        """True for what one disk moves, predicted without a band."""
        return not self.banded and self.row.unit == "MB/s" and not self.row.echo

    @property
    def is_size(self) -> bool:
        """True for sizes and settings that do not repeat the command."""
        return not self.banded and self.row.unit != "MB/s" and not self.row.echo

    @property
    def inside(self) -> bool:
        """True if the band covers the report's figure."""
        return self.low <= self.row.figure <= self.high


@cache
def outcomes() -> tuple[tuple[str, tuple[Outcome, ...]], ...]:
    """The rows of every report with their answers."""
    found = []
    for title, rows, _ in REPORTS:
        some = []
        for row in rows():
            answer = row.answer(answered(row.run or row.command))
            low, point, high = answer if isinstance(answer, tuple) else (answer, answer, answer)
            some.append(Outcome(row, low, point, high))
        found.append((title, tuple(some)))
    return tuple(found)


def page() -> str:
    """The whole text."""
    every = [each for _, some in outcomes() for each in some]
    judged = [each for each in every if each.judges]
    lines = [
        "# Four field reports, asked of raidtui",
        "",
        "Written by `python -m tests.validation`; a test fails when it is not what the commands answer. Every line is",
        "asked of the program with `--json`: question, command, answer with its band, the report's figure, and the",
        "ratio of both. Bands are the program's own; rows and disks are in the order of the report. MB are 10^6 bytes.",
        "",
        *table(
            ["report", "has told the program", "rates that judge", "in band", "median width", "rates fitted",
             "in band", "loads of a disk", f"within {100 * NEAR:.0f} %", "sizes and settings", "equal", "echoes"],
            [_counted(title, some) for title, some in outcomes()],
        ),
        "* **Fitted**: a constant of the model was taken from the rate, or from rows beside it. It judges nothing.",
        "* **Echo**: the answer repeats what the command or the inventory states. It is not counted anywhere.",
        "* No report is wholly held out: the second column is why. Rates that nothing was fitted to are in REPORT.md.",
        "* Outside of its band: " + ("; ".join(f"{each.row.question} ({each.ratio:.2f})" for each in judged
                                               if not each.inside) or "none") + ".",
        "* Size or setting that differs: " + ("; ".join(
            f"{each.row.question} ({each.ratio:.8g})" for each in every if each.is_size and each.ratio != 1
        ) or "none") + ".",
        "",
    ]  # fmt: skip
    for (title, some), (_, _, refused) in zip(outcomes(), REPORTS, strict=True):
        lines += [f"## {title}", ""]
        head = ["question", "command", "answer", "the report", "ratio", "in band", "note"]
        lines += table(head, [_cells(each) for each in some])
        words = WORDS.get(title[:2], ())
        lines += ["In words:", "", *(f"* {text}" for text in words), ""] if words else []
        lines += ["Refused, with the reason:", "", *(f"* {text}" for text in refused), ""] if refused else []
    return "\n".join(lines)


def _counted(title: str, some: Sequence[Outcome]) -> list[str]:
    """The line of one report on the page's first screen."""
    judging = [each for each in some if each.judges]
    fitting = [each for each in some if each.row.fitted]
    loads = [each for each in some if each.is_load]
    sizes = [each for each in some if each.is_size]
    return [
        title[:2], TOLD[title[:2]],
        str(len(judging)), str(sum(each.inside for each in judging)),
        f"x{median(each.high / each.low for each in judging if each.low > 0):.2f}" if judging else "-",
        str(len(fitting)), str(sum(each.inside for each in fitting)),
        str(len(loads)), str(sum(abs(each.ratio - 1) <= NEAR for each in loads)),
        str(len(sizes)), str(sum(each.ratio == 1 for each in sizes)), str(sum(each.row.echo for each in some)),
    ]  # fmt: skip


def _cells(each: Outcome) -> list[str]:
    row = each.row
    answer = f"{_number(each.point)} {row.unit}"
    if each.banded:
        answer += f" ({_number(each.low)} to {_number(each.high)})"
    ratio = f"{each.ratio:.2f}"
    if not each.banded and abs(each.ratio - 1) < 0.005:
        ratio = "1" if each.ratio == 1 else f"{each.ratio:.8f}"
    inside = ("yes" if each.inside else "**no**") if each.banded else "-"
    return [
        row.question,
        f"`raidtui {shlex.join(shlex.split(row.command))}`",
        answer,
        f"{_number(row.figure)} {row.unit}",
        ratio,
        inside,
        "; ".join(text for text in (_role(row), row.note) if text),
    ]


def _role(row: Row) -> str:
    return "fitted" if row.fitted else "repeats the command" if row.echo else ""


def _number(value: float) -> str:
    if value == round(value) or value >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.4g}"
