"""The table of what was measured: figures, errors, how, when, and what changed since."""

from dataclasses import replace

from raidtui.answers.summary import measured_rows
from raidtui.machine.inventory import shipped
from raidtui.values.inventory import MeasuredSpeed
from raidtui.values.speed import ArraySpread, Limit, MachineFigures, MeasuredFigure, MeasuredLink

MB = 1_000_000
ONE = MeasuredSpeed(
    outer_bytes_per_s=180 * MB, middle_bytes_per_s=150 * MB, inner_bytes_per_s=90 * MB, error=1.02, read_iops=120,
    iops_error=1.05, depth=16, day="2026-01-31", kernel="6.1.0",
)  # fmt: skip


def test_nothing_measured_is_no_table() -> None:
    assert measured_rows(shipped.load("trio")) == []


def test_a_slow_disk_and_a_narrow_link_stand_out() -> None:
    pool = shipped.load("e2660")
    slow = MeasuredSpeed(outer_bytes_per_s=90 * MB, error=1.02, day="2026-01-31", kernel="6.1.0")
    found = (slow, ONE, ONE, replace(ONE, changed="the kernel became 6.8.0"))
    disks = tuple(
        replace(disk, kernel_name=f"sd{name}", measured=each)
        for disk, name, each in zip(pool.disks, "abcd", found, strict=False)
    )
    links = (
        MeasuredLink(
            limit=Limit("expander", "expander-0:0"), disks=(pool.disks[0].id, pool.disks[1].id), bytes_per_s=200 * MB,
            alone_bytes_per_s=360 * MB, at_least=False, error=1.02, day="2026-01-31", kernel="6.1.0",
        ),
        MeasuredLink(
            limit=Limit("PCIe slot", "0000:03:00.0"), disks=(pool.disks[0].id, "b", "c"), bytes_per_s=500 * MB,
            alone_bytes_per_s=510 * MB, at_least=True, error=1.02, day="2026-01-31", kernel="6.1.0",
        ),
    )  # fmt: skip
    figures = MachineFigures(
        links=links,
        memory=MeasuredFigure(bytes_per_s=20_000 * MB, error=1.15, how="copied", day="2026-01-31", kernel="6.8.0"),
        one_reader=MeasuredFigure(
            bytes_per_s=5_000 * MB, error=1.1, how="copied", day="2026-01-31", kernel="6.8.0", at_least=True
        ),
        scatter=(ArraySpread(work="disk sequential", ratio=0.97, figures=3, day="2026-02-01", kernel="6.8.0"),),
        kernel_now="6.8.0",
    )
    rows = measured_rows(replace(pool, disks=disks, figures=figures))
    assert rows == [
        ("MEASURED", "FIGURE", "ERROR", "HOW AND WHEN"),
        ("sda", "90.0 MB/s outer", "2.0 %", "read alone on 2026-01-31, kernel 6.1.0; SLOW: 50 % of its model's median"),
        *[
            (
                name, "180 MB/s outer, 150 MB/s middle, 90.0 MB/s inner; 120 IOPS random read", "2.0 %",
                f"read alone on 2026-01-31, kernel 6.1.0, 16 random reads in flight{more}",
            )
            for name, more in (("sdb", ""), ("sdc", ""), ("sdd", "; the kernel became 6.8.0"))
        ],
        (
            "expander expander-0:0", "200 MB/s: holds 2 disks back, which read 360 MB/s alone", "2.0 %",
            "all disks at once, 2026-01-31, kernel 6.1.0; since then the kernel became 6.8.0",
        ),
        (
            "PCIe slot 0000:03:00.0", "at least 500 MB/s to 3 disks", "2.0 %",
            "all disks at once, 2026-01-31, kernel 6.1.0; since then the kernel became 6.8.0; 2 of its disks are gone",
        ),
        ("memory", "20.0 GB/s", "15 %", "copied, 2026-01-31, kernel 6.8.0"),
        ("one reader", "at least 5.00 GB/s", "10 %", "copied, 2026-01-31, kernel 6.8.0"),
        (
            "arrays, disk sequential", "0.97 of the lowest limit", "-",
            "3 figures of benchmarks, last on 2026-02-01, kernel 6.8.0",
        ),
    ]  # fmt: skip


def test_text_of_a_file_is_shown_harmless() -> None:
    pool = shipped.load("trio")
    hostile = replace(ONE, kernel="\x1b[31m", changed="\n$(reboot)")
    rows = measured_rows(replace(pool, disks=(replace(pool.disks[0], measured=hostile),)))
    assert all(char.isprintable() for row in rows for cell in row for char in cell)
