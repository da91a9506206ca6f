"""Time to rebuild one member."""

import csv
from pathlib import Path

import pytest

from raidtui.predict.speed.rebuild_time import rebuild, sync_ceiling
from raidtui.predict.speed.sync_time import reshape_hours
from raidtui.values.assumptions import Assumptions
from raidtui.values.layout import ArrayShape, Level
from raidtui.values.notation import parse
from raidtui.values.speed import DiskSpeed, Limit

TB = 10**12
MB = 10**6
RATES = list(csv.DictReader((Path(__file__).parents[2] / "measured" / "rebuild.csv").open()))


def disk(rate: int, *, inner_share: float = 0.48, write: int | None = None) -> DiskSpeed:
    return DiskSpeed(
        read_bytes_per_s=rate, write_bytes_per_s=write or rate, inner_share=inner_share, read_iops=100, write_iops=100,
        rotational=inner_share < 1, source="said", basis="a test",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("layout", "idle"),
    [
        ("(58+2)", 128.2),
        ("2x(26+2)+4", 59.83),
        ("3x(17+2)+3", 40.6),
        ("4x(12+2)+4", 31.2),
        ("6x(8+2)", 29.35),
        ("4x(13+1)+4", 29.35),
        ("28x raid1(2)+4", 29.35),
    ],
)
def test_twenty_terabytes(layout: str, idle: float) -> None:
    """Half of the hours of worked examples at half speed: 285 MB/s at the outer zone, no disk above 204.8 MB/s."""
    found = rebuild(parse(layout).first, 20 * TB, disk(285 * MB), Assumptions())
    assert found is not None
    assert found.idle_hours == pytest.approx(idle, rel=2e-3)
    assert found.hours == pytest.approx(2 * idle, rel=2e-3)
    assert found.slow_hours == pytest.approx(3 * idle, rel=2e-3)


@pytest.mark.parametrize(
    ("layout", "rate", "limit"),
    [
        ("(12+2)", 120, "member"),
        ("(6+2)", 400, "sync_speed_max"),
        ("(58+2)", 285, "md sync thread"),
        ("(12+2)", 285, "md sync thread"),
        ("raid1(2)", 190, "member"),
    ],
)
def test_what_sets_the_pace(layout: str, rate: int, limit: str) -> None:
    found = rebuild(parse(layout).first, 20 * TB, disk(rate * MB), Assumptions())
    assert found is not None
    assert str(found.limit) == limit


@pytest.mark.parametrize(
    ("link", "whole", "hours", "limit"),
    [
        ((50.0 * MB, Limit("PCIe slot")), None, 2.0, "PCIe slot"),
        (None, 500 * MB, 2.0, "link of all members"),
        (None, None, 1.0, "member"),
    ],
)
def test_links(link: tuple[float, Limit] | None, whole: int | None, hours: float, limit: str) -> None:
    """36e10 bytes at 100 MB/s take an hour; a link of 500 MB/s under ten members leaves 50 MB/s each."""
    assumptions = Assumptions(link_bytes_per_s=whole, rebuild_share=1)
    found = rebuild(parse("(8+2)").first, 36 * 10**10, disk(100 * MB, inner_share=1), assumptions, link=link)
    assert found is not None
    assert found.hours == pytest.approx(hours)
    assert str(found.limit) == limit


def test_a_mirror_uses_a_shared_link_twice() -> None:
    pace = sync_ceiling(parse("raid10(8)").first, Assumptions(link_bytes_per_s=200 * MB))
    assert pace.bytes_per_s == 100 * MB


@pytest.mark.parametrize(
    "row", [row for row in RATES if row["id"] in ("33", "34", "42")], ids=lambda row: f"{row['id']}-{row['level']}"
)
def test_measured_at_the_default_cap(row: dict[str, str]) -> None:
    """Rates of disks that could do more, by kernels that were left at 200000 KiB/s. All others: tests/validation."""
    level: Level = row["level"].split()[0]  # type: ignore[assignment]
    pace = sync_ceiling(ArrayShape(level=level, members=int(row["n_members"])), Assumptions())
    assert pace.limit == Limit("sync_speed_max")
    assert pace.bytes_per_s / MB == pytest.approx(float(row["speed_mb_s_per_member"]), rel=0.04)


def test_reported_reshapes_are_in_their_band() -> None:
    """All but one: the last tenth of a RAID1 of 3 TB that became a RAID5, at 77 MB/s."""
    outside = []
    for row in RATES:
        if row["op"] != "reshape":
            continue
        size, chunk = float(row["member_tb"]) * TB, int(row["chunk_kib"] or 512) * 1024
        found = reshape_hours(int(size), chunk, in_file=row["note"].startswith("all of it"))
        assert found is not None
        least, most = found
        assert most / least < 3.01
        if not least <= size / (float(row["speed_mb_s_per_member"]) * MB) / 3600 <= most * 1.0001:
            outside.append(row["id"])
    assert outside == ["55"]
    assert reshape_hours(4 * TB, 4096, in_file=False) is None
