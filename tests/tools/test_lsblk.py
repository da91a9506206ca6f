import json
from collections.abc import Mapping

import pytest

from raidtui.programs import lsblk
from raidtui.values.errors import MachineFailed

ROW = {
    "kname": "sda", "pkname": None, "maj:min": "8:0", "type": "disk", "size": 2000398934016, "ro": False, "rota": True,
    "log-sec": 512, "phy-sec": 4096, "opt-io": 0, "zoned": "none", "model": "RAIDTUI-LAB", "serial": "LAB0002",
    "wwn": "0x5000c5004c410002", "vendor": "RAIDTUI ", "rev": "2.5+", "tran": None, "hctl": "1:0:0:0", "fstype": None,
    "label": None, "uuid": None, "pttype": None, "mountpoint": None,
}  # fmt: skip


def printed(*rows: Mapping[str, object]) -> str:
    return json.dumps({"blockdevices": rows})


def test_a_disk_as_lsblk_2_38_prints_it() -> None:
    (block,), edges = lsblk.parse(printed(ROW))
    assert edges == frozenset()
    assert block == lsblk.BlockDevice(
        name="sda", parent=None, number="8:0", type="disk", size=2000398934016, read_only=False, rotational=True,
        logical_sector=512, physical_sector=4096, optimal_io=0, zoned="none", model="RAIDTUI-LAB", serial="LAB0002",
        wwn="0x5000c5004c410002", vendor="RAIDTUI", revision="2.5+", transport=None, hctl="1:0:0:0", fstype=None,
        label=None, uuid=None, table=None, mount_point=None,
    )  # fmt: skip


def test_a_read_only_flag_that_is_not_said_counts_as_read_only_unless_it_is_false() -> None:
    assert [lsblk.parse(printed({**ROW, "ro": ro}))[0][0].read_only for ro in (True, "1", 1, False, "0", 0)] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


def test_a_device_over_two_others_is_one_block_with_two_parents() -> None:
    array = {**ROW, "kname": "md0", "type": "raid1", "maj:min": "9:0"}
    text = printed(ROW, {**array, "pkname": "sda"}, {**ROW, "kname": "sdb"}, {**array, "pkname": "sdb"})
    blocks, edges = lsblk.parse(text)
    assert [block.name for block in blocks] == ["sda", "sdb", "md0"]
    assert edges == {("sda", "md0"), ("sdb", "md0")}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"blockdevices": [{}]}', '{"blockdevices": null}', "lsblk: oops"])
def test_anything_else_is_an_error_with_a_way_out(text: str) -> None:
    with pytest.raises(MachineFailed, match="unexpected output of lsblk") as caught:
        lsblk.parse(text)
    assert "2.34" in caught.value.hint


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"size": "banana"}, "SIZE: 'banana' is out of range"),
        ({"size": None}, "SIZE: there is none"),
        ({"size": -1}, "SIZE: -1 is out of range"),
        ({"size": 1.5}, "SIZE: 1.5 is out of range"),
        ({"log-sec": 7}, "LOG-SEC: 7 is no size of sectors"),
        ({"phy-sec": 0}, "PHY-SEC: 0 is no size of sectors"),
        ({"ro": "maybe"}, "RO: 'maybe' is neither 0 nor 1"),
        ({"maj:min": "8"}, "MAJ:MIN: '8' is no device number"),
        ({"type": ""}, "TYPE: there is none"),
        ({"pkname": "../.."}, "PKNAME: '../..' is no name"),
        ({"serial": 7}, "SERIAL: 7 is no string"),
        ({"model": "\ud800"}, "MODEL: 'utf-8' codec can't encode character"),
        ({"size": "x", "ro": "x", "rota": "x", "wwn": 7}, "SIZE: 'x' is out of range; RO: 'x' is neither 0 nor 1; "
                                                         "ROTA: 'x' is neither 0 nor 1"),
    ],
)  # fmt: skip
def test_a_value_without_a_meaning_is_a_problem_of_its_row_alone(changes: dict[str, object], problem: str) -> None:
    odd = {**ROW, "kname": "sdb", "maj:min": "8:16", **changes}
    (whole, broken), _ = lsblk.parse(printed(ROW, odd))
    assert (whole.problem, broken.name) == ("", "sdb")
    assert broken.problem.startswith(problem)
    assert broken.read_only == ("ro" in changes)  # in doubt the kernel refuses writes


def test_a_disk_that_two_rows_claim_to_be_is_neither() -> None:
    (block,), _ = lsblk.parse(printed(ROW, {**ROW, "maj:min": "8:16"}))
    assert (block.number, block.problem) == ("8:0", "MAJ:MIN: 8:0 and 8:16")


def test_what_other_devices_lack_is_no_problem() -> None:
    lacking = {**ROW, "type": "rom", "size": None, "log-sec": None, "phy-sec": 0, "rota": None}
    assert [block.problem for block in lsblk.parse(printed(ROW, {**lacking, "kname": "sr0"}))[0]] == ["", ""]


def test_the_one_call() -> None:
    assert lsblk.ARGV[:5] == ("lsblk", "--json", "--bytes", "--list", "--output")
