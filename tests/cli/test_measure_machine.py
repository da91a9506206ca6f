"""The order of a measurement, what it makes of slow disks, narrow links and failures, and what Ctrl-C leaves."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.cli import inputs
from raidtui.machine.inventory import measure, measure_disks
from raidtui.machine.inventory.measure import MachineMeasurement
from raidtui.machine.inventory.measure_disks import Measurement, OpenDisk
from raidtui.predict.speed.shared_links import when
from raidtui.values.errors import Locked, MachineFailed
from raidtui.values.inventory import Disk, Inventory, Place
from raidtui.values.speed import Limit

MB = 1_000_000
SLOT, OTHER = "0000:01:00.0", "0000:02:00.0"


def _disk(name: str, controller: str = SLOT, *, rotational: bool = True) -> Disk:
    return Disk(
        id=name, kernel_name=name, size_bytes=10**12, by_id=(name,), rotational=rotational,
        place=Place(controller=controller),
    )  # fmt: skip


DISKS = (*(_disk(name) for name in "abc"), *(_disk(name, OTHER) for name in "de"), _disk("f", rotational=False))
MACHINE = Inventory(origin="machine", name="x", machine_id="here", disks=DISKS)


class Fake:
    """A machine whose slot carries 300 MB/s; disk b is slow, d fails, random reads are 100 each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self.interrupt_at = ""
        self.busy = False
        self.one_reader = 5_000 * MB
        monkeypatch.setattr(measure, "_ProcessorClock", lambda: self)
        for name in ("opened", "zone_rate", "random_rates", "together_rate", "memory_rates", "_kernel_log"):
            monkeypatch.setattr(measure, name, getattr(self, name))

    @contextmanager
    def opened(self, disk: Disk) -> Iterator[OpenDisk]:
        if disk.id == "d":
            raise MachineFailed("d: Input/output error")
        yield OpenDisk(disk, -1)

    def zone_rate(self, disk: OpenDisk, share: float) -> Measurement:
        self._call(f"zone {disk.disk.id} {share:g}")
        return Measurement((80 if disk.disk.id == "b" else 200) * MB * (1 - share / 2), 1.02)

    def random_rates(self, disks: Sequence[OpenDisk]) -> list[Measurement]:
        self._call("random " + " ".join(disk.disk.id for disk in disks))
        return [Measurement(100, 1.05) for _ in disks]

    def together_rate(self, disks: Sequence[OpenDisk]) -> Measurement:
        self._call("together " + " ".join(disk.disk.id for disk in disks))
        return Measurement(300 * MB, 1.03)

    def memory_rates(self, available: int) -> tuple[Measurement, Measurement, int]:
        self._call("memory")
        return Measurement(20_000 * MB, 1.15), Measurement(self.one_reader, 1.1), 8

    def _kernel_log(self) -> list[str]:
        return ["6,1,2,-;raid6: using algorithm avx2x4 gen() 1000 MB/s"]

    def _call(self, name: str) -> None:
        if name == self.interrupt_at:
            raise KeyboardInterrupt
        self.calls.append(name)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    return Fake(monkeypatch)


def test_disks_alone_come_before_disks_together(fake: Fake) -> None:
    session = MachineMeasurement(MACHINE, DISKS)
    problems = [progress.problem for progress in session.run() if progress.problem]
    assert fake.calls == [
        *(f"zone {name} {share}" for name in "abc" for share in ("0", "0.5", "1")),
        *(f"zone e {share}" for share in ("0", "0.5", "1")),
        "zone f 0", "random a b c e", "random f", "together a b c f", "memory",
    ]  # fmt: skip
    assert problems == ["d: Input/output error"]
    assert sorted(session.found) == ["a", "b", "c", "e", "f"]
    found = session.found["b"]
    assert (found.outer_bytes_per_s, found.middle_bytes_per_s, found.inner_bytes_per_s, found.read_iops) == (
        80 * MB, 60 * MB, 40 * MB, 100,
    )  # fmt: skip
    assert session.found["f"].inner_bytes_per_s is None
    (link,) = session.figures.links
    assert (link.limit, link.at_least, link.bytes_per_s, link.alone_bytes_per_s) == (
        Limit("PCIe slot", SLOT), False, 300 * MB, 680 * MB,
    )  # fmt: skip
    assert session.figures.machine_id == "here"
    assert session.figures.raid6 is not None
    assert session.figures.raid6.bytes_per_s == 1000 * 1024 * 1024
    assert session.figures.xor is None


