"""Who hears of a failed disk: lines of mdadm.conf, at its beginning, read back, undone; hostile words refused."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out, checked
from raidtui.engine.site import SimulatedSite
from raidtui.programs import identity, mdadm
from raidtui.scripts.build_script import build_script
from raidtui.steps.boot_steps import ManagedBlock, with_block, without_block
from raidtui.steps.build import compile_plan, recompiled
from raidtui.values.design import Alert
from raidtui.values.errors import BadInput
from raidtui.values.plan import Plan, Reading, WriteFile
from tests.faults.scene import plan_on, with_bystanders
from tests.planner.plans import disks, machine, plan_of
from tests.simulated.machine import FaultyMachine

ALERT = Alert(mail="storage@example.org", program="/usr/local/sbin/page")
CONF = "/etc/mdadm/mdadm.conf"


def plan_with(plan: Plan, alert: Alert | None) -> Plan:
    taken = disks(plan.design.layout.disks)
    return compile_plan(
        plan.design, machine(*taken), taken, plan.prediction, run_id=plan.run_id, name="data",
        mount_point="/srv/data", host="host", alert=alert,
    )  # fmt: skip


def conf(plan: Plan) -> WriteFile:
    step = next(step for step in plan.steps if step.stage == "configure")
    return next(action for action in step.actions if isinstance(action, WriteFile))


def readings(plan: Plan, stage: str) -> dict[str, Reading]:
    return {reading.what: reading for step in plan.steps if step.stage == stage for reading in step.after}


def test_the_lines_stand_first_and_are_read_back() -> None:
    """Of several MAILADDR lines mdadm takes the first (config.c), and Debian's own file has `MAILADDR root`."""
    plan = plan_with(plan_of("(4+2)"), ALERT)
    assert conf(plan).text.endswith("\nMAILADDR storage@example.org\nPROGRAM /usr/local/sbin/page")
    assert conf(plan).first is True
    for stage in ("configure", "verify"):
        found = readings(plan, stage)[f"the first MAILADDR of {CONF} is the plan's"]
        assert found.answer == "MAILADDR storage@example.org"
        assert found.question.argv == (
            "grep", "--max-count=1", "--ignore-case", "--extended-regexp", "^mai", CONF
        )  # fmt: skip
    assert "/usr/local/sbin/page is an executable file" in readings(plan, "check")
    assert "no-alert-address" not in {finding.code for finding in plan.findings}
    script = build_script(plan).text
    assert f"cat - {CONF} >{CONF}.raidtui <<'END'\n# raidtui " in script
    assert "\nMAILADDR storage@example.org\nPROGRAM /usr/local/sbin/page\n" in script


def test_without_a_recipient_the_plan_says_so() -> None:
    plan = plan_of("(4+2)")
    assert conf(plan).text.endswith("\nMAILADDR root")
    assert conf(plan).first is None
    assert next(finding.message for finding in plan.findings if finding.code == "no-alert-address") == (
        "No alert address: mdadm mails a failed disk to root of this machine only. That helps only if a person reads "
        "or forwards that mail."
    )
    assert "no-alert-address" not in {finding.code for finding in plan_of("raid0(4)").findings}


@pytest.mark.parametrize(("layout", "level"), [("raid5(3+1)", "RAID5"), ("2x raid4(3+1)", "RAID4")])
def test_the_report_of_a_degraded_array_during_the_first_sync_is_explained(layout: str, level: str) -> None:
    """mdadm makes the last member of RAID4 and RAID5 a spare that is rebuilt (Create.c, mdadm 4.2)."""
    plan = plan_with(plan_of(layout), ALERT)
    (found,) = [finding for finding in plan.findings if finding.code == "first-sync-alert"]
    assert found.severity == "note"
    assert found.message == (
        f"mdadm reports DegradedArray for each {level} array during its first sync, and again after a reboot before "
        f"that ends. It builds the last member as a spare that is being rebuilt. No disk has failed."
    )
    assert "/proc/mdstat" in found.way_out
    assert "no-alert-address" not in {finding.code for finding in plan.findings}


@pytest.mark.parametrize("layout", ["(4+2)", "raid1(2)", "raid10(4)", "raid0(4)"])
def test_other_levels_are_complete_from_the_start(layout: str) -> None:
    plan = plan_with(plan_of(layout), ALERT)
    assert "first-sync-alert" not in {finding.code for finding in plan.findings}


def test_a_program_alone_leaves_root_as_recipient_of_mail() -> None:
    text = conf(plan_with(plan_of("(4+2)"), Alert(program="/usr/bin/page"))).text
    assert text.endswith("\nMAILADDR root\nPROGRAM /usr/bin/page")


@pytest.mark.parametrize(
    "alert",
    [
        Alert(mail="a@b.org\nPROGRAM /tmp/x"),
        Alert(mail="-t"),
        Alert(mail="a@b.org,c@d.org"),
        Alert(mail="a b@c.org"),
        Alert(mail="a@b;reboot"),
        Alert(program="page"),
        Alert(program="/tmp/../etc/x"),
        Alert(program="/usr/bin/page --all"),
        Alert(program="/usr/bin/$(reboot)"),
        Alert(program="/a\nDEVICE none"),
    ],
)
def test_hostile_words_are_refused(alert: Alert) -> None:
    with pytest.raises(BadInput, match="expected"):
        plan_with(plan_of("(4+2)"), alert)


