"""fio reads block devices by their paths: a path that leads to another device ends the measurement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.bench import fio_load
from raidtui.bench.fio_load import FioLoad
from raidtui.values.errors import MachineFailed
from tests.planner.benches import bench, target, task

PATHS = ("/dev/disk/by-id/wwn-1", "/dev/disk/by-id/wwn-2")


@pytest.mark.parametrize("now", [(8, 32), None], ids=["another device", "gone"])
def test_a_raw_path_that_leads_elsewhere_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, now: tuple[int, int] | None
) -> None:
    numbers: dict[str, tuple[int, int] | None] = {PATHS[0]: (8, 0), PATHS[1]: (8, 16)}
    monkeypatch.setattr(fio_load, "_number", numbers.__getitem__)
    reads = task(1, replace(target("disks"), paths=PATHS))
    load = FioLoad(bench([reads]), memory_bytes=1 << 30)
    load.check(reads)
    numbers[PATHS[1]] = now
    with pytest.raises(MachineFailed) as ended:
        load.check(reads)
    assert str(ended.value) == "/dev/disk/by-id/wwn-2 is gone or is another device now"
