"""Loops over disks mean exactly what the plan says, disk by disk: bash itself unrolls them here."""

import subprocess

import pytest

from raidtui.machine.chassis import load
from raidtui.model.design import Design
from raidtui.model.notation import parse
from raidtui.model.plan import Command, Plan
from raidtui.planner.bash_fold import folded, subject
from raidtui.planner.compile import compile_plan
from raidtui.planner.export_bash import script
from raidtui.planner.export_undo import undo_script
from raidtui.planner.predict import predict

STUBS = """
said() { printf '%s\\0' "$@"; printf '\\n'; }
run() { said run "$@"; }
must() { said must "$@"; }
ours() { said ours "$@"; }
stop_leftover() { said stop "$@"; }
put_block() { cat >/dev/null; }
put_file() { cat >/dev/null; }
drop_block() { :; }
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


def unrolled(plan: Plan, text: str) -> list[tuple[str, ...]]:
    """What bash does after the gate of the script `text`, its functions replaced by ones that only say so."""
    disks = " ".join(disk.path for disk in plan.disks)
    body = f"{STUBS}\nDISKS=({disks})\n" + text.partition("\nstart_log\n")[2]
    done = subprocess.run(["bash", "-c", body], capture_output=True, check=True, timeout=60)
    assert done.stderr == b""
    return [tuple(line.rstrip("\0").split("\0")) for line in done.stdout.decode().split("\0\n") if line]


def calls(plan: Plan, text: str, *verbs: str) -> list[tuple[str, ...]]:
    return [words for words in unrolled(plan, text) if words[0] in verbs]


@pytest.mark.process
@pytest.mark.parametrize(
    ("chassis", "layout"), [("e2660", "4x(12+2)+4"), ("trio", "raid5(2+1)"), ("pod45", "(41+2)+2")]
)
def test_the_script_runs_the_commands_of_the_plan_in_order(chassis: str, layout: str) -> None:
    plan = plan_on(chassis, layout)
    text = script(plan)
    wanted = [
        ("run", *action.argv) for step in plan.steps[1:] for action in step.actions if isinstance(action, Command)
    ]
    assert calls(plan, text, "run") == wanted
    asked = [reading.question.argv for step in plan.steps[1:] for reading in step.after]
    assert [words[5:] for words in calls(plan, text, "must")] == asked
    answers = [reading.answer for step in plan.steps[1:] for reading in step.after]
    assert [words[3] for words in calls(plan, text, "must")] == answers


@pytest.mark.process
def test_the_undo_script_erases_each_superblock_behind_its_own_question() -> None:
    plan = plan_on("e2660", "4x(12+2)+4")
    said = unrolled(plan, undo_script(plan))
    erased = [(said[at - 2], said[at - 1], words) for at, words in enumerate(said) if "--zero-superblock" in words]
    assert len({words[-1] for _, _, words in erased}) == 60
    for question, stopped, command in erased:
        assert question[0] == "ours"
        assert question[-1] == stopped[-1] == command[-1], "the question, the stop and the erasure name one disk"
    uuids = {array.uuid for array in plan.arrays}
    assert {question[3] for question, _, _ in erased} == uuids


def test_what_differs_in_more_than_the_disk_stays_as_it_is() -> None:
    disks = ["/dev/a", "/dev/b", "/dev/c"]
    pieces: list[tuple[str | None, str]] = [(disk, f"run wipe {disk}") for disk in disks]
    assert folded(pieces, disks) == ['for disk in "${DISKS[@]}"; do\n  run wipe "$disk"\ndone']
    assert folded(pieces[:2], disks) == ['for disk in /dev/a /dev/b; do\n  run wipe "$disk"\ndone']
    assert folded(pieces[:1], disks) == ["run wipe /dev/a"]
    assert folded([("/dev/a", "run x 0 /dev/a"), ("/dev/b", "run x 1 /dev/b")], disks) == [
        "run x 0 /dev/a",
        "run x 1 /dev/b",
    ]
    several = "must 'x' '' 'one\ntwo' 0 \\\n    look "
    assert folded([(disk, several + disk) for disk in disks], disks) == [several + disk for disk in disks]


def test_the_disk_a_command_is_about() -> None:
    assert subject(("wipefs", "/dev/a"), ["/dev/a", "/dev/b"]) == "/dev/a"
    assert subject(("wipefs", "/dev/a", "/dev/b"), ["/dev/a", "/dev/b"]) is None
    assert subject(("wipefs", "/dev/ab"), ["/dev/a", "/dev/b"]) is None
