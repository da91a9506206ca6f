"""Running arrays as designs: what the kernel shows, and the layout it is; or why it is none."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.inferred_design import ArrayFacts, InferredDesign, NotALayout, infer_design, predict_inferred
from raidtui.values.arrays import VolumeFacts
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import Layout
from raidtui.values.notation import show
from raidtui.values.speed import JOURNAL, MD_THREAD, MEMBERS
from tests.planner.pools import shelf

KIB = 1024


def named(count: int) -> tuple[Inventory, dict[str, Disk]]:
    found = shelf(count)
    disks = tuple(replace(disk, kernel_name=f"sd{n}") for n, disk in enumerate(found.disks))
    return replace(found, disks=disks), {disk.kernel_name: disk for disk in disks}


def array(name: str, first: int, members: int, *, spares: int = 0, **facts: object) -> ArrayFacts:
    names = [f"sd{n}" for n in range(first, first + members + spares)]
    said: dict[str, object] = {"level": "raid6", "chunk_bytes": 512 * KIB, "layout": 2} | facts
    return ArrayFacts(
        name=name, members=tuple(names[:members]), spares=tuple(names[members:]), **said,  # type: ignore[arg-type]
    )  # fmt: skip


def test_two_arrays_under_a_striped_volume() -> None:
    inventory, disks = named(13)
    below = (array("md0", 0, 6, spares=1), array("md1", 7, 6))
    volume = VolumeFacts(
        name="dm-0", below=("md0", "md1"), io_min_bytes=512 * KIB, io_opt_bytes=1024 * KIB
    )  # fmt: skip
    built = infer_design("dm-0", below, [volume], disks, fs="xfs")
    assert isinstance(built, InferredDesign)
    assert show(built.design.layout) == "2x(4+2)+1"
    assert (built.design.stack, built.design.fs, built.design.chunk_bytes) == ("lvm", "xfs", 512 * KIB)
    assert (built.design.bitmap, built.design.metadata) == ("none", "1.2")
    names = [disk.kernel_name for disk in built.disks]
    assert names == [f"sd{n}" for n in (0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 6)]
    assert built.notes == ()
    found = predict_inferred(built, inventory)
    assert found.throughput is not None
    assert found.throughput.seq_read.ceilings[MEMBERS] == 8 * 285_000_000
    assert found.layout == "2x(4+2)+1"


def test_write_journals_bound_what_is_written() -> None:
    inventory, disks = named(14)
    below = (array("md0", 0, 6, journal="sd12"), array("md1", 6, 6, journal="sd13"))
    volume = VolumeFacts(name="dm-0", below=("md0", "md1"), io_min_bytes=512 * KIB, io_opt_bytes=1024 * KIB)
    built = infer_design("dm-0", below, [volume], disks)
    assert isinstance(built, InferredDesign)
    assert (built.design.journal, built.notes) == (1, ())
    assert [disk.kernel_name for disk in built.disks[12:]] == ["sd12", "sd13"]
    found = predict_inferred(built, inventory)
    assert found.throughput is not None
    assert found.throughput.seq_write.bottleneck == JOURNAL
    half = infer_design("dm-0", (below[0], array("md1", 6, 6)), [volume], disks)
    assert isinstance(half, InferredDesign)
    assert half.design.journal is None
    assert half.notes == (
        "predicted without the write journal: not each array has one on a disk or a mirror of its own",
    )


def test_a_write_journal_on_a_mirror_is_on_both_of_its_disks() -> None:
    _, disks = named(15)
    mirror = ArrayFacts(name="md2", level="raid1", members=("sd12", "sd13"), bitmap=True)
    data = array("md0", 0, 6, journal="md2")

    def logged(carrier: ArrayFacts) -> tuple[int | None, list[str]]:
        built = infer_design("md0", (data, carrier), (), disks)
        assert isinstance(built, InferredDesign)
        return built.design.journal, [disk.kernel_name for disk in built.disks[6:]]

    assert logged(mirror) == (2, ["sd12", "sd13"])
    assert logged(replace(mirror, members=("", "sd13"))) == (2, ["", "sd13"])
    assert logged(replace(mirror, members=("sd12", "sd13", "sd14"))) == (None, [])
    assert logged(replace(mirror, level="raid0")) == (None, [])


def test_one_array_alone_or_under_a_volume_of_its_own() -> None:
    _, disks = named(6)
    one = (array("md5", 0, 6, bitmap=True, chunk_bytes=64 * KIB),)
    plain = infer_design("md5", one, (), disks)
    linear = VolumeFacts(name="dm-3", below=("md5",), io_min_bytes=64 * KIB, io_opt_bytes=256 * KIB)
    assert isinstance(plain, InferredDesign)
    assert infer_design("dm-3", one, [linear], disks) == plain
    assert (show(plain.design.layout), plain.design.bitmap) == ("(4+2)", "internal")


@pytest.mark.parametrize("below_lvm", [True, False])
def test_an_encrypted_device_stands_for_the_one_below_it(below_lvm: bool) -> None:
    """LUKS on each array, or on the volume over them."""
    _, disks = named(12)
    below = (array("md0", 0, 6), array("md1", 6, 6))

    def over(name: str, *names: str) -> VolumeFacts:
        return VolumeFacts(name=name, below=names, io_min_bytes=512 * KIB, io_opt_bytes=len(names) * 512 * KIB)

    if below_lvm:
        top, volumes = "dm-2", [over("dm-0", "md0"), over("dm-1", "md1"), over("dm-2", "dm-0", "dm-1")]
    else:
        top, volumes = "dm-1", [over("dm-0", "md0", "md1"), over("dm-1", "dm-0")]
    built = infer_design(top, below, volumes, disks)
    assert isinstance(built, InferredDesign)
    assert (built.design.stack, show(built.design.layout)) == ("lvm", "2x(4+2)")


def test_md_stripe_over_arrays() -> None:
    _, disks = named(12)
    below = (array("md0", 0, 6), array("md1", 6, 6))
    outer = ArrayFacts(name="md9", level="raid0", members=("md0", "md1"), chunk_bytes=2048 * KIB)
    built = infer_design("md9", (*below, outer), (), disks)
    assert isinstance(built, InferredDesign)
    assert (built.design.stack, show(built.design.layout)) == ("md", "2x(4+2)")


def test_mirrors_have_no_chunk_of_their_own() -> None:
    _, disks = named(4)
    below = (
        array("md0", 0, 2, level="raid1", chunk_bytes=0, layout=0),
        array("md1", 2, 2, level="raid1", chunk_bytes=0, layout=0),
    )
    volume = VolumeFacts(name="dm-0", below=("md0", "md1"), io_min_bytes=128 * KIB, io_opt_bytes=256 * KIB)
    built = infer_design("dm-0", below, [volume], disks)
    assert isinstance(built, InferredDesign)
    assert (show(built.design.layout), built.design.chunk_bytes) == ("2x raid1(2)", 128 * KIB)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0x102, "raid10(4)"),  # near=2, far=1: what mdadm makes by itself
        (0x103, "raid10(4,n3)"),
        (0x201, "raid10(4,f2)"),
        (0x10201, "raid10(4,o2)"),
    ],
)
def test_numbers_of_raid10(number: int, words: str) -> None:
    _, disks = named(4)
    built = infer_design("md0", [array("md0", 0, 4, level="raid10", layout=number)], (), disks)
    assert isinstance(built, InferredDesign)
    assert show(built.design.layout) == words


def reason(top: str, *arrays: ArrayFacts, volumes: tuple[VolumeFacts, ...] = (), disks: int = 20) -> str:
    found = infer_design(top, arrays, volumes, named(disks)[1])
    assert isinstance(found, NotALayout)
    return found.reason


def test_what_is_no_layout_of_raidtui_says_why() -> None:
    six, other = array("md0", 0, 6), array("md1", 6, 6)
    assert reason("sda") == "sda is neither an md array nor a volume over md arrays"
    assert reason("md0", array("md0", 0, 4, level="raid10", layout=0x202)) == (
        "RAID10 layout 0x202 of md0 mixes near and far copies"
    )
    assert reason("md0", array("md0", 0, 4, level="linear")) == "md0 is linear: this level is not supported"
    assert reason("md0", array("md0", 0, 6, metadata="imsm")) == "metadata imsm of md0 is not supported by raidtui"
    assert reason("md0", array("md0", 18, 6)) == "sd20 is not a disk of the inventory"
    concatenated = VolumeFacts(name="dm-0", below=("md0", "md1"), io_min_bytes=512 * KIB, io_opt_bytes=2048 * KIB)
    assert (
        reason("dm-0", six, other, volumes=(concatenated,)) == "dm-0 is not striped over all of its 2 physical volumes"
    )
    striped = replace(concatenated, io_opt_bytes=1024 * KIB)
    assert reason("dm-0", six, array("md1", 6, 5, level="raid5"), volumes=(striped,)) == (
        "the arrays below dm-0 differ in level, copies or chunk"
    )
    assert reason("dm-0", six, volumes=(striped,)) == "dm-0 is not built on md arrays alone"
    mirror = ArrayFacts(name="md9", level="raid1", members=("md0", "md1"))
    assert reason("md9", six, other, mirror) == "md9 is raid1 over arrays; raidtui supports only RAID0 over arrays"


def test_arrays_of_unequal_width_are_a_layout_of_groups() -> None:
    volume = VolumeFacts(name="dm-0", below=("md0", "md1"), io_min_bytes=512 * KIB, io_opt_bytes=1024 * KIB)
    found = infer_design("dm-0", (array("md0", 0, 6), array("md1", 6, 5)), (volume,), named(20)[1])
    assert not isinstance(found, NotALayout)
    assert show(found.design.layout) == "(4+2)+(3+2)"
    assert len(found.disks) == 11


def test_a_missing_member_is_taken_to_be_like_the_others() -> None:
    _, disks = named(6)
    gap = replace(array("md0", 0, 6), members=("sd0", "", "sd2", "sd3", "sd4", "sd5"))
    built = infer_design("md0", [gap], (), disks)
    assert isinstance(built, InferredDesign)
    assert built.notes == ("1 missing member assumed equal to the others",)
    assert (built.disks[1].id, built.disks[1].size_bytes) == ("", disks["sd0"].size_bytes)
    assert reason("md0", replace(gap, members=("",) * 6)) == "all members are missing"


def test_another_parity_layout_is_noted() -> None:
    built = infer_design("md0", [array("md0", 0, 6, layout=0)], (), named(6)[1])
    assert isinstance(built, InferredDesign)
    assert built.notes == ("parity layout 0 instead of left-symmetric",)


@given(
    st.sampled_from(["raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "linear", "", "raid\x1b"]),
    st.integers(0, 8), st.integers(-1, 1 << 21), st.integers(0, 1 << 20), st.text(max_size=4),
)  # fmt: skip
def test_any_facts_are_a_design_or_a_reason(level: str, members: int, layout: int, chunk: int, metadata: str) -> None:
    _, disks = named(8)
    facts = ArrayFacts(
        name="md0", level=level, members=tuple(f"sd{n}" for n in range(members)), layout=layout, chunk_bytes=chunk,
        metadata=metadata or "1.2",
    )  # fmt: skip
    found = infer_design("md0", [facts], (), disks)
    if isinstance(found, NotALayout):
        assert found.reason
    else:
        assert found.design.layout == Layout.joined([replace(found.design.layout.first, members=members)])
        assert len(found.disks) == members


def test_an_array_is_predicted_with_the_cache_the_threads_and_the_limit_that_it_has() -> None:
    """Four members' chunks of 2 MiB need more than the kernel's own 256 pages; md's threads write 1.7 GB/s."""
    inventory, disks = named(6)
    small = array("md0", 0, 6, chunk_bytes=2048 * KIB, stripe_cache_pages=256, component_bytes=3_906_117_632 * KIB)
    large = replace(small, stripe_cache_pages=8192, parity_threads=4, sync_max_bytes_per_s=50_000_000)
    built = [infer_design("md0", (each,), (), disks) for each in (small, large)]
    found = [predict_inferred(each, inventory) for each in built if isinstance(each, InferredDesign)]
    writes = [each.throughput.seq_write for each in found if each.throughput is not None]
    assert writes[0].ceilings[MEMBERS] < 0.7 * writes[1].ceilings[MEMBERS] == 0.7 * 4 * 285_000_000
    assert [each.ceilings[MD_THREAD] for each in writes] == [1_200_000_000, 1_700_000_000]
    hours = [each.durability.rebuild.idle_hours for each in found if each.durability and each.durability.rebuild]
    assert hours[1] == pytest.approx(3_906_117_632 * KIB / 50e6 / 3600, rel=0.01)
    assert hours[0] < hours[1] / 3


def test_a_member_that_is_write_mostly_serves_no_reads() -> None:
    """Of three members of 285 MB/s two read; writes go to all."""
    inventory, disks = named(3)
    mirror = array("md0", 0, 3, level="raid1", chunk_bytes=0, layout=0, write_mostly=("sd1",))
    built = infer_design("md0", (mirror,), (), disks)
    assert isinstance(built, InferredDesign)
    found = predict_inferred(built, inventory).throughput
    assert found is not None
    assert found.seq_read.ceilings[MEMBERS] == 2 * 285_000_000
    assert found.explained["seq_read"][0].rate == 2 * 285_000_000
    assert found.seq_write.ceilings[MEMBERS] == 285_000_000
