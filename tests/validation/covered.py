"""What the model covers of the measured tables, and the rule that leaves each other row out.

Every rule looks only at what a row says of itself: its implementation, its year, its media and what its source gives.
No rule knows the prediction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from raidtui.predict.speed.raid_level_rates import modifies, partial_share
from tests.validation.rows import Case, chunks_of, measured_table, throughput_case


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A row the model makes no prediction for, and the rule that says so."""

    name: str
    source: str
    said: str
    measured: str
    why: str


READ_AHEAD_FITS = 2009
"""before, md's read-ahead did not follow the array's stripe in the kernels people ran"""
CACHE_GROWS = 2015
"""Linux 4.1 (commit edbe83ab4c27): before, the stripe cache stayed at 256 pages a member unless somebody raised it"""


def why_not(row: dict[str, str]) -> str | None:
    """The rule that leaves this row of throughput.csv out; None for a row the model covers."""
    impl, media = row["impl"], row["media"]
    if impl == "zfs":
        return "ZFS: another implementation of everything above the disk"
    if impl == "hw LSI E2660":
        return "the best rows of the KIPAC survey, which has its own section"
    if impl.startswith("fw"):
        return "firmware RAID under Windows: another implementation"
    if impl.startswith("hw"):
        return "a RAID controller: its processor decides, and no ceiling of it is given"
    if impl in ("hba", "jbod"):
        return "no array: it says what a link carries, and the link table holds it"
    if impl == "md over hw":
        return "members are a controller's arrays, not disks"
    if row["class"] == "C":
        return "marked context: " + (_CONTEXT.get(row["id"]) or _context(row))
    if int(row["year"]) < READ_AHEAD_FITS:
        return f"kernel of {row['year']}, whose read-ahead does not follow the array"
    if media in ("ram", "null_blk"):
        return "members in memory: bounds md's processor from above, says nothing of disks"
    if row["disk_mb_s"] and float(row["disk_mb_s"]) == float(row["measured"]):
        return "the figure for one disk is this very measurement"
    if "reshape" in row["workload"]:
        return "reshape: the model has no formula"
    return _why_not_this_md(throughput_case(row))


def _why_not_this_md(case: Case) -> str | None:
    """Kernels and switches whose md works differently from what the model describes."""
    if case.work == "seq read" and case.disk_bytes_per_s is None:
        return "a sequential read without the disk's figure"
    if "<5.14" in case.said:
        return "kernel before 5.14, where every read of a parity array takes one lock"
    if "rmw_level=0" in case.said and modifies(case.layout.first, chunks_of(case)):
        return "rmw_level=0: md told to read the rest of the row where its default reads less"
    parity_write = case.work == "seq write" and case.layout.parity > 0
    if case.year < CACHE_GROWS and parity_write and case.chunk_bytes and partial_share(case.chunk_bytes) < 1:
        return "kernel before 4.1, whose stripe cache does not grow to hold rows of this chunk"
    return None


def _context(row: dict[str, str]) -> str:
    if "bitmap" in row["workload"] or "bitmap" in row["bottleneck_calc"] or "bitmap" in row["bottleneck_source"]:
        return "the effect of a bitmap, no term in the model"
    if row["unit"] == "IOPS":
        return "no figure for one disk"
    return "no figure for one disk, or one that is not of this test"


_CONTEXT = {
    "45": "the job of a test suite, not a measurement of the array's speed",
    "55": "32 arrays joined by LVM on partitions of the same disks",
    "76": "64 KiB pages", "77": "64 KiB pages",
    "95": "4 KiB requests one behind the other: the cost of a request, no term in the model",
    "96": "4 KiB requests one behind the other: the cost of a request, no term in the model",
    "97": "one write at a time with a flush: latency, no term in the model",
}  # fmt: skip


FIO_PLOT = "fio-plot benchmark data, eight 2 TB disks"
ONE_DISK = {"HighPoint": 171, "IBM M1015": 159}
"""random reads per second of a member at the depth the model assumes: 1.5 times those of one reader at depth 1"""
_THREE_DISK_SOURCE = "seed: Benchmarking 3 disk RAID array speeds"
_THREE_DISK_EXTRA = {("raid10", "f2", "write"), ("raid10", "f2", "read"), ("raid10", "o2", "read")}


