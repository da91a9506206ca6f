"""Disks that only their link under /dev/disk/by-path names, and a link whose name is not that of the plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.inventory.block_tree import bound_by_path
from raidtui.values.errors import Refused, Stale
from raidtui.values.inventory import BY_PATH, Disk, Inventory
from tests.faults.bench import Bench, bench
from tests.faults.scene import FAST, HOST, Scene, plan_on
from tests.simulated.fault_model import Fault
from tests.simulated.machine import FaultyMachine

SECOND = "/dev/disk/by-path/pci-0000:02:00.0"


def guest(folder: Path) -> Bench:
    """A virtual machine with four disks without names."""
    disks = tuple(
        Disk(
            id="", size_bytes=20 * 10**9, kernel_name=f"vd{letter}", transport="virtio", rotational=True, state="blank",
            by_path=f"pci-0000:0{number}:00.0",
        )
        for number, letter in enumerate("bcde", start=1)
    )  # fmt: skip
    found = bound_by_path(Inventory(origin="chassis", name=HOST, machine_id="f" * 32, disks=disks))
    machine = FaultyMachine(found, speed_up=FAST)
    return bench(Scene(machine=machine.to_json(), plan=plan_on(machine, "(2+2)")), folder)


def rename(made: Bench, link: str) -> None:
    """udev names the second disk otherwise; the disk is the same."""
    drive = made.machine._state.drives[1]
    drive.disk = replace(drive.disk, by_path=link, id=f"{BY_PATH}{link}")


@pytest.mark.parametrize("words", [("wipefs", "--all"), ("mdadm", "--create"), ("mkfs.xfs",)])
def test_a_resume_names_the_link_that_is_gone_and_the_equal_disk(tmp_path: Path, words: tuple[str, ...]) -> None:
    made = guest(tmp_path)
    made.machine.arm(Fault(kind="kill", words=words, side="after"))
    assert made.begin().code is None
    rename(made, "virtio-pci-0000:02:00.0")
    before = made.machine.hashes()
    ended = made.resume()
    assert isinstance(ended.problem, Stale)
    assert str(ended.problem) == (
        f"No disk is at {SECOND}, by which alone the plan knows one; an equal disk is at "
        "/dev/disk/by-path/virtio-pci-0000:02:00.0."
    )
    assert ended.problem.hint == (
        "attach it there again, or let udev restore the link: udevadm trigger --settle --subsystem-match=block; "
        "else plan again"
    )
    assert (ended.commands, made.machine.hashes()) == (0, before)
    rename(made, "pci-0000:02:00.0")
    assert made.resume().code == 0


@pytest.mark.parametrize("words", [("mdadm", "--create"), ("mkfs.xfs",), ("nothing",)])
def test_an_undo_names_the_link_of_the_member_that_is_gone(tmp_path: Path, words: tuple[str, ...]) -> None:
    made = guest(tmp_path)
    made.machine.arm(Fault(kind="kill", words=words, side="after"))
    made.begin()
    rename(made, "virtio-pci-0000:02:00.0")
    before = made.machine.hashes()
    ended = made.undo()
    assert isinstance(ended.problem, Refused)
    assert str(ended.problem) == (
        f"{SECOND} does not lead to its disk: the disk in {SECOND} (no model, serial unknown) is /dev/vdc, a member of "
        "/dev/md/data; nothing was removed"
    )
    assert ended.problem.hint == (
        "find the cause, then let udev restore the link: udevadm trigger --settle --subsystem-match=block; then undo "
        "again"
    )
    assert (ended.commands, made.machine.hashes()) == (0, before)
    rename(made, "pci-0000:02:00.0")
    assert made.undo().code == 0
