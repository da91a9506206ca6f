"""Arrays and volumes out of a /sys made by hand after Debian 12's (kernel 6.1)."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from raidtui.advice.arrays.state import array_facts, design_of
from raidtui.advice.inferred_design import ArrayFacts, NotALayout, predict_inferred
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.system.ports import AS_NAMED, Pin, Ran, Syncing
from raidtui.machine.system.runner import SystemReader
from raidtui.values.arrays import ArrayBitmap, ObservedArrays, VolumeFacts
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import Inventory
from raidtui.values.notation import show
from raidtui.values.speed import MEMBERS
from tests.planner.pools import shelf


class Under(SystemReader):
    """The machine whose /sys is below `root`; it has no udev records."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        raise MachineFailed(f"no {argv[0]}")

    def read_text(self, path: str) -> str | None:
        return super().read_text(f"{self._root}{path}")

    def names(self, path: str) -> tuple[str, ...]:
        return super().names(f"{self._root}{path}")

    def pin(self, path: str) -> Pin | None:
        found = [*self._root.glob(f"sys/block/{path[5:]}/size"), *self._root.glob(f"sys/block/*/{path[5:]}/size")]
        size = int(found[0].read_text()) * 512 if found else 0
        return Pin(kind="disk", number="8:0", disk="8:0", sequence="1", size_bytes=size, name=path[5:])

    def syncing(self) -> tuple[Syncing, ...]:
        return ()


def look(root: Path, inventory: Inventory | None = None) -> ObservedArrays:
    return ArraysLook(Under(root), inventory or shelf(2), around=False).take()


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def md(root: Path, name: str, disks: list[str], *, spare: str = "", faulty: str = "", **facts: str) -> None:
    folder = root / f"sys/block/{name}/md"
    said = {
        "level": "raid6", "raid_disks": str(len(disks)), "chunk_size": "524288", "layout": "2",
        "array_state": "clean", "metadata_version": "1.2", "consistency_policy": "bitmap", "bitmap/location": "+8",
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
    one, other = (array_facts(each) for each in look(tmp_path).arrays)
    assert one == ArrayFacts(name="md1", level="raid1", members=("sdg", "sdh"))
    assert other == ArrayFacts(
        name="md127", level="raid6", members=("sdb", "sda", "sdc", "sdd"), spares=("sde",), chunk_bytes=524288,
        layout=2, metadata="1.2", bitmap=True,
    )  # fmt: skip


def test_a_lockless_bitmap_is_named_with_its_unit(tmp_path: Path) -> None:
    """As md-llbitmap.c prints it: sectors; there is no bitmap/location then."""
    facts = {"bitmap_type": "none bitmap [llbitmap]", "bitmap/location": "", "llbitmap/metadata":
             "chunksize 128\nchunkshift 7\nchunks 16384\noffset 8\ndaemon_sleep 30"}  # fmt: skip
    md(tmp_path, "md0", ["sda", "sdb"], level="raid1", chunk_size="0", layout="0", **facts)
    (array,) = look(tmp_path).arrays
    assert array.bitmap == ArrayBitmap(kind="lockless", chunk_bytes=65536)


def test_a_volume_over_two_arrays_has_its_prediction(tmp_path: Path) -> None:
    names = [f"sd{letter}" for letter in "abcdefghijkl"]
    md(tmp_path, "md0", names[:6])
    md(tmp_path, "md1", [*names[6:11], "sdl1"])
    volume(tmp_path, "dm-0", ["md0", "md1"], 524288, 1048576)
    write(tmp_path / "sys/block/sdl/sdl1/partition", "1")
    write(tmp_path / "sys/block/sdl/sdl1/size", str(30_000_000_000))
    inventory = shelf(12)
    disks = tuple(replace(disk, kernel_name=name) for disk, name in zip(inventory.disks, names, strict=True))
    known = replace(inventory, disks=(*disks[:-1], replace(disks[-1], partitions=(1,))))
    seen = look(tmp_path, known)
    assert seen.volumes == (VolumeFacts(name="dm-0", below=("md0", "md1"), io_min_bytes=524288, io_opt_bytes=1048576),)
    built = design_of("dm-0", seen.arrays, seen.volumes, known, fs="xfs")
    assert not isinstance(built, NotALayout)
    prediction = predict_inferred(built, known)
    assert (show(built.design.layout), built.design.fs) == ("2x(4+2)", "xfs")
    assert built.disks[-1].size_bytes == 30_000_000_000 * 512
    assert prediction.throughput is not None
    assert prediction.throughput.seq_read.ceilings[MEMBERS] == 8 * 285_000_000


def test_a_machine_without_arrays_has_none(tmp_path: Path) -> None:
    seen = look(tmp_path)
    assert (seen.arrays, seen.volumes) == ((), ())
    found = design_of("md0", seen.arrays, seen.volumes, shelf(2))
    assert found == NotALayout("md0 is neither an md array nor a volume over md arrays")


def test_a_degraded_array_shows_its_gap(tmp_path: Path) -> None:
    md(tmp_path, "md0", ["sda", "sdb", "sdc", "sdd"])
    write(tmp_path / "sys/block/md0/md/dev-sdb/slot", "none")
    write(tmp_path / "sys/block/md0/md/dev-sdb/state", "faulty")
    (array,) = look(tmp_path).arrays
    assert (array_facts(array).members, array_facts(array).spares) == (("sda", "", "sdc", "sdd"), ())
    assert array.in_conf.why == array.in_fstab.why == "not asked for"
