"""Names, labels and mount points of arrays are anybody's text: shown, never obeyed."""

from dataclasses import replace

from raidtui.answers.acts import extension_blocks
from raidtui.answers.arrays import machine_blocks
from raidtui.answers.plain_text import plain_lines, unpainted
from raidtui.programs.lvm import PhysicalSpace, Segment
from raidtui.steps.grow import MountedFileSystem, StackOnArray, grown
from raidtui.steps.reshape import reshaped
from raidtui.steps.shelf import with_shelf
from raidtui.values.arrays import ArrayMember, KnownBy, ObservedArray, ObservedArrays, OnArray
from raidtui.values.inventory import Inventory

EVIL = "\x1b]0;owned\x07\u202e[/]\n"


def test_no_text_of_an_array_reaches_the_terminal() -> None:
    known = KnownBy(answer="no", why=EVIL)
    on = OnArray(
        device="md0", name=EVIL, type=EVIL, depth=0, content=EVIL, label=EVIL, group=EVIL, mount_points=(EVIL,)
    )
    array = ObservedArray(
        name="", label=EVIL, made_for=EVIL, path=EVIL, uuid="", states=("foreign", "inactive"), level=EVIL,
        metadata=EVIL, members=(ArrayMember(state="dropped", device=EVIL, serial=EVIL, unread=EVIL),),
        stands_on_it=(on,), unread=(EVIL,), last_action=EVIL,
        in_conf=known, in_initramfs=known, in_fstab=known, monitored=known,
    )  # fmt: skip
    seen = ObservedArrays(host=EVIL, simulated=False, time="", arrays=(array,))
    lines = plain_lines(machine_blocks(seen, Inventory(origin="machine", name="x")), unpainted, 80)
    assert any("\\e]0;owned" in line for line in lines)
    assert all(char.isprintable() for line in lines for char in line)


def test_no_text_of_what_is_on_an_array_does_either() -> None:
    known = KnownBy(answer="no", why=EVIL)
    on = OnArray(device="md0", name="md0", type="raid5", depth=0, content=EVIL, group=EVIL, mount_points=(EVIL,))
    members = tuple(
        ArrayMember(slot=slot, state="in-sync", device=EVIL, disk=EVIL, size_bytes=2**30, data_offset_bytes=2**20)
        for slot in range(3)
    )
    array = ObservedArray(
        name="md0", label=EVIL, made_for=EVIL, path=EVIL, uuid="1e4ff5d9:0c2c3ce5:a5b6c7d8:e9f00122", states=("clean",),
        level="raid5", devices=3, metadata="1.2", members=members, stands_on_it=(on,), size_bytes=2**30,
        component_bytes=2**29, chunk_bytes=65536, in_conf=known, in_initramfs=known, in_fstab=known, monitored=known,
    )  # fmt: skip
    own = PhysicalSpace(
        path="/dev/md0", uuid="own", group=EVIL, start_bytes=2**20, extent_bytes=2**22, extents=255, used=255
    )
    part = Segment(
        name=EVIL, group=EVIL, size_bytes=255 * 2**22, type="linear", stripes=1, stripe_bytes=0, devices=("/dev/md0",)
    )
    held = MountedFileSystem(
        kind="xfs", device=EVIL, place=EVIL, block_bytes=4096, blocks=9, hidden_blocks=1, group_blocks=8192
    )
    top = StackOnArray(own=own, spaces=(own,), segments=(part,), filesystem=held, why=EVIL)
    other = replace(array, name="md1", uuid=f"2{array.uuid[1:]}", stands_on_it=())
    seen = ObservedArrays(host=EVIL, simulated=False, time="", arrays=(array, other))
    inventory = Inventory(origin="machine", name="x")
    for found in (
        grown(seen, inventory, "md0", top), with_shelf(seen, inventory, "md0", ["md1"], top),
        reshaped(seen, inventory, "md0", "(2+1)", 131072),
    ):  # fmt: skip
        assert found.steps
        lines = plain_lines(extension_blocks(found), unpainted, 80)
        assert any("\\e]0;owned" in line for line in lines)
        assert all(char.isprintable() for line in lines for char in line)
