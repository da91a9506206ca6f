"""What a boot would start from disks that are in an array no more: found on real md as a mirror with old content."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raidtui.advice.boot.next_boot import after_act, check_boot
from raidtui.programs import udev
from raidtui.values.arrays import MemberSuperblock
from raidtui.values.facts import Boot, BootArray, BootArrays, BootMember, Configuration, DeviceNames, Image, TextFile
from tests.planner.boot.test_next_boot import ARRAYS, ASSEMBLY, CONF, MDADM

UUID = "0f0f0f0f:0f0f0f0f:0f0f0f0f:0f0f0f0f"


def block(role: int | None, events: int, roster: str = "AA", **more: Any) -> MemberSuperblock:
    fresh = MemberSuperblock(
        level="raid1", devices=len(roster), role=role, events=events, updated="Thu Nov 26 10:05:17 2026", clean=True,
        roster=roster, features=1,
    )  # fmt: skip
    return replace(fresh, **more)


def member(letter: str, superblock: MemberSuperblock | None = None) -> BootMember:
    path, serial = f"/dev/disk/by-id/wwn-{letter}", letter.upper()
    return BootMember(
        id=f"wwn-{letter}", path=path, device=f"sd{letter}", words=f"serial {serial}", superblock=superblock
    )  # fmt: skip


MIRROR = BootArray(
    name="md127", uuid=UUID, device="/dev/md/data", label="host:data", metadata="1.2", level="raid1", devices=2,
    members=(member("c", block(0, 56)), member("d", block(1, 56))),
    removed=(member("a", block(0, 50, "RA")), member("b", block(1, 53, "AR"))),
)  # fmt: skip


def arrays(*found: BootArray) -> BootArrays:
    return BootArrays(host="host", family="debian", arrays=found, lines="as-found")


def boot(conf: str, **more: Any) -> Boot:
    """A machine whose mdadm.conf has these lines, and an initramfs without mdadm."""
    names = tuple(
        DeviceNames(id=f"wwn-{each}", name=f"/dev/sd{each}", links=(f"/dev/disk/by-id/wwn-{each}",))
        for each in "abcdef"
    )
    fresh = Boot(
        configuration=Configuration(files=(TextFile(path=CONF, text=conf),)), rules=(ASSEMBLY, ARRAYS), command_line="",
        devices=names, kernel="6.1.0", images=(Image(path="/boot/initrd.img-6.1.0", kernel="6.1.0"),),
    )  # fmt: skip
    return replace(fresh, **more)


def said(array: BootArray, conf: str, **more: Any) -> list[tuple[str, str, str]]:
    findings = list(check_boot(arrays(array), boot(conf, **more)))
    assert all(each.way_out and each.subject in ("", "md127") for each in findings)
    return [(each.severity, each.code, each.message) for each in findings]


OLD = "DEVICE /dev/disk/by-id/wwn-a /dev/disk/by-id/wwn-b\n"


def test_a_device_line_that_names_the_removed_disks_alone() -> None:
    """Both were replaced, power was cut: the boot came up with them, and a file that was written was missing."""
    device, starts = said(MIRROR, OLD)
    assert device == (
        "error", "device-line",
        "/etc/mdadm/mdadm.conf line 1: 'DEVICE /dev/disk/by-id/wwn-a /dev/disk/by-id/wwn-b' does not allow /dev/sdc "
        "(serial C), /dev/sdd (serial D) of /dev/md/data: mdadm would not assemble these at boot.",
    )  # fmt: skip
    assert starts == (
        "error", "old-member-starts",
        "/dev/sda (serial A), /dev/sdb (serial B) carry the superblock of /dev/md/data and are not in it (event counts "
        "50 and 53, of its members 56); /etc/mdadm/mdadm.conf lets mdadm look at them and at no member: a boot "
        "would start /dev/md/data from them, with what was on them then.",
    )  # fmt: skip


def test_the_way_out_is_the_line_to_change() -> None:
    device, starts = check_boot(arrays(MIRROR), boot(OLD))
    assert device.way_out == (
        "add /dev/disk/by-id/wwn-c, /dev/disk/by-id/wwn-d to it; or write 'DEVICE partitions' instead, or remove the "
        "DEVICE lines; /etc/mdadm/mdadm.conf without any allows every disk"
    )
    assert starts.way_out == (
        "allow /dev/disk/by-id/wwn-c, /dev/disk/by-id/wwn-d in the DEVICE line, or remove the line, and rebuild the "
        "initramfs; pull what was removed before the next boot"
    )


@pytest.mark.parametrize("conf", ["", "DEVICE partitions\n", "DEVICE /dev/sd*\n", "DEVICE /dev/disk/by-id/wwn-[cd]\n"])
def test_one_removed_half_of_a_mirror_starts_nothing_beside_its_members(conf: str) -> None:
    """Its superblock lists two members: mdadm waits half a minute for the other, and meets the newer ones meanwhile."""
    assert said(replace(MIRROR, removed=MIRROR.removed[:1]), conf) == []
    assert said(replace(MIRROR, removed=MIRROR.removed), conf) == []  # the counts of the two are too far apart


def test_removed_disks_that_are_complete_by_themselves_may_be_met_first() -> None:
    both = replace(MIRROR, removed=(member("a", block(0, 50)), member("b", block(1, 50))))
    ((severity, code, message),) = said(both, "")
    assert (severity, code) == ("warning", "old-member-starts")
    assert message == (
        "/dev/sda (serial A), /dev/sdb (serial B) carry the superblock of /dev/md/data and are not in it (event counts "
        "50 and 50, of its members 56): by /etc/mdadm/mdadm.conf a boot that meets them before the members would start "
        "/dev/md/data from them, with what was on them then."
    )
    alone = replace(MIRROR, removed=(member("a", block(0, 50, "A.")),))
    assert [each[1] for each in said(alone, "")] == ["old-member-starts"]  # it lists itself as the only member
    assert [each[1] for each in said(alone, "DEVICE /dev/disk/by-id/wwn-[cd]\n")] == []


def test_more_events_than_the_members_win() -> None:
    """After a boot that started the old half, the newer one is what is not in the array."""
    ahead = replace(MIRROR, removed=(member("a", block(0, 61)), member("b", block(1, 61))))
    ((severity, _, message),) = said(ahead, "")
    assert severity == "error"
    assert "mdadm takes the higher count for the newer, and a boot would start /dev/md/data from them" in message


def test_disks_that_cannot_run_the_array_start_nothing() -> None:
    parity = replace(
        MIRROR, level="raid5", devices=4, members=tuple(map(member, "cdef")),
        removed=(member("a", block(0, 50, "AAAA")),),
    )  # fmt: skip
    assert [each[1] for each in said(parity, "DEVICE /dev/disk/by-id/wwn-a\n")] == ["device-line"]
    three = tuple(member(letter, block(role, 50, "AAAA")) for role, letter in enumerate("abc"))
    enough = replace(parity, members=tuple(map(member, "def")), removed=three)
    line = "DEVICE /dev/disk/by-id/wwn-[abc]\n"
    assert [each[1] for each in said(enough, line)] == ["device-line", "old-member-starts"]
    in_use = tuple(member(letter, block(role, 50, "AAAA", clean=False)) for role, letter in enumerate("abc"))
    assert [each[1] for each in said(replace(enough, removed=in_use), line)] == ["device-line"]  # md refuses that
    spare = replace(MIRROR, removed=(member("a", block(None, 50)),))
    assert [each[1] for each in said(spare, "DEVICE /dev/disk/by-id/wwn-a\n")] == ["device-line"]


def test_a_superblock_that_was_not_read_may_start_it() -> None:
    found = said(replace(MIRROR, removed=(member("a"),)), "DEVICE /dev/disk/by-id/wwn-a\n")
    assert [each[:2] for each in found] == [("error", "device-line"), ("error", "old-member-starts")]
    assert "is not in it (its superblock was not read); " in found[1][2]


@pytest.mark.parametrize(
    "line", [f"ARRAY <ignore> UUID={UUID}", f"ARRAY a UUID={UUID}\nARRAY b UUID={UUID}", "AUTO -all"]
)
def test_an_array_that_no_boot_assembles_is_not_started_from_anything(line: str) -> None:
    codes = [code for _, code, _ in said(MIRROR, f"{OLD}{line}\n")]
    assert "old-member-starts" not in codes and "device-line" in codes
    assert {"array-line-conflict", "auto-line"} & set(codes)


def test_an_initramfs_with_older_device_lines() -> None:
    """mdadm.conf was corrected, the image was not made anew: it starts the removed disks before the root is there."""
    image = Image(
        path="/boot/initrd.img-6.1.0", kernel="6.1.0", files=(MDADM, TextFile(path=CONF, text=OLD))
    )  # fmt: skip
    found = said(MIRROR, "", images=(image,))
    assert [each[:2] for each in found] == [("warning", "initramfs-device-line"), ("error", "old-member-starts")]
    assert found[0][2] == (
        "The mdadm.conf in /boot/initrd.img-6.1.0 has 'DEVICE /dev/disk/by-id/wwn-a /dev/disk/by-id/wwn-b', which does "
        "not allow /dev/sdc (serial C), /dev/sdd (serial D) of /dev/md/data."
    )
    other = replace(image, kernel="5.10.0")
    assert [each[0] for each in said(MIRROR, "", images=(replace(image, files=()), other))] == ["warning", "warning"]


def test_before_a_replacement_the_array_is_judged_as_it_will_be() -> None:
    """A DEVICE line with the members' names: the new disk is not among them, and the old one stays."""
    now = replace(MIRROR, members=(member("a", block(0, 50)), member("b", block(1, 50))), removed=())
    conf = "DEVICE /dev/disk/by-id/wwn-a /dev/disk/by-id/wwn-b\n"
    assert list(check_boot(arrays(now), boot(conf))) == []
    one = after_act(arrays(now), UUID, joins=[member("c")], leaves=[member("a")])
    assert [[each.id for each in part] for part in (one.arrays[0].members, one.arrays[0].removed)] == [
        ["wwn-b", "wwn-c"], ["wwn-a"],
    ]  # fmt: skip
    assert [each.code for each in check_boot(one, boot(conf))] == ["device-line"]
    both = after_act(one, UUID, joins=[member("d")], leaves=[member("b")])
    assert [each.code for each in check_boot(both, boot(conf))] == ["device-line", "old-member-starts"]
    wiped = after_act(both, UUID, wiped=[member("a"), member("b")])
    assert wiped.arrays[0].removed == ()
    assert [each.code for each in check_boot(wiped, boot(conf))] == ["device-line"]
    spare = after_act(arrays(now), UUID, spares=[member("e")])
    assert [each.code for each in check_boot(spare, boot(conf))] == ["device-line"]
    assert after_act(spare, UUID, joins=[member("e")]).arrays[0].spares == ()


def test_the_udev_rule_names_the_mdadm_of_a_boot() -> None:
    assert udev.program([ASSEMBLY.text]) == "/sbin/mdadm"
    store = 'IMPORT{program}="/nix/store/0a-mdadm-4.3/bin/mdadm -I $devnode"\n'
    assert udev.program(["# /usr/local/sbin/mdadm --incremental\n", store]) == "/nix/store/0a-mdadm-4.3/bin/mdadm"
    assert udev.program([ARRAYS.text]) == ""
