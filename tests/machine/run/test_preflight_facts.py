import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.engine.preflight_facts import (
    absent_modules,
    answers,
    foreign_program,
    no_alarm,
    queue_limits,
    room_in,
    syncs,
    system_facts,
)
from raidtui.machine.system import places
from raidtui.machine.system.ports import AS_NAMED, Pin, Ran, Syncing
from raidtui.machine.system.runner import SystemReader
from raidtui.steps.step_builder import fact
from raidtui.values.design import Alert
from raidtui.values.errors import MachineFailed
from raidtui.values.facts import QueueLimit, TextFile
from tests.machine.owners import SOMEBODY, owned_by
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


class Queues(SystemReader):
    """Three SCSI disks: one on host 4, one whose driver fixes the depth, one of an unknown host; and one NVMe disk."""

    def pin(self, path: str) -> Pin | None:
        number = int(path[-1])
        name = {1: "sda", 2: "sdb", 3: "sdc", 4: "nvme0n1"}.get(number)
        if name is None:
            return None
        return Pin(kind="disk", number=f"8:{number}", disk=f"8:{number}", sequence="", size_bytes=1, name=name)

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        assert argv[0] == "find" and argv[2:] == ("-perm", "-0200")
        match argv[1]:
            case "/sys/block/sda/device/queue_depth" | "/sys/block/sdc/device/queue_depth":
                return Ran(exit=0, stdout=f"{argv[1]}\n", stderr="")
            case "/sys/block/sdb/device/queue_depth":
                return Ran(exit=0, stdout="", stderr="")
            case _:
                return Ran(exit=1, stdout="", stderr="No such file or directory")

    def names(self, path: str) -> tuple[str, ...]:
        return {"/sys/block/sda/device/scsi_device": ("4:0:1:0",)}.get(path, ())

    def read_text(self, path: str) -> str | None:
        return {"/sys/class/scsi_host/host4/can_queue": "31\n"}.get(path)


def test_queue_depth_of_each_disk_by_its_driver_and_its_host() -> None:
    plan = plan_of("raid1(5)", queue_depth=8)
    first, second, _, fourth, _ = (disk.path for disk in plan.disks)
    assert queue_limits(plan, Queues()) == (
        QueueLimit(path=first, most=31),
        QueueLimit(path=second, most=0),
        QueueLimit(path=fourth, most=0),
    )
    assert queue_limits(plan_of("raid1(5)"), Queues()) == ()


def foreign(mailer: Path, program: Path | None = None, conf: str = "") -> str:
    """Why others can change what would run for this mailer, PROGRAM of the plan and mdadm.conf."""
    alert = Alert(program=str(program)) if program else None
    plan = replace(plan_of("raid1(2)"), alert=alert)
    return foreign_program(plan, (TextFile(path="/etc/mdadm/mdadm.conf", text=conf),), mailer)


def test_a_mailer_that_others_can_change_is_named(tmp_path: Path) -> None:
    """/usr/sbin/sendmail is a link on many systems: what it leads to counts, and every directory on the way."""
    place = tmp_path / "lib"
    place.mkdir(0o755)
    (place / "exim").touch(0o755)
    mailer = tmp_path / "sendmail"
    assert foreign(mailer) == ""
    mailer.symlink_to("lib/exim")
    assert foreign(mailer) == ""
    (place / "exim").chmod(0o775)
    assert foreign(mailer) == f"{place / 'exim'} is writable by others than its owner (mode 0775)"
    (place / "exim").chmod(0o755)
    place.chmod(0o777)
    assert foreign(mailer) == f"{place} is writable by others than its owner (mode 0777)"


@pytest.mark.parametrize("named_by", ["plan", "mdadm.conf"])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_what_interprets_an_alert_program_is_roots_alone_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named_by: str, depth: int
) -> None:
    """A script of root's is changed by who can change its interpreter, or the interpreter of that."""
    home = tmp_path / "home"
    home.mkdir()
    chain = [tmp_path / "page", tmp_path / "shell", home / "python"]
    for number, path in enumerate(chain):
        path.write_text(f"#!{chain[number + 1]} -e\n" if number < 2 else "\x7fELF")
    program = chain[2 - depth]

    def found() -> str:
        if named_by == "plan":
            return foreign(tmp_path / "none", program)
        return foreign(tmp_path / "none", conf=f"MAILADDR root\nPROGR {program}\n")

    assert found() == ""
    owned_by(monkeypatch, {home: SOMEBODY})
    assert found() == f"{home} belongs to user {SOMEBODY}, who could change what is in it"


def test_env_finds_its_program_where_root_alone_can_put_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "local", tmp_path / "usr"
    first.mkdir()
    second.mkdir()
    (second / "python3").touch()
    (second / "env").touch()
    script = tmp_path / "page"
    script.write_text(f"#!{second / 'env'} -S python3 -I\n")
    monkeypatch.setattr(places, "SERVICE_PATH", (str(tmp_path / "no"), str(first), str(second)))
    assert foreign(script) == ""
    first.chmod(0o775)
    assert foreign(script) == f"{first} is writable by others than its owner (mode 0775)"
    first.chmod(0o755)
    (second / "env").chmod(0o757)
    assert foreign(script) == f"{second / 'env'} is writable by others than its owner (mode 0757)"
    (second / "env").chmod(0o755)
    for words, why in (
        ("ruby", f"{script}: no ruby in {tmp_path / 'no'}:{first}:{second}"),
        ("-i python3", f"cannot tell what env starts for {script}"),
        ("A=b python3", f"cannot tell what env starts for {script}"),
        ("", f"cannot tell what env starts for {script}"),
    ):
        script.write_text(f"#!{second / 'env'} {words}\n")
        assert foreign(script) == why


@pytest.mark.parametrize("line", ["#!python\n", "#!\n", "#! \n"])
def test_an_interpreter_without_a_path_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "page").write_text(line)
    assert foreign(tmp_path / "page") == f"{tmp_path / 'page'}: its first line names no interpreter with a path"


def test_a_script_that_interprets_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "page").write_text(f"#!{tmp_path / 'page'}\n")
    assert foreign(tmp_path / "page") == f"{tmp_path / 'page'} is a script of a script of a script"
