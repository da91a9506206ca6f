"""The gauges beside iostat -x, on real disks under a real load: every figure of every sample to iostat's last digit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from raidtui.machine.gauges.sampler import SystemTicks
from raidtui.values.gauges import Gauge, Scene
from tests.lab.host import scratch_root, tool

SAMPLES = 7
PROJECT = Path(__file__).parents[3]


@contextmanager
def load(folder: Path) -> Iterator[None]:
    """fio reads and writes a file past the page cache, not as fast as it can."""
    argv = [tool("fio"), "--name=load", f"--directory={folder}", "--size=32M", "--rw=randrw", "--bsrange=4k-256k",
            "--direct=1", "--ioengine=psync", "--numjobs=2", "--rate_iops=60,60", "--time_based", "--runtime=60",
            "--output=/dev/null"]  # fmt: skip
    with subprocess.Popen(argv, cwd=folder, stdin=subprocess.DEVNULL) as fio:
        try:
            yield
        finally:
            fio.terminate()


def beside_iostat() -> dict[str, Any]:
    """What iostat printed, and the files it read at each sample."""
    alone = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    argv = [*alone, sys.executable, "-m", "tests.machine.gauges.beside_iostat", str(SAMPLES)]
    done = subprocess.run(argv, cwd=PROJECT, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def in_iostat_words(gauge: Gauge) -> dict[str, float]:
    return {
        "r/s": gauge.read_iops,
        "w/s": gauge.write_iops,
        "rkB/s": gauge.read_bytes_per_s / 1024,
        "wkB/s": gauge.write_bytes_per_s / 1024,
        "r_await": gauge.read_await_ms,
        "w_await": gauge.write_await_ms,
        "aqu-sz": gauge.queue,
        "util": gauge.util * 100,
    }


@pytest.mark.needs("fio", "iostat")
def test_every_figure_is_that_of_iostat(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir=scratch_root()) as scratch:
        folder = Path(scratch)
        with load(folder):
            told = beside_iostat()
        ours = _ticks_of(folder / "root", told, monkeypatch)
    compared, at_work = 0, set()
    for theirs, disks in zip(told["statistics"][1:], ours, strict=True):
        for row in theirs["disk"]:
            gauge = disks.get(row["disk_device"])
            if gauge is None:  # iostat lists device-mapper devices and arrays too
                continue
            expected = {name: min(row[name], 100.0) if name == "util" else row[name] for name in in_iostat_words(gauge)}
            assert in_iostat_words(gauge) == pytest.approx(expected, abs=0.00501), row["disk_device"]
            compared += 1
            if gauge.read_iops and gauge.write_iops:
                at_work.add(row["disk_device"])
    assert at_work, "no disk did anything: is the scratch directory in memory?"
    assert compared >= SAMPLES - 1
    print(f"{compared} samples of {len(at_work)} disks at work, 8 figures each, as iostat has them")


def _ticks_of(root: Path, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Gauge]]:
    """Our ticks of the files that iostat read, over intervals as long as it took them for: of /proc/uptime."""
    times = iter([float(text.split()[0]) for text in told["uptime"]])
    monkeypatch.setattr("raidtui.machine.gauges.sampler.time.monotonic", lambda: next(times))
    file = root / "proc" / "diskstats"
    file.parent.mkdir(parents=True)
    file.write_text(told["diskstats"][0])
    (root / "sys").mkdir()
    (root / "sys" / "block").symlink_to("/sys/block")
    ticks = SystemTicks(Scene(host="x", disks=()), str(root), temperatures=False)
    found = []
    for text in told["diskstats"][1:]:
        file.write_text(text)
        found.append(dict(ticks.take().disks))
    return found
