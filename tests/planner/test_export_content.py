"""build.sh looks at what is on the disks as carefully as at who they are."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from raidtui.model.inventory import Disk, Signature, Use
from raidtui.planner.export.bash_script import script
from tests.planner.bash_disks import FakeDisks
from tests.planner.plans import TWO_TB, disk, plan_of

pytestmark = pytest.mark.process
MIB = 1024 * 1024


def thorough(value: int) -> Any:
    """A place between two others that are looked at each time: bash takes a fifth of a second for each."""
    return pytest.param(value, marks=pytest.mark.thorough)


def blank(folder: Path) -> FakeDisks:
    return FakeDisks(plan_of("(3+1)"), folder)


def check(disks: FakeDisks, *options: str) -> tuple[int, str]:
    done = disks.run(script(disks.plan), *(options or ("--check",)))
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_blank_disks_as_planned_pass_and_the_table_is_printed(tmp_path: Path) -> None:
    code, text = check(blank(tmp_path))
    assert code == 0, text
    assert "All checks passed; nothing was written. 0 disks hold content" in text
    lines = [line.split() for line in text.splitlines() if line.endswith("nothing: blank")]
    assert [line[1] for line in lines] == ["S001", "S002", "S003", "S004"]


@pytest.mark.parametrize("at", [0, *(thorough(at) for at in (512, MIB - 1, TWO_TB - MIB)), TWO_TB - 1])
@pytest.mark.parametrize("option", ["--check", "--yes-erase"])
def test_raw_bytes_that_came_after_planning_refuse(tmp_path: Path, at: int, option: str) -> None:
    disks = blank(tmp_path)
    second = disks.plan.disks[1].path
    disks.put(second, at, b"x")
    options = (option, disks.plan.digest[-8:]) if option == "--yes-erase" else (option,)
    code, text = check(disks, *options)
    assert code == 4
    assert "its content changed since the plan was made: now bytes that no known signature explains" in text
    assert "1 checks failed; nothing was written" in text
    (line,) = [line for line in text.splitlines() if "FAILED" in line]
    assert "serial S002" in line and str(disks.file(second)) in line


@pytest.mark.parametrize("number", [0, *map(thorough, range(1, 7)), 7])
def test_bytes_at_each_place_between_the_ends_refuse(tmp_path: Path, number: int) -> None:
    disks = blank(tmp_path)
    places = (1048576, 1052672, 16777216, 135266304, 1073741824, 484945195008, 969890390016, 1454835585024)
    disks.put(disks.plan.disks[3].path, places[number] + 4095, b"x")
    code, text = check(disks)
    assert (code, "both ends: zeros, planned blank" in text) == (4, True)


def test_a_signature_that_came_after_planning_refuses(tmp_path: Path) -> None:
    disks = blank(tmp_path)
    first = disks.file(disks.plan.disks[0].path).name
    disks.prints("wipefs", f"{first} 0x218 LVM2_member\n")
    code, text = check(disks)
    assert (code, "signatures that are not in the plan: LVM2_member at 536" in text) == (4, True)


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"SERIAL": "OTHER"}, "it is not the planned disk: disk 2000398934016 512 0|MODEL|OTHER|0x5000c50000000001"),
        ({"RO": "1"}, "it is not the planned disk"),
        ({"SIZE": "5"}, "it is not the planned disk"),
        ({"MOUNTPOINT": "/srv"}, "it is in use: mounted at /srv"),
    ],
)
def test_another_disk_or_a_disk_in_use_refuses(tmp_path: Path, columns: dict[str, str], complaint: str) -> None:
    disks = blank(tmp_path)
    disks.prints("lsblk", disks.lsblk(columns))
    code, text = check(disks)
    assert (code, complaint in text) == (4, True), text


def test_whoever_holds_a_disk_or_has_it_open_is_named(tmp_path: Path) -> None:
    disks = blank(tmp_path)
    name = disks.file(disks.plan.disks[2].path).name
    disks.prints(
        "lsblk",
        disks.lsblk() + f'KNAME="dm-3" PKNAME="{name}" TYPE="crypt" SIZE="1" LOG-SEC="512" RO="0" MAJ:MIN="253:3" '
        'MOUNTPOINT="" FSTYPE="" LABEL="" UUID="" PTTYPE="" MODEL="" SERIAL="" WWN=""\n',
    )
    disks.prints("find", "8:10 5 /proc/1/fd/7 block special file\n8:99 5 /proc/1/fd/8 block special file\n")
    code, text = check(disks)
    assert (code, "held by dm-3 (crypt)" in text) == (4, True)
    comm = Path("/proc/1/comm").read_text().strip()
    (line,) = [line for line in text.splitlines() if "has it open" in line]
    assert line.endswith(f"it is in use: process 1 ({comm}) has it open") and "serial S002" in line


def test_open_files_that_cannot_be_read_refuse(tmp_path: Path) -> None:
    disks = blank(tmp_path)
    disks.prints("find", "find: '/proc/7/fd': Permission denied\n")
    code, text = check(disks)
    assert (code, "open files of some processes cannot be read" in text) == (3, True)


def test_a_disk_that_cannot_be_read_or_is_not_there_refuses(tmp_path: Path) -> None:
    disks = blank(tmp_path)
    disks.file(disks.plan.disks[1].path).unlink()
    code, text = check(disks)
    assert code == 4
    assert "both ends: unreadable, planned blank" in text
    disks.program("wipefs", "exit 1")
    assert "its signatures cannot be read" in check(disks)[1]


def held(number: int, head: bytes, *uses: Use, partitions: tuple[int, ...] = ()) -> tuple[Disk, bytes]:
    both = head.ljust(MIB, b"\0") + bytes(MIB)
    digest = hashlib.blake2b(both, digest_size=16).hexdigest()
    return disk(number, state="content", uses=uses, fingerprint=digest, partitions=partitions), head


FILES = Use(kind="file-system", where="xfs notes 0146", active=False)
TABLE = Use(kind="partition-table", where="gpt", active=False)
PARTS = (
    Use(kind="partition-table", where="sd2p1", active=False, partition=1),
    Use(
        kind="file-system",
        where="sd2p1 ext4 my disk 77-88",
        active=False,
        partition=1,
        signature=Signature(type="ext4", label="my disk", uuid="77-88"),
    ),
)


def with_content(folder: Path) -> FakeDisks:
    one, head = held(1, b"XFSB", FILES)
    two, table = held(2, b"table", TABLE, *PARTS, partitions=(1,))
    disks = FakeDisks(plan_of("(3+1)", (one, two, disk(3), disk(4))), folder)
    disks.put(disks.plan.disks[0].path, 0, head)
    disks.put(disks.plan.disks[1].path, 0, table)
    name = disks.file(disks.plan.disks[1].path).name
    disks.prints("lsblk", disks.lsblk({"FSTYPE": "xfs", "LABEL": "notes"}) + part(name, "my disk"))
    disks.prints("wipefs", f"{disks.file(disks.plan.disks[0].path).name} 0x0 xfs\n")
    return disks


def part(name: str, label: str) -> str:
    return (
        f'KNAME="{name}p1" PKNAME="{name}" TYPE="part" SIZE="1" LOG-SEC="512" RO="0" MAJ:MIN="8:17" MOUNTPOINT="" '
        f'FSTYPE="ext4" LABEL="{label}" UUID="77-88" PTTYPE="gpt" MODEL="" SERIAL="" WWN=""\n'
    )


def test_content_as_planned_passes_the_check_and_is_shown(tmp_path: Path) -> None:
    code, text = check(with_content(tmp_path))
    assert code == 0, text
    assert "2 disks hold content; erasing it needs consent" in text
    assert "xfs at 0; xfs notes\n" in text
    assert "partition 1: ext4 my disk 77-88\n" in text


def test_content_that_was_written_to_since_refuses(tmp_path: Path) -> None:
    disks = with_content(tmp_path)
    disks.put(disks.plan.disks[0].path, 4, b"new")
    code, text = check(disks)
    assert (code, "its content changed since the plan was made" in text) == (4, True)
    (tmp_path / "second").mkdir()
    disks = with_content(tmp_path / "second")
    name = disks.file(disks.plan.disks[1].path).name
    disks.prints("lsblk", disks.lsblk() + part(name, "another"))
    code, text = check(disks)
    assert (code, "its partitions differ from the plan: 1: ext4 another 77-88" in text) == (4, True)


@pytest.mark.parametrize(
    ("accepted", "missing"),
    [
        ((), "add --accept-content S001, or file-system for all of that kind"),
        (("S001",), "add --accept-content S002, or file-system for all of that kind"),
        (("file-system",), "add --accept-content S002, or partition-table for all of that kind"),
    ],
)
def test_the_option_that_erases_does_not_give_up_content(
    tmp_path: Path, accepted: tuple[str, ...], missing: str
) -> None:
    disks = with_content(tmp_path)
    options = [word for each in accepted for word in ("--accept-content", each)]
    code, text = check(disks, *options, "--yes-erase", disks.plan.digest[-8:])
    assert (code, missing in text) == (1, True), text


@pytest.mark.parametrize("accepted", [("S001", "S002"), ("file-system", "partition-table"), ("file-system", "S002")])
def test_content_is_given_up_by_serial_number_or_by_every_kind(tmp_path: Path, accepted: tuple[str, ...]) -> None:
    disks = with_content(tmp_path)
    options = [word for each in accepted for word in ("--accept-content", each)]
    code, text = check(disks, *options, "--yes-erase", "00000000")
    assert (code, "--yes-erase 00000000 does not match this plan" in text) == (1, True)


def test_what_no_disk_holds_cannot_be_given_up(tmp_path: Path) -> None:
    disks = with_content(tmp_path)
    code, text = check(disks, "--accept-content", "zfs", "--yes-erase", disks.plan.digest[-8:])
    assert (code, "--accept-content zfs: no disk with content has" in text) == (2, True)


def test_typed_answers_are_asked_for_one_by_one_and_the_disks_looked_at_again(tmp_path: Path) -> None:
    disks = with_content(tmp_path)
    text = script(disks.plan)
    wrong = disks.run(text, typed="S001\nS003\n")
    assert (wrong.returncode, "erasing the content of S002 was not confirmed" in wrong.stdout) == (1, True)
    phrase = disks.run(text, typed="S001\nS002\nerase 4\n")
    assert (phrase.returncode, "not confirmed; nothing was written" in phrase.stdout) == (1, True)
    tail = disks.plan.digest[-8:]
    meanwhile = f"printf x | dd conv=notrunc of={disks.file(disks.plan.disks[3].path)} status=none\nconfirm erase "
    changing = text.replace("\nconfirm erase ", f"\n{meanwhile}")
    again = disks.run(changing, typed=f"S001\nS002\nerase 4 {tail}\n")
    assert (again.returncode, again.stdout.count("1 checks failed; nothing was written")) == (4, 1), again.stdout
    assert not (tmp_path / "var").exists()