def test_a_plan_keeps_its_recipient_when_it_is_compiled_again() -> None:
    plan = plan_with(plan_of("(4+2)"), ALERT)
    assert recompiled(plan, machine(*disks(6))).digest == plan.digest


def test_a_block_at_the_beginning() -> None:
    block = ManagedBlock(path="/etc/mdadm.conf", run_id="1", name="data", text="MAILADDR a")
    text = with_block("MAILADDR root\nlast", block, first=True)
    assert text == "# raidtui 1 begin data\nMAILADDR a\n# raidtui 1 end\nMAILADDR root\nlast"
    assert with_block(text, block, first=True) == text
    assert without_block(text, block) == "MAILADDR root\nlast"


@pytest.mark.process
def test_grep_finds_the_first_statement(tmp_path: Path) -> None:
    file = tmp_path / "mdadm.conf"
    file.write_text("# mailaddr of nobody\nHOMEHOST x\nMail storage@example.org\nMAILADDR root\n")
    argv = mdadm.first_line_question("MAILADDR storage@example.org", str(file))
    found = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    assert found == "Mail storage@example.org\n"


def planned() -> tuple[FaultyMachine, Plan]:
    """A machine and a plan on six of its disks that sends alerts."""
    scene = with_bystanders(disks(16), targets=6)
    plan = plan_on(scene, "(4+2)")
    found = scene.inventory()
    plan = compile_plan(
        plan.design, found, found.disks[:6], plan.prediction, run_id=plan.run_id, name="data",
        mount_point="/srv/data", host="host", alert=ALERT,
    )  # fmt: skip
    return scene, plan


def test_built_read_back_and_undone(tmp_path: Path) -> None:
    scene, plan = planned()
    before = scene.read_text(CONF)
    site, folder = SimulatedSite(tmp_path, scene), journal.create(tmp_path, plan)
    for purpose in ("build", "undo"):
        book = Journal(folder, purpose)
        try:
            assert carry_out(plan, site, scene, book, ControlRequest) == 0
        finally:
            book.close()
        text = scene.read_text(CONF) or ""
        assert text.startswith("# raidtui ") is (purpose == "build")
    assert scene.read_text(CONF) == before


ROOTS = "/usr/local/sbin/page and every directory above it can be changed by root alone"


def test_the_program_is_roots_alone_before_and_after_it_is_named() -> None:
    plan = plan_with(plan_of("(4+2)"), ALERT)
    for stage in ("check", "configure", "verify"):
        found = readings(plan, stage)[ROOTS]
        assert found.question.argv == (
            "find", "/usr/local/sbin/page", "/usr/local/sbin", "/usr/local", "/usr", "/", "-maxdepth", "0",
            "!", "-type", "l", "-user", "root", "!", "-perm", "/022",
        )  # fmt: skip
        assert found.answer == "/usr/local/sbin/page\n/usr/local/sbin\n/usr/local\n/usr\n/"
    (looked,) = re.findall(r"^others=\$\(find (.*) -maxdepth 0", build_script(plan).text, re.MULTILINE)
    assert "/usr{,/local{,/sbin{,/page}}}" in looked


@pytest.mark.parametrize("of_others", ["/usr/local/sbin/page", "/usr/local"])
def test_a_program_that_others_can_change_refuses_the_build(of_others: str, tmp_path: Path) -> None:
    scene, plan = planned()
    site = SimulatedSite(tmp_path, scene)
    assert checked(plan, site, "", during_sync=True) == ()
    scene._state.of_others.append(of_others)
    (finding,) = checked(plan, site, "", during_sync=True)
    assert (finding.code, finding.severity) == ("program-not-roots", "error")
    assert finding.message.startswith(f"Requirement not met: {ROOTS} (found '")
    assert "chown root" in finding.way_out


@pytest.mark.process
def test_find_names_what_root_alone_can_change(tmp_path: Path) -> None:
    """A link on the way, and a directory that others may write into, are left out."""

    def found(path: str) -> list[str]:
        done = subprocess.run(identity.roots_alone_question(path), check=False, capture_output=True, text=True)
        return done.stdout.splitlines()

    program = tmp_path / "page"
    program.touch(0o755)
    (tmp_path / "link").symlink_to(program)
    (tmp_path / "open").touch()
    (tmp_path / "open").chmod(0o775)
    assert "\n".join(found("/usr/bin")) == identity.roots_alone_answer("/usr/bin") == "/usr/bin\n/usr\n/"
    assert "/tmp" not in found("/tmp/page")
    assert (str(program) in found(str(program))) is (os.geteuid() == 0)
    assert str(tmp_path / "link") not in found(str(tmp_path / "link"))
    assert str(tmp_path / "open") not in found(str(tmp_path / "open"))
