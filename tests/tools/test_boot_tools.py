"""What a boot will see: unit names, units that are not fstab's, images in /boot, what mdadm finds."""

from __future__ import annotations

import fnmatch

import pytest

from raidtui.programs import initramfs, mdadm, systemd, udev

RULES = """\
# ACTION!="remove", IMPORT{program}="/sbin/mdadm --incremental"
ACTION!="remove", IMPORT{program}="/usr/sbin/mdadm --incremental --export $devnode --offroot $env{DEVLINKS}"
"""


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/data", "srv-data.mount"),
        ("/", "-.mount"),
        ("/srv/my-data", "srv-my\\x2ddata.mount"),
        ("/srv//a_b.c+d/0", "srv-a_b.c\\x2bd-0.mount"),
        ("/.hidden", "\\x2ehidden.mount"),
        ("/srv/Grün", "srv-Gr\\xc3\\xbcn.mount"),
    ],
)
def test_names_are_those_of_systemd_escape(path: str, name: str) -> None:
    assert systemd.unit_name(path, "mount") == name


def test_the_question_for_units_of_others() -> None:
    argv = systemd.other_units_question("/srv/my-data")
    assert argv[0] == "find"
    assert {"/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"} <= set(argv)
    assert "/run/systemd/generator" not in argv
    pattern = argv[argv.index("-name") + 1]
    assert pattern == "srv-my\\\\x2ddata.mount"  # find takes a backslash for an escape
    assert not fnmatch.fnmatchcase("srv-my-data.mount", pattern)
    assert systemd.fragment_question("/srv/data") == (
        "systemctl", "show", "--property=FragmentPath", "--value", "srv-data.mount",
    )  # fmt: skip
    assert systemd.fragment_of_fstab("/srv/data") == "/run/systemd/generator/srv-data.mount"


def test_images_and_their_kernels() -> None:
    names = (
        "initrd.img-6.1.0-9-amd64", "vmlinuz-6.1.0-9-amd64", "initramfs-5.14.0-70.el9.x86_64.img",
        "vmlinuz-5.14.0-70.el9.x86_64", "initrd.img-6.2.0-1-powerpc64le", "vmlinux-6.2.0-1-powerpc64le",
    )  # fmt: skip
    others = (
        "initrd.img", "vmlinuz", "initramfs-5.14.0-70.el9.x86_64kdump.img", "initrd.img-6.1.0-9-amd64.new",
        "initramfs-0-rescue-0123456789abcdef0123456789abcdef.img", "initrd.img-6.1.0-9-amd64.bak",
        "vmlinuz-0-rescue-0123456789abcdef0123456789abcdef", "initrd.img-6.9.0-of-a-kernel-that-is-gone",
    )  # fmt: skip
    assert initramfs.images(names + others) == (
        ("initrd.img-6.1.0-9-amd64", "6.1.0-9-amd64"),
        ("initramfs-5.14.0-70.el9.x86_64.img", "5.14.0-70.el9.x86_64"),
        ("initrd.img-6.2.0-1-powerpc64le", "6.2.0-1-powerpc64le"),
    )
    assert initramfs.rebuild_for("debian", "6.1.0-9") == ("update-initramfs", "-u", "-k", "6.1.0-9")
    assert initramfs.rebuild_for("dracut", "6.1.0-9") == ("dracut", "--force", "--mdadmconf", "--kver", "6.1.0-9")


def test_arrays_that_mdadm_finds() -> None:
    said = (
        "ARRAY /dev/md/data  metadata=1.2 UUID=01234567:89abcdef:01234567:89abcdef name=host:data\n   spares=1\n"
        "ARRAY metadata=imsm UUID=xyz\n"
        "ARRAY /dev/md/old metadata=1.0 UUID=11111111:22222222:33333333:44444444\n"
    )
    assert mdadm.examine_scan() == ("mdadm", "--examine", "--scan")
    assert mdadm.scanned_uuids(said) == {
        "01234567:89abcdef:01234567:89abcdef", "11111111:22222222:33333333:44444444",
    }  # fmt: skip


def test_rules_that_assemble() -> None:
    assert udev.assembles(RULES)
    assert udev.assembles('RUN+="/sbin/mdadm -I $env{DEVNAME}"\n')
    assert not udev.assembles(RULES.splitlines()[0])
    assert not udev.assembles("")
