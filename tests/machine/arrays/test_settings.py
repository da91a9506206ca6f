"""What an audit reads beside the arrays: who gets the monitor's alerts, and what was looked at for a check."""

from pathlib import Path

import pytest

from raidtui.advice.audit.facts import AuditFacts
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.arrays.settings import audit_facts
from raidtui.values.arrays import KnownBy
from tests.machine.simulation import Run, built_run

CONF = "/etc/mdadm/mdadm.conf"
NONE = "neither mdadm.conf nor the monitor's command line names an address or a program"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return built_run(tmp_path, "(4+2)")


def facts(
    run: Run, monkeypatch: pytest.MonkeyPatch, *, conf: str, line: str = "", sendmail: bool = False
) -> AuditFacts:
    """`line`: command line of process 41."""
    machine = run.machine
    machine.write_text(CONF, conf, 0o644)
    read, names = machine.read_text, machine.names
    monkeypatch.setattr(machine, "read_text", lambda path: line if path == "/proc/41/cmdline" else read(path))
    folders = {"/proc": ("41", "self") if line else (), "/usr/sbin": ("sendmail",) if sendmail else ()}
    monkeypatch.setattr(machine, "names", lambda path: folders[path] if path in folders else names(path))
    look = ArraysLook(machine, machine.inventory())
    return audit_facts(look, look.take())


PLAIN = "/sbin/mdadm\0--monitor\0--scan\0"


@pytest.mark.parametrize(
    ("conf", "line", "sendmail", "expected"),
    [
        ("", PLAIN, True, KnownBy(answer="no", why=NONE)),
        ("", f"{PLAIN}--mail=a@b\0", True, KnownBy(
            answer="yes", why="process 41 names an address, and /usr/sbin/sendmail is there")),
        ("", f"{PLAIN}-m\0a@b\0", False, KnownBy(
            answer="no", why="process 41 names an address, and there is no /usr/sbin/sendmail")),
        ("MAILADDR root\n", f"{PLAIN}--program\0/bin/x\0", False, KnownBy(
            answer="yes", why="process 41 names a program")),
        ("MAILADDR root\n", PLAIN, True, KnownBy(
            answer="yes", why="/etc/mdadm/mdadm.conf line 1 names an address, and /usr/sbin/sendmail is there")),
        ("PROGRAM /bin/x\n", "", False, KnownBy(
            answer="yes", why="/etc/mdadm/mdadm.conf line 1 names a program")),
        ("", "", False, KnownBy(
            answer="unknown", why="the command line of the monitor, which may name a program, was not read")),
    ],
)  # fmt: skip
def test_who_gets_the_alerts(
    run: Run, monkeypatch: pytest.MonkeyPatch, conf: str, line: str, sendmail: bool, expected: KnownBy
) -> None:
    assert facts(run, monkeypatch, conf=conf, line=line, sendmail=sendmail).alerts == expected


def test_the_places_that_were_looked_at_for_a_check_are_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = facts(run, monkeypatch, conf="").checks
    assert found == KnownBy(
        answer="no",
        why="neither mdcheck_start.timer nor raid-check.timer is active, and /etc/cron.d/mdadm, "
        "/etc/cron.d/raid-check, /etc/cron.weekly/99-raid-check start no check; other timers and crontabs were "
        "not read",
    )
