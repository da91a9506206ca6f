"""The shell lines that an installation runs first: bash runs them with recorded answers, shellcheck reads them."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.installers.plan_view import view_of
from raidtui.installers.text import adoption_check, blank_check
from raidtui.values.inventory import DiskContent
from tests.planner.export.installers.reference import MIRROR, RAID60, reference_plan
from tests.planner.export.script_machine import SHELLCHECK

pytestmark = pytest.mark.process
DISK = "/dev/disk/by-id/wwn-0x5000c50000000001"


def run(check: str, programs: dict[str, str]) -> tuple[int, str]:
    """Exit code and stderr of bash, where functions take the place of `programs`; every device node is there."""
    functions = "\n".join(f"{name}() {{ {body}\n}}" for name, body in programs.items())
    text = functions + "\n" + check.replace('[ -b "$1" ]', "there")
    done = subprocess.run(["bash", "-uc", text], capture_output=True, text=True, check=False, timeout=20)
    return done.returncode, done.stderr


BLANK = {"wipefs": ":", "lsblk": "printf 'S001\\nS002\\nS003\\n'", "there": ":"}


@pytest.mark.parametrize("layout", [MIRROR, RAID60])
def test_shellcheck_has_nothing_to_say(layout: str, tmp_path: Path) -> None:
    view = view_of(reference_plan(layout))
    for check in (blank_check(view, serials=True), blank_check(view, serials=False), adoption_check(view)):
        file = tmp_path / "check.sh"
        file.write_text("#!/bin/bash\n" + check)
        done = subprocess.run([str(SHELLCHECK), str(file)], capture_output=True, text=True, check=False)
        assert done.stdout == ""


@pytest.mark.parametrize(
    ("programs", "error"),
    [
        ({}, ""),
        ({"wipefs": "echo '0x438 ext4 notes'"}, f"{DISK} was blank when it was planned; it holds: 0x438 ext4 notes\n"),
        ({"wipefs": "return 1"}, f"{DISK} cannot be read\n"),
        ({"there": "return 1"}, f"{DISK} is not on this machine\n"),
        ({"lsblk": "printf 'S001\\nS001\\nS002\\n'"}, "not one disk has the serial number S001\n"),
        ({"lsblk": "printf 'XS001\\nS002\\n'"}, "not one disk has the serial number S001\n"),
    ],
)
def test_an_installation_ends_before_it_writes_to_a_disk_that_is_not_as_planned(
    programs: dict[str, str], error: str
) -> None:
    check = blank_check(view_of(reference_plan(MIRROR)), serials=True)
    assert run(check, {**BLANK, **programs}) == (1 if error else 0, error)


def test_content_that_was_planned_to_be_erased_is_no_obstacle() -> None:
    plan = reference_plan(MIRROR)
    held = (DiskContent(kind="file-system", where="ext4"),)
    plan = replace(plan, disks=tuple(replace(disk, content=held) for disk in plan.disks))
    assert run(blank_check(view_of(plan), serials=True), {**BLANK, "wipefs": "echo ext4"}) == (0, "")


def test_an_adoption_ends_unless_every_uuid_is_the_plan_s() -> None:
    plan = reference_plan(MIRROR)
    (array,), (made,) = plan.arrays, plan.filesystems
    good = {
        "mdadm": f"[ $1 = --assemble ] || echo MD_UUID={array.uuid}", "udevadm": ":", "blkid": f"echo {made.uuid}",
    }  # fmt: skip
    check = adoption_check(view_of(plan))
    assert run(check, good) == (0, "")
    other = {**good, "mdadm": "[ $1 = --assemble ] || echo MD_UUID=1:2:3:4"}
    assert run(check, other) == (1, f"/dev/md/data: expected {array.uuid}, found 1:2:3:4\n")
    assert run(check, {**good, "mdadm": "return 1"}) == (1, f"/dev/md/data: expected {array.uuid}, found nothing\n")
    assert run(check, {**good, "blkid": "return 2"}) == (1, f"/dev/md/data: expected {made.uuid}, found nothing\n")
