"""The functions of the scripts that check, keep and restore I/O scheduler and queue depth, on a sysfs of files."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.model.plan import Plan
from raidtui.planner.export.bash_functions import bash_text
from raidtui.planner.export.bash_script import script
from raidtui.planner.export.undo_script import undo_script
from tests.planner.export.test_bash_script import SHELLCHECK
from tests.planner.plans import plan_of

pytestmark = pytest.mark.process
SCHEDULERS = {"sda": "[mq-deadline] kyber bfq none", "sdb": "mq-deadline kyber bfq [none]", "nvme0n1": "[none] kyber"}
DEPTHS = {"sda": "32", "sdb": "5"}
KEPT = "mq-deadline 32 /d/sda\nnone 5 /d/sdb\nnone - /d/nvme0n1\n"


class Machine:
    """Two SCSI disks on a host that takes 64 requests, and an NVMe disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in SCHEDULERS.items():
            self.write(name, "queue/scheduler", text)
        for name, depth in DEPTHS.items():
            self.write(name, "device/queue_depth", depth)
            (self.file(name, "device/scsi_device/2:0:0:0")).mkdir(parents=True)
        (folder / "sys/class/scsi_host/host2").mkdir(parents=True)
        (folder / "sys/class/scsi_host/host2/can_queue").write_text("64\n")
        (folder / "state").mkdir()

    def file(self, disk: str, name: str) -> Path:
        return self.folder / "sys/class/block" / disk / name

    def write(self, disk: str, name: str, text: str) -> None:
        self.file(disk, name).parent.mkdir(parents=True, exist_ok=True)
        self.file(disk, name).write_text(f"{text}\n")

    def read(self, disk: str, name: str) -> str:
        return self.file(disk, name).read_text().strip()

    def run(self, *calls: str, parts: str = "queues_build", modules: str = "") -> tuple[int, str]:
        text = bash_text("common", "queues", parts).replace("/sys/class", f"{self.folder}/sys/class")
        done = subprocess.run(
            ["bash", "-euo", "pipefail"], input=f"""
{text}
same() {{ :; }}
row() {{ title=${{DISKS[$1]}}; }}
modprobe() {{ [[ " {modules} " == *" ${{*: -1}} "* ]]; }}
log= WAY_BACK= stopped= looking= wrong=0 STATE={self.folder}/state
DISKS=(/d/sda /d/sdb /d/nvme0n1) node=(/dev/sda /dev/sdb /dev/nvme0n1)
declare -A NUMBER=([/d/sda]=0 [/d/sdb]=1 [/d/nvme0n1]=2)
{"; ".join(calls)}
say "$wrong wrong"
""", capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert done.stderr == ""
        return done.returncode, done.stdout


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_present_values_are_kept_once(machine: Machine) -> None:
    assert machine.run("keep_queues")[0] == 0
    machine.write("sda", "device/queue_depth", "3")
    assert machine.run("keep_queues")[0] == 0
    kept = machine.folder / "state/disk-queues"
    assert kept.read_text() == KEPT
    assert kept.stat().st_mode & 0o777 == 0o600


def test_former_values_are_restored_where_the_plans_are(machine: Machine) -> None:
    (machine.folder / "state/disk-queues").write_text(KEPT + "none 1 /d/gone\n")
    for disk in ("sda", "sdb", "nvme0n1"):
        machine.write(disk, "queue/scheduler", "mq-deadline [bfq] none" if disk != "nvme0n1" else "[kyber] none")
    machine.write("sda", "device/queue_depth", "7")
    machine.write("sdb", "device/queue_depth", "9")  # somebody's since
    # a file keeps the word alone, the kernel would show it in brackets
    code, text = machine.run(f"restore_queues {machine.folder}/rule bfq 7", parts="queues_undo")
    assert code == 0, text
    assert [machine.read(disk, "queue/scheduler") for disk in SCHEDULERS] == ["mq-deadline", "none", "[kyber] none"]
    assert [machine.read(disk, "device/queue_depth") for disk in DEPTHS] == ["32", "9"]


def test_what_is_not_planned_is_not_restored(machine: Machine) -> None:
    (machine.folder / "state/disk-queues").write_text("none 9 /d/sda\n")
    assert machine.run(f"restore_queues {machine.folder}/rule '' ''", parts="queues_undo")[0] == 0
    assert machine.read("sda", "device/queue_depth") == "32"


@pytest.mark.parametrize("there", ["rule", ""])
def test_values_that_are_not_known_stay(machine: Machine, there: str) -> None:
    """The rule was changed and is kept, or the build was an earlier release's."""
    if there:
        (machine.folder / there).write_text("# mine\n")
        (machine.folder / "state/disk-queues").write_text(KEPT)
    code, text = machine.run(f"restore_queues {machine.folder}/rule none 5", parts="queues_undo")
    assert (code, "KEPT: the running I/O scheduler and queue depth of the disks" in text) == (0, True)
    assert machine.read("sdb", "device/queue_depth") == "5"


def test_value_that_the_kernel_does_not_take_stops(machine: Machine) -> None:
    (machine.folder / "state/disk-queues").write_text("none 5 /d/sda\n")
    file = machine.file("sda", "queue/scheduler")
    file.write_text("[bfq]\n")
    call = f"restore_queues {machine.folder}/rule bfq ''"
    code, text = machine.run(
        f'printf() {{ if [[ $2 != none ]]; then builtin printf "$@"; fi; }}; {call}', parts="queues_undo"
    )
    assert (code, "reads  after none was written" in text) == (3, True), text


@pytest.mark.parametrize(
    ("call", "modules", "wrong", "said"),
    [
        ("check_queues bfq ''", "bfq-iosched", 0, ""),
        ("check_queues bfq ''", "", 1, "/d/nvme0n1: the kernel has no I/O scheduler bfq; it has: [none] kyber"),
        ("check_queues dead ''", "", 3, "the kernel has no I/O scheduler dead"),
        ("check_queues '' 64", "", 1, "nvme0n1 cannot get a queue depth of 64: its driver and controller take at"),
        ("check_queues '' 65", "", 3, "sda cannot get a queue depth of 65: its driver and controller take at most 64"),
        ("check_queues kyber ''", "", 0, ""),
    ],
)  # fmt: skip
def test_what_the_kernel_and_the_disks_cannot_do_is_counted(
    machine: Machine, call: str, modules: str, wrong: int, said: str
) -> None:
    code, text = machine.run(call, modules=modules)
    assert (code, f"{wrong} wrong" in text, said in text) == (0, True, True), text
    if "64" in call:
        machine.file("sda", "device/queue_depth").chmod(0o444)  # the driver cannot set it
        assert "2 wrong" in machine.run(call)[1]


@pytest.mark.thorough
@pytest.mark.parametrize("export", [script, undo_script])
def test_shellcheck_has_nothing_to_say(export: Callable[[Plan], str], tmp_path: Path) -> None:
    file = tmp_path / "script.sh"
    file.write_text(export(plan_of("raid1(2)", io_scheduler="none", queue_depth=3)))
    checker = [str(SHELLCHECK), "--enable=check-extra-masked-returns", str(file)]
    done = subprocess.run(checker, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
