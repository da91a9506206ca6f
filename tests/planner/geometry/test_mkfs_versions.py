"""File systems that four versions of each mkfs made on sparse files from a plan's commands, 46 cases, all alike.

mkfs.xfs 6.1.0, 5.10.0, 6.13.0 and 7.2.0, mkfs.ext4 1.47.0, 1.46.2, 1.47.2 and 1.47.4, read by xfs_db and dumpe2fs of
the same version. In some of ext4 the last group is too short for its own tables.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.programs import mkfs_ext4, mkfs_xfs
from raidtui.sizes.ext4 import planned_ext4
from raidtui.sizes.xfs import xfs_geometry
from raidtui.values.codec import from_json
from raidtui.values.design import Design, Ext4Options, XfsOptions
from raidtui.values.notation import parse
from raidtui.values.prediction import Ext4Geometry
from tests.planner.plans import disks

REAL = Path(__file__).parents[2] / "real_geometry" / "mkfs_versions.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in REAL.read_text().splitlines()]
UUID = "01234567-89ab-4def-8123-456789abcdef"


def test_every_case_was_made_by_four_versions() -> None:
    assert {(case["type"], *case["versions"]) for case in CASES} == {
        ("xfs", "6.1.0", "5.10.0", "6.13.0", "7.2.0"),
        ("ext4", "1.47.0", "1.46.2", "1.47.2", "1.47.4"),
    }
    assert len(CASES) == 46


@pytest.mark.parametrize("number", range(46))
def test_the_command_makes_what_is_predicted(number: int) -> None:
    case = CASES[number]
    size, stripe = case["device_bytes"], {"sunit_bytes": case["su_bytes"], "stripe_width": case["sw"]}
    if case["type"] == "xfs":
        xfs = from_json(XfsOptions, json.dumps(case["options"]), source=REAL.name)
        shape = xfs_geometry(size, **stripe, options=xfs)
        command = mkfs_xfs.mkfs("DEVICE", UUID, shape, xfs)
        said = dict(mkfs_xfs.geometry_answers(shape))
    else:
        ext4 = from_json(Ext4Options, json.dumps(case["options"]), source=REAL.name)
        made = planned_ext4(size, **stripe, options=ext4)
        command = mkfs_ext4.mkfs("DEVICE", UUID, made, ext4)
        said = dict(mkfs_ext4.geometry_answers(made, ext4))
        assert made.statfs_free_blocks == case["found"]["Free blocks"]
    assert " ".join(command.argv) == case["command"]
    real = {name: str(value) for name, value in case["found"].items()}
    assert {name: value for name, value in said.items() if name in real} == {
        name: value for name, value in real.items() if name in said
    }
    assert len(set(said) & set(real)) >= 4


def test_a_design_predicts_the_reserve_of_the_blocks_that_its_plan_states() -> None:
    found = predict(Design(layout=parse("disk"), fs="ext4"), disks(1, 57_044_789_760))
    assert isinstance(found.filesystem, Ext4Geometry)
    assert (found.filesystem.blocks, found.filesystem.reserved_blocks) == (13_926_400, 696_320)  # dumpe2fs 1.47.0
