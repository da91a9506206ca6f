"""On a simulated machine: a configuration that a boot goes by refuses a build, and is found after one."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raidtui.advice.arrays.known import observed_arrays
from raidtui.advice.boot.next_boot import after_act, check_boot
from raidtui.engine import journal
from raidtui.engine.process import checked
from raidtui.engine.site import SimulatedSite
from raidtui.machine.arrays import boot
from raidtui.machine.arrays.read import observe
from raidtui.machine.system.ports import AS_NAMED, Ran
from raidtui.predict.stated_disks import purchase
from raidtui.values.choices import Initramfs
from raidtui.values.errors import RaidtuiError, Refused, Stale
from raidtui.values.facts import BootArrays, BootMember
from raidtui.values.inventory import Disk
from raidtui.values.plan import Plan, partition_path
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
        boot.prove(run.plan, run.machine)
    assert run.does("resume") == 0  # the image is older than mdadm.conf now: it is made anew
    assert "names them" in boot.prove(run.plan, run.machine)


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


def observed(run: Machine) -> BootArrays:
    """The arrays of the machine now."""
    inventory = run.machine.inventory()
    return observed_arrays(observe(run.machine, inventory), inventory, "debian")


def test_arrays_that_exist_are_proven_as_those_of_a_plan(tmp_path: Path) -> None:
    run = Machine(tmp_path)
    assert run.does("build") == 0
    (array,) = observed(run).arrays
    assert (array.name, array.uuid, array.device, array.devices) == ("md127", PLAN.arrays[0].uuid, "/dev/md/data", 4)
    assert [each.path for each in array.members] == [disk.path for disk in PLAN.disks[:4]]
    assert [each.path for each in array.spares] == [PLAN.disks[4].path]
    text = boot.prove(observed(run), run.machine)
    assert text == "mdadm finds all arrays by its configuration; /boot/initrd.img-6.1.0-28-amd64 names them"
    first, second = (disk.path for disk in PLAN.disks[:2])
    run.has(CONF, (run.machine.read_text(CONF) or "") + f"DEVICE {first} {second}\n")
    with pytest.raises(
        Stale, match=r"DEVICE /dev/disk/by-id/.*' does not allow /dev/sdc \(serial unknown\), "
    ) as stale:
        boot.prove(observed(run), run.machine)
    assert stale.value.hint is not None and stale.value.hint.startswith(f"add {PLAN.disks[2].path}, ")


def coming(disk: Disk, number: int) -> BootMember:
    """A disk that an act gives to an array, or a partition that the act will make on it."""
    path = partition_path(disk.path, number) if number else disk.path
    return BootMember(id=disk.id, path=path, disk_path=disk.path if number else "", number=number)


def test_before_an_act_a_new_disk_is_judged_by_its_names(tmp_path: Path) -> None:
    """The disks' names of now, also those that a partition will have that the act makes."""
    run = Machine(tmp_path)
    run.machine = FaultyMachine(purchase("6x2TB"))
    run.site = SimulatedSite(tmp_path, run.machine)
    assert run.does("build") == 0
    new = run.machine.inventory().disks[5]
    now = observed(run)
    (array,) = now.arrays
    old = array.members[0]
    paths = " ".join(each.path for each in (*array.members, *array.spares))
    run.has(CONF, (run.machine.read_text(CONF) or "") + f"DEVICE {paths}\n")
    assert list(check_boot(now, boot.look(now, run.machine))) == []
    for number, name in ((0, "/dev/sdf"), (1, "/dev/sdf1")):
        then = after_act(now, array.uuid, joins=[coming(new, number)], leaves=[old])
        (finding,) = check_boot(then, boot.look(then, run.machine))
        assert (finding.severity, finding.code) == ("error", "device-line")
        assert f"does not allow {name} of /dev/md/data: " in finding.message
    run.has(CONF, (run.machine.read_text(CONF) or "") + f"DEVICE {coming(new, 1).path}\n")
    then = after_act(now, array.uuid, joins=[coming(new, 1)], leaves=[old])
    assert list(check_boot(then, boot.look(then, run.machine))) == []


def test_which_mdadm_conf_is_read_is_asked_where_both_are_there(tmp_path: Path) -> None:
    run = Machine(tmp_path)
    alone = boot.configuration(run.machine)
    assert ([file.path for file in alone.files], alone.first, alone.why) == ([CONF], "", "")
    run.has("/etc/mdadm.conf", "DEVICE partitions\n")
    found = boot.configuration(run.machine)
    assert (found.first, found.why, found.one_file) == (CONF, "by the order of both places in /sbin/mdadm", False)
    assert run.codes() == ["mdadm-conf-twice"]


def test_an_mdadm_that_cannot_be_read_leaves_it_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Machine(tmp_path)
    run.has("/etc/mdadm.conf", "DEVICE partitions\n")
    ask = run.machine.ask

    def failing(argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        if argv[0] == "grep" and argv[-1] == "/sbin/mdadm":
            return Ran(exit=2, stdout="", stderr="grep: /sbin/mdadm: No such file or directory\n")
        return ask(argv, devices)

    monkeypatch.setattr(run.machine, "ask", failing)
    found = boot.configuration(run.machine)
    assert (found.first, found.why) == ("", "/sbin/mdadm does not show its order")
    assert run.codes() == ["mdadm-conf-unclear"]
