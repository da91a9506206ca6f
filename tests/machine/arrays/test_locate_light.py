"""The light of a bay: on while the disk is to be pulled, off after it, and no reason to stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.machine.system.ports import may_set
from raidtui.values.errors import MachineFailed
from tests.machine.arrays.test_replace_member import asked
from tests.machine.living import carried_out
from tests.machine.simulation import Run, built_run

BAY = "/sys/class/enclosure/0:0:9:0/Slot 02"


class Light:
    """The bay of sdb in the enclosure of a machine."""

    def __init__(self, run: Run, monkeypatch: pytest.MonkeyPatch, *, stuck: bool = False, fails: bool = False) -> None:
        self.values: list[int | str] = []
        machine, names, read = run.machine, run.machine.names, run.machine.read_text
        folders = {
            "/sys/class/enclosure": ("0:0:9:0",), "/sys/class/enclosure/0:0:9:0": ("Slot 01", "Slot 02", "uevent"),
            "/sys/class/enclosure/0:0:9:0/Slot 01/device/block": ("sda",), f"{BAY}/device/block": ("sdb",),
        }  # fmt: skip
        monkeypatch.setattr(machine, "names", lambda path: folders[path] if path in folders else names(path))

        def text(path: str) -> str | None:
            return f"{0 if stuck else self.values[-1]}\n" if path == f"{BAY}/locate" else read(path)

        def put(path: str, value: int | str) -> None:
            assert path == f"{BAY}/locate" and may_set(path)
            if fails:
                raise MachineFailed("no such page")
            self.values.append(value)

        monkeypatch.setattr(machine, "read_text", text)
        monkeypatch.setattr(machine, "set_value", put)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return built_run(tmp_path, "raid6(4+2)", name="data", after=100_000)


def told(run: Run) -> list[str]:
    said = carried_out(asked(run)[0], run.machine, run.folder)
    at = next(number for number, line in enumerate(said) if line.startswith("Switch the light"))
    return said[at + 1 :]


def test_the_light_goes_off_once_the_disk_is_pulled(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    light, wait = Light(run, monkeypatch), run.machine.wait
    old = run.plan.disks[1].id

    def pulled(seconds: float) -> None:
        if light.values == [1]:
            run.machine.unplug(old)
        wait(seconds)

    monkeypatch.setattr(run.machine, "wait", pulled)
    assert told(run) == [f"the light of its slot is on ({BAY}/locate)", f"the light of its slot is off ({BAY}/locate)"]
    assert light.values == [1, 0]


def test_the_light_goes_off_where_nobody_pulls_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    light = Light(run, monkeypatch)
    assert len(told(run)) == 2
    assert light.values == [1, 0]


def test_a_light_that_does_not_follow_stops_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    light = Light(run, monkeypatch, stuck=True)
    assert told(run) == [
        f"the light of its slot does not go on ({BAY}/locate)", f"the light of its slot is off ({BAY}/locate)",
    ]  # fmt: skip
    assert light.values == [1, 0]


def test_a_light_that_cannot_be_switched_stops_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Light(run, monkeypatch, fails=True)
    assert told(run) == [f"the light of its slot does not go {word} ({BAY}/locate)" for word in ("on", "off")]


@pytest.mark.parametrize("inner", ["0:0:9:0/Slot 02/fault", "../block/locate", "a/../locate", "a/b/c/locate"])
def test_nothing_else_of_an_enclosure_is_set(inner: str) -> None:
    assert not may_set(f"/sys/class/enclosure/{inner}")
