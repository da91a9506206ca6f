"""Images as mkinitramfs and dracut write them: early archives, compressed ones, one after the other."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.machine.system.initramfs_files import texts
from raidtui.values.errors import MachineFailed

CONF = "/etc/mdadm/mdadm.conf"


def newc(*files: tuple[str, bytes], mode: int = 0o100644) -> bytes:
    """An archive in the format "newc"."""
    parts = []
    for name, data in (*files, ("TRAILER!!!", b"")):
        fields = (7, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        parts += [head, bytes(-len(head) % 4), data, bytes(-len(data) % 4)]
    whole = b"".join(parts)
    return whole + bytes(-len(whole) % 512)


EARLY = newc(("kernel/x86/microcode/GenuineIntel.bin", bytes(range(256)) * 300))
MAIN = newc(("usr/sbin/mdadm", b"\x7fELF" * 5000), ("etc/mdadm/mdadm.conf", b"ARRAY old\n"), ("etc/passwd", b"x"))
JOINED = newc(("sbin/multipathd", b"\x7fELF"), ("etc/multipath/wwids", b"/35000/\n"), ("sbin/multipath", b"x"))
LATE = newc(("./etc/mdadm/mdadm.conf", b"ARRAY new\n"), ("etc/mdadm.conf.d/a.conf", b"AUTO -all"))


def packed(program: str) -> Callable[[bytes], bytes]:
    """By a program, as mkinitramfs does."""

    def pack(data: bytes) -> bytes:
        return subprocess.run([program, "-c", "-q"], input=data, capture_output=True, check=True).stdout

    return pack


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
}


@pytest.mark.parametrize("how", PACKERS)
def test_the_configuration_is_found_however_it_is_packed(how: str, tmp_path: Path) -> None:
    image = tmp_path / "initrd.img"
    image.write_bytes(EARLY + PACKERS[how](MAIN))
    assert texts(str(image)) == {CONF: "ARRAY old\n", "/usr/sbin/mdadm": ""}


@pytest.mark.parametrize("how", PACKERS)
def test_an_image_that_unpacks_to_more_than_is_read_at_once(how: str, tmp_path: Path) -> None:
    image = tmp_path / "initrd.img"
    modules = [(f"usr/lib/modules/{number}.ko", random.Random(number).randbytes(2000) * 9) for number in range(99)]
    image.write_bytes(EARLY + PACKERS[how](newc(*modules, ("etc/mdadm/mdadm.conf", b"ARRAY old\n"))))
    assert texts(str(image)) == {CONF: "ARRAY old\n"}


def test_multipath_and_the_disks_that_it_claims_are_read_too(tmp_path: Path) -> None:
    image = tmp_path / "initrd.img"
    image.write_bytes(JOINED)
    assert texts(str(image)) == {"/sbin/multipathd": "", "/etc/multipath/wwids": "/35000/\n"}


def test_what_has_an_image_of_dracut_start_arrays_is_read_too(tmp_path: Path) -> None:
    image = tmp_path / "initrd.img"
    asked = ("etc/cmdline.d/20-mdraid.conf", b" rd.md.uuid=1:2\n")
    image.write_bytes(newc(("usr/sbin/mdraid_start", b"#!/bin/sh\n"), asked, ("etc/cmdline", b"x")))
    assert texts(str(image)) == {"/usr/sbin/mdraid_start": "", "/etc/cmdline.d/20-mdraid.conf": " rd.md.uuid=1:2\n"}


def test_of_what_is_there_twice_the_last_counts_as_for_the_kernel(tmp_path: Path) -> None:
    image = tmp_path / "initrd.img"
    wanted = {CONF: "ARRAY new\n", "/usr/sbin/mdadm": "", "/etc/mdadm.conf.d/a.conf": "AUTO -all"}
    for data in (
        EARLY + gzip.compress(MAIN, mtime=0) + gzip.compress(LATE),
        EARLY + gzip.compress(MAIN, mtime=0) + bytes(512) + lzma.compress(LATE),
        MAIN + LATE,
    ):
        image.write_bytes(data)
        assert texts(str(image)) == wanted


@pytest.mark.parametrize("program", [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("zstd", "lz4")])
def test_what_programs_pack_is_unpacked_by_them(program: str, tmp_path: Path) -> None:
    image = tmp_path / "initrd.img"
    image.write_bytes(EARLY + packed(program)(MAIN))
    assert texts(str(image)) == {CONF: "ARRAY old\n", "/usr/sbin/mdadm": ""}
    image.write_bytes(EARLY + packed(program)(MAIN)[:-40])
    with pytest.raises(MachineFailed, match=r"ends in the middle|exit code"):
        texts(str(image))


@pytest.mark.needs("zstd")
def test_an_archive_in_another_packing_behind_one_of_zstd(tmp_path: Path) -> None:
    image = tmp_path / "initrd.img"
    image.write_bytes(packed("zstd")(MAIN) + gzip.compress(LATE, mtime=0))
    assert texts(str(image))[CONF] == "ARRAY new\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (EARLY + b"\x00\x01\x02\x03\x04\x05\x06", "unknown compression"),
        (EARLY + gzip.compress(MAIN, mtime=0)[:100], "is truncated"),
        (EARLY[:1000], "ends in the middle"),
        (b"070701" + b"x" * 200, "without figures"),
        (gzip.compress(b"no archive at all", mtime=0), "not an archive"),
    ],
)
def test_what_cannot_be_looked_into_is_said(data: bytes, words: str, tmp_path: Path) -> None:
    image = tmp_path / "initrd.img"
    image.write_bytes(data)
    with pytest.raises(MachineFailed, match=words):
        texts(str(image))


def test_a_missing_image_and_a_link_to_a_program(tmp_path: Path) -> None:
    with pytest.raises(MachineFailed, match="cannot be read"):
        texts(str(tmp_path / "none"))
    image = tmp_path / "initrd.img"
    image.write_bytes(newc(("sbin/mdadm", b"../usr/sbin/mdadm"), mode=0o120777))
    assert texts(str(image)) == {"/sbin/mdadm": ""}
    image.write_bytes(b"")
    assert texts(str(image)) == {}