def three_disk_cases() -> list[Case]:
    """The runs of three_disk_raid.csv that throughput.csv does not hold already."""
    cases = []
    for number, row in enumerate(measured_table("three_disk_raid.csv"), start=1):
        if (row["level"], row["layout"], row["op"]) not in _THREE_DISK_EXTRA:
            continue
        like = {
            "id": "", "source": _THREE_DISK_SOURCE, "year": "2019", "media": "hdd", "disk_model": "", "bus": "",
            "class": "A", "n_disks": "3", "level": row["level"], "layout": row["layout"], "chunk_kib": "512",
            "disk_mb_s": "94", "workload": f"seq {row['op']}", "measured": row["total_mb_s"], "unit": "MB/s",
        }  # fmt: skip
        case = throughput_case(like)
        sets_far_write = row["layout"] == "f2" and row["op"] == "write"
        cases.append(replace(case, name=f"three_disk {number}", calibrates=sets_far_write))
    return cases


def deep_cases() -> list[Case]:
    """Of fio_plot_raid5.csv the rows with as many writers or readers as requests of each, from eight up.

    A member's random rate is known from the same table: one reader at depth 1 waits for one disk.
    """
    cases = []
    for row in measured_table("fio_plot_raid5.csv"):
        if row["rw"] == "randrw" or row["streams"] != row["depth"] or int(row["depth"]) < 8:
            continue
        work = f"{row['rw']} 4K {row['streams']} jobs of depth {row['depth']}"
        like = {
            "id": "", "source": f"{FIO_PLOT}, {row['adapter']}", "year": "2019", "media": "hdd", "disk_model": "",
            "bus": "", "class": "A", "n_disks": "8", "level": "raid5", "layout": "1x(7+1)", "chunk_kib": "512",
            "disk_mb_s": "", "workload": work, "measured": deep_rate(row), "unit": "IOPS",
        }  # fmt: skip
        case = throughput_case(like)
        name, fits = f"{row['adapter']} {work}", row["role"] == "fit"
        cases.append(replace(case, name=name, calibrates=fits, disk_iops=ONE_DISK[row["adapter"]], streams=1))
    return cases


def throughput_rows() -> list[dict[str, str]]:
    """throughput.csv as it is."""
    return measured_table("throughput.csv")


def cases() -> list[Case]:
    """Every measurement of an md array that the model covers, KIPAC and rebuilds apart."""
    covered = [throughput_case(row) for row in throughput_rows() if why_not(row) is None]
    return covered + three_disk_cases() + deep_cases()


def deep_rate(row: dict[str, str]) -> str:
    """Requests per second of a row of fio_plot_raid5.csv."""
    return f"{float(row['read_iops']) + float(row['write_iops']):g}"


def left() -> list[Left]:
    """Every row left out, with its rule."""
    out = [
        Left(
            name=f"throughput {row['id']}",
            source=row["source"],
            said=row["workload"],
            measured=f"{row['measured']} {row['unit']}",
            why=why,
        )
        for row in throughput_rows()
        if (why := why_not(row)) is not None
    ]
    return out + _left_hoffman() + _left_three_disk() + _left_segfault()


def _left_hoffman() -> list[Left]:
    return [
        Left(
            name=f"hoffman {row['run']}",
            source="seed: Hoffman",
            said=f"{row['tool']} {row['level']} of {row['raid_devices']}",
            measured=f"{row['dd_reported_mb_s']} MB/s",
            why=f"the same run as throughput {row['run']}",
        )
        for row in measured_table("hoffman_45spindles.csv")
    ]


def _left_three_disk() -> list[Left]:
    return [
        Left(
            name=f"three_disk {number}",
            source=_THREE_DISK_SOURCE,
            said=f"{row['level']} {row['layout']} {row['op']} {row['streams']} streams",
            measured=f"{row['total_mb_s']} MB/s",
            why="the same run as in throughput",
        )
        for number, row in enumerate(measured_table("three_disk_raid.csv"), start=1)
        if (row["level"], row["layout"], row["op"]) not in _THREE_DISK_EXTRA
    ]


def _left_segfault() -> list[Left]:
    out = []
    for number, row in enumerate(measured_table("segfault_chunks.csv"), start=1):
        absolute, relative = row["absolute"], row["relative_to_64k"]
        if "370" in absolute or "240" in absolute:
            why = "the same run as in throughput"
        elif not row["chunk_kib"]:
            why = "the speed of one disk, an input"
        elif "small files" in row["workload"]:
            why = "many small files: no term in the model"
        else:
            why = "relative to another row, or no figure for one disk"
        out.append(
            Left(
                name=f"segfault {number}",
                source="seed: Segfault",
                said=f"{row['workload']} chunk {row['chunk_kib']} KiB",
                measured=absolute or relative,
                why=why,
            )
        )
    return out