def test_a_program_that_is_too_slow_is_not_taken_for_the_limit(fake: Fake) -> None:
    fake.busy = True
    session = MachineMeasurement(MACHINE, DISKS)
    assert not [each.problem for each in session.run() if each.problem and "Input/output" not in each.problem]
    assert fake.calls[13:18] == ["random a b c e", "random a", "random b", "random c", "random e"]
    assert all(found.iops_at_least for found in session.found.values())
    assert all(link.at_least for link in session.figures.links)


def test_memory_that_scales_with_the_processors_is_known_from_below(fake: Fake) -> None:
    for one_reader, at_least in ((5_000, None), (1_300, True)):  # eight alone: 40 and 10.4 GB/s; together 10 GB/s
        fake.one_reader = one_reader * MB
        session = MachineMeasurement(MACHINE, DISKS)
        list(session.run())
        assert session.figures.memory is not None
        assert session.figures.memory.at_least is at_least


def test_the_time_is_said_before(fake: Fake, capsys: pytest.CaptureFixture[str], paths: Path) -> None:
    plain = replace(MACHINE, disks=tuple(disk for disk in DISKS if disk.id != "d"))
    measured = inputs.measure(plain)
    said = capsys.readouterr().err
    seconds = (4 * 3 + 1 + 1) * 2.3 + 2 * 3.3 + 2 * 1.3
    assert said.splitlines()[0] == (
        f"raidtui: reading 5 free disks one by one, then those of 1 shared link at once, then memory: about"
        f" {seconds:.0f} s; writes nothing"
    )
    assert "raidtui: a: 200 MB/s outer, 150 MB/s middle, 100 MB/s inner; 100 IOPS random read" in said
    assert f"raidtui: PCIe slot {SLOT}: 300 MB/s: holds 4 disks back, which read 680 MB/s alone" in said
    assert measured.figures is not None
    assert measure_disks.stored(paths).machine.links == measured.figures.links
    first = measured.disks[0].measured
    assert first is not None
    assert when(first.day, first.kernel).endswith(f"kernel {first.kernel}")


def test_an_interrupt_keeps_what_was_measured(fake: Fake, capsys: pytest.CaptureFixture[str], paths: Path) -> None:
    fake.interrupt_at = "zone c 0.5"
    with pytest.raises(KeyboardInterrupt):
        inputs.measure(MACHINE)
    assert "interrupted: what was measured of 2 disks is kept" in capsys.readouterr().err
    assert sorted(measure_disks.kept(paths)) == ["a", "b"]
    with measure_disks.only_measurement(paths):
        pass


def test_one_measurement_at_a_time_and_none_beside_a_run(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, paths: Path
) -> None:
    with measure_disks.only_measurement(paths), pytest.raises(Locked, match="another process measures"):
        inputs.measure(MACHINE)
    monkeypatch.setattr(inputs, "lock_is_free", lambda _: False)
    with pytest.raises(Locked, match="a run uses the disks"):
        inputs.measure(MACHINE)
    assert fake.calls == []


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where figures are kept."""
    path = tmp_path / "state" / "speeds.json"
    monkeypatch.setattr(inputs, "speeds_path", lambda: path)
    monkeypatch.setattr(inputs, "lock_is_free", lambda _: True)
    return path
