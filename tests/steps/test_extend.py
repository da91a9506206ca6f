"""How an array that exists is extended: by what commands, and what is predicted of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.answers.acts import extension_blocks
from raidtui.answers.plain_text import plain_lines, unpainted
from raidtui.machine.arrays.read import observe
from raidtui.programs.lvm import PhysicalSpace, Segment
from raidtui.steps.extend import with_bitmap, with_spare
from raidtui.steps.grow import MountedFileSystem, StackOnArray, grown
from raidtui.values.acts import Extension
from raidtui.values.arrays import ArrayBitmap, ObservedArray, ObservedArrays, SyncNow
from raidtui.values.codec import from_json, to_json
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Inventory
from tests.machine.simulation import Run, built_run

SDX = "/dev/disk/by-id/wwn-0x3000013300000018"
OLD, NEW = 2_000_398_934_016, 4_000_797_868_032
OFFSET = 264192 * 512


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return built_run(tmp_path, "raid6(4+2)+1", name="data", after=100_000)


def looked(run: Run, **changes: object) -> tuple[ObservedArrays, Inventory]:
    """The machine, whose array has these `changes`, and members of `size`."""
    inventory = run.machine.inventory()
    seen = observe(run.machine, inventory)
    size = changes.pop("size", OLD)
    (array,) = seen.arrays
    members = tuple(replace(each, size_bytes=size, data_offset_bytes=OFFSET) for each in array.members)  # type: ignore[arg-type]
    changed: ObservedArray = replace(array, members=members, **changes)  # type: ignore[arg-type]
    return replace(seen, arrays=(changed,)), inventory


def typed(found: Extension) -> list[str]:
    return [" ".join(step.commands[0].argv) if step.commands else "" for step in found.steps]


def codes(found: Extension) -> list[tuple[str, str]]:
    return [(each.severity, each.code) for each in found.findings]


XFS = MountedFileSystem(
    kind="xfs", device="/dev/md127", place="/srv/data", block_bytes=4096, blocks=1_953_382_400,
    hidden_blocks=521_728, group_blocks=61_043_200,
)  # fmt: skip


def test_a_blank_disk_becomes_a_spare(run: Run) -> None:
    found = with_spare(*looked(run), "data", "sdx")
    assert typed(found) == [f"mdadm --manage /dev/md127 --add-spare {SDX}"]
    (command,) = found.steps[0].commands
    assert (command.members, command.spare_of, found.steps[0].survives) == ((SDX,), None, 2)
    assert (found.before.spares, found.after.spares, found.findings) == (1, 2, ())


def test_the_spare_that_it_is_stays(run: Run) -> None:
    found = with_spare(*looked(run), "data", run.plan.disks[6].id)
    assert (found.before.spares, found.after.spares) == (1, 1)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"size_bytes": 2_000_263_577_599}, "new-too-small"),
        ({"state": "content"}, "new-not-blank"),
        ({"not_selectable": "mounted at /srv"}, "new-in-use"),
    ],
)
def test_a_disk_that_does_not_fit_is_refused(run: Run, change: dict[str, object], code: str) -> None:
    seen, inventory = looked(run)
    disks = tuple(replace(each, **change) if each.kernel_name == "sdx" else each for each in inventory.disks)  # type: ignore[arg-type]
    found = with_spare(seen, replace(inventory, disks=disks), "data", "sdx")
    assert (codes(found), found.steps) == ([("error", code)], ())


def test_members_that_are_partitions_take_no_whole_disk(run: Run) -> None:
    seen, inventory = looked(run)
    (array,) = seen.arrays
    parts = tuple(replace(each, device=f"{each.device}1") for each in array.members)
    found = with_spare(replace(seen, arrays=(replace(array, members=parts),)), inventory, "data", "sdx")
    assert (codes(found), found.steps) == ([("error", "spare-needs-table")], ())


@pytest.mark.parametrize(
    ("has", "wanted", "commands"),
    [
        ("internal", None, ["--bitmap=none"]),
        ("none", 0, ["--bitmap=internal --bitmap-chunk=65536K"]),
        ("none", 128 * 2**20, ["--bitmap=internal --bitmap-chunk=131072K"]),
        ("internal", 128 * 2**20, ["--bitmap=none", "--bitmap=internal --bitmap-chunk=131072K"]),
        ("internal", 0, []),
        ("internal", 64 * 2**20, []),
        ("none", None, []),
    ],
)
def test_bitmaps(run: Run, has: str, wanted: int | None, commands: list[str]) -> None:
    kind = ArrayBitmap(kind=has, chunk_bytes=64 * 2**20 if has == "internal" else None)  # type: ignore[arg-type]
    found = with_bitmap(*looked(run, bitmap=kind), "data", wanted)
    assert typed(found) == [f"mdadm --grow /dev/md127 {each}" for each in commands]
    if has == "internal" and not commands:
        assert found.findings[0].message == "md127 has a bitmap; a bit stands for 64 MiB."
    told = ("note", "nothing-to-change") if not commands else ("warning", "bitmap-none") if wanted is None else None
    assert codes(found) == ([told] if told else [])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"bitmap": ArrayBitmap(kind="external")}, "bitmap-other"),
        ({"bitmap": ArrayBitmap(kind="lockless", chunk_bytes=65536)}, "bitmap-other"),
        ({"consistency": "ppl"}, "bitmap-other"),
        ({"lacks": 1, "states": ("degraded", "clean")}, "array-degraded"),
        ({"sync": SyncNow(action="resync", done_bytes=1, whole_bytes=2, bytes_per_s=1)}, "array-syncing"),
        ({"level": "raid0"}, "no-redundancy"),
        ({"metadata": "external:imsm"}, "external-metadata"),
    ],
)
def test_a_bitmap_that_cannot_be_changed(run: Run, changes: dict[str, object], code: str) -> None:
    found = with_bitmap(*looked(run, **changes), "data", 0)
    assert ("error", code) in codes(found)
    assert found.steps == ()


def test_a_sync_that_waits_is_started_first(run: Run) -> None:
    held = SyncNow(action="held", done_bytes=0, whole_bytes=2, bytes_per_s=0)
    (found,) = with_bitmap(*looked(run, sync=held), "data", 128 * 2**20).findings
    assert (found.message, found.way_out) == ("md127 syncs: waits.", "mdadm --readwrite /dev/md127 starts it")


@pytest.mark.parametrize("chunk", [2048, 65 * 2**20])
def test_a_unit_that_no_bitmap_has(run: Run, chunk: int) -> None:
    found = with_bitmap(*looked(run), "data", chunk)
    assert (codes(found), found.steps) == ([("error", "bitmap-chunk")], ())


@pytest.mark.parametrize(
    ("chunk", "changes", "figure", "least"),
    [
        (4096, {}, "4 KiB makes a bitmap of 59 612 761", "2 MiB"),  # 476 900 032 bits and one, and a head of 256 bytes
        (
            2**20,
            {},
            "1 MiB makes a bitmap of 233 118",
            "2 MiB",
        ),  # 131 072 bytes hold 1 046 528 bits, this takes 1 862 891
        (2**20, {"level": "raid10", "layout": 0x102}, "1 MiB makes a bitmap of 698 841", "8 MiB"),  # of three members
    ],
)
def test_a_bitmap_for_which_there_is_no_room_is_refused_with_figures(
    run: Run, chunk: int, changes: dict[str, object], figure: str, least: str
) -> None:
    seen = looked(run, component_bytes=1_907_600_128 * 1024, **changes)
    found = with_bitmap(*seen, "data", chunk, room_bytes=131_072)
    (told,) = found.findings
    assert (told.severity, told.code, found.steps) == ("error", "bitmap-room", ())
    assert told.message == f"A bit for {figure} bytes on each member of md127, which has 131 072 for it."
    assert told.way_out == f"a unit of {least} or more"


@pytest.mark.parametrize(
    ("member", "changes", "refused", "taken"),
    [
        (368_050_176, {"level": "raid5", "devices": 4}, (4, 8), (16, 32)),
        (367_001_600, {"level": "raid10", "devices": 4, "layout": 0x102}, (4, 8), (32,)),
    ],
)
def test_what_mdadm_refused_and_took_in_4_096_bytes(
    run: Run, member: int, changes: dict[str, object], refused: tuple[int, ...], taken: tuple[int, ...]
) -> None:
    """mdadm 4.2 on disks of 352 MiB: failed to create internal bitmap - chunksize problem."""
    seen = looked(run, component_bytes=member, **changes)
    for kib in (*refused, *taken):
        steps = with_bitmap(*seen, "data", kib * 1024, room_bytes=4096).steps
        assert bool(steps) == (kib in taken)


def test_a_bitmap_that_fits_or_whose_room_is_not_known(run: Run) -> None:
    seen = looked(run, component_bytes=1_907_600_128 * 1024)
    assert codes(with_bitmap(*seen, "data", 2 * 2**20, room_bytes=131_072)) == []
    assert codes(with_bitmap(*seen, "data", 4096)) == []


def test_larger_members_and_a_file_system_on_the_array(run: Run) -> None:
    found = grown(*looked(run, size=NEW), "data", StackOnArray(filesystem=XFS))
    assert typed(found) == ["mdadm --grow /dev/md127 --size=max", "", "xfs_growfs -d /srv/data"]
    # 4 times a member without its first 129 MiB, down to 7 630 658 chunks of 512 KiB
    assert found.after.array_bytes == 16_002_649_686_016
    assert found.after.filesystem_bytes == 16_002_649_686_016
    assert found.steps[2].after[0].answer == "4096 3906375168"  # without the log
    assert found.hours is not None
    assert found.hours < (found.most_hours or 0)
    assert codes(found) == [("warning", "back-up-first")]
    assert found.findings[0].message == ("/srv/data, md127: metadata of layers that hold data is changed.")


def test_a_growth_is_as_fast_as_the_limit_of_the_array(run: Run) -> None:
    found = grown(*looked(run, size=NEW, sync_max_bytes_per_s=10_240_000), "data", StackOnArray(filesystem=XFS))
    assert found.hours == pytest.approx(54.26, abs=0.01)  # 2 TB more of each member


LINEAR = Segment(
    name="lv", group="vg-a", size_bytes=8_000 * 2**30, type="linear", stripes=1, stripe_bytes=0,
    devices=("/dev/md127",),
)  # fmt: skip


def space(path: str, extents: int, used: int) -> PhysicalSpace:
    return PhysicalSpace(
        path=path, uuid="own", group="vg-a", start_bytes=2**20, extent_bytes=2**30, extents=extents, used=used
    )


def test_a_linear_volume_gets_what_the_array_gained(run: Run) -> None:
    own = space("/dev/md127", 7451, 7451)
    found = grown(
        *looked(run, size=NEW), "data", StackOnArray(spaces=(own,), own=own, segments=(LINEAR,), filesystem=XFS)
    )
    assert typed(found) == [
        "mdadm --grow /dev/md127 --size=max",
        "",
        "pvresize /dev/md127",
        "lvextend --extents=15452 --stripes=1 vg-a/lv /dev/md127",
        "xfs_growfs -d /srv/data",
    ]
    assert found.steps[2].after[0].answer == "14903"
    assert found.after.volume_bytes == 15452 * 2**30


def test_a_stripe_grows_with_its_shortest_array(run: Run) -> None:
    own, other = space("/dev/md127", 7451, 7451), space("/dev/md126", 7460, 7451)
    stripe = replace(LINEAR, type="striped", stripes=2, stripe_bytes=65536, devices=("/dev/md127", "/dev/md126"))
    top = StackOnArray(spaces=(own, other), own=own, segments=(stripe,), filesystem=XFS)
    found = grown(*looked(run, size=NEW), "data", top)
    assert typed(found)[3] == ("lvextend --extents=8018 --stripes=2 --stripesize=64k vg-a/lv /dev/md127 /dev/md126")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"metadata": "1.0"}, "superblock-at-the-end"),
        ({"level": "raid10", "layout": 0x201}, "size-unknown"),
        ({"lacks": 1}, "array-degraded"),
    ],
)
def test_what_cannot_grow(run: Run, changes: dict[str, object], code: str) -> None:
    found = grown(*looked(run, size=NEW, **changes), "data", StackOnArray(filesystem=XFS))
    assert ("error", code) in codes(found)
    assert found.steps == ()


def test_members_that_are_used_to_their_end(run: Run) -> None:
    found = grown(*looked(run), "data", StackOnArray(filesystem=XFS))
    assert (codes(found), found.steps) == ([("note", "nothing-to-grow")], ())


def test_names_that_are_none(run: Run) -> None:
    with pytest.raises(BadInput, match="md9 is not an array on this machine"):
        with_bitmap(*looked(run), "md9", 0)
    with pytest.raises(BadInput, match="nvme9 is no disk of this machine"):
        with_spare(*looked(run), "data", "nvme9")


def test_the_document_and_its_text(run: Run) -> None:
    found = grown(*looked(run, size=NEW), "data", StackOnArray(filesystem=XFS))
    assert from_json(Extension, to_json(found), source="x") == found
    lines = plain_lines(extension_blocks(found), unpainted, 100)
    assert lines[:5] == [
        "md127 (raid6)",
        "                                   NOW                     AFTER",
        "  array        8 001 054 310 400 bytes  16 002 649 686 016 bytes",
        "  file system  8 001 054 310 400 bytes  16 002 649 686 016 bytes",
        "  spares                             1                         1",
    ]
    assert lines[-5:] == [
        "  # 3. Grow xfs at /srv/data",
        "     xfs_growfs -d /srv/data",
        "     # proof: xfs at /srv/data has 3906896896 blocks",
        "     # survives: 2 failures",
        "     # cut here: the next mount makes the growth whole, or as if it had not begun",
    ]
