"""The hundred workloads are a hundred, of all kinds, and no answer to them is laughed at."""

from __future__ import annotations

import shlex

from raidtui.model.notation import parse
from raidtui.planner.figures.asked import is_predicted
from tests.validation.typed_workloads import typed_workloads


def test_a_hundred_workloads_of_all_kinds_of_arrays() -> None:
    every = typed_workloads()
    assert len(every) == len({each.who for each in every}) == 100
    layouts = [parse(shlex.split(each.array)[0]) for each in every]
    levels = {group.level for layout in layouts for group in layout.groups}
    assert levels == {"disk", "raid0", "raid1", "raid5", "raid6", "raid10"}
    assert max(layout.disks for layout in layouts) == 60
    words = " ".join(each.array for each in every)
    for kind in ("--ssd", "--nvme", "jbod84", "e2660-luns", "--fs ext4", "--stack md", "--stack separate"):
        assert kind in words


def test_no_answer_is_laughed_at() -> None:
    assert [(each.who, each.laughed) for each in typed_workloads() if each.laughed] == []


def test_what_is_predicted_has_a_limit() -> None:
    for each in typed_workloads():
        assert str(each.answer.bottleneck)
        assert each.answer.low <= each.answer.bytes_per_s <= each.answer.high
    assert sum(is_predicted(each.answer) for each in typed_workloads()) >= 85
