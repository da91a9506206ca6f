"""Loops mean exactly what the plan says, disk by disk and array by array: bash itself unrolls them here."""

import subprocess

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.model.design import Design
from raidtui.model.notation import parse
from raidtui.model.plan import Command, Plan
from raidtui.planner.compile.plan import compile_plan
from raidtui.planner.design.predict import predict
from raidtui.planner.export.bash_loops import BashLine, BashPiece, Table, folded, subject
from raidtui.planner.export.bash_script import script
from raidtui.planner.export.undo_script import undo_script

STUBS = """
said() { printf '%s\\0' "$@"; printf '\\n'; }
run() { said run "$@"; }
must() { said must "$@"; }
shows() { said shows "$@"; }
is() { said is "$@"; }
plans_md() { said plans_md "$@"; }
erase() { said erase "$@"; }
put_block() { blocks[$1]=$(cat); }
put_file() { cat >/dev/null; }
drop_block() { :; }; check_disks() { :; }; read_back() { :; }
step() { :; }; say() { :; }; lock_disks() { :; }; unlock_disks() { :; }
"""


def plan_on(chassis: str, layout: str) -> Plan:
    inventory = load(chassis)
    design = Design(layout=parse(layout), chunk_bytes=256 * 1024)
    prediction = predict(design, inventory.disks)
    return compile_plan(
        design,
        inventory,
        inventory.disks,
        prediction,
        run_id="5" * 32,
        name="data",
        mount_point="/srv/data",
        host="stor01",
    )


def unrolled(text: str) -> list[tuple[str, ...]]:
    """What bash does after the gate of the script `text`, its functions replaced by ones that only print."""
    before, _, rest = text.partition("\ntrap '' HUP\n")
    done = subprocess.run(
        ["bash", "-c", before + STUBS + rest.partition("\nstart_log\n")[2]], capture_output=True, check=True, timeout=60
    )
    assert done.stderr == b""
    return [tuple(line.rstrip("\0").split("\0")) for line in done.stdout.decode().split("\0\n") if line]


def asked(said: list[tuple[str, ...]]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Key, wanted answer and question of every reading."""
    found = []
    for verb, *words in said:
        if verb == "must":
            found.append(("", words[1], tuple(words[3:])))
        elif verb == "shows":
            pairs, argv = words[: words.index("--")], tuple(words[words.index("--") + 1 :])
            found += [(key, wanted, argv) for key, wanted in zip(pairs[::2], pairs[1::2], strict=True)]
    return found


@pytest.mark.process
@pytest.mark.parametrize(
    ("chassis", "layout"),
    [("e2660", "4x(12+2)+4"), ("trio", "raid5(2+1)"), ("pod45", "(41+2)+2"), ("pod45", "45x disk"), ("trio", "disk")],
)
def test_the_script_runs_the_commands_of_the_plan_in_order(chassis: str, layout: str) -> None:
    plan = plan_on(chassis, layout)
    said = unrolled(script(plan))
    wanted = [
        ("run", *action.argv) for step in plan.steps[1:] for action in step.actions if isinstance(action, Command)
    ]
    assert [words for words in said if words[0] == "run"] == wanted
    readings = [(each.key, each.answer, each.question.argv) for step in plan.steps[1:-1] for each in step.after]
    last = [(each.key, each.answer, each.question.argv) for each in plan.steps[-1].after]
    questions = asked(said)
    assert questions[: len(readings)] == readings
    assert sorted(questions[len(readings) :]) == sorted(last), "the last step goes over the disks in their own order"


@pytest.mark.process
@pytest.mark.parametrize(("chassis", "layout"), [("e2660", "4x(12+2)+4"), ("trio", "raid5(2+1)")])
def test_the_undo_script_blanks_each_disk_behind_its_own_question_and_its_superblock_last(
    chassis: str, layout: str
) -> None:
    plan = plan_on(chassis, layout)
    said = unrolled(undo_script(plan))
    starts = [at for at, words in enumerate(said) if words[0] == "plans_md"]
    assert [said[at] for at in starts] == [("plans_md", "--examine", "--export", disk.path) for disk in plan.disks]
    for disk, start in zip(plan.disks, starts, strict=True):
        end = disk.size_bytes - 4194304
        assert said[start + 1 : start + 6] == [
            ("erase", "blkdiscard", "--zeroout", f"--offset={at}", f"--length={length}", disk.path)
            for at, length in [(0, 4096), (8192, 4186112), (135266304, 4194304), (end, 4194304), (4096, 4096)]
        ]
    assert len([words for words in said if "blkdiscard" in words]) == 5 * len(plan.disks)


DISKS = Table(
    every="for all; do",
    some="for {first} to {last}; do",
    load="row",
    rows=tuple(
        {"path": path, "member": path, "last": last}
        for path, last in (("/dev/a", "7"), ("/dev/b", "8"), ("/dev/c", "7"))
    ),
)
NONE = Table(every="", some="", load="", rows=())
KNOWN = {"disks": DISKS, "groups": NONE, "arrays": NONE}


def piece(row: int, *words: str) -> BashPiece:
    return BashPiece(table="disks", row=row, lines=(BashLine(words=words),))


def test_what_differs_in_more_than_the_fields_of_the_table_stays_as_it_is() -> None:
    paths = ["/dev/a", "/dev/b", "/dev/c"]
    pieces = [piece(row, "run", "wipe", path) for row, path in enumerate(paths)]
    assert folded(pieces, KNOWN) == ["for all; do", "  row", '  run wipe "$path"', "done"]
    assert folded(pieces[:2], KNOWN) == ["for 0 to 1; do", "  row", '  run wipe "$path"', "done"]
    assert folded(pieces[:1], KNOWN) == ["run wipe /dev/a"]
    assert folded([pieces[0], pieces[2]], KNOWN) == ["run wipe /dev/a", "run wipe /dev/c"]
    odd = [piece(0, "run", "x", "5", "/dev/a"), piece(1, "run", "x", "6", "/dev/b")]
    assert folded(odd, KNOWN) == ["run x 5 /dev/a", "run x 6 /dev/b"]
    ends = [piece(row, "run", f"--at={last}", path) for row, (last, path) in enumerate(zip("787", paths, strict=True))]
    assert folded(ends, KNOWN) == ["for all; do", "  row", '  run "--at=$last" "$path"', "done"]


def test_a_field_next_to_letters_and_to_quotes_keeps_its_words() -> None:
    pieces = [piece(row, "say", f'{path} it\'s $5 "x"', f"{path}p1") for row, path in enumerate(("/dev/a", "/dev/b"))]
    assert folded(pieces, KNOWN) == [
        "say '/dev/a it'\"'\"'s $5 \"x\"' /dev/ap1",
        "say '/dev/b it'\"'\"'s $5 \"x\"' /dev/bp1",
    ]
    quoted = [piece(row, "say", f'{path} it\'s $5 "x"') for row, path in enumerate(("/dev/a", "/dev/b"))]
    assert folded(quoted, KNOWN)[2] == '  say "$path"\' it\'"\'"\'s $5 "x"\''


def test_the_row_that_a_command_is_about() -> None:
    assert subject(("wipefs", "/dev/b"), KNOWN) == ("disks", 1)
    assert subject(("wipefs", "/dev/a", "/dev/b"), KNOWN) == ("", 0)
    assert subject(("wipefs", "/dev/ab"), KNOWN) == ("", 0)
