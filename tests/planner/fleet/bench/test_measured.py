"""Sums, spread and outliers of figures written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.model.bench import Compared
from raidtui.model.fleet.bench_result import MeasuredHost
from raidtui.planner.fleet.bench import measured as fleet
from raidtui.planner.fleet.bench.measured import HostResult, fleet_bench
from raidtui.planner.fleet.bench.text import bench_lines
from tests.planner.fleet.bench.fleets import measured, of_disks, order


def test_a_sum_at_once_is_the_median_of_the_sums_of_each_repeat() -> None:
    found = fleet_bench(order(["n1", "n2"]), [measured("n1", [100e6, 140e6]), measured("n2", [200e6, 120e6])])
    (figure,) = found.figures
    assert figure.sum == 280e6  # (300 + 260) / 2, not 120 + 160 by chance: the hosts' medians
    assert [host.measured for host in figure.hosts] == [120e6, 160e6]
    assert (figure.began_within_s, figure.together) == (0.0, 1.0)
    assert figure.began_error_s == pytest.approx(0.2)


def test_a_sum_of_turns_is_that_of_the_hosts_medians() -> None:
    hosts = [measured("n1", [100e6, 100e6], of="turns"), measured("n2", [50e6, 60e6], of="turns")]
    (figure,) = fleet_bench(order(["n1", "n2"], "turns"), hosts).figures
    assert (figure.sum, figure.began_within_s, figure.together) == (155e6, None, None)


def test_hosts_of_clocks_far_apart_are_compared_by_their_own_begin() -> None:
    """n2's clock is an hour ahead: its begin was given by its own clock, and it was 0.4 s late."""
    hosts = [measured("n1", [1e8], begin=1000.0), measured("n2", [1e8], begin=4600.0, late=0.4, error=0.05)]
    (figure,) = fleet_bench(order(["n1", "n2"]), hosts).figures
    assert figure.began_within_s == pytest.approx(0.4)
    assert figure.began_error_s == pytest.approx(0.15)
    assert figure.together == pytest.approx(0.96)  # 9.6 s of 10 s
    assert "partial" not in figure.labels


def test_hosts_that_began_apart_have_no_common_figure() -> None:
    found = fleet_bench(order(["n1", "n2"]), [measured("n1", [1e8]), measured("n2", [1e8], late=4.0)])
    (figure,) = found.figures
    assert figure.labels == ("partial",) and figure.together == pytest.approx(0.6)
    assert [finding.code for finding in found.findings] == ["began-apart"]
    assert "the hosts began 4.0 s apart" in found.findings[0].message


@pytest.mark.parametrize(("within", "seconds", "is_apart"), [(0.9, 1, False), (1.1, 1, True), (3.0, 30, False)])
def test_how_far_apart_hosts_may_begin(within: float, seconds: float, is_apart: bool) -> None:
    assert fleet.apart(within, seconds) == is_apart


def test_a_predicted_sum_adds_the_ends_of_the_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    def compared(_: object) -> tuple[Compared, ...]:
        return (
            Compared(
                task=1, name="read", unit="B/s", measured=1e8, predicted=1.1e8, low=0.9e8, high=1.3e8, ratio=1 / 1.1,
                verdict="ok",
            ),
        )  # fmt: skip

    monkeypatch.setattr(fleet, "compare_result", compared)
    (figure,) = fleet_bench(order(["n1", "n2"]), [measured("n1", [1e8]), measured("n2", [0.7e8])]).figures
    assert (figure.predicted, figure.low, figure.high) == (2.2e8, 1.8e8, 2.6e8)
    assert figure.verdict == "low"
    assert figure.ratio == pytest.approx(0.7727, abs=1e-4)


def test_a_host_that_is_missing_is_named_and_its_sum_partial() -> None:
    lost = HostResult(
        host=MeasuredHost(
            host="n2", round="at-once", bench_id="2" * 32, stage="failed", reason="fio: I/O \x1b[31merror"
        )
    )
    found = fleet_bench(order(["n1", "n2"]), [measured("n1", [1e8]), lost])
    (figure,) = found.figures
    assert (figure.missing, figure.labels, figure.sum) == (("n2",), ("partial",), 1e8)
    assert not found.finished
    assert found.findings[0].message == "n2 failed: fio: I/O \\e[31merror; sums are without what is missing"


def test_alone_beside_at_once() -> None:
    hosts = [
        measured("n1", [1e8], of="turns"), measured("n2", [1e8], of="turns"), measured("n1", [0.7e8]),
        measured("n2", [0.8e8]),
    ]  # fmt: skip
    found = fleet_bench(order(["n1", "n2"], "turns", "at-once"), hosts)
    (both,) = found.together
    assert (both.alone, both.at_once, both.ratio) == (2e8, 1.5e8, 0.75)
    assert "sequential read         200 MB/s     150 MB/s   0.75" in bench_lines(found)


def test_outliers_are_named_among_alike_hosts_only() -> None:
    values = {"n1": 500e6, "n2": 505e6, "n3": 495e6, "n4": 310e6, "n5": 498e6}
    hosts = [measured(name, [value], layout="(4+2)") for name, value in values.items()]
    hosts.append(measured("n6", [90e6], layout="(2+1)"))
    (outlier,) = fleet_bench(order([*values, "n6"]), hosts).outliers
    assert (outlier.host, outlier.median, outlier.mad, outlier.peers) == ("n4", 498e6, 3e6, 5)
    assert outlier.share == pytest.approx(0.6225, abs=1e-4)


@pytest.mark.parametrize(
    "values",
    [
        [100e6, 60e6],  # of two none can be called the outlier
        [100e6, 100e6, 100e6, 100e6, 90e6],  # 10 %: all others agree to the byte
        [100e6, 80e6, 60e6, 120e6, 140e6],  # they scatter, all of them
    ],
)
def test_no_outlier_where_none_can_be_named(values: list[float]) -> None:
    names = [f"n{number}" for number in range(len(values))]
    hosts = [measured(name, [value]) for name, value in zip(names, values, strict=True)]
    assert fleet_bench(order(names), hosts).outliers == ()


def test_a_disk_is_compared_with_all_disks_of_its_model() -> None:
    """On its own host, of two disks none can be called slow; in the fleet it is one of six."""
    hosts = [of_disks(f"n{number}", {f"sda{number}": 200e6, f"sdb{number}": 198e6}) for number in (1, 2)]
    hosts.append(of_disks("n3", {"sda3": 201e6, "sdb3": 110e6}, slow=["sda3"]))
    found = fleet_bench(order(["n1", "n2", "n3"]), hosts)
    assert [(disk.host, disk.disk, disk.peers) for disk in found.slow_disks] == [
        ("n3", "sda3", "disks of its host"), ("n3", "sdb3", "disks of its model in the fleet"),
    ]  # fmt: skip
    assert found.slow_disks[1].share == pytest.approx(110 / 199)
    assert found.figures == ()  # READ was not run


def test_text_of_hosts_is_made_safe() -> None:
    hosts = [measured("n1", [1e8]), measured("n2", [1e8]), measured("n3", [1e7])]
    found = fleet_bench(order(["n1", "n2", "n3"]), hosts)
    figure = replace(found.figures[0], title="read \x1b[2J")
    assert all(line.isprintable() for line in bench_lines(replace(found, figures=(figure,))))
