import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from raidtui.machine.ports.host import Ran
from raidtui.machine.ports.runner import AS_NAMED, Syncing
from raidtui.machine.run.preflight_facts import absent_modules, answers, no_alarm, room_in, syncs, system_facts
from raidtui.machine.system.runner import SystemReader
from raidtui.model.errors import MachineFailed
from raidtui.planner.compile.step_builder import fact
from tests.planner.plans import plan_of


class Asked(SystemReader):
    """Answers from a table and counts."""

    def __init__(self) -> None:
        self.questions: list[tuple[str, ...]] = []

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        self.questions.append(argv)
        if argv[0] == "gone":
            raise MachineFailed("gone is not installed")
        return Ran(exit=1, stdout="yes\n", stderr="")

    def syncing(self) -> tuple[Syncing, ...]:
        return (Syncing(device="md9", action="resync", done_sectors=1, all_sectors=2, bytes_per_s=3),)


def test_every_question_is_asked_once_and_a_missing_program_says_nothing() -> None:
    runner = Asked()
    asked = [("cat", "a"), ("cat", "a"), ("gone",)]
    readings = [fact("setting", "", question, "", key=key) for question, key in zip(asked, ("", "b", ""), strict=True)]
    (answer,) = answers(readings, runner)
    assert (answer.question.argv, answer.exit, answer.stdout) == (("cat", "a"), 1, "yes\n")
    assert runner.questions == [("cat", "a"), ("gone",)]
    assert syncs(runner) == ("md9 resync",)


def test_modules_are_looked_for_among_those_of_the_running_kernel(tmp_path: Path) -> None:
    (tmp_path / "modules.dep").write_text("kernel/drivers/md/none-such-a.ko.xz: kernel/lib/x.ko\n")
    (tmp_path / "modules.builtin").write_text("kernel/drivers/md/none_such_b.ko\n")
    names = ("none-such-a", "none-such-b", "none-such-c")
    assert absent_modules(names, tmp_path) == ("none-such-c",)
    assert absent_modules(names, tmp_path / "no") == names


def test_room_is_that_of_the_directory_that_will_hold_it(tmp_path: Path) -> None:
    room, problem = room_in(tmp_path / "not" / "yet")
    free = os.statvfs(tmp_path)
    assert problem == ""
    assert room is not None
    assert abs(room - free.f_bfree * free.f_frsize) < 1 << 30


def test_a_directory_of_others_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert room_in(tmp_path / "x")[1] == "not writable for this user"


@pytest.mark.parametrize(
    ("files", "heard"),
    [
        ({}, False),
        ({"usr/sbin/sendmail": ""}, True),
        ({"etc/mdadm/mdadm.conf": "MAILADDR root\n# PROGRAM /bin/x\n"}, False),
        ({"etc/mdadm.conf": "MAILADDR root\nprogram /bin/x\n"}, True),
    ],
)
def test_whether_anybody_hears_of_a_failed_disk(tmp_path: Path, files: dict[str, str], heard: bool) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    problem = no_alarm(tmp_path)
    assert (problem == "") == heard
    assert heard or "/usr/sbin/sendmail" in problem


@pytest.mark.process
def test_this_machine_is_looked_at_and_nothing_else(tmp_path: Path) -> None:
    plan = plan_of("raid1(2)")
    facts = system_facts(plan, (), SystemReader(), tmp_path, "")
    assert facts.host == os.uname().nodename
    assert facts.root == (os.geteuid() == 0)
    assert not {"wipefs", "blkdiscard", "findmnt"} & {each.split()[0] for each in facts.absent_features}
    assert "cat" not in facts.absent_tools
    assert facts.answers == ()
    assert list(tmp_path.iterdir()) == []
