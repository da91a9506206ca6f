"""Three guests as the hosts of a fleet, the control host that asks them, what must be true of each before and after."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import raidtui
from raidtui.engine.runs import read_plan
from raidtui.values.units import MIB
from tests.lab.disk import Disk, lab_disks
from tests.lab.host import seconds
from tests.lab.sshd import SshAccess
from tests.lab.test_script import END
from tests.lab.vm import Machine

ROOT = Path(raidtui.__file__).parents[1]
SIZE = 256 * MIB
HOSTS = ("node01", "node02", "node03")
TARGETS = {"node01": 5, "node02": 5, "node03": 4}


@dataclass(frozen=True)
class Fleet:
    """Three guests and the control host that reaches them."""

    guests: Mapping[str, Machine]
    ssh: SshAccess
    folder: Path

    def raidtui(self, *words: str, control: str = "control") -> subprocess.CompletedProcess[str]:
        """A verb of the fleet as the admin at the control host `control` runs it, to its end."""
        with self.started(*words, control=control) as process:
            out, err = process.communicate(timeout=seconds(1800))
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def started(self, *words: str, control: str = "control") -> subprocess.Popen[str]:
        """The same, still running."""
        return self._process(control, "fleet", *words, "--ssh", str(self.ssh.program), "--sudo", "--timeout", "600")

    def here(self, *words: str) -> None:
        """A verb that asks no host, successfully."""
        with self._process("control", *words) as process:
            out, err = process.communicate(timeout=seconds(120))
        assert process.returncode == 0, (words, out, err)

    def _process(self, control: str, *words: str) -> subprocess.Popen[str]:
        (self.folder / control).mkdir(mode=0o700, exist_ok=True)
        argv = [sys.executable, "-m", "tests.lab.control_host", str(self.folder / control), *words]
        return subprocess.Popen(
            argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def answer(self, *words: str, control: str = "control", code: int = 0) -> str:
        """Standard output of a verb that exits with `code`."""
        done = self.raidtui(*words, control=control)
        assert done.returncode == code, f"{words} exited {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def disks_of(name: str) -> list[Disk]:
    """Disks to build on and one that somebody uses; node03 lacks the last bay and has other firmware."""
    number = HOSTS.index(name)
    firmware = "0002" if name == "node03" else "0001"
    targets = lab_disks(5, prefix=f"A{number}T", bytes=SIZE, firmware=firmware)
    return [*lab_disks(1, prefix=f"B{number}Y", bytes=SIZE, firmware=firmware), *targets[: TARGETS[name]]]


def run_of(sheet: Path, host: str) -> str:
    return read_plan(sheet / host / "plan.json").run_id


def planned(fleet: Fleet, name: str) -> Path:
    """A recipe that gives hosts which differ a layout of their own, and its sheet for the three hosts."""
    recipe, sheet = fleet.folder / f"{name}.toml", fleet.folder / name
    wanted = ("--chunk", "64K", "--differs", "fit", "--survive", "1", "--level", "raid5")
    fleet.here("fleet", "recipe", "(3+1)+1", *wanted, "--out", str(recipe))
    fleet.answer("plan", str(recipe), "-w", "node[01-03]", "--wave", "2", "--out", str(sheet))
    return sheet


def digest_of(sheet: Path) -> str:
    digest: str = json.loads((sheet / "sheet.json").read_text())["digest"]
    return digest


def require_built(vm: Machine, name: str) -> None:
    """The array as the kernel has it: members and spare of its plan, in sync, mounted."""
    status = vm.check(["cat", "/proc/mdstat"]).stdout
    assert status.count(" active raid5 ") == 1 and "[4/4] [UUUU]" in status, (name, status)
    assert status.count("(S)") == TARGETS[name] - 4, (name, status)
    assert vm.check(["findmnt", "-no", "FSTYPE", "/srv/data"]).stdout == "xfs\n"


def undone(fleet: Fleet, sheet: Path) -> None:
    """Undoes the build of a sheet, and proves that no array, mount or signature of it is left."""
    ended = fleet.raidtui("undo", str(sheet), "--interval", "30", "--yes", "--confirm", digest_of(sheet))
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "node[01-03]: undone"), ended
    for name, vm in fleet.guests.items():
        require_blank(vm, name)


def require_blank(vm: Machine, name: str) -> None:
    """Nothing of a build is left on a guest; its disks are then made blank for the next test."""
    vm.check("sync; udevadm settle")
    assert " active " not in vm.check(["cat", "/proc/mdstat"]).stdout, name
    assert vm.run("findmnt /srv/data").exit == 1 and vm.run("ls /dev/md/data").exit == 2, name
    assert vm.run("grep -r raidtui /etc/fstab /etc/mdadm /etc/udev/rules.d").exit == 1, name
    targets = [serial for serial in vm.serials if serial.startswith("A")]
    for serial in targets:
        assert vm.backing(serial).is_blank(0, END) and vm.backing(serial).is_blank(SIZE - END), (name, serial)
    vm.erase_disks(targets)


def bystanders(fleet: Fleet) -> dict[str, dict[str, str]]:
    """Digests of the disks that belong to somebody, of each host."""
    return {
        name: vm.hash_disks([serial for serial in vm.serials if serial.startswith("B")])
        for name, vm in fleet.guests.items()
    }
