"""`raidtui arrays`: text and JSON, of a chassis and of a run."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.answers.arrays import machine_blocks, summary
from raidtui.answers.plain_text import plain_lines, unpainted
from raidtui.cli import main
from raidtui.machine.arrays.read import observe
from raidtui.machine.inventory import shipped
from raidtui.machine.system.places import simulated_root
from raidtui.session.session import Session
from raidtui.values.arrays import ObservedArrays
from raidtui.values.codec import from_json, to_json
from raidtui.values.design import Design
from raidtui.values.notation import parse
from tests.cli.commands import answer
from tests.machine.simulation import E2660, Run, built_run, planned
from tests.simulated.machine import FaultyMachine
from tests.tui.builds import standing_run


def test_a_chassis_has_no_array(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "arrays", "--inventory", "e2660") == "SIMULATED  e2660: no md array\n"
    found = from_json(ObservedArrays, answer(capsys, "arrays", "--inventory", "e2660", "--json"), source="x")
    assert (found.host, found.simulated, found.arrays) == ("e2660", True, ())


def test_a_run_names_its_own_disks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arrays", "3f2a3f2a", "--inventory", "e2660"]) == 2
    assert "a run names its own disks" in capsys.readouterr().err


def test_an_array_is_no_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arrays", "/dev/md0"]) == main(["audit", "md0"]) == 2
    assert (
        capsys.readouterr().err.count(
            " is the name of an array, not of a run, which is the build of a plan\n"
            "         without a name raidtui arrays and audit show every array; raidtui status lists runs; runs here: "
        )
        == 2
    )


def test_the_arrays_of_a_simulated_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    plan = planned("(4+2)+1")
    standing_run(simulated_root(), plan, E2660, seconds=9000.0)
    lines = answer(capsys, "arrays", plan.run_id[:8]).splitlines()
    assert lines[0] == "SIMULATED  e2660: 1 array: 1 clean; 1 syncing"
    assert lines[3].split()[:6] == ["SIMULATED", "md127", "raid6", "of", "6", "7.277"]
    assert "SIMULATED    -  sdg     drawer 1 slot 07  SIME26600007  spare" in lines


def test_what_is_printed_of_an_array_without_a_member(tmp_path: Path) -> None:
    run = built_run(tmp_path, "raid5(2+1)", name="data")
    run.machine.unplug(run.plan.disks[1].id)
    run.machine.advance(10)
    inventory = run.machine.inventory()
    seen = observe(run.machine, inventory)
    assert from_json(ObservedArrays, to_json(seen), source="x") == seen
    assert summary(seen) == "1 array: 1 degraded"
    text = os.linesep.join(plain_lines(machine_blocks(seen, inventory), unpainted, 80))
    assert text == (Path(__file__).parent / "arrays_degraded.txt").read_text().rstrip("\n")


def test_arrays_below_one_striped_volume_are_one_layout(tmp_path: Path) -> None:
    run = built_run(tmp_path, "2x(4+2)+1")
    inventory = run.machine.inventory()
    seen = observe(run.machine, inventory)
    lines = plain_lines(machine_blocks(seen, inventory), unpainted, 200)
    striped = [line.split(maxsplit=1)[1] for line in lines if line.startswith("  striped")]
    assert striped == ["2x(4+2)+1: mapper/data-data over md126 and md127"] * 2
    assert [line.partition(";")[0] for line in lines if line.startswith("  all of it")] == [
        "  all of it   usable 14.55 TiB"
    ] * 2
    slow = tuple(replace(each, sync_max_bytes_per_s=10_240_000) for each in seen.arrays)
    lines = plain_lines(machine_blocks(replace(seen, arrays=slow), inventory), unpainted, 200)
    rebuilds = [line.split()[-3:] for line in lines if line.startswith(("  predicted", "  all of it"))]
    assert rebuilds == [["disk", "4.5", "days"]] * 4  # 2,000,263,577,600 bytes, half of the time


def test_a_spare_that_took_over_below_another_link_is_the_reason_of_a_lower_rate(tmp_path: Path) -> None:
    """Design has 8.39 GB/s for this layout, with 40 members below each expander."""
    chassis = shipped.load("jbod84")
    design = Design(layout=parse("5x(14+2)+4"))
    run = Run(tmp_path, Session(chassis, run_id="ab" * 16, design=design).plan(), FaultyMachine(chassis, speed_up=1e9))
    run.build()

    def told() -> list[tuple[str, str]]:
        lines = plain_lines(machine_blocks(observe(run.machine, chassis), chassis), unpainted, 200)
        rates = [line.split(";")[2] for line in lines if line.startswith("  all of it")]
        limits = [line.removeprefix("  read limit  ") for line in lines if line.startswith("  read limit")]
        return list(dict.fromkeys(zip(rates, limits, strict=True)))

    link = "x4 at 12G = 4.80 GB/s x 0.92 = 4.42 GB/s"
    assert told() == [(" read / write 8.39 / 5.70 GB/s", f"expander-0:0: {link} for 40 of 80 members, 2 such links")]
    run.machine.fail(run.plan.arrays[3].members[0])
    run.machine.advance(1e7)
    assert told() == [(" read / write 8.19 / 5.70 GB/s", f"expander-1:0: {link} for 41 of 80 members, 2 such links")]
