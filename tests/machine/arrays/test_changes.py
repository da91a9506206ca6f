"""An extension carried out on the simulated machine, and what is read of what stands on an array."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from raidtui.engine.changes import extension, on_top
from raidtui.machine.arrays.read import observe
from raidtui.machine.system.ports import Mounted, Pin, Ran, Syncing
from raidtui.programs.lvm import PhysicalSpace, Segment
from raidtui.steps.extend import with_spare
from raidtui.steps.grow import MountedFileSystem
from raidtui.values.acts import Extension
from raidtui.values.arrays import ObservedArray, OnArray
from raidtui.values.errors import MachineFailed, Refused, Stale
from raidtui.values.plan import Question
from tests.machine import living
from tests.machine.simulation import E2660, Run, built_run, do, say
from tests.planner.plans import plan_of


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return built_run(tmp_path, "2x(4+2)+1", name="data", after=100_000)


def asked(run: Run, array: str, disk: str) -> Extension:
    inventory = run.machine.inventory()
    return with_spare(observe(run.machine, inventory), inventory, array, disk)


def spares(run: Run) -> list[list[str]]:
    arrays = observe(run.machine, run.machine.inventory()).arrays
    return [[each.device for each in array.spares] for array in arrays]


def carried_out(run: Run, found: Extension) -> list[str]:
    return living.carried_out(found, run.machine, run.folder)


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
    titles = ["Erase its superblock of md127", "Add the disk as a spare"]
    assert [step.title for step in left.steps] == titles
    assert carried_out(run, left) == titles
    assert spares(run) == [["sdm"], []]


def test_a_member_that_was_pulled_is_not_taken_for_a_spare(run: Run) -> None:
    pulled = next(each for each in run.machine.inventory().disks if each.kernel_name == "sda")
    run.machine.unplug(pulled.id)
    run.machine.advance(200_000)
    run.machine.plug(pulled.id)
    found = asked(run, "md126", pulled.id)
    assert [step.title for step in found.steps] == ["Erase its superblock of md127", "Add the disk as a spare"]
    before = run.machine.hashes()
    with pytest.raises(Stale, match=r"is no spare of the array \S+ any more"):
        carried_out(run, found)
    assert run.machine.hashes() == before


def test_a_disk_that_is_no_longer_blank_is_not_added(run: Run) -> None:
    found = asked(run, "md126", "sdx")
    disk = next(each for each in run.machine.inventory().disks if each.kernel_name == "sdx")
    run.machine.leave(disk.id, "ext4")
    with pytest.raises(Stale, match=r"holds ext4, which was not there when it was confirmed"):
        carried_out(run, found)
    assert spares(run) == [[], ["sdm"]]


def test_what_a_program_does_not_do_is_an_error(run: Run) -> None:
    found = asked(run, "md126", "sdx")
    never = replace(found.steps[0].after[0], question=Question(argv=("cat", "/proc/mdstat")), key="", answer="never")
    step = replace(found.steps[0], after=(never,))
    with pytest.raises(MachineFailed, match=r"Add the disk as a spare: it is not so: /dev/disk/by-id/\S+ belongs"):
        carried_out(run, replace(found, steps=(step,)))


def test_nothing_is_carried_out_of_what_is_refused(run: Run) -> None:
    with pytest.raises(Refused, match="there is nothing to carry out"):
        carried_out(run, asked(run, "md126", "sda"))


def argvs(found: Extension) -> list[tuple[str, ...]]:
    """The command of each step; nothing for one that only waits."""
    return [step.commands[0].argv if step.commands else () for step in found.steps]


def shown(run: Run, array: str, *words: str) -> Extension:
    return extension(run.machine, run.machine.inventory(), array, words[0], words[1:])


def small(root: Path, layout: str, **asked: Any) -> Run:
    """Of each disk of 2,000,398,934,016 bytes a terabyte is used, behind a data offset of 129 MiB."""
    return built_run(root, layout, name="data", member_bytes=10**12, after=100_000, **asked)


def test_larger_members_below_a_stripe_and_a_cut_in_the_sync(tmp_path: Path) -> None:
    run = small(tmp_path, "2x raid1(2)")
    carried_out(run, shown(run, "md127", "grow"))
    assert volume_bytes(run) == 2 * 953_544 * 2**20  # the shorter array decides
    found = shown(run, "md126", "grow")
    assert argvs(found) == [
        ("mdadm", "--grow", "/dev/md126", "--size=max"), (),
        ("pvresize", "/dev/md126"),
        ("lvextend", f"--extents={2 * MIRROR}", "--stripes=2", "--stripesize=512k", "data/data",
         "/dev/md127", "/dev/md126"),
        ("xfs_growfs", "-d", "/srv/data"),
    ]  # fmt: skip
    assert carried_out(run, replace(found, steps=found.steps[:1])) == ["Use the members to their end"]
    run.machine.advance(3600)
    run.machine.reboot()
    assert [each.action for each in run.machine.syncing() if each.device == "md126"] == ["held"]
    said = carried_out(run, shown(run, "md126", "grow"))
    assert said[1] == "md126: md holds its sync until the first write; it is started now"
    assert [line for line in said if not line.startswith("md126: ")] == [step.title for step in found.steps[1:]]
    assert say(run.machine, "blockdev", "--getsize64", "/dev/md126") == "2000263667712\n"
    assert volume_bytes(run) == 2 * MIRROR * 2**20
    fields = dict(line.split(" = ") for line in say(run.machine, *GEOMETRY).splitlines())
    blocks = int(fields["dblocks"])
    assert 2 * MIRROR * 256 - 64 < blocks <= 2 * MIRROR * 256
    space = say(run.machine, "stat", "--file-system", "--format=%S %b", "/srv/data")
    assert space == f"4096 {blocks - int(fields['logblocks'])}\n"
    assert [each.code for each in shown(run, "md126", "grow").findings] == ["nothing-to-grow"]


@pytest.fixture
def growing(tmp_path: Path) -> Run:
    """A mirror whose growth was cut after its first command."""
    run = small(tmp_path, "raid1(2)", fs="ext4")
    carried_out(run, replace(found := shown(run, "md127", "grow"), steps=found.steps[:1]))
    return run


def held_by(run: Run, monkeypatch: pytest.MonkeyPatch, *syncs: str) -> list[float]:
    """From now on md shows these syncs, `md127 frozen`; the waits, of which a hundred are too many."""
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        assert len(waits) < 100

    found = tuple(
        Syncing(device=name, action=action, done_sectors=0, all_sectors=0, bytes_per_s=0)
        for name, action in map(str.split, syncs)
    )
    monkeypatch.setattr(run.machine, "wait", wait)
    monkeypatch.setattr(run.machine, "syncing", lambda: found)
    return waits


@pytest.mark.parametrize(
    ("syncs", "state", "message", "hint"),
    [
        (("md127 frozen",), "clean", "md127: its sync does not go on: frozen",
         "find out what froze it: an mdadm that runs, or a person; echo idle > /sys/block/md127/md/sync_action lets it "
         "go on; the same command goes on where it is"),
        ((), "readonly", "md127: its sync does not go on: read-only",
         "mdadm --readwrite /dev/md127 starts it; the same command goes on where it is"),
        (("md127 pending",), "clean", "md127: waits",
         "see /proc/mdstat and raidtui arrays; the same command goes on where it is"),
        ((), "clean", "md127: waits for md to begin",
         "see /proc/mdstat and raidtui arrays; the same command goes on where it is"),
    ],
)  # fmt: skip
def test_a_sync_that_md_holds_ends_the_wait_after_a_minute(
    growing: Run, monkeypatch: pytest.MonkeyPatch, syncs: tuple[str, ...], state: str, message: str, hint: str
) -> None:
    found = shown(growing, "md127", "grow")
    read = growing.machine.read_text
    monkeypatch.setattr(
        growing.machine, "read_text", lambda path: state if path == "/sys/block/md127/md/array_state" else read(path)
    )
    waits = held_by(growing, monkeypatch, *syncs)
    with pytest.raises(MachineFailed) as failed:
        carried_out(growing, found)
    assert (str(failed.value), failed.value.hint) == (f"{message}, for a minute now", hint)
    assert 60.0 <= sum(waits) < 70.0


def test_a_sync_behind_another_is_waited_for(growing: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shown(growing, "md127", "grow")
    waits = held_by(growing, monkeypatch, "md127 pending", "md3 resync")
    with pytest.raises(AssertionError):
        carried_out(growing, found)
    assert len(waits) == 100


MIRROR = 1_907_599
"""extents of 1 MiB in 2,000,263,667,712 bytes, without the first, where LVM's metadata is"""
GEOMETRY = ("xfs_db", "-r", "-c", "sb 0", "-c", "print dblocks logblocks", "/dev/data/data")


