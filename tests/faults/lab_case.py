"""One case of the matrix in the virtual machine: plan, fault, executors, acts, and where it has to end."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from raidtui.predict.design import predict
from raidtui.steps.build import compile_plan
from raidtui.values.choices import FileSystem
from raidtui.values.codec import plain, to_json
from raidtui.values.design import Design
from raidtui.values.errors import RaidtuiError
from raidtui.values.notation import parse
from raidtui.values.plan import Plan
from raidtui.values.units import KIB, MIB
from tests.faults import deeds, deeds_lab, judge, lab_injectors
from tests.faults.case import Act, Case, Result
from tests.faults.guest_driver import BROKEN
from tests.faults.lab_injectors import Hook
from tests.faults.lab_machine import BYSTANDERS, DISK_BYTES, TARGETS, Lab
from tests.faults.scene import member
from tests.lab.host import LabError
from tests.lab.quick import QuickMachine
from tests.simulated.fault_model import Fault

END = 4 * MIB


class Run:
    """One case on the way."""

    def __init__(self, on: Lab, case: Case) -> None:
        self.lab, self.case = on, case
        self.fired: list[str] = []
        self.codes: list[int | None] = []
        self.said: list[str] = []
        self.problems: list[str] = []
        self.hooks: list[Hook] = []
        self.faults: list[Fault] = []
        self.environment: dict[str, str] = {}
        self.create_errno = 0
        self.last: dict[str, Any] = {}
        self.kept: tuple[str, str] | None = None
        """serial of the disk that has content of somebody, and its digest right after that"""

    def result(self) -> Result:
        """Does it all."""
        case, vm = self.case, self.lab.vm
        if case.step == "plan":
            lab_injectors.before_planning(self)
        try:
            self.plan = self._planned()
        except RaidtuiError as refusal:
            self.codes, self.said = [int(refusal.exit_code)], [f"{refusal}; {refusal.hint}"]
            self.check(case.end == "refused" and bool(refusal.hint), f"it cannot be planned: {refusal}")
            return self._ended()
        self.text = to_json(self.plan)
        lab_injectors.inject(self)
        before = vm.hash_disks() if case.end == "refused" else {}
        self.execute("build")
        acts = list(case.then)
        if case.step in ("plan", "apply") and acts[:1] == ["refused"] and case.fault != "replayed":
            self._check_refused(before)
            acts.pop(0)
        lab_injectors.after_the_build(self)
        for act in acts:
            self._act(act)
        lab_injectors.proof_at_the_end(self)
        self._check_kept()
        asked_for = tuple(self.codes)  # what follows is only looked at
        if case.end == "completed":
            self._check_completed()
        elif case.end == "rolled-back":
            self._check_rolled_back()
        return replace(self._ended(), codes=asked_for)

    def _ended(self) -> Result:
        now = self.lab.vm.hash_disks(BYSTANDERS)
        changed = [serial for serial in BYSTANDERS if now[serial] != self.lab.others[serial]]
        self.check(not changed, f"bystanders changed: {changed}")
        void, fine = not self.fired, not self.problems
        return Result(
            id=self.case.id, survived=fine and not void, end="void" if void else self.case.end if fine else "other",
            fired="; ".join(self.fired)[:500], codes=tuple(self.codes), bystander_bytes=DISK_BYTES * len(changed),
            problems=tuple(self.problems), said=tuple(self.said),
        )  # fmt: skip

    def check(self, holds: bool, problem: str) -> None:
        """Notes a problem unless it holds."""
        if not holds:
            self.problems.append(problem)

    def _planned(self) -> Plan:
        self.found = inventory = self.lab.inventory()
        by_serial = {disk.serial: disk for disk in inventory.disks}
        fs: FileSystem = "none" if self.case.fault == "deed" and deeds.without_file_system(self.case) else "xfs"
        design = Design(layout=parse("2x(3+2)+2"), chunk_bytes=64 * KIB, fs=fs)
        if lost := [serial for serial in TARGETS if serial not in by_serial]:
            raise LabError(f"the machine does not show {lost} any more")
        disks = [by_serial[serial] for serial in TARGETS]
        return compile_plan(
            design, inventory, disks, predict(design, disks), run_id=hashlib.md5(self.case.id.encode()).hexdigest(),
            name="data", mount_point="/srv/data", host=inventory.name,
        )  # fmt: skip

    @property
    def serial(self) -> str:
        """The disk that the case names."""
        identity = member(self.plan, self.case.disk or "member-b")
        return next(disk.serial or "" for disk in self.plan.disks if disk.id == identity)

    @property
    def _accepted(self) -> bool:
        """The content of every disk is given up."""
        return self.case.fault == "leftover" or (self.case.fault, self.case.step) == ("deed", "plan")

    # Executors.

    def execute(self, purpose: str) -> dict[str, Any]:
        """One executor to its end; the first has the faults. A power cut ends it with the machine."""
        request = {
            "purpose": purpose, "plan": self.text, "faults": [plain(fault) for fault in self.faults],
            "hooks": self.hooks, "environment": self.environment, "accepted": self._accepted,
            "create_errno": self.create_errno, "first_check": self.case.step in ("plan", "apply"),
        }  # fmt: skip
        self.faults, self.hooks, self.create_errno = [], [], 0
        if self.case.fault == "power" and not self.codes:
            self._power_cut(request)
            return {}
        said = self.lab.ask("execute", **request)
        self.codes.append(said["code"])
        self.check(said["code"] != BROKEN, "the executor ended by an error that nobody foresaw")
        self.fired += said["fired"]
        if said["problem"]:
            self.said.append(f"{said['problem']}; {said['hint']}")
        self.last = said
        return said

    def _power_cut(self, request: dict[str, Any]) -> None:
        vm = self.lab.vm
        if isinstance(vm, QuickMachine):
            self.lab.called = vm.power_cut
        try:
            said = self.lab.ask("execute", **request)
            self.problems.append(f"the power stayed on: {said}")
        except LabError as gone:
            if not any(word in str(gone) for word in ("ended with", "closed", "the machine is off")):
                raise
        if vm.running:
            vm.power_cut()
        self.codes.append(None)
        vm.start(permute=11)
        self.fired.append("the machine went down without a sync and was booted with its disks in another order")
        self.lab.start_driver()

    def _act(self, act: Act) -> None:
        vm = self.lab.vm
        match act:
            case "resume" | "undo":
                said = self.execute(act)
                self.check(said["code"] == 0, f"{act} ended with {said['code']}: {said['problem']}; {said['hint']}")
            case "refused":
                begun, before = self._commands(), self.last
                self.execute("build" if self.case.fault == "replayed" else "resume")
                self._check_refused({})
                self.check(self._commands() == begun, "the refused one ran a command")
                if self.case.fault == "replayed":
                    self.codes.pop()
                    self.last = before
                    self.fired.append(f"it was begun again: {self.said[-1]}")
            case "fails":
                self.check(self.execute("resume")["code"] != 0, "a resume went through that must not")
                if self.case.fault == "deed":
                    self._check_refused({})
            case "undo-refused":
                begun = self._commands()
                self.execute("undo")
                self._check_refused({})
                self.check(self._commands() == begun, "the refused undo ran a command")
            case "tidy":
                deeds_lab.tidy(self)
            case "plug":
                for serial in TARGETS:
                    if serial not in vm.serials:
                        vm.plug(serial)
                vm.check("for h in /sys/class/scsi_host/*/scan; do echo '- - -' > $h; done; sleep 1; udevadm settle")
            case "heal":
                lab_injectors.heal(self)
            case "put-back":
                self.lab.hardware.scrap(lab_injectors.OTHER)
                vm.plug(self.serial)
            case "release":
                vm.check(f"umount /mnt/other; wipefs --all {vm.disk_path(self.serial)}; udevadm settle")
            case "reboot":
                self.lab.reboot(6)
            case _:
                raise LabError(f"{self.case.id}: {act} cannot be done here")

    def _commands(self) -> int:
        """How many commands the journal of the run knows."""
        return int(self.lab.ask("state", run_id=self.plan.run_id, look=False)["intents"])

    # Ends.

    def _check_kept(self) -> None:
        """Content of somebody has every byte, and an undo that left it names the disk."""
        if self.kept is None:
            return
        serial, digest = self.kept
        self.check(self.lab.vm.hash_disks([serial])[serial] == digest, f"content of somebody on {serial} was changed")
        if self.case.end == "rolled-back" and self.case.detail not in judge.NOT_LOOKED_AT:
            journal = f"/var/lib/raidtui/{self.plan.run_id}/journal"
            named = self.lab.vm.run(f"tr -d '\\0' < {journal} | grep '\"kept\"'").stdout
            self.check(serial in named, f"the undo does not say that {serial} was kept: {named}")

    def _check_refused(self, before: dict[str, str]) -> None:
        code, said = self.last["code"], f"{self.last['problem']} {self.last['hint']}"
        self.check(not self.case.disk or self.serial in said, f"the refusal does not name {self.serial}: {said}")
        says = self.case.says
        self.check(says.lower() in said.lower(), f"the refusal does not say {says}: {said}")
        self.check(code in (1, 2, 3, 4, 5) and bool(self.last["hint"]), f"not refused: {self.last}")
        now = self.lab.vm.hash_disks() if before else {}
        self.check(before == now, f"written to: {[serial for serial in now if now[serial] != before.get(serial)]}")

    def _check_completed(self) -> None:
        """Told so by journal, disks, kernel and configuration; nothing more to do for another resume."""
        vm, run_id = self.lab.vm, self.plan.run_id
        if self.last.get("code") != 0:
            self.problems.append(f"the last executor ended with {self.last}")
            return
        vm.check("echo written by somebody > /srv/data/letter; sync")
        said = self.lab.ask("state", run_id=run_id, look=True)
        self.check(said["outcome"] == "finished" and said["purpose"] != "undo", f"the journal says {said}")
        self.check(set(said["disks"].values()) == {"done"}, f"by the disks alone: {said['disks']}")
        for array, geometry in zip(self.plan.arrays, self.plan.prediction.arrays, strict=True):
            shown = vm.check(["mdadm", "--detail", array.device]).stdout
            for wanted in (f"UUID : {array.uuid}", f"Raid Devices : {geometry.members}", "Failed Devices : 0",
                           f"Working Devices : {geometry.members + 1}"):  # fmt: skip
                self.check(wanted in shown, f"{array.device} has not '{wanted}':\n{shown}")
        mounted = vm.run(["findmnt", "-no", "UUID", "/srv/data"]).stdout.strip()
        self.check(mounted == self.plan.filesystems[0].uuid, f"mounted is {mounted}")
        files = vm.check("cat /etc/fstab /etc/mdadm/mdadm.conf; systemctl is-active mdmonitor").stdout
        for wanted in (mounted, *(array.uuid for array in self.plan.arrays), "\nactive"):
            self.check(files.count(wanted) == 1, f"'{wanted}' is in the files {files.count(wanted)} times")
        self.check(vm.run("ls /run/mdadm/creating-*").exit == 2, "a mark of mdadm is left")
        if self.case.detail == "hostname":
            return  # its resume was the act
        again = self.execute("resume")
        more = self.lab.ask("state", run_id=run_id, look=False)["intents"] - said["intents"]
        self.check((again["code"], more) == (0, 0), f"a second resume: {again}, {more} commands")
        self.check(vm.check("cat /srv/data/letter").stdout == "written by somebody\n", "the user's file is gone")

    def _check_rolled_back(self) -> None:
        """Targets blank for the probe and, both ends, for the host; no file has a word of it; nothing goes forward."""
        vm = self.lab.vm
        self.check(self.last.get("code") == 0, f"the last executor ended with {self.last}")
        vm.check("sync; udevadm settle")
        states = {disk.serial: disk.unsigned for disk in self.lab.inventory().disks if disk.serial in TARGETS}
        kept = self.kept[0] if self.kept is not None else ""
        unsigned = {states.get(serial) for serial in TARGETS if serial != kept}
        self.check(unsigned == {True}, f"signed or in use: {states}")
        for disk in (each for each in self.plan.disks if each.serial != kept):
            backing = vm.backing(disk.serial or "")
            blank = backing.is_blank(0, END) and backing.is_blank(disk.size_bytes - END)
            self.check(blank, f"{disk.serial} is not blank for the host")
        traces = vm.run("grep -r raidtui /etc/fstab /etc/mdadm /etc/udev/rules.d; findmnt /srv/data; ls /dev/md/data*")
        self.check(not traces.stdout, f"left: {traces.stdout}")
        self.check(self.execute("resume")["code"] == 1, "an undone run was resumed")
