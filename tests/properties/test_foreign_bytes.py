"""Every reader of other people's files and of what tools print: any bytes give a value or one of raidtui's errors."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.engine import journal
from raidtui.fleet import recipe
from raidtui.programs import (
    file_systems,
    fio,
    initramfs,
    lsblk,
    lvm,
    md,
    mdadm,
    mdadm_conf,
    mount,
    nvme,
    proc,
    sfdisk,
    signatures,
    smartctl,
    sysfs,
    udev,
    udevdb,
)
from raidtui.values.codec import from_json
from raidtui.values.errors import RaidtuiError
from raidtui.values.inventory import Inventory
from tests.suite import examples

HALF = 1 << 16
READERS: dict[str, Callable[[str], object]] = {
    "mdadm.conf": lambda text: mdadm_conf.array_lines(mdadm_conf.statements("/etc/mdadm.conf", text)),
    "mdadm's PROGRAM": partial(mdadm_conf.programs, "/etc/mdadm.conf"),
    "mdadm's scan": mdadm.scanned_uuids,
    "mdadm's search": mdadm.searched,
    "mdstat": md.parse,
    "mdstat's syncs": md.syncs,
    "mountinfo": mount.parse,
    "swaps": mount.parse_swaps,
    "lsblk": lsblk.parse,
    "lvs": lvm.logical_volumes,
    "pvs": lvm.physical_volumes,
    "smartctl": smartctl.parse,
    "nvme": nvme.parse,
    "sfdisk": sfdisk.parse,
    "fio": fio.parse,
    "udev rules": udev.assembles,
    "udev's records": udevdb.parse,
    "sysfs's numbers": sysfs.count,
    "md's flags": md.flags,
    "link speed": sysfs.bits_per_s,
    "scheduler": sysfs.active_scheduler,
    "mounted file system": lambda text: file_systems.mounted(text, "ext4"),
    "inventory": lambda text: from_json(Inventory, text.encode("utf-8", "surrogateescape"), source="it"),
}
"""each reader of a text"""
RAW: dict[str, Callable[[bytes], object]] = {
    "both ends of a disk": lambda data: signatures.find(
        data.ljust(1 << 16, b"\0"), data.rjust(1 << 16, b"\0"), 1 << 40
    ),
    "stat of a thread": proc.thread,
    "journal": lambda data: journal.read(data, source="it"),
    "recipe": lambda data: recipe.read_recipe(data, source="it"),
    "archive": lambda data: initramfs.Reader(io.BytesIO(data)).files(lambda _: True),
}
"""each reader of bytes"""
WORDS = (
    b"ARRAY ", b"DEVICE ", b"PROGRAM ", b"UUID=", b"\n", b" ", b"\t", b"\\", b'"', b"{", b"}", b"[", b"]", b":", b",",
    b"-", b"=", b"(", b")", b"/", b"md0 : active raid1 sda[0] sdb[1]\n", b"resync = 5.0% (1/2)", b"super 1.2",
    b"070701",
    b"S:", b"E:", b"I:", b"N:", b"\\040", b"\\x2d", b"99999999999999999999", b"0x1f", b"-1", b"nan", b"1e999", b"null",
    b"jobs", b"blockdevices", b"report", b"lv", b"pv", b"\xfc", b"\xff\xfe", b"\xed\xa0\x80", b"\0", b"\r",
    b"\x1c", b"\xc2\x85",
    b"label: gpt\n", b"unit: sectors\n", b"LABELONE", b"1 2 3 4 5 6 7 8 9 10 11", b"\xd9\xa1",
)  # fmt: skip
FOREIGN = st.lists(st.sampled_from(WORDS) | st.binary(max_size=8), max_size=24).map(b"".join)


@pytest.mark.parametrize("name", READERS)
@given(data=FOREIGN)
@examples(300)
def test_any_text_is_read_or_refused(name: str, data: bytes) -> None:
    with contextlib.suppress(RaidtuiError):
        READERS[name](data.decode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("name", RAW)
@given(data=FOREIGN)
@examples(300)
def test_any_bytes_are_read_or_refused(name: str, data: bytes) -> None:
    with contextlib.suppress(RaidtuiError, initramfs.DamagedArchive):
        RAW[name](data)


NESTED = "[" * 100_000


@pytest.mark.parametrize("name", ["lsblk", "lvs", "pvs", "smartctl", "nvme", "fio", "inventory"])
def test_a_deeply_nested_text_is_read_or_refused(name: str) -> None:
    with contextlib.suppress(RaidtuiError):
        READERS[name](NESTED)
