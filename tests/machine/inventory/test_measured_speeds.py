"""What was measured of a machine: how it is kept, what is believed of it later, and which disks are left alone."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.machine.inventory import measure_disks, shipped
from raidtui.predict.speed.disk_speed import disk_speed
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.errors import BadInput, Locked
from raidtui.values.inventory import MeasuredSpeed, Use
from raidtui.values.speed import ArraySpread, Limit, MachineFigures, MeasuredFigure, MeasuredLink

MB = 1_000_000
FIGURE = MeasuredFigure(bytes_per_s=20_000 * MB, error=1.15, how="copied", day="2026-01-31", kernel="6.1.0")
LINK = MeasuredLink(
    limit=Limit("expander", "expander-0:0"), disks=("wwn-0x1", "wwn-0x2"), bytes_per_s=200 * MB,
    alone_bytes_per_s=360 * MB, at_least=False, error=1.02, day="2026-01-31", kernel="6.1.0",
)  # fmt: skip
SCATTER = ArraySpread(work="disk sequential", ratio=0.97, figures=3, day="2026-01-31", kernel="6.1.0")


def test_what_was_measured_is_kept_beside_what_was_known(tmp_path: Path) -> None:
    path = tmp_path / "state" / "speeds.json"
    assert measure_disks.kept(path) == {}
    one = MeasuredSpeed(outer_bytes_per_s=200 * MB, inner_bytes_per_s=90 * MB, day="2026-01-31")
    measure_disks.keep(path, {"wwn-0x1": one})
    measure_disks.keep(path, {"wwn-0x2": replace(one, outer_bytes_per_s=MB)})
    assert measure_disks.kept(path)["wwn-0x1"] == one
    assert set(measure_disks.kept(path)) == {"wwn-0x1", "wwn-0x2"}
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_understood_is_named(tmp_path: Path) -> None:
    path = tmp_path / "speeds.json"
    path.write_text('{"disks": {"x": {"outer_bytes_per_s": "fast"}}}')
    with pytest.raises(BadInput, match=r"speeds\.json"):
        measure_disks.kept(path)


def test_a_measured_disk_is_planned_with_its_own_speed() -> None:
    inventory = shipped.load("e2660")
    first = inventory.disks[0]
    found = {first.id: MeasuredSpeed(outer_bytes_per_s=150 * MB, inner_bytes_per_s=75 * MB, day="2026-01-31")}
    disk = measure_disks.with_measured(inventory, found).disks[0]
    speed = disk_speed(disk, DEFAULTS)
    assert (speed.read_bytes_per_s, speed.inner_share, speed.source) == (150 * MB, 0.5, "measured")
    assert speed.basis == "read alone on 2026-01-31"
    assert disk_speed(inventory.disks[1], DEFAULTS).source == "inventory"


def test_a_disk_in_use_is_left_alone() -> None:
    one, other = shipped.load("trio").disks[:2]
    used = replace(one, uses=(Use(kind="mounted", where="/srv", active=True),))
    assert measure_disks.quiet((used, other, replace(other, by_id=()))) == (other,)


def test_figures_of_a_machine_are_merged_by_what_they_are_of(tmp_path: Path) -> None:
    path = tmp_path / "state" / "speeds.json"
    first = MachineFigures(machine_id="a", memory=FIGURE, links=(LINK,), scatter=(SCATTER,))
    measure_disks.keep(path, {}, first)
    again = replace(LINK, bytes_per_s=210 * MB)
    other = replace(LINK, limit=Limit("PCIe slot", "0000:03:00.0"), at_least=True)
    measure_disks.keep(path, {}, MachineFigures(machine_id="a", raid6=FIGURE, links=(again, other)))
    kept = measure_disks.stored(path).machine
    assert kept == MachineFigures(machine_id="a", memory=FIGURE, raid6=FIGURE, links=(again, other), scatter=(SCATTER,))
    measure_disks.keep(path, {}, MachineFigures(machine_id="b", xor=FIGURE))
    assert measure_disks.stored(path).machine == MachineFigures(machine_id="b", xor=FIGURE)


def test_figures_of_another_machine_are_not_used() -> None:
    inventory = replace(shipped.load("e2660"), machine_id="here")
    there = MachineFigures(machine_id="there", memory=FIGURE)
    assert measure_disks.with_measured(inventory, {}, there).figures is None
    here = replace(there, machine_id="here")
    assert measure_disks.with_measured(inventory, {}, here, kernel="6.1.0").figures == replace(here, kernel_now="6.1.0")


def test_what_changed_since_a_measurement_is_said() -> None:
    inventory = shipped.load("e2660")
    first = inventory.disks[0]
    old = MeasuredSpeed(
        outer_bytes_per_s=150 * MB, day="2026-01-31", kernel="6.1.0", firmware="A1", controller="0000:01:00.0"
    )
    changed = replace(first, firmware="A2", place=replace(first.place, controller="0000:02:00.0"))
    same = replace(first, firmware="A1", place=replace(first.place, controller="0000:01:00.0"))
    inventory = replace(inventory, disks=(changed,))
    disk = measure_disks.with_measured(inventory, {first.id: old}, kernel="6.8.0").disks[0]
    assert disk.measured is not None
    assert disk.measured.changed == (
        "the kernel became 6.8.0, the drive's firmware changed, it moved to another controller"
    )
    assert disk_speed(disk, DEFAULTS).basis == (
        "read alone on 2026-01-31, kernel 6.1.0; since then the kernel became 6.8.0, the drive's firmware changed,"
        " it moved to another controller"
    )
    quiet = measure_disks.with_measured(replace(inventory, disks=(same,)), {first.id: old}, kernel="6.1.0")
    assert quiet.disks[0].measured == old
    assert quiet.unmeasured.disks[0].measured is None


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("disks", "x", "outer_bytes_per_s"), 0),
        (("disks", "x", "outer_bytes_per_s"), 10**400),
        (("disks", "x", "inner_bytes_per_s"), MB // 1000),
        (("disks", "x", "middle_bytes_per_s"), MB // 1000),
        (("disks", "x", "read_iops"), -1),
        (("disks", "x", "error"), 0.5),
        (("disks", "x", "error"), 11),
        (("disks", "x", "kernel"), "k" * 201),
        (("machine", "memory", "bytes_per_s"), 10**15),
        (("machine", "memory", "error"), 0),
        (("machine", "links", 0, "bytes_per_s"), 0),
        (("machine", "links", 0, "limit"), "expander " + "x" * 300),
        (("machine", "scatter", 0, "ratio"), 0),
        (("machine", "scatter", 0, "figures"), 0),
    ],
)
def test_a_figure_that_nothing_can_have_measured_is_refused(
    tmp_path: Path, place: tuple[str | int, ...], value: object
) -> None:
    path = tmp_path / "state" / "speeds.json"
    machine = MachineFigures(memory=FIGURE, links=(LINK,), scatter=(SCATTER,))
    measure_disks.keep(path, {"x": MeasuredSpeed(outer_bytes_per_s=MB, day="2026-01-31")}, machine)
    document = json.loads(path.read_text())
    at: Any = document
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    path.write_text(json.dumps(document))
    with pytest.raises(BadInput, match="out of range"):
        measure_disks.stored(path)


def test_a_figure_that_is_not_a_number_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "speeds.json"
    path.write_text(
        '{"disks": {"x": {"outer_bytes_per_s": 5, "day": "2026-01-31", "error": NaN}}, "schema": "raidtui/speeds/1"}'
    )
    path.chmod(0o600)
    with pytest.raises(BadInput):
        measure_disks.stored(path)


def test_only_one_process_measures_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "state" / "speeds.json"
    with measure_disks.only_measurement(path):
        again = measure_disks.only_measurement(path)
        with pytest.raises(Locked, match="another process measures"):
            again.__enter__()
    with measure_disks.only_measurement(path):
        pass
