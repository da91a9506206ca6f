"""How fast a disk reads: what is counted, what is kept, and which disks are left alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.inventory import measured_speeds, shipped
from raidtui.model.assumptions import DEFAULTS
from raidtui.model.errors import BadInput
from raidtui.model.inventory import Measured, Use
from raidtui.planner.performance.disk_speed import disk_speed

MB = 1_000_000


class Drive:
    """Reads at a rate that falls from the start to the end."""

    def __init__(self, size: int, outer: float, inner: float) -> None:
        self.size, self.outer, self.inner = size, outer, inner
        self.now = 0.0
        self.furthest = 0

    def read(self, position: int) -> int:
        assert position + measured_speeds.BLOCK <= self.size
        self.furthest = max(self.furthest, position + measured_speeds.BLOCK)
        rate = self.outer + (self.inner - self.outer) * position / self.size
        self.now += measured_speeds.BLOCK / rate
        return measured_speeds.BLOCK

    def clock(self) -> float:
        return self.now


def test_the_rate_is_that_of_the_part_that_was_read() -> None:
    drive = Drive(2_000_000 * measured_speeds.BLOCK, 200 * MB, 100 * MB)
    assert measured_speeds.rate_of(drive.read, 0, drive.size, 2, clock=drive.clock) == pytest.approx(200 * MB, rel=0.01)
    late = drive.size - 2048 * measured_speeds.BLOCK
    assert measured_speeds.rate_of(drive.read, late, drive.size, 2, clock=drive.clock) == pytest.approx(
        100 * MB, rel=0.01
    )


def test_a_small_disk_is_never_read_beyond_its_end() -> None:
    drive = Drive(16 * measured_speeds.BLOCK, 100 * MB, 100 * MB)
    assert measured_speeds.rate_of(drive.read, 0, drive.size, 5, clock=drive.clock) == pytest.approx(100 * MB, rel=0.01)
    assert drive.furthest == drive.size


def test_what_was_measured_is_kept_beside_what_was_known(tmp_path: Path) -> None:
    path = tmp_path / "state" / "speeds.json"
    assert measured_speeds.kept(path) == {}
    one = Measured(outer_bytes_per_s=200 * MB, inner_bytes_per_s=90 * MB, day="2026-01-31")
    measured_speeds.keep(path, {"wwn-0x1": one})
    measured_speeds.keep(path, {"wwn-0x2": replace(one, outer_bytes_per_s=MB)})
    assert measured_speeds.kept(path)["wwn-0x1"] == one
    assert set(measured_speeds.kept(path)) == {"wwn-0x1", "wwn-0x2"}
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_understood_is_named(tmp_path: Path) -> None:
    path = tmp_path / "speeds.json"
    path.write_text('{"disks": {"x": {"outer_bytes_per_s": "fast"}}}')
    with pytest.raises(BadInput, match=r"speeds\.json"):
        measured_speeds.kept(path)


def test_a_measured_disk_is_planned_with_its_own_speed() -> None:
    inventory = shipped.load("e2660")
    first = inventory.disks[0]
    found = {first.id: Measured(outer_bytes_per_s=150 * MB, inner_bytes_per_s=75 * MB, day="2026-01-31")}
    disk = measured_speeds.with_measured(inventory, found).disks[0]
    speed = disk_speed(disk, DEFAULTS)
    assert (speed.read_bytes_per_s, speed.inner_share, speed.source) == (150 * MB, 0.5, "measured")
    assert speed.basis == "read alone on 2026-01-31"
    assert disk_speed(inventory.disks[1], DEFAULTS).source == "inventory"


def test_a_disk_in_use_is_left_alone() -> None:
    one, other = shipped.load("trio").disks[:2]
    used = replace(one, uses=(Use(kind="mounted", where="/srv", active=True),))
    assert measured_speeds.quiet((used, other, replace(other, by_id=()))) == (other,)