def volume_bytes(run: Run) -> int:
    return int(say(run.machine, "lvs", "--noheadings", "--nosuffix", "--units=b", "--options=lv_size", "data/data"))


def test_larger_members_below_ext4(tmp_path: Path) -> None:
    run = small(tmp_path, "raid10(4)", fs="ext4")
    blocks = 2 * 2_000_263_577_600 // 4096
    blocks -= rest if (rest := blocks % 32768) < 4096 else 0
    found = shown(run, "md127", "grow")
    assert argvs(found) == [
        ("mdadm", "--grow", "/dev/md127", "--size=max"), (), ("resize2fs", "/dev/md127", str(blocks)),
    ]  # fmt: skip
    carried_out(run, found)
    assert f"Block count:              {blocks}\n" in say(run.machine, "dumpe2fs", "-h", "/dev/md127")
    assert [each.code for each in shown(run, "md127", "grow").findings] == ["nothing-to-grow"]


def test_a_shelf_of_two_arrays_joins_the_volume(tmp_path: Path) -> None:
    run = small(tmp_path, "2x raid1(2)")
    more = plan_of("2x raid1(2)", E2660.disks[20:24], inventory=E2660, host="e2660", name="shelf", run_id="5" * 32,
                   mount_point="/srv/shelf", stack="separate", fs="none")  # fmt: skip
    Run(tmp_path, more, run.machine).build()
    run.machine.advance(100_000)
    found = shown(run, "md127", "shelf", "md125", "md124")
    uuids = [argv[2] for argv in argvs(found)[:2]]
    assert argvs(found) == [
        ("pvcreate", "--dataalignment=1024k", uuids[0], "--norestorefile", "/dev/md125"),
        ("pvcreate", "--dataalignment=1024k", uuids[1], "--norestorefile", "/dev/md124"),
        ("vgextend", "data", "/dev/md125", "/dev/md124"),
        ("lvextend", f"--extents={2 * 953_544 + 2 * MIRROR}", "--stripes=2", "--stripesize=512k", "data/data",
         "/dev/md125", "/dev/md124"),
        ("xfs_growfs", "-d", "/srv/data"),
    ]  # fmt: skip
    carried_out(run, found)
    assert volume_bytes(run) == (2 * 953_544 + 2 * MIRROR) * 2**20
    top = on_top(run.machine, observe(run.machine, run.machine.inventory()).arrays[-1])
    assert [(each.type, each.stripes, each.devices) for each in top.segments] == [
        ("striped", 2, ("/dev/md127", "/dev/md126")), ("striped", 2, ("/dev/md125", "/dev/md124")),
    ]  # fmt: skip
    assert sorted((each.path, each.extents, each.used) for each in top.spaces) == [
        ("/dev/md124", MIRROR, MIRROR), ("/dev/md125", MIRROR, MIRROR),
        ("/dev/md126", 953_544, 953_544), ("/dev/md127", 953_544, 953_544),
    ]  # fmt: skip
    assert shown(run, "md127", "shelf", "md125", "md124").findings[-1].code == "nothing-to-extend"


