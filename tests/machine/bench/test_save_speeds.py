"""Speeds that a benchmark measured reach the file that the planner reads."""

from dataclasses import replace
from pathlib import Path

from raidtui.bench.store import keep_speeds
from raidtui.machine.inventory import measure_disks
from raidtui.values.inventory import MeasuredSpeed
from tests.planner.benches import MB
from tests.planner.measurement.test_disk_speeds import MACHINE, run


def test_what_was_measured_is_kept_beside_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "speeds.json"
    other = MeasuredSpeed(outer_bytes_per_s=200 * MB, inner_bytes_per_s=90 * MB, day="2025-12-31")
    measure_disks.keep(path, {"wwn-0x1": other})
    added = keep_speeds(run(), MACHINE, path)
    assert added == {"disk-001": MeasuredSpeed(outer_bytes_per_s=250 * MB, day="2026-01-31")}
    assert measure_disks.kept(path) == {"wwn-0x1": other, **added}
    shown = measure_disks.with_measured(MACHINE, measure_disks.kept(path))
    assert shown.disks[1].measured == added["disk-001"]


def test_a_simulated_benchmark_leaves_no_file(tmp_path: Path) -> None:
    real = run()
    pretended = replace(real, bench=replace(real.bench, simulated=True))
    assert keep_speeds(pretended, MACHINE, tmp_path / "speeds.json") == {}
    assert list(tmp_path.iterdir()) == []
