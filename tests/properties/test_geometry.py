"""What holds for every design and every set of disks."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.design import predict
from raidtui.sizes.ext4 import ext4_geometry
from raidtui.sizes.lvm import lvm_geometry
from raidtui.sizes.md import ArrayRequest, array_geometry, component_kib, data_offset
from raidtui.sizes.xfs import fits, xfs_geometry
from raidtui.values.choices import BITMAPS, FILE_SYSTEMS, METADATA, STACKS
from raidtui.values.design import Design
from raidtui.values.findings import refused
from raidtui.values.inventory import Disk
from raidtui.values.layout import LEVELS, PARITY, Layout, MdLevel, Spread, least_members

KIB = 1024
GIB = 1024**3
sizes = st.integers(GIB, 30 * 1024 * GIB)
chunks = st.integers(2, 14).map(lambda power: KIB << power)
spreads: st.SearchStrategy[Spread] = st.sampled_from(("n", "f", "o"))


@st.composite
def asks(draw: st.DrawFn) -> ArrayRequest:
    level: MdLevel = draw(st.sampled_from(LEVELS))
    copies = draw(st.integers(2, 4))
    members = draw(st.lists(sizes, min_size=least_members(level, copies), max_size=12))
    spares = draw(st.lists(sizes, max_size=0 if level == "raid0" else 2))
    return ArrayRequest(
        level=level,
        member_bytes=tuple(members),
        spare_bytes=tuple(spares),
        chunk_bytes=draw(chunks),
        metadata=draw(st.sampled_from(METADATA)),
        bitmap=draw(st.sampled_from(BITMAPS)),
        ppl=level == "raid5" and draw(st.booleans()),
        copies=copies,
        spread=draw(spreads),
    )


@given(asks())
def test_no_array_is_larger_than_what_its_redundancy_leaves(ask: ArrayRequest) -> None:
    array = array_geometry(ask)
    members, least = len(ask.member_bytes), min(ask.member_bytes)
    match ask.level:
        case "raid0":
            most = sum(ask.member_bytes)
        case "raid1":
            most = least
        case "raid10":
            most = members * least // ask.copies
        case "raid4" | "raid5" | "raid6":
            most = (members - PARITY[ask.level]) * least
    assert 0 <= array.array_bytes <= most
    assert array.array_bytes % 512 == 0


@given(asks(), st.integers(0, 13))
def test_another_member_of_the_same_size_never_costs_room(ask: ArrayRequest, place: int) -> None:
    twin = ask.member_bytes[place % len(ask.member_bytes)]
    wider = ArrayRequest(
        **{name: getattr(ask, name) for name in ArrayRequest.__slots__ if name != "member_bytes"},
        member_bytes=(*ask.member_bytes, twin),
    )
    assert array_geometry(wider).array_bytes >= array_geometry(ask).array_bytes


@given(asks())
def test_data_and_component_fit_on_every_device(ask: ArrayRequest) -> None:
    array = array_geometry(ask)
    offset = data_offset(ask)
    if array.component_bytes:
        assert all(offset * 512 + array.component_bytes <= size for size in ask.member_bytes + ask.spare_bytes)
        assert array.component_bytes <= component_kib(ask, offset) * KIB


@given(asks(), sizes)
def test_a_spare_no_smaller_than_the_smallest_device_changes_nothing(ask: ArrayRequest, more: int) -> None:
    if ask.level == "raid0":
        return
    least = min(ask.member_bytes + ask.spare_bytes)
    fields = {name: getattr(ask, name) for name in ArrayRequest.__slots__ if name != "spare_bytes"}
    with_one = array_geometry(ArrayRequest(**fields, spare_bytes=(*ask.spare_bytes, least + more)))
    assert with_one.array_bytes == array_geometry(ask).array_bytes


@given(st.integers(300 * 1024**2, 4000 * 1024 * GIB), chunks, st.integers(1, 60), st.sampled_from((512, 4096)))
def test_xfs_groups_cover_the_device_and_start_on_stripe_units(size: int, unit: int, width: int, sector: int) -> None:
    if not fits(size, sunit_bytes=unit, stripe_width=width):
        return
    made = xfs_geometry(size, sunit_bytes=unit, stripe_width=width, sector_bytes=sector)
    assert made.agsize_blocks % made.sunit_blocks == 0
    assert (made.agcount - 1) * made.agsize_blocks < made.blocks <= made.agcount * made.agsize_blocks
    assert size - 16 * 1024**2 < made.blocks * 4096 <= size
    assert made.available_bytes <= made.total_bytes < size
    assert 16384 <= made.log_blocks < made.agsize_blocks


@given(st.integers(64 * 1024**2, 4000 * 1024 * GIB))
def test_ext4_gives_what_it_has(size: int) -> None:
    made = ext4_geometry(size)
    assert size - 128 * 1024**2 < made.blocks * 4096 <= size
    assert made.statfs_available_blocks <= made.statfs_free_blocks < made.statfs_blocks < made.blocks
    assert made.inodes < 2**32


@given(st.lists(sizes, min_size=2, max_size=128), chunks, st.integers(1, 40))
def test_every_extent_is_whole_full_stripes(arrays: list[int], chunk: int, data: int) -> None:
    volume = lvm_geometry(arrays, full_stripe=chunk * data, stripe_bytes=chunk)
    assert volume.extent_bytes % (chunk * data) == 0
    assert volume.extent_bytes % (128 * KIB) == 0
    assert volume.extent_bytes >= max(1024**2, chunk)
    assert volume.extents * volume.extent_bytes <= len(arrays) * (min(arrays) - volume.pe_start_bytes) or (
        volume.extents == 0
    )


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """Anything that can be typed, sensible or not."""
    level: MdLevel = draw(st.sampled_from(LEVELS))
    return Design(
        layout=Layout.of(
            level=level,
            members=draw(st.integers(1, 9)),
            arrays=draw(st.integers(1, 4)),
            spares=draw(st.integers(0, 3)),
            copies=draw(st.integers(2, 4)),
            spread=draw(spreads),
        ),
        chunk_bytes=draw(st.one_of(chunks, st.integers(0, 2**40))),
        metadata=draw(st.sampled_from(METADATA)),
        bitmap=draw(st.sampled_from(BITMAPS)),
        ppl=draw(st.booleans()),
        stack=draw(st.sampled_from(STACKS)),
        fs=draw(st.sampled_from(FILE_SYSTEMS)),
    )


disk_fields: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "id": st.text(max_size=5),
        "size_bytes": st.one_of(st.integers(0, 2**45), st.sampled_from((0, 10**12, 2 * 10**12))),
        "logical_sector_bytes": st.sampled_from((512, 4096)),
        "physical_sector_bytes": st.sampled_from((512, 4096, 16384)),
        "optimal_io_bytes": st.sampled_from((0, 16773120, 1024**2)),
        "state": st.sampled_from(("blank", "content", "unknown")),
        "not_selectable": st.one_of(st.none(), st.text(max_size=60)),
    }
)


@given(designs(), st.lists(disk_fields, max_size=40))
def test_whatever_is_asked_has_an_answer_that_adds_up(design: Design, fields: list[dict[str, Any]]) -> None:
    prediction = predict(design, [Disk(**field) for field in fields])
    assert prediction.volume_bytes <= sum(array.array_bytes for array in prediction.arrays) <= prediction.raw_bytes
    for system in prediction.filesystems:
        assert 0 <= system.available_bytes <= system.total_bytes <= prediction.volume_bytes
    if not refused(prediction.findings):
        assert prediction.volume_bytes > 0
        assert len(prediction.arrays) == design.layout.arrays
        assert (prediction.filesystem is None) == (design.fs == "none")
    severities = [finding.severity for finding in prediction.findings]
    assert severities == sorted(severities, key=("error", "warning", "note").index)
    assert all(finding.message.isprintable() for finding in prediction.findings)
