"""Who says how fast a disk is, and what families and classes give."""

from dataclasses import replace

import pytest

from raidtui.predict.disks.families import family_of
from raidtui.predict.speed.disk_speed import disk_speed
from raidtui.values.assumptions import Assumptions
from raidtui.values.inventory import Disk, MeasuredSpeed

TB = 10**12
RED = Disk(id="disk-1", size_bytes=4 * TB, model="WDC WD40EFRX-68N32N0", rotational=True, rpm=5400, transport="sata")
MEASURED = MeasuredSpeed(outer_bytes_per_s=141_000_000, day="2026-01-02", read_iops=77)
NOTHING_SAID = Assumptions()


def test_each_source_gives_way_to_a_better_one() -> None:
    unnamed = replace(RED, model=None)
    known = replace(RED, sequential_bytes_per_s=144_000_000)
    said = Assumptions(disk_bytes_per_s=94_000_000)
    found = [
        disk_speed(unnamed, NOTHING_SAID),
        disk_speed(RED, NOTHING_SAID),
        disk_speed(known, NOTHING_SAID),
        disk_speed(replace(known, measured=MEASURED), NOTHING_SAID),
        disk_speed(replace(known, measured=MEASURED), said),
    ]
    assert [each.source for each in found] == ["class", "family", "inventory", "measured", "said"]
    assert [each.read_bytes_per_s // 10**6 for each in found] == [130, 150, 144, 141, 94]
    assert found[4].read_iops == 77


@pytest.mark.parametrize(
    ("model", "name", "read", "write"),
    [
        ("ST20000NM007D-3DJ103", "Seagate Exos X20", 285, 285),
        ("HGST HUS726060ALE614", "HGST Ultrastar 7K6000", 227, 227),
        ("TOSHIBA MG08ACA16TE", "Toshiba MG08", 275, 275),
        ("SAMSUNG MZ7LH960HAJR-00005", "Samsung PM883", 550, 520),
        ("samsung mzql23t8hcls-00a07", "Samsung PM9A3", 6800, 4000),
        ("INTEL SSDPE2KX040T8", "Intel DC P4510", 3000, 2900),
        ("KCM61RUL7T68", "Kioxia CM6", 6900, 4200),
    ],
)
def test_families_by_model_string(model: str, name: str, read: int, write: int) -> None:
    found = family_of(model)
    assert found is not None
    assert (found.name, found.read_bytes_per_s, found.write_bytes_per_s) == (name, read * 10**6, write * 10**6)


@pytest.mark.parametrize(
    ("fields", "read", "iops", "rotational", "words"),
    [
        ({"rotational": True, "rpm": 7200, "size_bytes": 20 * TB}, 260, 120, True, "7200 rpm"),
        ({"rotational": True, "rpm": 7200, "size_bytes": 2 * TB}, 120, 120, True, "7200 rpm"),
        ({"rotational": True, "rpm": 5900, "size_bytes": 4 * TB}, 130, 80, True, "5400 rpm"),
        ({"rotational": True, "rpm": 10_520, "size_bytes": 12 * TB // 10}, 160, 180, True, "10000 rpm"),
        ({"rotational": True, "rpm": 15_000, "size_bytes": TB // 7}, 90, 250, True, "15000 rpm"),
        ({"rotational": True, "size_bytes": 4 * TB}, 130, 80, True, "rpm is unknown"),
        ({"size_bytes": 4 * TB}, 130, 80, True, "unknown whether it rotates"),
        ({"rotational": False, "transport": "sata", "size_bytes": TB}, 540, 90_000, False, "SATA SSD"),
        ({"rotational": False, "transport": "sas", "size_bytes": TB}, 1050, 200_000, False, "SAS SSD"),
        ({"transport": "nvme", "link_bits_per_s": 64 * 10**9, "size_bytes": TB}, 6500, 1_000_000, False, "PCIe 4.0"),
        ({"transport": "nvme", "link_bits_per_s": 32 * 10**9, "size_bytes": TB}, 3200, 600_000, False, "PCIe 3.0"),
        ({"transport": "nvme", "link_bits_per_s": 8 * 10**9, "size_bytes": TB}, 1600, 300_000, False, "narrow"),
        ({"transport": "nvme", "size_bytes": TB}, 3200, 600_000, False, "unknown link"),
    ],
)
def test_classes(fields: dict[str, object], read: int, iops: int, rotational: bool, words: str) -> None:
    found = disk_speed(Disk(id="x", **fields), NOTHING_SAID)  # type: ignore[arg-type]
    assert (found.read_bytes_per_s, found.read_iops, found.rotational) == (read * 10**6, iops, rotational)
    assert found.source == "class"
    assert words in found.basis
    assert found.low < 1 < found.high


def test_shingled_disks_write_over_again_far_more_slowly_than_they_read() -> None:
    known = disk_speed(replace(RED, model="WDC WD40EFAX-68JH4N1"), NOTHING_SAID)
    said = disk_speed(Disk(id="x", size_bytes=8 * TB, rotational=True, rpm=5400, smr=True), NOTHING_SAID)
    for found in (known, said):
        assert found.write_bytes_per_s == pytest.approx(0.3 * found.read_bytes_per_s, rel=0.02)
        assert found.write_high == pytest.approx(found.high / 0.3)
        assert "drive-managed SMR writes 0.3 of what it reads" in found.basis


@pytest.mark.parametrize(
    ("size", "model", "safe"),
    [
        (960_197_124_096, None, True), (3_840_755_982_336, None, True), (1_600_321_314_816, None, True),
        (500_107_862_016, None, False), (1_000_204_886_016, None, False), (4_000_787_030_016, None, False),
        (480_103_981_056, None, False), (480_103_981_056, "INTEL SSDSC2KB480G8", True),
    ],
)  # fmt: skip
def test_flash_of_data_centres_keeps_its_cache_over_a_power_cut(size: int, model: str | None, safe: bool) -> None:
    """By model, else by size: 960 GB, 3.84 TB and 1.6 TB are made for data centres, 500 GB, 1 TB and 4 TB for PCs."""
    disk = Disk(id="one", size_bytes=size, rotational=False, transport="sata", model=model, state="blank")
    assert (disk_speed(disk, NOTHING_SAID).flush_s is None) == safe
