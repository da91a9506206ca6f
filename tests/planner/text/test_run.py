from pathlib import Path
from typing import Any

from raidtui.answers.run import TerminalLines, jobs_table, record_lines, run_lines, sync_line
from raidtui.engine.journal import replay
from raidtui.engine.runs import Begun
from raidtui.programs.shell_quote import program_text
from raidtui.session.job_list import of_run
from raidtui.values.run import Record
from tests.planner.plans import plan_of

PLAN = plan_of("raid1(2)")


def record(number: int, kind: Any, **more: Any) -> Record:
    return Record(sequence=number, kind=kind, time=f"2026-01-01T00:00:{number:02d}+00:00", boot="b", **more)


RECORDS = (
    record(1, "begun"),
    record(2, "step", step=1, text="Check"),
    record(3, "proven", step=1, text="9 checks passed"),
    record(4, "step", step=2, text="Save"),
    record(5, "intent", step=2, action=1, argv=("mdadm", "--stop", "/dev/md/a b\x1b[2J"), output="output/0005"),
)


def test_records_as_a_viewer_prints_them() -> None:
    lines = [line for each in RECORDS for line in record_lines(each, PLAN)]
    assert lines == [
        f"build of plan {PLAN.digest[:8]} on host, 10 steps",
        "== 1/10 Check [none]",
        "   ok: 9 checks passed",
        "== 2/10 Save [write]",
        "   $ mdadm --stop '/dev/md/a b\\e[2J'",
    ]
    assert record_lines(record(6, "result", step=2, action=1, exit=0), PLAN) == ()
    failed = record(6, "result", step=2, action=1, exit=1, output="output/0005")
    assert record_lines(failed, PLAN) == ("   exit code 1; output: output/0005",)
    assert record_lines(record(7, "failed", text="mdadm ended"), PLAN) == ("FAILED: mdadm ended",)


def test_a_run_in_full_says_what_runs_and_what_can_be_done() -> None:
    lines = run_lines(PLAN, replay(10, RECORDS, alive=True), RECORDS)
    assert lines[0] == f"run 01234567: build of plan {PLAN.digest[:8]} (data) on host: running"
    assert lines[3].split() == ["1", "done", "1", "Check", "the", "machine,", "the", "disks", "and", "the", "names"]
    assert lines[-2] == "running: mdadm --stop '/dev/md/a b\\e[2J'"
    assert lines[-1].startswith("raidtui build --attach 01234567")
    dead = run_lines(PLAN, replay(10, RECORDS, alive=False), RECORDS)
    assert dead[-1].startswith("raidtui resume 01234567")


def test_an_undo_offers_what_still_applies() -> None:
    undo: list[Record] = [*RECORDS, record(6, "begun", purpose="undo"), record(7, "step", purpose="undo", step=2)]
    left = run_lines(PLAN, replay(10, undo, alive=False), undo)
    assert left[-1] == "raidtui undo 01234567 continues it"  # a resume is refused once an undo was started
    undo += [record(8, "proven", purpose="undo", step=2), record(9, "finished", purpose="undo", text="undone")]
    done = run_lines(PLAN, replay(10, undo, alive=False), undo)
    assert done[0].endswith(f"undo of plan {PLAN.digest[:8]} (data) on host: finished")
    assert [line.split()[1:3] for line in done[3:5]] == [["undone", "1"], ["undone", "1"]]
    assert done[-1] == "it is undone; to build again, make a new plan: raidtui plan 'raid1(2)' --out DIR"


def test_all_runs_a_line_each() -> None:
    assert jobs_table([]) == ("no runs",)
    table = jobs_table([of_run(Begun(folder=Path("run"), plan=PLAN, records=tuple(RECORDS), alive=False))])
    assert table[1].split() == [
        "01234567",
        "data",
        "host",
        "build",
        "interrupted",
        "1/10",
        "2026-01-01",
        "00:00:05",
        "UTC",
    ]


def test_the_slowest_sync_has_the_bar() -> None:
    fast, slow = ("md126", "resync", 900, 1000, 10**8), ("md127", "resync", 250, 1000, 512)
    assert sync_line([fast, slow]) == (
        "md127 resync [######..................] 25.0 %, 0.51 kB/s per member, 12 min left; 1 more"
    )
    assert sync_line([("md127", "pending", 0, 0, 0)]) == (
        "md127 pending [........................] 0.0 %, 0 MB/s per member"
    )
    assert sync_line([]) == ""
    assert sync_line([slow, fast], 68) == "md127 resync [...] 25.0 %, 0.51 kB/s per member, 12 min left; 1 more"
    assert sync_line([slow, fast], 50) == "md127 resync 25.0 %, 0.51 kB/s per member, 12 min "


def test_a_terminal_has_commands_alike_once_and_of_long_ones_the_first_rows() -> None:
    def command(number: int, *argv: str) -> Record:
        return record(number, "intent", step=3, action=number, argv=argv, output=f"output/{number:04d}")

    disks = [f"/dev/disk/by-id/wwn-0x{number:016x}" for number in range(13)]
    wipes = [command(10 + number, "blkdiscard", "--zeroout", disk) for number, disk in enumerate(disks)]
    terminal = TerminalLines(PLAN, 60)
    records = (command(6, "wipefs", "--all", *disks), record(7, "result", step=3, exit=0), *wipes)
    assert [
        line for each in (*records, record(40, "proven", step=3, text="28 checks passed")) for line in terminal.of(each)
    ] == [
        "   $ wipefs --all /dev/disk/by-id/wwn-0x0000000000000000",
        "     /dev/disk/by-id/wwn-0x0000000000000001",
        "     /dev/disk/by-id/wwn-0x0000000000000002",
        "     and 10 more words",
        "   $ blkdiscard --zeroout",
        "     /dev/disk/by-id/wwn-0x0000000000000000",
        "     and 12 more blkdiscard --zeroout",
        "   ok: 28 checks passed",
    ]


def test_a_command_that_failed_is_shown_among_those_alike() -> None:
    def wipe(number: int) -> tuple[str, ...]:
        return ("blkdiscard", "--zeroout", f"/dev/sd{number}")

    terminal = TerminalLines(PLAN, 60)
    failed = record(30, "result", step=3, argv=wipe(2), exit=1, output="output/0002")
    begun = [record(number, "intent", step=3, argv=wipe(number)) for number in (1, 2, 3)]
    assert [line for each in (*begun, failed) for line in terminal.of(each)] == [
        "   $ blkdiscard --zeroout /dev/sd1",
        "     and 2 more blkdiscard --zeroout",
        "   of these: blkdiscard --zeroout /dev/sd2",
        "   exit code 1; output: output/0002",
    ]
    assert terminal.of(failed) == ["   exit code 1; output: output/0002"]


def test_a_command_is_named_by_its_program_not_by_the_environment_that_it_gets() -> None:
    assert program_text(("env", "HOME=/var/lib/raidtui/1", "wipefs", "--all", "/dev/sda")) == "wipefs --all"
    assert program_text(("mdadm", "--create", "/dev/md/data-0", "--name=data-0")) == "mdadm --create"
