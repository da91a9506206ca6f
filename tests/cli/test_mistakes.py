"""A hundred mistaken calls: each is answered in two lines, which name what is wrong and what to do."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.cli.options import mistakes
from raidtui.cli.options.parser import complete_parser

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
    ("propose 60x2TB", "one word too many", "disks are named by an option: raidtui propose --disks 60x2TB"),
    ("propose e2660", "one word too many", "a chassis is named by an option: raidtui propose --inventory e2660"),
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
    ("arrays md0", "md0 is the name of an array, not of a run", "without a name raidtui arrays and audit show every"),
    ("disks --inventory no-such", "no-such", ""),
    # in a hurry: layouts
    ("model 'raid10 of all'", "column 8", "its disks are written out: raid10(8)"),
    ("model 'raid5 over 4 disks'", "column 7", "raidtui propose chooses for you"),
    ("model raid6 14 disks", "one word too many: 14", "a layout is one word, in quotes: raidtui model '4x(12+2)+4'"),
    ("model raid-6", "column 1", "(12+2) is a RAID6 of 12 data and 2 parity disks"),
    ("model raid-5", "column 1", "(6+1) is a RAID5 of 6 data and 1 parity disk"),
    ("model '(12+2)x4'", "column 7", "the number of arrays stands first: 4x(12+2)"),
    ("model '[12+2]'", "column 1", "data and parity stand in parentheses"),
    ("model '{12+2}'", "column 1", "data and parity stand in parentheses"),
    ("""model '"4x(12+2)+4"'""", "column 1", "the quotes are part of the word: write them once"),
    ("model plan.json", "column 1", "this names a file; a layout is written 4x(12+2)+4"),
    # order
    ("extend spare md0 sdx", "there is no KIND 'md0'", "the order is: raidtui extend ARRAY KIND [WHAT]..."),
    ("export plan.json kickstart", "there is no FORMAT 'plan.json'", "the order is: raidtui export FORMAT PLAN"),
    ("model '4x(12+2)+4' --disks 2TBx60", "invalid size '2TBx60'", "the count stands first: 60x2TB"),
    ("control pause", "control expects REQUEST", "for example: raidtui control 3f2a pause"),
    # a name without its option, an option for a name
    ("propose 60x2TB", "one word too many: 60x2TB", "raidtui propose --disks 60x2TB"),
    ("disks e2660", "one word too many: e2660", "raidtui disks --inventory e2660"),
    ("propose jbod84", "one word too many: jbod84", "raidtui propose --inventory jbod84"),
    ("replace md126 --run X", "unknown option --run", "without an option: raidtui replace ARRAY [RUN]"),
    ("arrays --run X", "unknown option --run", "without an option: raidtui arrays [RUN]"),
    ("drill --run X", "unknown option --run", "without an option: raidtui drill RUN"),
    ("build --plan plan.json", "unknown option --plan", "without an option: raidtui build [PLAN]"),
    ("undo --plan plan.json", "unknown option --plan", "without an option: raidtui undo RUN|PLAN"),
    ("fleet check --dir sheet", "unknown option --dir", "without an option: raidtui fleet check DIR"),
    ("replace md126 /dev/sda", "/dev/sda is a disk; behind the array stands a run", "--member /dev/sda names the disk"),
    ("replace md126 sdb", "sdb is a disk", "--with DISK the one that comes"),
    # options of elsewhere, short ones, beginnings of several
    ("propose --min", "unknown option --min", "write --usable 800TB for at least so much"),
    ("propose --capacity 10T", "unknown option --capacity", "write --usable 800TB"),
    ("propose --disk 60x2TB", "--disk is not one option: --disks, --disk-speed", "write it whole, as --disks"),
    ("plan '(3+1)' --output new", "unknown option --output", "write --out DIR"),
    ("plan '(3+1)' -o new", "unknown option -o", "write --out DIR"),
    ("build plan.json -y", "unknown option -y", "--yes --confirm DIGEST"),
    ("status --watch", "unknown option --watch", "raidtui watch shows live rates"),
    ("-v", "unknown option -v", "raidtui --version"),
    # commands of elsewhere
    ("design", "there is no command 'design'", "raidtui alone opens the app, where 2 is Design"),
    ("version", "there is no command 'version'", "raidtui --version"),
    ("raidtui disks", "there is no command 'raidtui'", "write it once: raidtui disks"),
    ("sudo raidtui disks", "there is no command 'sudo'", "sudo stands first: sudo raidtui disks"),
    ("create '(3+1)'", "there is no command 'create'", "raidtui plan '(12+2)' --out new"),
    ("stop", "there is no command 'stop'", "raidtui control RUN stop"),
    ("list", "there is no command 'list'", "raidtui disks, raidtui arrays, raidtui status"),
    ("GROW md0", "there is no command 'GROW'", "raidtui extend ARRAY grow"),
    ("save", "there is no command 'save'", "raidtui plan '4x(12+2)+4' --out DIR"),
    # files
    ("script plan.jsn", "there is no file plan.jsn (did you mean plan.json?)", "name a plan.json, or a layout"),
    ("export kickstart try/plan.jso", "there is no file try/plan.jso (did you mean plan.json?)", "name a plan.json"),
    ("build runbook.md", "runbook.md is not a plan: it is no JSON document", "name the plan beside it: plan.json"),
    ("script runbook.md", "runbook.md is not a plan", "name a plan.json, or a layout"),
    ("bench --profile fast", "there is no profile 'fast'", "shipped profiles: quick, ladder"),
    ("disks --inventory e266", "there is no inventory file or chassis 'e266'", "chassis: e2660, "),
    # words in other letters, units
    ("model '(3+1)' --fs XFS", "--fs cannot be 'XFS' (did you mean xfs?)", "help model"),
    ("tune '(2+1)' --inventory trio --chunks 64K-1M", "invalid size '64K-1M'", "for example --chunks 64K..1M"),
    ("model '(3+1)' --disks 4x2TB --afr 150", "--afr: invalid share '150': expected 0 to 1 (or 0% to 100%)", "--afr"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with a plan's files, and a home without runs."""
    (tmp_path / "try").mkdir()
    (tmp_path / "try" / "plan.json").write_text("{}")
    (tmp_path / "try" / "build.sh").write_text("#!/bin/bash\n")
    (tmp_path / "plan.json").write_text("{}")
    (tmp_path / "runbook.md").write_text("# Runbook\n")
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


def test_a_fix_names_commands_and_options_that_there_are() -> None:
    _, parsers = complete_parser()
    verbs, options = {*parsers} - {"fleet"}, {name for parser in parsers.values() for name in parser.names}
    fixes = [*mistakes.COMMANDS.values(), *mistakes.OPTIONS.values()]
    assert {verb for fix in fixes for verb in re.findall(r"raidtui ([a-z]+)", fix)} <= {*verbs, "alone", "fleet"}
    assert {name for fix in fixes for name in re.findall(r"--[a-z-]+", fix)} <= {*options, "--version"}
