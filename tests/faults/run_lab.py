"""Runs cases of the matrix in the virtual machine, on real md, LVM and XFS: tiers 2 and 3 of `python -m tests.faults`.

The executor is the real one, in a process of its own that really gets kill -9. Only its Runner and its Journal are
wrapped, so that a fault strikes at the declared moment (guest_driver). What the matrix calls an error of a part of
a disk is here an error of every access to it. First syncs are slowed down, so they are under way throughout.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from raidtui.machine.simulated.faults import Fault
from raidtui.model.codec import from_json, plain, to_json
from raidtui.model.design import Design
from raidtui.model.errors import RaidtuiError
from raidtui.model.inventory import Inventory
from raidtui.model.notation import parse
from raidtui.model.plan import Plan
from raidtui.model.units import KIB, MIB
from raidtui.planner.compile import compile_plan, digest_of
from raidtui.planner.predict import predict
from tests.faults import guest_driver, injectors
from tests.faults.case import Act, Case, Result
from tests.faults.scene import Moment, last_command, member, moment
from tests.lab.agent import GuestCommandError
from tests.lab.disk import Disk, lab_disks
from tests.lab.guest_raidtui import PLACE, install
from tests.lab.host import LabError, seconds
from tests.lab.image import Image
from tests.lab.vm import Machine

TARGETS = [f"LAB{number:04d}" for number in range(1, 13)]
BYSTANDERS = ["BY0001", "BY0002", "BY0003", "BY0004"]
END = 4 * MIB
_SIZE = 320 * MIB
_SLOW_SYNC = 'SUBSYSTEM=="block", KERNEL=="md*", ATTR{md/level}=="raid[14-6]*", ATTR{md/sync_speed_min}="50"\n'
_CONFIGURATION = "/etc/fstab /etc/mdadm/mdadm.conf /etc/hostname"
_RESET = f"""
pkill -x flock; pkill -x sleep; pkill -f '[O]_RDONLY'
for s in /sys/block/sd*/device/state; do grep -q offline $s && echo running > $s; done
for s in /sys/block/sd*/ro; do [ $(cat $s) = 0 ] || blockdev --setrw /dev/$(echo $s | cut -d/ -f4); done
umount /srv/data /mnt/other; swapoff -a; vgremove -q -f data other; dmsetup remove other; losetup -D
for a in /sys/block/md*; do n=/dev/$(basename $a); mdadm --detail --export $n | grep -q theirs || mdadm --stop $n; done
for f in {_CONFIGURATION}; do cp -p /var/kept$f $f; done; hostname raidlab
rm -rf /var/lib/raidtui /etc/udev/rules.d/*raidtui* /run/faults/up /run/mdadm/creating-*
udevadm control --reload; systemctl daemon-reload; systemctl stop mdmonitor
find /srv -mindepth 1 -depth -type d -empty -delete
[ $(ls -d /sys/block/sd* | wc -l) = 16 ] || for h in /sys/class/scsi_host/*/scan; do echo '- - -' > $h; done
udevadm settle; rm -f /dev/md/data*; true
"""
"""ends whatever a case left; the disks themselves are made blank from the host"""
_SYNC_NOW = """
for d in /sys/block/md*/md; do echo 100000 > $d/sync_speed_min; echo 200000 > $d/sync_speed_max; done 2> /dev/null
for s in $(seq 180); do grep -q resync /proc/mdstat || exit 0; sleep 1; done; exit 1
"""
_ERRNOS = {"ENOSPC": 28, "EROFS": 30, "EIO": 5}
_AT_ONCE = {"re-signed": ("leave", "what", "xfs"), "remounted": ("occupy", "how", "mounted")}
_Hook = tuple[str, str, int, int, str]


class Lab:
    """The machine with twelve targets and four bystanders, used for one case after the other."""

    def __init__(self, vm: Machine) -> None:
        self.vm = vm
        install(vm, Path(guest_driver.__file__))
        vm.put("/usr/sbin/update-initramfs", b"#!/bin/sh\ntouch /boot/initrd.img-*\n", 0o755)
        vm.put("/etc/udev/rules.d/99-slow-sync.rules", _SLOW_SYNC.encode())
        vm.check(f"udevadm control --reload; mkdir -p /var/kept/etc/mdadm; for f in {_CONFIGURATION}; do "
                 "cp -p $f /var/kept$f; done")  # fmt: skip
        ext4, left, right, volume = vm.disk_paths(BYSTANDERS).values()
        vm.check(f"mkfs.ext4 -q {ext4} && mount {ext4} /mnt && cp -r /etc /mnt && umount /mnt")
        vm.check(f"mdadm --create /dev/md/theirs -l1 -n2 --assume-clean --bitmap=none --metadata=1.2 {left} {right}")
        vm.check(f"mkfs.ext4 -q /dev/md/theirs; pvcreate -q {volume} && vgcreate -q theirs {volume}")
        vm.check("udevadm settle; mdadm --stop /dev/md/theirs; udevadm settle; sync")
        self.start_driver()
        self.others = vm.hash_disks(BYSTANDERS)

    def start_driver(self) -> None:
        """Starts the process that forks executors; again after every boot."""
        start = f"setsid python3 -I {PLACE}/guest_driver.py < /dev/null > /run/driver.log 2>&1 &"
        wait = (
            "for i in $(seq 900); do [ -e /run/faults/ready ] && exit 0; sleep 0.1; done; cat /run/driver.log; exit 1"
        )
        self.vm.check(f"rm -rf /run/faults; mkdir /run/faults; {start} {wait}", timeout=200)
        self.asked = 0

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        """A request to that process. LabError when it fails or the machine goes down under it."""
        self.asked += 1
        self.vm.put(f"/run/faults/request-{self.asked}", f"{json.dumps({'op': op, **fields})}\n".encode())
        until = time.monotonic() + seconds(400)
        while time.monotonic() < until:
            try:
                text = self.vm.get(f"/run/faults/answer-{self.asked}")
            except LabError as problem:
                if "FileNotFoundError" not in str(problem):
                    raise
                time.sleep(0.05)
                continue
            said: dict[str, Any] = json.loads(text)
            if "error" in said:
                raise LabError(said["error"])
            return said
        raise LabError(f"no answer to {op}: {self.vm.run('cat /run/driver.log')}")

    def inventory(self) -> Inventory:
        """What a probe in the guest finds now."""
        return from_json(Inventory, json.dumps(self.ask("inventory")["inventory"]), source="the guest")

    def reset(self) -> None:
        """Blank targets, the files as they were."""
        for serial in TARGETS:
            if serial not in self.vm.serials:
                self.vm.plug(serial)
        for serial in self.vm.serials:
            if serial not in TARGETS and serial not in BYSTANDERS:
                self.vm.unplug(serial)
        self.vm.run(_RESET, timeout=200)
        used = [serial for serial in TARGETS if not self.vm.backing(serial).is_blank()]
        if used:
            self.vm.erase_disks(used)
            self.vm.check(f"udevadm trigger --settle {' '.join(self.vm.disk_paths(used).values())}")

    def reboot(self, order: int, *, without: str = "") -> None:
        """Down in order, up with the disks in another one, perhaps with one disk less."""
        self.vm.power_off()
        if without:
            self.vm._attached.pop(without)
        self.vm.start(permute=order)
        self.start_driver()

    def run(self, case: Case) -> Result:
        """What comes of the case."""
        self.reset()
        return _Run(self, case).result()


@contextlib.contextmanager
def lab(image: Image | None = None) -> Iterator[Lab]:
    """A machine for cases."""
    disks = [*lab_disks(12, bytes=_SIZE, controllers=2), *lab_disks(4, prefix="BY", bytes=_SIZE)]
    with Machine(disks, using=image, sync_limit_kib=200) as vm:
        yield Lab(vm)


def run_all(cases: Sequence[Case]) -> Iterator[Result]:
    """What comes of each, on one machine; on a new one after a failure of the lab, which is tried again once."""
    left = list(cases)
    failed: set[str] = set()
    while left:
        with lab() as machine:
            while left:
                case = left[0]
                try:
                    yield machine.run(case)
                except (LabError, GuestCommandError) as problem:
                    if case.id not in failed:
                        failed.add(case.id)
                        break
                    yield Result(
                        id=case.id, survived=False, end="other", fired="", codes=(), bystander_bytes=0,
                        problems=(f"the lab failed twice: {str(problem)[:1500]}",),
                    )  # fmt: skip
                    left.pop(0)
                    break
                left.pop(0)


class _Run:
    """One case on the way."""

    def __init__(self, on: Lab, case: Case) -> None:
        self.lab, self.case = on, case
        self.fired: list[str] = []
        self.codes: list[int | None] = []
        self.said: list[str] = []
        self.problems: list[str] = []
        self.hooks: list[_Hook] = []
        self.faults: list[Fault] = []
        self.environment: dict[str, str] = {}
        self.last: dict[str, Any] = {}

    def result(self) -> Result:
        """Does it all."""
        case, vm = self.case, self.lab.vm
        if case.step == "plan":
            self._before_planning()
        try:
            self.plan = self._planned()
        except RaidtuiError as refusal:
            self.codes, self.said = [int(refusal.exit_code)], [f"{refusal}; {refusal.hint}"]
            self._check(case.end == "refused" and bool(refusal.hint), f"it cannot be planned: {refusal}")
            return self._ended()
        self.text = to_json(self.plan)
        self._inject()
        before = vm.hash_disks() if case.end == "refused" else {}
        self._executor("build")
        acts = list(case.then)
        if case.step in ("plan", "apply") and acts[:1] == ["refused"]:
            self._check_refused(before)
            acts.pop(0)
        self._after_the_build()
        for act in acts:
            self._act(act)
        asked_for = tuple(self.codes)  # what follows is only looked at
        if case.end == "completed":
            self._check_completed()
        elif case.end == "rolled-back":
            self._check_rolled_back()
        return replace(self._ended(), codes=asked_for)

    def _ended(self) -> Result:
        now = self.lab.vm.hash_disks(BYSTANDERS)
        changed = [serial for serial in BYSTANDERS if now[serial] != self.lab.others[serial]]
        self._check(not changed, f"bystanders changed: {changed}")
        void, fine = not self.fired, not self.problems
        return Result(
            id=self.case.id, survived=fine and not void, end="void" if void else self.case.end if fine else "other",
            fired="; ".join(self.fired)[:500], codes=tuple(self.codes), bystander_bytes=_SIZE * len(changed),
            problems=tuple(self.problems), said=tuple(self.said),
        )  # fmt: skip

    def _check(self, holds: bool, problem: str) -> None:
        if not holds:
            self.problems.append(problem)

    def _planned(self) -> Plan:
        inventory = self.lab.inventory()
        by_serial = {disk.serial: disk for disk in inventory.disks}
        design = Design(layout=parse("2x(3+2)+2"), chunk_bytes=64 * KIB)
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

    # Faults.

    def _before_planning(self) -> None:
        path = self.lab.vm.disk_path(TARGETS[5])  # the first member of the second array, by the order of the layout
        if self.case.fault == "in-use":
            self.lab.ask("occupy", how=self.case.detail, disk=path)
        else:
            self.lab.ask("leave", what=self.case.detail, disk=path)
        self.lab.vm.check("udevadm settle")
        found = next(disk for disk in self.lab.inventory().disks if disk.serial == TARGETS[5])
        self.fired.append(f"{self.case.detail}: {found.state}, {found.uses}"[:200])

    def _inject(self) -> None:
        case, plan = self.case, self.plan
        where = moment(plan, case.step) if case.step.startswith("S") else Moment(step=0, action=0, argv=())
        match case.fault:
            case "kill" | "power":
                self._end_at(where)
            case "SIGHUP" | "SIGTERM":
                self._hook("after", "intent", where, f"signal {1 if case.fault == 'SIGHUP' else 15}")
            case "viewer" | "second":
                self._hook("after", "intent", where, case.fault)
            case "unplug" | "fail" | "fail-partly" | "lie":
                where = where if where.action else last_command(plan)
                disk = member(plan, case.disk) if case.disk else ""
                self.faults.append(Fault(kind=case.fault, words=where.argv, disk=disk))
            case "write-error" | "read-error":
                disk = self.lab.vm.disk_path(self.serial)
                offline = f"echo offline > /sys/block/$(basename $(readlink -f {disk}))/device/state"
                self._hook("after", "step", where, f"shell {offline}")
            case "ENOSPC" | "EROFS" | "EIO" if case.detail == "journal":
                self._hook("before", case.when, where, f"errno {_ERRNOS[case.fault]}")
            case "torn":
                self._hook("after", case.when, where, "torn")
            case "locale" | "environment":
                self.environment = {"LC_ALL": case.detail, "LANG": case.detail, "LANGUAGE": case.detail}
                self.fired.append(f"the executor's language is {case.detail}")
            case "tampered":
                self._tamper()
            case "reboot" | "leftover" | "in-use" if case.step in ("plan", "done"):
                pass  # before the plan, or after the build
            case _ if case.step == "apply":
                self._at_apply()
            case _:
                raise LabError(f"{case.id}: {case.fault} cannot be done here")

    def _hook(self, side: str, kind: str, where: Moment, do: str) -> None:
        kind = "step" if where.action == 0 and kind == "intent" else kind
        self.hooks.append((side, kind, where.step, where.action if kind in ("intent", "result") else 0, do))

    def _end_at(self, where: Moment) -> None:
        how = self.case.fault
        match self.case.when, where.action:
            case "before intent", _:
                self._hook("before", "intent", where, how)
            case "after intent", 0:
                self._hook("after", "step", where, how)
            case "during", 0:
                self.faults.append(Fault(kind="kill", on="ask", at=60))
            case "after command", 0:
                self._hook("before", "proven", where, how)
            case "after done", _:
                self._hook("after", "proven", where, how)
            case when, _:
                side = {"after intent": "before", "during": "during", "after command": "after"}[when]
                self.faults.append(Fault(kind=how, side=side, words=where.argv))  # type: ignore[arg-type]

    def _tamper(self) -> None:
        fields = json.loads(self.text)
        bystander = next(disk.id for disk in self.lab.inventory().disks if disk.serial == BYSTANDERS[0])
        injectors._changed(fields, self.case.detail, bystander)
        made = json.dumps(fields)
        if self.case.detail not in ("digest", "not json"):
            plan = from_json(Plan, made, source="tampered")
            made = to_json(replace(plan, digest=digest_of(plan)))
        self.text = made if self.case.detail != "not json" else made[: len(made) // 2]
        self.fired.append(f"the plan's file: {self.case.detail} changed")

    def _at_apply(self) -> None:
        case, vm, serial = self.case, self.lab.vm, self.serial
        old = {disk.serial: disk.kernel_name for disk in self.lab.inventory().disks}
        wwn = next(disk.wwn for disk in self.plan.disks if disk.serial == serial)
        clone = Disk(serial="OTHER01", wwn=int(wwn or "", 16), bytes=_SIZE)
        match case.fault:
            case "permuted":
                self.lab.reboot(3)
            case "removed":
                vm.unplug(serial)
            case "replaced":
                vm.unplug(serial)
                vm.plug(replace(clone, wwn=0x5000C500DEAD0001))
            case "duplicated":
                vm.plug(clone)
            case "in-use":
                self.lab.ask("occupy", how=case.detail, disk=vm.disk_path(serial))
            case _:
                op, name, value = _AT_ONCE[case.fault]
                self.lab.ask(op, **{name: value}, disk=vm.disk_path(serial))
        vm.check("udevadm settle")
        new = {disk.serial: disk.kernel_name for disk in self.lab.inventory().disks}
        moved = sum(old.get(each) != name for each, name in new.items())
        uses = [disk.uses for disk in self.lab.inventory().disks if disk.serial == serial and case.fault == "in-use"]
        if moved or len(new) != len(old) or uses:
            self.fired.append(f"{case.fault} {case.detail}: {moved} names changed, {len(new)} disks, {uses}"[:300])

    def _after_the_build(self) -> None:
        if self.case.fault != "reboot":
            return
        # an array that is not in sync yet and short of a member does not start at boot (the plan's note first-sync)
        self.lab.vm.check(_SYNC_NOW, timeout=400)
        self.lab.vm.check("echo kept > /srv/data/kept.txt; sync")
        self.fired.append(f"booted anew: {self.case.detail}")
        if self.case.detail == "hostname":
            self.lab.vm.check("echo renamed > /etc/hostname")
        self.lab.reboot(5, without=self.serial if self.case.detail == "1 missing" else "")
        wait = "for s in $(seq 60); do [ -e /srv/data/kept.txt ] && exit 0; sleep 1; done; exit 1"
        self._check(self.lab.vm.run(wait).exit == 0, "the user's file is not there after the boot")

    # Executors.

    def _executor(self, purpose: str) -> dict[str, Any]:
        """One executor to its end; the first has the faults. A power cut ends it with the machine."""
        request = {
            "purpose": purpose, "plan": self.text, "faults": [plain(fault) for fault in self.faults],
            "hooks": self.hooks, "environment": self.environment, "accepted": self.case.fault == "leftover",
        }  # fmt: skip
        self.faults, self.hooks = [], []
        if self.case.fault == "power" and not self.codes:
            self._power_cut(request)
            return {}
        said = self.lab.ask("execute", **request)
        self.codes.append(said["code"])
        self.fired += said["fired"]
        if said["problem"]:
            self.said.append(f"{said['problem']}; {said['hint']}")
        self.last = said
        return said

    def _power_cut(self, request: dict[str, Any]) -> None:
        vm = self.lab.vm
        try:
            said = self.lab.ask("execute", **request)
            self.problems.append(f"the power stayed on: {said}")
        except LabError as gone:
            if "ended with" not in str(gone) and "closed" not in str(gone):
                raise
        vm.power_cut()
        self.codes.append(None)
        vm.start(permute=11)
        self.fired.append("the machine went down without a sync and was booted with its disks in another order")
        self.lab.start_driver()

    def _act(self, act: Act) -> None:
        vm = self.lab.vm
        match act:
            case "resume" | "undo":
                said = self._executor(act)
                self._check(said["code"] == 0, f"{act} ended with {said['code']}: {said['problem']}; {said['hint']}")
            case "refused":
                before = vm.hash_disks() if self.case.fault != "reboot" else {}
                self._executor("resume")
                self._check_refused(before)
            case "fails":
                self._check(self._executor("resume")["code"] != 0, "a resume went through that must not")
            case "plug":
                vm.check("for h in /sys/class/scsi_host/*/scan; do echo '- - -' > $h; done; sleep 1; udevadm settle")
            case "heal":
                vm.check("for s in /sys/block/sd*/device/state; do echo running > $s; done; udevadm settle")
            case "reboot":
                self.lab.reboot(6)
            case _:
                raise LabError(f"{self.case.id}: {act} cannot be done here")

    # Ends.

    def _check_refused(self, before: dict[str, str]) -> None:
        code = self.last["code"]
        self._check(code in (1, 2, 3, 4, 5) and bool(self.last["hint"]), f"not refused: {self.last}")
        now = self.lab.vm.hash_disks() if before else {}
        self._check(before == now, f"written to: {[serial for serial in now if now[serial] != before.get(serial)]}")

    def _check_completed(self) -> None:
        """Told so by journal, disks, kernel and configuration; nothing more to do for another resume."""
        vm, run_id = self.lab.vm, self.plan.run_id
        if self.last.get("code") != 0:
            self.problems.append(f"the last executor ended with {self.last}")
            return
        vm.check("echo written by somebody > /srv/data/letter; sync")
        said = self.lab.ask("state", run_id=run_id, look=True)
        self._check(said["outcome"] == "finished" and said["purpose"] != "undo", f"the journal says {said}")
        self._check(set(said["disks"].values()) == {"done"}, f"by the disks alone: {said['disks']}")
        for array, geometry in zip(self.plan.arrays, self.plan.prediction.arrays, strict=True):
            shown = vm.check(["mdadm", "--detail", array.device]).stdout
            for wanted in (f"UUID : {array.uuid}", f"Raid Devices : {geometry.members}", "Failed Devices : 0",
                           f"Working Devices : {geometry.members + 1}"):  # fmt: skip
                self._check(wanted in shown, f"{array.device} has not '{wanted}':\n{shown}")
        mounted = vm.run(["findmnt", "-no", "UUID", "/srv/data"]).stdout.strip()
        self._check(mounted == self.plan.filesystems[0].uuid, f"mounted is {mounted}")
        files = vm.check("cat /etc/fstab /etc/mdadm/mdadm.conf; systemctl is-active mdmonitor").stdout
        for wanted in (mounted, *(array.uuid for array in self.plan.arrays), "\nactive"):
            self._check(files.count(wanted) == 1, f"'{wanted}' is in the files {files.count(wanted)} times")
        self._check(vm.run("ls /run/mdadm/creating-*").exit == 2, "a mark of mdadm is left")
        if self.case.detail == "hostname":
            return  # its resume was the act
        again = self._executor("resume")
        more = self.lab.ask("state", run_id=run_id, look=False)["intents"] - said["intents"]
        self._check((again["code"], more) == (0, 0), f"a second resume: {again}, {more} commands")
        self._check(vm.check("cat /srv/data/letter").stdout == "written by somebody\n", "the user's file is gone")

    def _check_rolled_back(self) -> None:
        """Targets blank for the probe and, both ends, for the host; no file has a word of it; nothing goes forward."""
        vm = self.lab.vm
        self._check(self.last.get("code") == 0, f"the last executor ended with {self.last}")
        vm.check("sync; udevadm settle")
        states = {disk.serial: disk.state for disk in self.lab.inventory().disks if disk.serial in TARGETS}
        self._check(set(states.values()) == {"blank"} and len(states) == len(TARGETS), f"not blank: {states}")
        for disk in self.plan.disks:
            backing = vm.backing(disk.serial or "")
            blank = backing.is_blank(0, END) and backing.is_blank(disk.size_bytes - END)
            self._check(blank, f"{disk.serial} is not blank for the host")
        traces = vm.run("grep -r raidtui /etc/fstab /etc/mdadm /etc/udev/rules.d; findmnt /srv/data; ls /dev/md/data*")
        self._check(not traces.stdout, f"left: {traces.stdout}")
        self._check(self._executor("resume")["code"] == 1, "an undone run was resumed")
