"""Sizes of LUKS2: sixty devices as cryptsetup and dm-crypt made them (`tests/lab/crypt_sizes.py`), and in plans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.sizes.luks import crypt_geometry
from raidtui.values.design import Design, Encryption
from raidtui.values.errors import BadInput
from raidtui.values.notation import parse
from raidtui.values.prediction import Prediction
from tests.lab.crypt_sizes import FILE
from tests.planner.plans import disks, plan_of

KEY = Encryption(key_file="/etc/keys/data.key")
MIB = 1024 * 1024


def predicted(layout: str, **design: Any) -> Prediction:
    asked = Design(layout=parse(layout), **design)
    return predict(asked, disks(asked.layout.disks))


@pytest.mark.parametrize("line", FILE.read_text("ascii").splitlines())
def test_sizes_are_those_of_cryptsetup(line: str) -> None:
    real = json.loads(line)
    made = crypt_geometry(real["device"], stripe=(real["unit"], real["width"]))
    assert (made.offset_bytes, made.sector_bytes, made.size_bytes) == (real["offset"], real["sector"], real["opened"])


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
        ({"encryption": Encryption()}, "encryption-key-file"),
        ({"encryption": Encryption(key_file="keys/data.key")}, "encryption-key-file"),
        ({"encryption": Encryption(key_file="/etc/keys/a b")}, "encryption-key-file"),
        ({"encryption": KEY, "fs": "none"}, "encryption-without-file-system"),
    ],
)
def test_what_cannot_be_encrypted_is_refused(design: dict[str, Any], code: str) -> None:
    found = predicted("(2+1)", **design).findings
    assert [each.code for each in found if each.severity == "error"] == [code]


def test_a_key_file_below_the_mount_point_is_refused() -> None:
    with pytest.raises(BadInput, match="/srv/data/key would be on the encrypted file system itself"):
        plan_of("(2+1)", encryption=Encryption(key_file="/srv/data/key"))


def test_without_md_nothing_is_encrypted() -> None:
    found = predicted("disk", encryption=KEY).findings
    assert "encryption-without-md" in [each.code for each in found if each.severity == "error"]
