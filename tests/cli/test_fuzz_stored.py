"""What raidtui wrote earlier and what a machine answers, damaged: an exit code or a named error, never a traceback."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.cli import inputs
from raidtui.machine.inventory import shipped
from raidtui.machine.inventory.measure_disks import StoredSpeeds
from raidtui.machine.inventory.probe import probe, with_stored_speeds
from raidtui.machine.system.ports import Look, Ran
from raidtui.values.codec import to_json
from raidtui.values.errors import RaidtuiError
from raidtui.values.inventory import Inventory, MeasuredSpeed
from tests.cli.commands import code_of
from tests.cli.test_fuzz import CODES, broken
from tests.recorded_machines.captures import capture
from tests.recorded_machines.replay import NotRecorded, RecordedHost
from tests.suite import examples

BENCHES = Path(__file__).parents[1] / "machine" / "benches"
CAPTURES = ("hostile", "leftovers", "held", "container", "two-paths")
Printed = pytest.CaptureFixture[str]
pytestmark = pytest.mark.thorough


@cache
def lines_of(name: str, most: int = 25) -> tuple[str, ...]:
    """The scene and some ticks of a recording."""
    return tuple((BENCHES / name / "gauges.jsonl").read_text().splitlines()[:most])


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Now and then one byte is another, or the end is missing."""
    found = bytearray(data)
    if found and chance.random() < 0.2:
        found[chance.randrange(len(found))] = chance.randrange(256)
    if found and chance.random() < 0.1:
        del found[chance.randrange(len(found)) :]
    return bytes(found)


def text_of(document: Any) -> bytes:
    return json.dumps(document).encode("utf-8", "surrogatepass")


def ends_well(line: list[str], capsys: Printed) -> None:
    code = code_of(line)
    shown = capsys.readouterr()
    assert code in CODES, line
    assert "Traceback" not in shown.err
    assert code == 0 or shown.err, line


def broken_recording(name: str, chance: random.Random) -> bytes:
    """A recording with one to three damaged lines."""
    lines = [line.encode() for line in lines_of(name)]
    for _ in range(chance.randint(1, 3)):
        at = chance.choice((0, chance.randrange(len(lines))))
        match chance.randrange(4):
            case 0:
                lines.insert(at, lines[chance.randrange(len(lines))])
            case 1 if len(lines) > 1:
                del lines[at]
            case _:
                try:
                    lines[at] = text_of(broken(json.loads(lines[at]), chance))
                except ValueError:  # damaged before
                    lines[at] = b""
    return damaged(b"\n".join(lines) + b"\n", chance)


@examples(150, fixture=True)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(["measured", "measured", "simulated"]))
def test_stored_benchmarks(
    seed: int, name: str, tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reported, compared, listed and resumed."""
    monkeypatch.setattr("raidtui.machine.system.places.os.geteuid", lambda: 1000)
    chance = random.Random(seed)
    folder = tmp_path / "state" / "raidtui" / "benches" / ("a" * 32)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    document = json.loads((BENCHES / name / "result.json").read_bytes())
    if name == "simulated":
        document["figures"], document["bench"]["tasks"] = document["figures"][-4:], document["bench"]["tasks"][-4:]
    whole = chance.random() < 0.25
    (folder / "result.json").write_bytes(
        text_of(document) if whole else damaged(text_of(broken(document, chance)), chance)
    )
    (folder / "bench.json").write_bytes(text_of(document["bench"]))
    recording = (
        broken_recording(name, chance) if whole else b"\n".join(line.encode() for line in lines_of(name)) + b"\n"
    )
    (folder / "gauges.jsonl").write_bytes(recording)
    result = str(folder / "result.json")
    good = str(BENCHES / "measured" / "result.json")
    ends_well(["report", result, "--json"], capsys)
    ends_well(["report", str(folder), "--json"], capsys)
    ends_well(["report", good, "--against", result, "--json"], capsys)
    ends_well(["status"], capsys)
    if name == "simulated":  # a measured one would begin
        ends_well(["bench", "--resume", str(folder), "--yes"], capsys)


def _speeds(inventory: Inventory) -> dict[str, MeasuredSpeed]:
    return {
        disk.id: MeasuredSpeed(outer_bytes_per_s=200_000_000, inner_bytes_per_s=90_000_000, day="2026-01-31")
        for disk in inventory.disks
    }


@examples(150, fixture=True)
@given(seed=st.integers(0, 2**32))
def test_measured_speeds(seed: int, tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    machine = shipped.load("nas4")
    path = tmp_path / "speeds.json"
    path.write_bytes(
        damaged(text_of(broken(json.loads(to_json(StoredSpeeds(disks=_speeds(machine)))), chance)), chance)
    )
    path.chmod(0o600)
    monkeypatch.setattr("raidtui.machine.system.places.speeds_path", lambda: path)
    monkeypatch.setattr(inputs, "_this_machine", lambda **_: with_stored_speeds(machine))
    for line in (["disks"], ["disks", "--json"], ["model", "(2+1)"], ["propose"]):
        ends_well(line, capsys)


ANSWERS = ("", "\n", "-1", "0", "18446744073709551616", "nan", "\x00", "\x1b[31m", "\udcff", "a" * 5000, "{", "[]",
           "null", "1 2 3", "\u0663", "../../..", "/dev/sda", "0x", "1e400")  # fmt: skip


class _Damaged(RecordedHost):
    """A captured machine of which some answers are others, and that knows nothing of what was not recorded."""

    def __init__(self, name: str, chance: random.Random) -> None:
        super().__init__(capture(name))
        self._chance, self._share = chance, chance.choice((0.01, 0.05, 0.3))

    def _spoilt(self, text: str) -> str:
        if self._chance.random() >= self._share:
            return text
        match self._chance.randrange(4):
            case 0:
                return self._chance.choice(ANSWERS)
            case 1:
                return text[: self._chance.randrange(len(text) + 1)]
            case 2 if text.lstrip()[:1] in ("{", "["):
                try:
                    return json.dumps(broken(json.loads(text), self._chance))
                except ValueError:
                    return ""
            case _:
                at = self._chance.randrange(len(text) + 1)
                return text[:at] + self._chance.choice(ANSWERS) + text[at + 1 :]

    def text(self, path: str) -> str | None:
        try:
            found = super().text(path)
        except NotRecorded:
            return None
        return None if found is None else self._spoilt(found)

    def names(self, path: str) -> tuple[str, ...]:
        try:
            found = super().names(path)
        except NotRecorded:
            return ()
        return tuple(each for each in found if self._chance.random() >= self._share / 3)

    def link(self, path: str) -> str | None:
        try:
            found = super().link(path)
        except NotRecorded:
            return None
        return None if found is None or self._chance.random() < self._share / 3 else found

    def number(self, path: str) -> str | None:
        try:
            return super().number(path)
        except NotRecorded:
            return None

    def look(self, path: str, number: str, size: int) -> Look:
        try:
            return super().look(path, number, size)
        except NotRecorded:
            return Look(error="Permission denied")

    def run(self, argv: tuple[str, ...]) -> Ran | None:
        try:
            found = super().run(argv)
        except NotRecorded:
            return None
        if found is None:
            return None
        return Ran(exit=found.exit, stdout=self._spoilt(found.stdout), stderr=self._spoilt(found.stderr))


@examples(150, fixture=True)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(CAPTURES))
def test_answers_of_a_machine(seed: int, name: str) -> None:
    with contextlib.suppress(RaidtuiError):
        probe(_Damaged(name, random.Random(seed)))
