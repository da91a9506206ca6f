"""Sizes of LUKS2: sixty devices as cryptsetup and dm-crypt made them (`tests/lab/crypt_sizes.py`), stacks with LVM
over encrypted arrays, and in plans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.sizes.luks import crypt_geometry, joined_crypts
from raidtui.values.design import Design, Encryption
from raidtui.values.errors import BadInput
from raidtui.values.notation import parse
from raidtui.values.prediction import LvmGeometry, Prediction
from tests.lab.crypt_sizes import FILE, STACKS
from tests.planner.plans import disks, plan_of

KEY = Encryption(key_file="/etc/keys/data.key")
EACH = Encryption(layer="arrays", key_file="/etc/keys/data.key")
MIB = 1024 * 1024


def predicted(layout: str, **design: Any) -> Prediction:
    asked = Design(layout=parse(layout), **design)
    return predict(asked, disks(asked.layout.disks))


@pytest.mark.parametrize("line", FILE.read_text("ascii").splitlines())
def test_sizes_are_those_of_cryptsetup(line: str) -> None:
    real = json.loads(line)
    made = crypt_geometry(real["device"], stripe=(real["unit"], real["width"]))
    assert (made.offset_bytes, made.sector_bytes, made.size_bytes) == (real["offset"], real["sector"], real["opened"])


@pytest.mark.parametrize("line", STACKS.read_text("ascii").splitlines())
def test_stacks_over_encrypted_arrays_are_those_of_lvm_and_mkfs(line: str) -> None:
    real = json.loads(line)
    (count,) = set(real["members"])
    shape = {"raid5": f"{count - 1}+1", "raid6": f"{count - 2}+2"}.get(real["level"], str(count))
    layout = parse(f"{len(real['members'])}x {real['level']}({shape})")
    asked = Design(layout=layout, chunk_bytes=real["chunk"], bitmap="none", encryption=EACH)
    made = predict(asked, disks(asked.layout.disks, real["bytes"]))
    assert made.crypts is not None and isinstance(made.volume, LvmGeometry)
    assert [array.array_bytes for array in made.arrays] == real["arrays"]
    assert [crypt.offset_bytes for crypt in made.crypts] == real["offsets"]
    assert {crypt.sector_bytes for crypt in made.crypts} == {real["sector"]}
    assert [crypt.size_bytes for crypt in made.crypts] == real["opened"]
    assert [made.volume.pe_start_bytes] == real["start"]
    assert (made.volume.extents, made.volume_bytes) == (real["extents"], real["volume"])
    assert made.true_stripe_width == real["width"]
    assert made.filesystems[0].blocks == real["blocks"]


@pytest.mark.parametrize(
    ("layout", "chunk", "offset"),
    [
        ("(8+2)", 512, 16),  # a full stripe of 4 MiB
        ("(10+2)", 512, 20),  # of 5 MiB
        ("(11+2)", 512, 16.5),  # of 5.5 MiB
        ("2x(10+2)", 512, 20),  # of 10 MiB over both
        ("raid1(2)", 512, 16),  # of none
    ],
)
def test_the_data_starts_on_a_full_stripe_from_16_mib_on(layout: str, chunk: int, offset: float) -> None:
    made = predicted(layout, chunk_bytes=chunk * 1024, encryption=KEY)
    assert made.crypts is not None
    assert [crypt.offset_bytes for crypt in made.crypts] == [offset * MIB]


@pytest.mark.parametrize(
    ("layout", "offsets", "start", "extent"),
    [
        ("2x(10+2)", [20, 20], 5, 5),  # a full stripe of 5 MiB: PV data on the next one, extents of one each
        ("3x(4+1)", [16, 16, 16], 2, 2),
        ("2x(6+2)", [18, 18], 3, 3),
        ("2x raid1(2)", [16, 16], 1, 1),
        ("(6+2)+(10+2)", [18, 20], 15, 15),  # 3 and 5 MiB
    ],
)
def test_each_array_is_encrypted_from_a_full_stripe_of_its_own_on(
    layout: str, offsets: list[int], start: int, extent: int
) -> None:
    made = predicted(layout, encryption=EACH)
    assert made.crypts is not None and isinstance(made.volume, LvmGeometry)
    assert [crypt.offset_bytes // MIB for crypt in made.crypts] == offsets
    assert (made.volume.pe_start_bytes, made.volume.extent_bytes) == (start * MIB, extent * MIB)
    for array, crypt in zip(made.arrays, made.crypts, strict=True):
        assert crypt.size_bytes == array.array_bytes - crypt.offset_bytes
    plain, same = predicted(layout), ("true_sunit_bytes", "true_stripe_width", "arrays")
    assert [getattr(made, name) for name in same] == [getattr(plain, name) for name in same]


def test_arrays_of_unequal_sectors_are_encrypted_in_the_smaller_ones() -> None:
    """vgcreate joins no devices whose logical sectors differ."""
    made = joined_crypts([2**40, 2**40 + 512], [2**20, 2**20])
    assert [(each.sector_bytes, each.size_bytes) for each in made] == [(512, 2**40 - 2**24), (512, 2**40 - 2**24 + 512)]


@pytest.mark.parametrize(("layout", "stack"), [("(2+1)", "lvm"), ("2x(2+1)", "separate")])
def test_where_nothing_joins_the_arrays_both_words_build_the_same(layout: str, stack: Any) -> None:
    made, same = predicted(layout, stack=stack, encryption=EACH), predicted(layout, stack=stack, encryption=KEY)
    assert (made.crypts, made.filesystems) == (same.crypts, same.filesystems)
    new = {each.code: each.message for each in made.findings if each not in same.findings}
    assert new == {
        "encryption-same-layer":
        "Nothing joins the arrays: --encrypt arrays and --encrypt volume build the same here."
    }  # fmt: skip


def test_what_each_array_costs_is_noted() -> None:
    (note,) = (each for each in predicted("4x(2+1)", encryption=EACH).findings if each.code == "encryption-arrays")
    assert (note.message, note.way_out) == (
        "Each of 4 arrays has its own LUKS2: LVM's metadata is encrypted too, and further arrays can join.",
        "4 headers to keep, 4 key derivations at each boot; --encrypt volume has one of each",
    )


@pytest.mark.parametrize("layout", ["(10+2)", "2x(4+2)", "2x raid1(2)"])
@pytest.mark.parametrize("fs", ["xfs", "ext4"])
def test_the_file_system_is_smaller_by_the_header_and_has_the_same_stripe(layout: str, fs: str) -> None:
    plain, made = predicted(layout, fs=fs), predicted(layout, fs=fs, encryption=KEY)
    assert made.crypts is not None
    (crypt,) = made.crypts
    assert crypt.size_bytes == made.volume_bytes - crypt.offset_bytes
    assert (made.arrays, made.volume_bytes) == (plain.arrays, plain.volume_bytes)
    old, new = plain.filesystems[0], made.filesystems[0]
    assert new.blocks * new.block_bytes <= crypt.size_bytes < old.blocks * old.block_bytes
    stripes = [
        (getattr(each, "sunit_blocks", 0) or getattr(each, "stride_blocks", 0)) for each in (old, new)
    ]  # fmt: skip
    assert stripes[0] == stripes[1]


def test_each_of_separate_file_systems_is_encrypted() -> None:
    made = predicted("3x(2+1)", stack="separate", encryption=KEY)
    assert made.crypts is not None and len(made.crypts) == len(made.filesystems) == 3


@pytest.mark.parametrize(
    ("design", "code"),
    [
        ({"encryption": Encryption(key_file="keys/data.key")}, "encryption-key-file"),
        ({"encryption": Encryption(key_file="/etc/keys/a b")}, "encryption-key-file"),
        ({"encryption": Encryption(key_file="/run/keys/data.key")}, "encryption-key-file"),
        ({"encryption": KEY, "fs": "none"}, "encryption-without-file-system"),
        ({"encryption": EACH, "stack": "md"}, "encryption-below-md"),
    ],
)
def test_what_cannot_be_encrypted_is_refused(design: dict[str, Any], code: str) -> None:
    found = predicted("2x(2+1)", **design).findings
    assert [each.code for each in found if each.severity == "error"] == [code]


def test_a_key_file_below_the_mount_point_is_refused() -> None:
    with pytest.raises(BadInput, match="/srv/data/key would be on the encrypted file system itself"):
        plan_of("(2+1)", encryption=Encryption(key_file="/srv/data/key"))


def test_without_md_nothing_is_encrypted() -> None:
    found = predicted("disk", encryption=KEY).findings
    assert "encryption-without-md" in [each.code for each in found if each.severity == "error"]
