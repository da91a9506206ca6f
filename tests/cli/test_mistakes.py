"""Fifty mistaken calls: each is answered in two lines, which name what is wrong and what to do."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from raidtui.cli import main

E2660 = "--inventory e2660"
MISTAKES = [
    # layouts as other programs write them
    ("model raid50", "unknown level raid50", "RAID50 is written 4x(6+1)"),
    ("model raid60", "unknown level raid60", "RAID60 is written 4x(12+2)"),
    ("model 'raidz2(12)'", "column 1", "what RAID-Z2 over 12 disks survives, (10+2) survives"),
    ("model raid6", "expected '(' and the members", "(12+2) is a RAID6 of 12 data and 2 parity disks"),
    ("model 'raid6(14)'", "raid6 is written data+parity, for example raid6(12+2)", "examples: "),
    ("model 12+2", "column 3", "data and parity stand in parentheses: 4x(12+2)+4"),
    ("model 4x12+2", "column 3", "data and parity stand in parentheses: 4x(12+2)+4"),
    ("model '(12-2)'", "unexpected character '-'", "data and parity are joined by +"),
    ("model '4x(12\N{EN DASH}2)+4'", "column 6", "a dash was pasted: data and parity are joined by +"),
    ("model '(12+3)'", "md supports 1 (RAID5) and 2 (RAID6)", "examples: 4x(12+2)+4"),
    ("model '4x(12+2)+'", "column 10", "examples: 4x(12+2)+4"),
    ("model mirror", "column 1", "a mirror of two disks is written raid1(2)"),
    ("model jbod", "column 1", "a disk without md is written disk"),
    ("plan 'mdadm --create /dev/md0'", "column 1", "write the layout alone: (12+2) for --level=6 --raid-devices=14"),
    # lines of mdadm
    ("mdadm --create /dev/md0 --level=6 --raid-devices=14", "this is a line of mdadm", "raidtui plan '(12+2)'"),
    ("model mdadm --create /dev/md0 -l5 -n 4 -x 1", "this is a line of mdadm", "raidtui plan '(3+1)+1'"),
    ("mdadm -C /dev/md0 --level=raid10 --raid-devices=8", "this is a line of mdadm", "raidtui plan 'raid10(8)'"),
    # options
    ("model '4x(12+2)+4' --spares 2", "--spares: level, parity and spares are written in the layout", "help model"),
    ("model --level raid6", "unknown option --level: level, parity and spares are written in the layout", "help model"),
    ("disks --only sda", "unknown option --only", "propose, model, plan, script take it, behind the command"),
    ("build --fs xfs", "unknown option --fs", "propose, model, plan, script take it, behind the command"),
    ("--chunk 64K", "unknown option --chunk", "propose, model, plan, script take it, behind the command"),
    ("--json model '(3+1)'", "--json was given before model", "write it behind: raidtui model ... --json"),
    ("model '(3+1)' \N{EN DASH}-json", "one word too many", "help model"),
    ("watch --jsn", "unknown option --jsn (did you mean --json?)", "raidtui help watch lists what it takes"),
    ("undo --force", "unknown option --force", "raidtui help undo lists what it takes"),
    ("model '(3+1)' --chunk", "--chunk: expects SIZE", "help model"),
    ("plan '(3+1)' --fs btrfs", "--fs cannot be 'btrfs': xfs, ext4, none", "help plan"),
    ("propose --inventory trio --prefer fast", "--prefer: 'fast' is none of capacity", "help propose describes"),
    # sizes and numbers
    ("model '(3+1)' --disks 4x2XB", "invalid size '2XB': write for example 2TB", "write COUNTxSIZE"),
    ("propose --disks 60", "60 is too small for a disk; check the unit", "write COUNTxSIZE, for example 60x2TB"),
    ("model '(3+1)' --chunk lots --disks 4x2TB", "--chunk: invalid size 'lots'", "help model"),
    ("watch --interval 0", "--interval: 0 is out of range: 0.05 to 86400", "help watch"),
    ("bench /srv --seconds soon", "--seconds: 'soon' is not a number", "help bench"),
    ("model '(3+1)' --disks 4x1TB --inventory trio", "--inventory: not allowed with argument --disks", "help model"),
    # words and files
    ("frobnicate", "there is no command 'frobnicate'", "raidtui --help"),
    ("buld x", "there is no command 'buld' (did you mean build?)", "raidtui --help"),
    ("fleet chek sheet", "there is no command 'chek' (did you mean check?)", "help fleet"),
    ("help quux", "there is no help on 'quux'", "topics: notation, sizes"),
    ("disks /dev/sda", "one word too many: /dev/sda", "propose, model and plan take single ones: --only sda"),
    ("model", "model expects LAYOUT", "for example: raidtui model '4x(12+2)+4'"),
    ("extend", "extend expects ARRAY, KIND", "for example: raidtui extend md0 spare sdx"),
    ("extend md0 spar sdx", "there is no KIND 'spar' (did you mean spare?)", "help extend"),
    ("export kickstrt x", "there is no FORMAT 'kickstrt' (did you mean kickstart?)", "help export"),
    ("build try/build.sh", "try/build.sh is a script, not a plan", "name the plan.json beside it"),
    ("build try", "try is a directory", "name the plan in it: try/plan.json"),
    ("build none.json", "none.json", ""),
    ("bench /nonexistent", "/nonexistent is not a directory", "name the mount point of the file system to measure"),
    ("report nofile", "there is no run, benchmark or file called 'nofile'", "raidtui status shows them"),
    ("undo x", "'x' is not a run id", "raidtui status lists them"),
    ("arrays md0", "md0 is an array; a run is the build of a plan", "raidtui arrays lists arrays"),
    ("disks --inventory no-such", "no-such", ""),
]  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with a plan's files, and a home without runs."""
    (tmp_path / "try").mkdir()
    (tmp_path / "try" / "plan.json").write_text("{}")
    (tmp_path / "try" / "build.sh").write_text("#!/bin/bash\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")


@pytest.mark.parametrize(("call", "wrong", "fix"), MISTAKES)
def test_a_mistake_is_answered_in_two_lines(
    call: str, wrong: str, fix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(call)) in (1, 2)
    out, err = capsys.readouterr()
    first, *more = err.splitlines()
    assert (out, len(more)) == ("", 1)
    assert wrong in first
    assert fix in more[0]
