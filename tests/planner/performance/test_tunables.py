"""What a plan tells the kernel is what the model assumes: each setting, stated and not."""

from __future__ import annotations

from typing import Any

import pytest

from raidtui.predict.design import assess, predict
from raidtui.predict.speed.tunables import tunables
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.design import Design
from raidtui.values.notation import parse
from raidtui.values.plan import WriteFile
from raidtui.values.prediction import Prediction
from tests.planner.plans import plan_of


def model(**options: Any) -> Prediction:
    bought = purchase("8x16TB")
    design = Design(layout=parse("(6+2)"), **options)
    return assess(design, bought.disks, predict(design, bought.disks), bought, DEFAULTS, spread=False)


def rule(layout: str, **options: Any) -> str:
    """The line of the plan's udev rules about its first array."""
    plan = plan_of(layout, **options)
    (text,) = (
        action.text for step in plan.steps if step.stage == "tune" for action in step.actions
        if isinstance(action, WriteFile)
    )  # fmt: skip
    return next(line for line in text.splitlines() if "MD_UUID" in line)


def test_a_plan_installs_what_is_stated_and_leaves_the_rest_to_the_kernel() -> None:
    said = rule("(6+2)", parity_threads=4, sync_max_bytes_per_s=409_600_000, sync_min_bytes_per_s=51_200_000)
    assert said.endswith(
        'ATTR{queue/read_ahead_kb}="6144", ATTR{md/stripe_cache_size}="2048", ATTR{md/group_thread_cnt}="4", '
        'ATTR{md/sync_speed_max}="400000", ATTR{md/sync_speed_min}="50000"'
    )
    own = rule("(6+2)")
    assert own.endswith('ATTR{md/stripe_cache_size}="2048", ATTR{md/sync_speed_min}="10000"')


def test_a_mirror_has_no_threads_of_parity_and_raid0_no_sync() -> None:
    assert "group_thread_cnt" not in rule("raid1(2)", parity_threads=4)
    assert "sync_speed" not in rule("raid0(2)", sync_max_bytes_per_s=409_600_000)


def test_the_model_takes_the_limit_of_a_sync_and_the_threads_from_the_design() -> None:
    """16 TB at 50 MB/s are 320,000 s, 89 h; md's threads write 1.7 GB/s, one alone 1.2."""
    slow, own, threads = model(sync_max_bytes_per_s=50_000_000), model(), model(parity_threads=4)
    assert slow.durability is not None and slow.durability.rebuild is not None
    assert slow.durability.rebuild.idle_hours == pytest.approx(88.9, rel=0.01)
    assert str(slow.durability.rebuild.limit) == "sync_speed_max"
    for found, rate in ((own, 1_200_000_000), (threads, 1_700_000_000)):
        assert found.throughput is not None
        ceilings = {str(limit): most for limit, most in found.throughput.seq_write.ceilings.items()}
        assert ceilings["md thread"] == rate


def test_the_table_has_what_is_stated_what_the_plan_chooses_and_what_the_kernel_keeps() -> None:
    design = Design(layout=parse("(6+2)"), stripe_cache_pages=8192, io_scheduler="none")
    found = {each.name: each for each in tunables(design, predict(design, purchase("8x16TB").disks).arrays)}
    assert {name: each.value for name, each in found.items()} == {
        "stripe_cache_size": "8192, 32 MiB a member", "group_thread_cnt": "0", "sync_speed_max": "205 MB/s a member",
        "sync_speed_min": "10.2 MB/s a member", "read_ahead_kb": "6 MiB", "scheduler": "none",
    }  # fmt: skip
    assert [name for name, each in found.items() if each.stated] == ["stripe_cache_size", "scheduler"]
    assert [name for name, each in found.items() if not each.installed] == ["group_thread_cnt", "sync_speed_max"]


def test_a_floor_above_the_limit_of_a_sync_is_refused() -> None:
    found = model(sync_max_bytes_per_s=20_480_000, sync_min_bytes_per_s=40_960_000).findings
    assert [each.message for each in found if each.code == "sync-floor"] == [
        "Invalid sync floor 41.0 MB/s: it is above the limit of a sync, 20.5 MB/s."
    ]