def test_a_bitmap_is_taken_away_and_one_of_another_unit_is_made(tmp_path: Path) -> None:
    run = small(tmp_path, "(2+1)")
    carried_out(run, shown(run, "md127", "bitmap", "none"))
    (array,) = observe(run.machine, E2660).arrays
    assert (array.bitmap.kind, array.consistency) == ("none", "resync")
    for unit, options in (
        ("256M", [("--bitmap=internal", "--bitmap-chunk=262144K")]),
        ("128M", [("--bitmap=none",), ("--bitmap=internal", "--bitmap-chunk=131072K")]),
    ):
        found = shown(run, "md127", "bitmap", unit)
        assert argvs(found) == [("mdadm", "--grow", "/dev/md127", *each) for each in options]
        carried_out(run, found)
    (array,) = observe(run.machine, E2660).arrays
    assert (array.bitmap.kind, array.bitmap.chunk_bytes) == ("internal", 128 * 2**20)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("mdadm", "--grow", "/dev/md127", "--bitmap=internal", "--bitmap-chunk=65536K"), "already present"),
        (("mdadm", "--grow", "/dev/md127", "--bitmap=none"), "failed to remove internal bitmap"),
        (("mdadm", "--grow", "/dev/md127", "--size=max"), "Device or resource busy"),
        (("vgextend", "data", "/dev/md127"), "is already in volume group 'data'"),
        (("lvextend", "--extents=9999999", "--stripes=1", "data/data", "/dev/md127"), "Insufficient suitable"),
        (("lvextend", "--extents=4", "--stripes=1", "data/data", "/dev/md127"), "not larger than existing size"),
        (("xfs_growfs", "-d", "/srv/other"), "is not a mounted XFS filesystem"),
        (("resize2fs", "/dev/data/data", "99"), "Bad magic number"),
    ],
)
def test_what_the_programs_refuse(syncing: Run, argv: tuple[str, ...], words: str) -> None:
    code, said = do(syncing.machine, syncing.folder, *argv)
    assert code != 0
    assert words in said


