"""Arrays and volumes out of a /sys made by hand after Debian 12's (kernel 6.1)."""

from dataclasses import replace
from pathlib import Path

from raidtui.machine.bench import existing_arrays
from raidtui.model.limit import MEMBERS
from raidtui.model.notation import show
from raidtui.planner.design.infer_from_arrays import ArrayFacts, NoLayout, VolumeFacts
from tests.planner.pools import shelf


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def md(root: Path, name: str, disks: list[str], *, spare: str = "", faulty: str = "", **facts: str) -> None:
    folder = root / f"sys/block/{name}/md"
    said = {
        "level": "raid6", "raid_disks": str(len(disks)), "chunk_size": "524288", "layout": "2",
        "metadata_version": "1.2", "consistency_policy": "bitmap", "bitmap/location": "+8",
    } | facts  # fmt: skip
    for key, value in said.items():
        write(folder / key, value)
    for role, disk in enumerate(disks):
        write(folder / f"dev-{disk}/slot", str(role))
        write(folder / f"dev-{disk}/state", "in_sync")
    for disk, state in ((spare, "spare"), (faulty, "faulty,write_error")):
        if disk:
            write(folder / f"dev-{disk}/slot", "none")
            write(folder / f"dev-{disk}/state", state)


def volume(root: Path, name: str, below: list[str], least: int, best: int) -> None:
    folder = root / f"sys/block/{name}"
    write(folder / "queue/minimum_io_size", str(least))
    write(folder / "queue/optimal_io_size", str(best))
    (folder / "slaves").mkdir()
    for each in below:
        (folder / "slaves" / each).symlink_to("..")


def test_arrays_are_read_with_their_members_by_role(tmp_path: Path) -> None:
    md(tmp_path, "md127", ["sdb", "sda", "sdc", "sdd"], spare="sde", faulty="sdf")
    md(tmp_path, "md1", ["sdg", "sdh"], level="raid1", chunk_size="0", layout="0", **{"bitmap/location": "none"})
    write(tmp_path / "sys/block/md2/md/array_state", "clear")
    one, other = existing_arrays.arrays(tmp_path)
    assert one == ArrayFacts(name="md1", level="raid1", members=("sdg", "sdh"))
    assert other == ArrayFacts(
        name="md127", level="raid6", members=("sdb", "sda", "sdc", "sdd"), spares=("sde",), chunk_bytes=524288,
        layout=2, metadata="1.2", bitmap=True,
    )  # fmt: skip


def test_a_volume_over_two_arrays_has_its_prediction(tmp_path: Path) -> None:
    names = [f"sd{letter}" for letter in "abcdefghijkl"]
    md(tmp_path, "md0", names[:6])
    md(tmp_path, "md1", [*names[6:11], "sdl1"])
    volume(tmp_path, "dm-0", ["md0", "md1"], 524288, 1048576)
    write(tmp_path / "sys/block/sdl/sdl1/partition", "1")
    write(tmp_path / "sys/block/sdl/sdl1/size", str(30_000_000_000))
    inventory = shelf(12)
    disks = tuple(replace(disk, kernel_name=name) for disk, name in zip(inventory.disks, names, strict=True))
    known = replace(inventory, disks=disks)
    assert existing_arrays.volumes(tmp_path) == (
        VolumeFacts(name="dm-0", below=("md0", "md1"), io_min_bytes=524288, io_opt_bytes=1048576),
    )
    found = existing_arrays.prediction_of("dm-0", known, fs="xfs", root=tmp_path)
    assert not isinstance(found, NoLayout)
    built, prediction = found
    assert (show(built.design.layout), built.design.fs) == ("2x(4+2)", "xfs")
    assert built.disks[-1].size_bytes == 30_000_000_000 * 512
    assert prediction.throughput is not None
    assert prediction.throughput.seq_read.ceilings[MEMBERS] == 8 * 285_000_000


def test_a_machine_without_arrays_has_none(tmp_path: Path) -> None:
    assert existing_arrays.arrays(tmp_path) == ()
    assert existing_arrays.volumes(tmp_path) == ()
    found = existing_arrays.prediction_of("md0", shelf(2), root=tmp_path)
    assert found == NoLayout("md0 is neither an md array nor a volume over some")


def test_a_degraded_array_shows_its_gap(tmp_path: Path) -> None:
    md(tmp_path, "md0", ["sda", "sdb", "sdc", "sdd"])
    write(tmp_path / "sys/block/md0/md/dev-sdb/slot", "none")
    write(tmp_path / "sys/block/md0/md/dev-sdb/state", "faulty")
    assert existing_arrays.arrays(tmp_path)[0].members == ("sda", "", "sdc", "sdd")
    assert existing_arrays.arrays(tmp_path)[0].spares == ()
