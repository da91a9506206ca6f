"""build.sh: its text, its length, what it checks, and that its commands are those of the plan."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.scripts.build_script import build_script
from raidtui.scripts.facts import Script
from raidtui.scripts.undo_script import undo_script
from raidtui.steps.boot_steps import blocks_of
from raidtui.values.design import Alert, Encryption, Partitions
from raidtui.values.inventory import UNSIGNED_MIDDLE, Disk, Place, Signature, Use
from raidtui.values.plan import Plan, WriteFile
from tests.planner.export.script_machine import SHELLCHECK, ScriptMachine
from tests.planner.plans import RUN_ID, TWO_TB, disk, disks, plan_of
from tests.regenerate_exports import SCRIPTS, script_goldens, shipped_plan
from tests.suite import few

pytestmark = pytest.mark.process
MIB = 1024 * 1024
HELD = (
    disk(
        1, state="content", fingerprint="ab" * 16,
        uses=(
            Use(
                kind="file-system", where="ext4 my notes 01-46", active=False,
                signature=Signature(type="ext4", label="my notes", uuid="01-46"),
            ),
        ),
    ),
    disk(
        2, state="content", fingerprint="cd" * 16, partitions=(1, 2),
        uses=(
            Use(kind="partition-table", where="gpt", active=False, signature=Signature(type="gpt")),
            Use(
                kind="swap", where="swap a b 77", active=False, partition=2,
                signature=Signature(type="swap", label="a b", uuid="77"),
            ),
        ),
    ),
    disk(3, state="content", uses=(Use(kind="data", where=UNSIGNED_MIDDLE, active=False),)),
    *(disk(number) for number in (4, 5)),
)  # fmt: skip
BANDS = (*disks(2), *(disk(each, 2 * TWO_TB) for each in (3, 4, 5)))
KEY = Encryption(key_file="/etc/keys/data.key")
PLANS: dict[str, Callable[[], Plan]] = {
    "one": lambda: plan_of("(4+2)+1"),
    "lvm": lambda: plan_of("4x(5+2)+4"),
    "few spares": lambda: plan_of("3x(2+1)+2"),
    "unequal": lambda: plan_of("2x(3+2)+1x(4+2)+1"),
    "md": lambda: plan_of("2x(3+1)+2", stack="md", fs="ext4"),
    "separate": lambda: plan_of("3x raid1(2)+1", stack="separate"),
    "raid0": lambda: plan_of("raid0(3)", fs="none"),
    "raid10": lambda: plan_of("raid10(4)", fs="ext4"),
    "disk": lambda: plan_of("disk", fs="ext4"),
    "disks": lambda: plan_of("3x disk"),
    "separate disks": lambda: plan_of("3x disk", stack="separate", fs="ext4"),
    "partitions": lambda: plan_of("(3+1)+1", partitions=Partitions()),
    "bands": lambda: plan_of("hybrid(4)+1", BANDS),
    "metadata 1.0": lambda: plan_of("raid1(2)+1", metadata="1.0"),
    "metadata 0.90": lambda: plan_of("raid1(2)", metadata="0.90"),
    "zeroes": lambda: plan_of("2x(3+1)+1", first_sync="zeroes"),
    "queues": lambda: plan_of("(3+1)", io_scheduler="none", queue_depth=3),
    "alert": lambda: plan_of("(3+1)", alert=Alert(mail="a@b.org", program="/usr/local/sbin/page")),
    "dracut": lambda: plan_of("2x(3+1)", initramfs="dracut"),
    "content": lambda: plan_of("(3+1)+1", HELD),
    "no serial": lambda: plan_of("raid1(2)", (disk(1, serial=None), disk(2))),
    "encrypted": lambda: plan_of("2x(3+1)", encryption=KEY),
    "encrypted, separate": lambda: plan_of("2x raid1(2)", encryption=KEY, stack="separate", fs="ext4"),
    "passphrase": lambda: plan_of("2x raid1(2)", encryption=Encryption(), stack="separate"),
    "both keys": lambda: plan_of("2x(3+1)", encryption=replace(KEY, passphrase=True)),
    "encrypted arrays": lambda: plan_of("2x(3+1)", encryption=replace(KEY, layer="arrays")),
    "no file system": lambda: plan_of("2x raid1(2)", fs="none"),
    "journal": lambda: plan_of("(3+1)+1", journal=1),
    "journals": lambda: plan_of("2x(3+1)", journal=1),
    "journal on a mirror": lambda: plan_of("(3+1)+1", journal=2),
    "journals on mirrors": lambda: plan_of("2x(3+1)+1", journal=2),
    "journals on mirrors, md": lambda: plan_of("2x(3+1)", journal=2, stack="md", fs="none"),
    "md, no file system": lambda: plan_of("2x raid1(2)", fs="none", stack="md"),
}


@pytest.mark.parametrize("file", script_goldens())
def test_the_text_is_as_it_was_read(file: str) -> None:
    assert script_goldens()[file] == (SCRIPTS / file).read_text("ascii")


@pytest.mark.parametrize("export", [build_script, undo_script])
@pytest.mark.parametrize("name", few(PLANS, 2))
def test_shellcheck_and_bash_have_nothing_to_say(name: str, export: Callable[[Plan], Script], tmp_path: Path) -> None:
    file = tmp_path / "script.sh"
    file.write_text(export(PLANS[name]()).text)
    for checker in ([str(SHELLCHECK), "--enable=check-extra-masked-returns", str(file)], ["bash", "-n", str(file)]):
        done = subprocess.run(checker, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("export", [build_script, undo_script])
def test_simulated_disks_end_a_script_at_its_first_line(export: Callable[[Plan], Script], tmp_path: Path) -> None:
    text = export(shipped_plan("trio", "raid5(2+1)")).text
    assert next(line for line in text.splitlines() if not line.startswith("#")).startswith("echo 'STOPPED: ")
    (tmp_path / "script.sh").write_text(text)
    done = subprocess.run(["bash", str(tmp_path / "script.sh")], capture_output=True, text=True, check=False)
    said = "STOPPED: the disks of this plan are simulated: a script to read, for disks that no machine has\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    file = tmp_path / "checked.sh"
    file.write_text(text)
    assert subprocess.run([str(SHELLCHECK), str(file)], check=False).returncode == 0


@pytest.mark.parametrize("name", PLANS)
def test_neither_script_evaluates_text_or_forces_anything(name: str) -> None:
    for export in (build_script, undo_script):
        text = export(PLANS[name]()).text
        allowed = "--assume-clean" if name == "zeroes" else "-"
        assert not re.search(r"\beval\b|\bbash -c\b|--force\b(?! /etc/udev)|--assume-clean", text.replace(allowed, ""))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("passphrase", "A passphrase opens each, now and by crypttab at every boot."),
        ("encrypted, separate", "/etc/keys/data.key opens each, now and by crypttab at every boot."),
    ],
)
def test_the_part_of_several_encrypted_volumes_says_what_opens_them(name: str, says: str) -> None:
    text = " ".join(line.removeprefix("# ") for line in build_script(PLANS[name]()).text.splitlines())
    assert f"full stripe. {says} Copies of the headers are in" in text


def test_hostile_text_of_a_disk_is_only_ever_compared() -> None:
    evil = "x'; reboot #\n\x1b[2J$(reboot)`reboot`"
    plan = plan_of("raid1(2)", (disk(1, serial=evil, model=evil, place=Place(slot=evil)), disk(2)))
    for export in (build_script, undo_script):
        text = export(plan).text
        assert text.isascii() and "\x1b" not in text
        (found,) = [line for line in text.splitlines() if "reboot" in line]
        # libsmartcols writes blanks and controls as \xHH in raw output, and so does the table, which is quoted
        serial = "x'\"'\"';\\x20reboot\\x20#\\x0a\\x1b[2J$(reboot)`reboot`"
        assert found.startswith(f"data  0  wwn-0x5000c50000000001  2000398934016  512  {serial}  x'\"'\"'; reboot #\\n")


# What the checks find. Programs of the host read sparse files; lsblk, wipefs and findmnt print what a test says.


def machine(folder: Path, *found: Disk, **design: Any) -> ScriptMachine:
    return ScriptMachine(plan_of("(2+1)+1", found or None, **design), folder)


def refusal(made: ScriptMachine, *words: str) -> str:
    """What build.sh says when it stops at its checks, which changed no file and no disk."""
    before = made.files()
    done = made.run(build_script(made.plan).text, *(words or (made.plan.digest[-8:],)))
    assert done.returncode == 1, done.stdout + done.stderr
    assert made.files() == before
    return done.stderr.replace(str(made.root), "")


def test_without_its_word_it_checks_and_says_how_to_begin(tmp_path: Path) -> None:
    made = machine(tmp_path)
    before, text, tail = made.files(), build_script(made.plan).text, made.plan.digest[-8:]
    done = made.run(text)
    said = f"All is as planned. To erase the 4 disks and build: bash {tmp_path}/script.sh {tail}\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")
    for words in (["0" * 8], [tail, "more"], [tail[:-1]], [f" {tail}"]):
        assert made.run(text, *words).returncode == 1
    assert made.files() == before


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("disk 2000398934016 512 0 OTHER", "disk 2000398934016 512 0 OTHER"),
        ("disk 2000398934528 512 0 S001", "disk 2000398934528 512 0 S001"),
        ("disk 2000398934016 4096 0 S001", "disk 2000398934016 4096 0 S001"),
        ("disk 2000398934016 512 1 S001", "disk 2000398934016 512 1 S001"),
        ("part 2000398934016 512 0 S001", "part 2000398934016 512 0 S001"),
        ("disk 2000398934016 512 0 S001 xfs", "disk 2000398934016 512 0 S001 xfs"),
        ("disk 2000398934016 512 0 S001  /mnt", "disk 2000398934016 512 0 S001 /mnt"),
        ("disk 2000398934016 512 0 S001\npart 1048576 512 0", "disk 2000398934016 512 0 S001 part 1048576 512 0"),
    ],
)
def test_a_disk_that_is_another_or_has_something_on_it_is_refused(tmp_path: Path, line: str, found: str) -> None:
    made = machine(tmp_path)
    made.prints(f"lsblk-{made.disk(made.plan.disks[0].path).name}", f"{line}\n")
    assert refusal(made).startswith(
        f"STOPPED: expected 'disk 2000398934016 512 0 S001', found '{found}' (exit code 0): lsblk -brno "
        "TYPE,SIZE,LOG-SEC,RO,SERIAL,FSTYPE,MOUNTPOINT /dev/disk/by-id/wwn-0x5000c50000000001"
    )


def test_a_signature_is_refused(tmp_path: Path) -> None:
    made = machine(tmp_path)
    made.prints(f"wipefs-{made.disk(made.plan.disks[3].path).name}", "0x438 ext4\n")
    assert refusal(made).startswith("STOPPED: expected '', found '0x438 ext4' (exit code 0): wipefs /dev/disk")


@pytest.mark.parametrize("offset", [0, MIB - 1, TWO_TB - MIB, TWO_TB - 1])
def test_a_byte_at_an_end_is_refused(tmp_path: Path, offset: int) -> None:
    made = machine(tmp_path)
    made.put(1, offset, b"x")
    said = refusal(made)
    assert re.match(r"STOPPED: expected '', found '\S+0002 /dev/zero differ: \w+ \d+, line 1' \(exit code 1\)", said)


@pytest.mark.parametrize("offset", [MIB, TWO_TB // 2, TWO_TB - MIB - 1])
def test_what_is_not_read_a_byte_between_the_ends(tmp_path: Path, offset: int) -> None:
    made = machine(tmp_path)
    made.put(1, offset, b"x")
    assert made.run(build_script(made.plan).text).returncode == 0


def test_names_that_exist_are_refused(tmp_path: Path) -> None:
    made = machine(tmp_path)
    made.write("/dev/md/data", "")
    assert refusal(made) == "STOPPED: /dev/md/data exists\n"
    (made.root / "dev/md/data").unlink()
    (made.root / "etc/udev/rules.d/90-raidtui-data.rules").symlink_to("nowhere")
    assert refusal(made) == "STOPPED: /etc/udev/rules.d/90-raidtui-data.rules exists\n"


@pytest.mark.parametrize(
    "line",
    [f"# raidtui {RUN_ID} begin data", "ARRAY /dev/md/data UUID=1", "ARRAY  data UUID=1", "ARRAY data metadata=1.2"],
)
def test_lines_that_name_the_plan_or_its_arrays_are_refused(tmp_path: Path, line: str) -> None:
    made = machine(tmp_path)
    made.write("/etc/mdadm/mdadm.conf", made.here(f"{line}\n"))
    assert refusal(made) == "STOPPED: these lines are in the way\n"


def test_a_file_that_does_not_end_in_a_line_feed_is_refused(tmp_path: Path) -> None:
    made = machine(tmp_path)
    made.write("/etc/mdadm/mdadm.conf", "MAILADDR root\n")
    made.write("/etc/fstab", "/dev/sda1 / ext4 defaults 0 1")
    assert refusal(made) == "STOPPED: a file does not end in a line feed\n"


def test_a_mount_point_that_is_in_use_is_refused(tmp_path: Path) -> None:
    made = machine(tmp_path)
    made.program("findmnt", "[[ $* == *--fstab* ]]")
    assert refusal(made) == "STOPPED: fstab has a line for /srv/data\n"
    made.program("findmnt", "[[ $* != *--fstab* ]]")
    assert refusal(made) == "STOPPED: something is mounted on /srv/data\n"
    made.program("findmnt", "exit 1")
    made.write("/srv/data/theirs", "")
    assert refusal(made).startswith("STOPPED: expected 'empty', found '' (exit code 0): find /srv/data ")


# A link from mdadm.conf to /dev/null makes a local user root once the file is written through it.
@pytest.mark.parametrize("path", ["/etc/mdadm/mdadm.conf", "/etc/fstab"])
def test_a_link_is_not_written_through(tmp_path: Path, path: str) -> None:
    made = machine(tmp_path)
    target = made.write("/target", "theirs\n")
    file = made.root / path[1:]
    file.unlink(missing_ok=True)
    file.symlink_to(target)
    assert refusal(made) == f"STOPPED: not a file or directory that root alone can change: {path}\n"
    assert file.is_symlink() and target.read_text() == "theirs\n"


@pytest.mark.parametrize("path", ["/etc/mdadm", "/etc/udev/rules.d", "/srv", "/etc/fstab"])
def test_a_place_that_others_may_write_is_refused(tmp_path: Path, path: str) -> None:
    made = machine(tmp_path)
    (made.root / path[1:]).chmod(0o777)
    assert refusal(made) == f"STOPPED: not a file or directory that root alone can change: {path}\n"


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    made = machine(tmp_path)
    os.mkfifo(made.root / "etc/mdadm/mdadm.conf")
    assert "root alone can change: /etc/mdadm/mdadm.conf" in refusal(made)


def test_another_machine_a_missing_program_and_a_held_lock_are_refused(tmp_path: Path) -> None:
    made = machine(tmp_path)
    made.write("/etc/machine-id", "0\n")
    assert refusal(made) == (f"STOPPED: expected '{'f' * 32}', found '0' (exit code 0): cat /etc/machine-id\n")
    made.write("/etc/machine-id", f"{'f' * 32}\n")
    (made.stubs / "xfs_db").unlink()
    assert "STOPPED: a program is missing" in refusal(made)
    with (made.root / "run/raidtui.lock").open("w") as lock:
        subprocess.run(["flock", "--nonblock", str(lock.fileno())], pass_fds=[lock.fileno()], check=True)
        assert refusal(made) == "STOPPED: raidtui, or another of its scripts, is running\n"


# Content that was on disks when the plan was made.


def held(folder: Path, notes: bytes = b"notes") -> ScriptMachine:
    """A machine whose disks 1 to 3 have the content of HELD."""
    made = ScriptMachine(plan_of("(3+1)+1", HELD), folder)
    made.put(0, 0, notes)
    made.put(1, 512, b"EFI PART")
    made.put(2, TWO_TB // 2, b"data")
    made.program(
        "lsblk",
        'disk=${!#}; case $* in *-dno*) ;; *FSTYPE*) cat "$STUBS/below-${disk##*/}.txt" ;; '
        '*) cat "$STUBS/lsblk-${disk##*/}.txt" ;; esac',
    )
    for number, each in enumerate(made.plan.disks):
        below = "part    \npart swap a\\x20b 77 \n" if number == 1 else ""
        made.prints(f"below-{made.disk(each.path).name}", f"disk\n{below}")
    ends = {}
    for number in (0, 1):
        file = made.disk(made.plan.disks[number].path)
        both = f"head -c 1M {file}; tail -c 1M {file}"
        ends[number] = subprocess.check_output(["bash", "-c", f"({both}) | b2sum --length=128"], text=True)[:32]
    made.plan = replace(
        made.plan,
        disks=tuple(replace(each, fingerprint=ends.get(at, "")) for at, each in enumerate(made.plan.disks)),
    )
    return made


WORDS = "data file-system partition-table swap"


def test_content_is_shown_and_each_kind_is_named_to_erase_it(tmp_path: Path) -> None:
    made = held(tmp_path)
    text, tail = build_script(made.plan).text, made.plan.digest[-8:]
    done = made.run(text)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "This content will be erased, by serial number:",
        "S001:  file-system ext4 my notes 01-46",
        "S002:  partition-table gpt; swap partition 2 swap a b 77",
        "S003:  data bytes between its zero ends that no known signature explains",
        f"All is as planned. To erase the 5 disks and build: bash {tmp_path}/script.sh {tail} {WORDS}",
    ]
    for words in ([tail], [tail, "data"], [tail, *WORDS.split()[:-1]]):
        assert made.run(text, *words).returncode == 1


def test_other_content_than_planned_is_refused(tmp_path: Path) -> None:
    made = held(tmp_path)
    words = (made.plan.digest[-8:], *WORDS.split())
    made.put(0, MIB - 1, b"x")
    assert re.match(
        r"STOPPED: expected '\w{32}', found '\w{32}' \(exit code 0\): ends /dev/disk/", refusal(made, *words)
    )
    made.put(0, MIB - 1, b"\0")
    made.prints(f"below-{made.disk(made.plan.disks[1].path).name}", "disk\npart\npart ext4 photos 78\n")
    assert refusal(made, *words).startswith(
        "STOPPED: expected 'part part swap a\\x20b 77 ', found 'part part ext4 photos 78'"
    )
    made.prints(f"below-{made.disk(made.plan.disks[1].path).name}", "disk\npart\npart swap a\\x20b 77 [SWAP]\n")
    assert "found 'part part swap a\\x20b 77 [SWAP]'" in refusal(made, *words)
    made.prints(f"below-{made.disk(made.plan.disks[3].path).name}", "disk\nraid1\n")
    made.prints(f"below-{made.disk(made.plan.disks[1].path).name}", "disk\npart\npart swap a\\x20b 77\n")
    assert "STOPPED: expected '', found 'raid1' (exit code 0): below /dev" in refusal(made, *words)


# The commands of the script are the plan's.

RECORD = 'printf "%s\\0" "${0##*/}" "$@" >>"$STUBS/ran"; echo >>"$STUBS/ran"'
FED = RECORD + '; cat >>"$STUBS/fed"'


def performed(plan: Plan, folder: Path) -> tuple[list[tuple[str, ...]], ScriptMachine]:
    """What the parts of the script call that write, on a machine whose programs record it and do nothing."""
    made = ScriptMachine(plan, folder)
    script = build_script(plan)
    called = {command.argv[0] for step in plan.steps for command in step.commands}
    for name in sorted(called | {"mountpoint"}):
        made.program(name, RECORD)
    made.program("sfdisk", FED)
    made.program("cryptsetup", FED if plan.asks_passphrase else RECORD)
    made.program("cmp", ":")
    (made.stubs / "ran").touch()
    parts = [part for part in script.parts if part.writes]
    lines = [line for part in parts for line in part.lines]
    typed = ("passphrase='two words'", "set -x") if plan.asks_passphrase else ()
    done = made.run_lines("shopt -s inherit_errexit", *script.tables, *script.functions, *typed, *lines)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "two words" not in (done.stdout + done.stderr).replace("passphrase='two words'", "")
    ran = (made.stubs / "ran").read_text().replace(str(made.root), "")
    return [tuple(line.rstrip("\0").split("\0")) for line in ran.splitlines()], made


def planned(plan: Plan) -> list[tuple[str, ...]]:
    """The plan's own commands as the script has them, which leaves out what mdadm and mkfs.xfs choose by themselves.

    Of disks that were blank it saves and wipes nothing, and it zeroes members at once, without timing the beginning.
    """
    found = []
    for command in (command for step in plan.steps if step.stage not in ("save", "wipe") for command in step.commands):
        match list(command.argv):
            case ["install", *_]:
                continue
            case ["mdadm", "--create", device, _, *rest]:
                found.append(("mdadm", "--create", device, *rest))
            case ["mkfs.xfs", "-K", "-b", _, *rest]:
                maxpct = rest.index("-i")
                found.append(("mkfs.xfs", "-K", *rest[:maxpct], *rest[maxpct + 2 :]))
            case ["blkdiscard", zero, start, length, member]:
                first = next(
                    (at for at, call in enumerate(found) if call[0] == "blkdiscard" and call[-1] == member), None
                )
                if first is None:
                    found.append((*command.argv,))
                else:  # the rest, behind the beginning
                    whole = int(found[first][3].partition("=")[2]) + int(length.partition("=")[2])
                    found[first] = ("blkdiscard", zero, found[first][2], f"--length={whole}", member)
                    assert int(start.partition("=")[2]) > int(found[first][2].partition("=")[2])
            case _:
                found.append(command.argv)
    return found


@pytest.mark.parametrize("name", few([name for name in PLANS if name != "content"], 6))
def test_the_script_calls_what_the_plan_calls(name: str, tmp_path: Path) -> None:
    plan = PLANS[name]()
    calls, made = performed(plan, tmp_path)
    assert sorted(_alone(calls)) == sorted(_alone(planned(plan)))
    order = ["sfdisk", "mdadm", "pvcreate", "vgcreate", "lvcreate", f"mkfs.{plan.design.fs}", "mount"]
    first = [
        next(at for at, call in enumerate(calls) if call[0] == each) for each in order if each in dict(_named(calls))
    ]
    assert first == sorted(first)
    wanted = {
        action.path: action.text for step in plan.steps for action in step.actions if isinstance(action, WriteFile)
    }
    for block in blocks_of(plan):
        text = "".join(f"{line}\n" for line in block.lines)
        before = "" if block.path != "/etc/fstab" else "/dev/sda1 / ext4 defaults 0 1\n"
        assert made.text(block.path) == before + text
        del wanted[block.path]
    for path, text in wanted.items():
        assert made.text(path) == f"{text}\n"
    commands = [command for step in plan.steps for command in step.commands]
    fed = [command.stdin or "two words" for command in commands if command.stdin or command.passphrase]
    assert ((made.stubs / "fed").read_text() if fed else "") == "".join(map(str, fed))


@pytest.mark.parametrize(
    ("typed", "ends"),
    [
        ("two words \ntwo words \n", "[two words ]"),
        ("two words\nTwo words\n", "STOPPED: empty, or not the same twice"),
        ("\n\n", "STOPPED: empty, or not the same twice"),
        ("two words\n", "STOPPED: no passphrase was typed"),
        ("", "STOPPED: no passphrase was typed"),
    ],
)
def test_the_passphrase_is_typed_twice_before_the_first_write(typed: str, ends: str) -> None:
    script = build_script(PLANS["passphrase"]())
    asking = [line for line in script.parts[0].lines if "again" in line or "typed" in line]
    assert script.parts[0].title == "Check" and len(asking) == 3
    key = next(line for line in script.functions if line.startswith("key()"))
    begin = ("set -euo pipefail", 'stop() { echo "STOPPED: $*"; exit 1; }')
    text = "\n".join([*begin, key, *asking, 'echo; echo "[$(key)]"'])
    done = subprocess.run(["bash", "-c", text], input=typed, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == ends


def _named(calls: Sequence[tuple[str, ...]]) -> list[tuple[str, tuple[str, ...]]]:
    return [(call[0], call) for call in calls]


def _alone(calls: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Calls, one for each spare that is added, rules read once, without the waiting."""
    found = []
    for call in calls:
        if call[:2] == ("udevadm", "settle") or (call[:2] == ("udevadm", "control") and call in found):
            continue
        if "--add-spare" in call:
            found += [(*call[:4], spare) for spare in call[4:]]
        else:
            found.append(call)
    return found


def test_old_content_is_erased_on_disks_that_had_some_alone(tmp_path: Path) -> None:
    made = held(tmp_path)
    for name in ("wipefs", "blkdiscard", "udevadm"):
        made.program(name, RECORD)
    script = build_script(made.plan)
    (part,) = [part for part in script.parts if part.title == "Old content"]
    assert part.erases == 3
    assert made.run_lines(*script.tables, *part.lines).returncode == 0
    ran = (made.stubs / "ran").read_text().replace("\0", " ").replace(f"{made.root}/dev/disk/by-id/", "")
    wiped = [line.strip() for line in ran.splitlines()]
    for number in (1, 2, 3):
        link = f"wwn-0x5000c5000000000{number}"
        assert f"wipefs --all --lock=yes {link}" in wiped
        offsets = [shlex.split(line)[2] for line in wiped if line.endswith(link) and line.startswith("blkdiscard")]
        assert offsets == [f"--offset={at}" for at in (0, 135266304, TWO_TB - 4 * MIB)]
    assert len(wiped) == 3 * 4 + 1