@pytest.fixture(scope="module")
def syncing(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return built_run(tmp_path_factory.mktemp("run"), "2x raid1(2)", name="data", after=1)


PVS = """{"report": [{"pv": [{"pv_name":"/dev/md127", "pv_uuid":"x", "vg_name":"vg", "pe_start":"1048576",
 "pv_pe_count":"99", "pv_pe_alloc_count":"90", "vg_extent_size":"4194304"}]}]}"""
LVS = """{"report": [{"seg": [{"lv_name":"lv", "vg_name":"vg", "lv_size":"377487360", "segtype":"linear", "stripes":"1",
 "stripe_size":"0", "devices":"/dev/md127(0)"}]}]}"""
XFS = "blocksize = 4096\ndblocks = 92160\nagblocks = 23040\nlogblocks = 2560\n"


def pin(name: str, number: str, kind: Literal["array", "volume"]) -> Pin:
    return Pin(kind=kind, number=number, disk=number, sequence="1", size_bytes=2**40, name=name)


PINS = {"/dev/md127": pin("md127", "9:127", "array"), "/dev/mapper/vg-lv": pin("vg-lv", "253:0", "volume")}
MOUNTS = {
    "/srv/d": Mounted(number="253:0", mount_id=7, root="/"), "/srv/over": Mounted(number="8:1", mount_id=8, root="/"),
    "/srv/part": Mounted(number="253:0", mount_id=9, root="/sub"), "/srv/link": Mounted(link="/srv/link"),
}  # fmt: skip


def stands(run: Run, *upper: OnArray) -> ObservedArray:
    array = observe(run.machine, run.machine.inventory()).arrays[-1]
    own = OnArray(device="md127", name="md127", type="raid6", depth=0, content="LVM2_member" if upper else "xfs")
    return replace(array, name="md127", stands_on_it=(own, *upper))


def lv(name: str = "mapper/vg-lv", content: str = "xfs", *places: str) -> OnArray:
    return OnArray(device="dm-0", name=name, type="lvm", depth=1, content=content, mount_points=places)


ON_LUKS = OnArray(
    device="dm-1", name="mapper/data-luks", type="crypt", depth=2, content="xfs", mount_points=("/srv/d",)
)


def test_a_volume_and_its_file_system(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"pvs": PVS, "lvs": LVS, "xfs_db": XFS, "stat": "4096 89600"}
    array = stands(run, lv("mapper/vg-lv", "xfs", "/srv/d"))
    monkeypatch.setattr(run.machine, "ask", lambda argv: Ran(exit=0, stdout=answers[argv[0]], stderr=""))
    monkeypatch.setattr(run.machine, "pin", lambda path: PINS.get(path))
    monkeypatch.setattr(run.machine, "mount_at", lambda path: MOUNTS.get(path))
    space = PhysicalSpace(
        path="/dev/md127", uuid="x", group="vg", start_bytes=2**20, extent_bytes=2**22, extents=99, used=90
    )
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
    second = replace(array, stands_on_it=(array.stands_on_it[0], lv("mapper/vg-lv", "xfs", "/srv/over", "/srv/d")))
    assert on_top(run.machine, second).filesystem == found.filesystem
    for upper, why in (
        ((lv("mapper/vg-lv", "xfs", "/srv/over"),), "another file system is mounted over /srv/over"),
        ((lv("mapper/vg-lv", "xfs", "/srv/part"),), "another file system is mounted over /srv/part"),
        ((lv("mapper/vg-lv", "xfs", "/srv/link"),), "another file system is mounted over /srv/link"),
        ((lv(),), "no mounted XFS or ext4 is on it"),
        ((lv("mapper/vg-lv", "crypto_LUKS"), ON_LUKS), "mapper/data-luks is on it"),
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
