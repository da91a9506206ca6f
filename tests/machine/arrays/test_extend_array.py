"""An extension carried out on the simulated machine, and what is read of what stands on an array."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.arrays.extend_array import ExtendingArray, on_top
from raidtui.machine.arrays.read import observe
from raidtui.machine.ports.host import Ran
from raidtui.model.arrays import ObservedArray, OnArray
from raidtui.model.errors import MachineFailed, Stale
from raidtui.model.extension import Extension
from raidtui.model.plan import Question
from raidtui.planner.arrays.extend import with_spare
from raidtui.planner.arrays.grow import MountedFileSystem
from raidtui.tools.lvm_report import PhysicalSpace, Segment
from tests.machine.simulation import Run, planned


@pytest.fixture
def run(tmp_path: Path) -> Run:
    built = Run(tmp_path, planned("2x(4+2)+1", name="data"))
    built.build()
    built.machine.advance(100_000)
    return built


def asked(run: Run, array: str, disk: str) -> Extension:
    inventory = run.machine.inventory()
    return with_spare(observe(run.machine, inventory), inventory, array, disk)


def spares(run: Run) -> list[list[str]]:
    arrays = observe(run.machine, run.machine.inventory()).arrays
    return [[each.device for each in array.spares] for array in arrays]


def carried_out(run: Run, found: Extension) -> list[str]:
    said: list[str] = []
    ExtendingArray(found, run.machine, said.append).carry_out()
    return said


def test_a_blank_disk_is_added_once(run: Run) -> None:
    found = asked(run, "md126", "sdx")
    assert carried_out(run, found) == ["Add the disk as a spare"]
    assert carried_out(run, found) == []
    assert spares(run) == [["sdx"], ["sdm"]]


def test_a_move_that_was_cut_goes_on(run: Run) -> None:
    whole = asked(run, "md126", "sdm")
    first = replace(whole, steps=whole.steps[:1])
    assert carried_out(run, first) == ["Take the spare out of md127"]
    assert spares(run) == [[], []]
    left = asked(run, "md126", "sdm")
    assert [step.title for step in left.steps] == ["Add the disk as a spare"]
    assert carried_out(run, left) == ["Add the disk as a spare"]
    assert spares(run) == [["sdm"], []]


def test_a_disk_that_is_not_that_spare_any_more_is_not_added(run: Run) -> None:
    found = asked(run, "md126", "sdm")
    other = replace(found.steps[1], spare_of="0" * 8)
    with pytest.raises(Stale, match="is not that spare any more"):
        carried_out(run, replace(found, steps=(found.steps[0], other)))
    assert spares(run) == [[], []]


def test_a_member_that_was_pulled_is_not_taken_for_a_spare(run: Run) -> None:
    pulled = next(each for each in run.machine.inventory().disks if each.kernel_name == "sda")
    run.machine.unplug(pulled.id)
    run.machine.advance(200_000)
    run.machine.plug(pulled.id)
    found = asked(run, "md126", pulled.id)
    assert [step.title for step in found.steps] == ["Add the disk as a spare"]
    with pytest.raises(Stale, match="is not that spare any more"):
        carried_out(run, found)


def test_a_disk_that_is_no_longer_blank_is_not_added(run: Run) -> None:
    found = asked(run, "md126", "sdx")
    disk = next(each for each in run.machine.inventory().disks if each.kernel_name == "sdx")
    run.machine.leave(disk.id, "ext4")
    with pytest.raises(Stale, match=r"is not blank any more .*nothing was written"):
        carried_out(run, found)
    assert spares(run) == [[], ["sdm"]]


def test_what_a_program_does_not_do_is_an_error(run: Run) -> None:
    found = asked(run, "md126", "sdx")
    never = replace(found.steps[0].after[0], question=Question(argv=("cat", "/proc/mdstat")), key="", answer="never")
    step = replace(found.steps[0], after=(never,))
    with pytest.raises(MachineFailed, match="Add the disk as a spare: it is not so"):
        carried_out(run, replace(found, steps=(step,)))


def test_nothing_is_carried_out_of_what_is_refused(run: Run) -> None:
    with pytest.raises(Stale, match="nothing to carry out"):
        carried_out(run, asked(run, "md126", "sda"))


PVS = """{"report": [{"pv": [{"pv_name":"/dev/md127", "pv_uuid":"x", "vg_name":"vg", "pe_start":"1048576",
 "pv_pe_count":"99", "pv_pe_alloc_count":"90", "vg_extent_size":"4194304"}]}]}"""
LVS = """{"report": [{"seg": [{"lv_name":"lv", "vg_name":"vg", "lv_size":"377487360", "segtype":"linear", "stripes":"1",
 "stripe_size":"0", "devices":"/dev/md127(0)"}]}]}"""
XFS = "blocksize = 4096\ndblocks = 92160\nagblocks = 23040\nlogblocks = 2560\n"


def stands(run: Run, *upper: OnArray) -> ObservedArray:
    array = observe(run.machine, run.machine.inventory()).arrays[-1]
    own = OnArray(device="md127", name="md127", type="raid6", depth=0, content="LVM2_member" if upper else "xfs")
    return replace(array, name="md127", stands_on_it=(own, *upper))


def lv(name: str = "mapper/vg-lv", content: str = "xfs", *places: str) -> OnArray:
    return OnArray(device="dm-0", name=name, type="lvm", depth=1, content=content, mount_points=places)


def test_a_volume_and_its_file_system(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"pvs": PVS, "lvs": LVS, "xfs_db": XFS, "stat": "4096 89600"}
    array = stands(run, lv("mapper/vg-lv", "xfs", "/srv/d"))
    monkeypatch.setattr(run.machine, "ask", lambda argv: Ran(exit=0, stdout=answers[argv[0]], stderr=""))
    space = PhysicalSpace(path="/dev/md127", group="vg", start_bytes=2**20, extent_bytes=2**22, extents=99, used=90)
    found = on_top(run.machine, array)
    assert (found.own, found.spaces, found.why) == (space, (space,), "")
    assert found.segments == (
        Segment(name="lv", group="vg", size_bytes=377487360, type="linear", stripes=1, stripe_bytes=0,
                devices=("/dev/md127",)),
    )  # fmt: skip
    assert found.filesystem == MountedFileSystem(
        kind="xfs", device="/dev/mapper/vg-lv", place="/srv/d", block_bytes=4096, blocks=92160, hidden_blocks=2560,
        group_blocks=23040,
    )  # fmt: skip
    for upper, why in (
        ((lv(),), "no mounted XFS or ext4 is on it"),
        ((lv("mapper/vg-other"),), "there is not one linear or striped volume on it alone"),
        ((lv(), lv("mapper/vg-more")), "there is not one linear or striped volume on it alone"),
    ):
        other = replace(array, stands_on_it=(array.stands_on_it[0], *upper))
        assert on_top(run.machine, other).why == why


def test_what_cannot_be_grown(run: Run) -> None:
    crypt = replace(lv("mapper/luks", "ext4", "/srv/d"), type="crypt")
    array = stands(run, crypt)
    bare = replace(array, stands_on_it=(replace(array.stands_on_it[0], content="crypto_LUKS"), crypt))
    assert on_top(run.machine, bare).why == "mapper/luks is on it"
