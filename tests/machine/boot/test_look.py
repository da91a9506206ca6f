"""On a simulated machine: a configuration that a boot goes by refuses a build, and is found after one."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raidtui.machine.boot import look
from raidtui.machine.run import journal
from raidtui.machine.run.executor_process import checked
from raidtui.machine.run.site import SimulatedSite
from raidtui.model.choices import Initramfs
from raidtui.model.errors import RaidtuiError, Refused, Stale
from raidtui.model.plan import Plan
from raidtui.planner.design.purchase import purchase
from tests.machine.run.test_executor_process import Bench
from tests.planner.plans import plan_of
from tests.properties.test_foreign_bytes import FOREIGN
from tests.simulated.machine import FaultyMachine
from tests.suite import examples

BOUGHT = purchase("5x2TB")
PLAN = plan_of("(3+1)+1", BOUGHT.disks, inventory=BOUGHT, host="purchase")
CONF = "/etc/mdadm/mdadm.conf"
UNIT = "/etc/systemd/system/srv-data.mount"
RULE = "/etc/udev/rules.d/64-md-raid-assembly.rules"
BARRED = "HOMEHOST <system>\nDEVICE /dev/nvme*\n"


class Machine(Bench):
    """A simulated machine, and executors on it."""

    def __init__(self, root: Path, plan: Plan = PLAN, *, family: Initramfs = "debian") -> None:
        super().__init__(root, plan)
        self.machine = FaultyMachine(BOUGHT, family=family)
        self.site = SimulatedSite(root, self.machine)

    def has(self, path: str, text: str) -> None:
        """Somebody writes a file."""
        self.machine.write_text(path, text, 0o644)

    def codes(self) -> list[str]:
        """What the preflight finds."""
        return [finding.code for finding in checked(self.plan, self.site, "", during_sync=True)]


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        (CONF, BARRED, "device-line"),
        (f"{CONF}.d/site.conf", "dev /dev/nvme*\n", "device-line"),
        (CONF, "ARRAY <ignore> devices=/dev/sd*\n", "array-line-conflict"),
        (UNIT, "[Mount]\nWhat=tmpfs\nWhere=/srv/data\n", "mount-unit-foreign"),
        (UNIT, "", "mount-unit-foreign"),
        (UNIT.replace(".mount", ".automount"), "[Automount]\nWhere=/srv/data\n", "mount-unit-foreign"),
        (RULE, "", "udev-assembles-nothing"),
    ],
)
def test_it_refuses_the_build_and_nothing_is_written(path: str, text: str, code: str, tmp_path: Path) -> None:
    run = Machine(tmp_path)
    assert run.codes() == []
    run.has(path, text)
    assert run.codes() == [code]
    before = run.machine.writes()
    with pytest.raises(Refused):
        run.does("build")
    assert run.machine.writes() == before
    assert [record.kind for record in journal.records(run.folder)] == ["begun", "failed"]


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        (CONF, "{}DEVICE /dev/nvme*\n", r"'DEVICE /dev/nvme\*' does not allow"),
        (CONF, f"{{}}ARRAY /dev/md/data UUID={PLAN.arrays[0].uuid}\n", "is a second match for /dev/md/data"),
        (
            UNIT,
            "",
            "no systemd unit or drop-in except fstab's is for /srv/data: '/etc/systemd/system/srv",
        ),
        (RULE, "", "No udev rule passes disks to mdadm"),
        ("/proc/cmdline", "ro fstab=no\n", "systemd ignores fstab"),
    ],
)
def test_after_the_build_whoever_reads_everything_back_finds_it(
    path: str, text: str, words: str, tmp_path: Path
) -> None:
    run = Machine(tmp_path)
    assert run.does("build") == 0
    before = run.machine.writes()
    old = run.machine.read_text(path) or ""
    run.has(path, text.format(old))
    with pytest.raises(Stale, match=words):
        run.does("resume")
    assert journal.records(run.folder)[-1].kind == "failed"
    assert run.machine.writes() == before


def test_the_simulated_boot_goes_by_it(tmp_path: Path) -> None:
    """What the check refuses is what would happen."""
    run = Machine(tmp_path)
    assert run.does("build") == 0
    mounted = ("findmnt", "--noheadings", "--first-only", "--output=UUID", "--mountpoint", "/srv/data")
    old = run.machine.read_text(CONF) or ""
    run.machine.advance(86400.0)
    run.machine.reboot()
    assert run.machine.ask(mounted).exit == 0
    run.has(CONF, old + "DEVICE /dev/nvme*\n")
    assert "UUID" not in run.machine.ask(("mdadm", "--examine", "--scan")).stdout
    run.has(RULE, "")
    run.machine.reboot()
    assert (run.machine.names("/dev/md"), run.machine.ask(mounted).exit) == ((), 1)


@pytest.mark.parametrize("family", ["debian", "dracut"])
def test_the_journal_has_what_the_initramfs_names(family: Initramfs, tmp_path: Path) -> None:
    plan = plan_of("(3+1)+1", BOUGHT.disks, inventory=BOUGHT, host="purchase", initramfs=family)
    run = Machine(tmp_path, plan, family=family)
    assert run.does("build") == 0
    texts = [record.text for record in journal.records(run.folder) if record.kind == "proven"]
    (text,) = [each for each in texts if "mdadm finds" in each]
    name = {"debian": "initrd.img-6.1.0-28-amd64", "dracut": "initramfs-6.1.0-28-amd64.img"}[family]
    assert text.endswith(f" checks passed; mdadm finds all arrays by its configuration; /boot/{name} names them")


def test_an_initramfs_that_was_made_without_the_lines_is_found(tmp_path: Path) -> None:
    run = Machine(tmp_path)
    assert run.does("build") == 0
    run.machine._state.initramfs = "HOMEHOST <system>\n"
    with pytest.raises(Stale, match=r"/boot/initrd.img-6.1.0-28-amd64 has mdadm, and its mdadm.conf does not name"):
        look.prove(run.plan, run.machine)
    assert run.does("resume") == 0  # the image is older than mdadm.conf now: it is made anew
    assert "names them" in look.prove(run.plan, run.machine)


@given(
    data=st.dictionaries(st.sampled_from((CONF, f"{CONF}.d/site.conf", "/etc/fstab", RULE, "/proc/cmdline")), FOREIGN)
)
@settings(examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_the_files_of_a_boot_are_judged(tmp_path: Path, data: dict[str, bytes]) -> None:
    run = Machine(Path(tempfile.mkdtemp(dir=tmp_path)))
    for path, text in data.items():
        run.has(path, text.decode("utf-8", "surrogateescape"))
    with contextlib.suppress(RaidtuiError):
        run.codes()
