"""How each fault of the matrix is done to the virtual machine, and the proof that it was."""

from __future__ import annotations

import errno
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from raidtui.values.codec import document_digest, from_json, to_json
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.faults import deeds_lab, injectors
from tests.faults.lab_machine import BYSTANDERS, DISK_BYTES, TARGETS
from tests.faults.scene import Moment, last_command, member, moment
from tests.lab.disk import Disk
from tests.lab.disk import Fault as BadSector
from tests.lab.host import LabError
from tests.simulated.fault_model import Fault

if TYPE_CHECKING:
    from tests.faults.lab_case import Run

OTHER = "OTHER01"
"""serial of the disk that comes in place of one of the plan, or beside it"""
Hook = tuple[str, str, int, int, str]
"""side, kind, step, action of a record of the journal, and what happens then"""
_ERRNOS = {"ENOSPC": 28, "EROFS": 30, "EIO": 5}
_SILENCE = 20.0
"""seconds that a suspended disk does not answer; at 30 the kernel would begin to abort its requests"""
_SUPERBLOCK = 8
"""sector of md's superblock of version 1.2"""
_CLOCKS = {
    "an hour back": "date -s @$(($(date +%s) - 3600))",
    "ten years on": "date -s @$(($(date +%s) + 315619200))",
    # the kernel takes no time before the machine's own start, so this is as early as it gets
    "before 1970": "read up rest < /proc/uptime; date -s @$((${up%.*} + 10))",
}
_FALSE_TOOLS = "mkdir -p /run/false; printf '#!/bin/sh\\necho false\\n' > /run/false/cat; chmod 755 /run/false/cat"
_ENVIRONMENTS = {
    "PATH empty": {"PATH": ""},
    "PATH with a false tool": {"PATH": "/run/false:/usr/sbin:/usr/bin"},
    "LD_PRELOAD": {"LD_PRELOAD": "/nowhere/libwrong.so"},
    "PYTHONPATH": {"PYTHONPATH": "/run/false", "IFS": "/", "BASH_ENV": "/run/false/cat"},
}
_LOCKS = {
    "a lock file that nobody holds": "echo 4711 > /run/raidtui.lock",
    "a lock that is a link": "echo kept > /run/elsewhere; ln -sfn /run/elsewhere /run/raidtui.lock",
}
_NO_ROOM = {
    "ENOSPC": "mount -t tmpfs -o size=64k,mode=755 full /var/lib/raidtui",
    "EROFS": "mount -t tmpfs -o ro,mode=755 fixed /var/lib/raidtui",
}
_HURRY = "for d in /sys/block/md*/md; do echo 100000 > $d/sync_speed_min; echo 200000 > $d/sync_speed_max; done"
_SYNC_NOW = f"""
{_HURRY} 2> /dev/null
for s in $(seq 180); do grep -q resync /proc/mdstat || exit 0; sleep 1; done; exit 1
"""
_CORRECTED = f"""
{_HURRY} 2> /dev/null
for s in $(seq 120); do dmesg | grep -m1 'read error corrected' && exit 0; sleep 0.5; done; exit 1
"""


def before_planning(run: Run) -> None:
    """Somebody uses a disk, or old content is on it, when the plan is made."""
    case, lab = run.case, run.lab
    path = lab.vm.disk_path(TARGETS[5])  # the first member of the second array, by the order of the layout
    before = lab.inventory()
    if case.fault == "deed":
        deeds_lab.before_planning(run, path)
    elif case.fault == "in-use":
        lab.ask("occupy", how=case.detail, disk=path)
    else:
        lab.ask("leave", what=case.detail, disk=path)
    lab.vm.check("udevadm settle")
    run.fired += injectors.evidence(before, lab.inventory())


def inject(run: Run) -> None:
    """Arms the fault, or does it at once where it strikes before the build."""
    case, plan, lab = run.case, run.plan, run.lab
    where = moment(plan, case.step) if case.step.startswith("S") else Moment(step=0, action=0, argv=())
    match case.fault:
        case "kill" | "power":
            _end_at(run, where)
        case "SIGHUP" | "SIGTERM":
            _hook(run, "after", "intent", where, f"signal {1 if case.fault == 'SIGHUP' else 15}")
        case "viewer":
            _hook(run, "after", "intent", where, "viewer")
        case "unplug" | "fail" | "fail-partly" | "lie":
            where = where if where.action else last_command(plan)
            disk = member(plan, case.disk) if case.disk else ""
            run.faults.append(Fault(kind=case.fault, words=where.argv, disk=disk))
        case "write-error" | "read-error":
            _disk_error(run, where)
        case "slow" | "suspend":
            lab.called = lambda: _slow(run)
            _hook(run, "after", "step", where, "host")
        case "ENOSPC" | "EROFS" | "EIO":
            _no_room(run, where)
        case "torn":
            where = Moment(step=0, action=0, argv=()) if case.when == "begun" else where
            _hook(run, "after", case.when, where, "torn")
        case "clock":
            _hook(run, "after", "step", where, f"shell {_CLOCKS[case.detail]}")
            if case.when:
                _hook(run, "after", "intent", where, "kill")
        case "locale" | "environment":
            languages = {"LC_ALL": case.detail, "LANG": case.detail, "LANGUAGE": case.detail}
            run.environment = _ENVIRONMENTS.get(case.detail, languages)
            lab.vm.check(_FALSE_TOOLS)
            run.fired.append(f"the executor has {run.environment}")
        case "tampered" if case.when == "run directory":
            _hook(run, "after", "intent", where, "kill")
        case "tampered":
            run.text = _tampered(run, run.text)
        case "second" if case.step == "apply":
            lab.vm.check(_LOCKS[case.detail])
            run.fired.append(lab.vm.check("ls -l /run/raidtui.lock").stdout.strip())
        case "second":
            _hook(run, "after", "intent", where, f"second {case.detail}")
        case "replayed" if case.step == "apply":
            _hook(run, "after", "intent", moment(plan, "S4"), "kill")
        case "other-host":
            _other_host(run)
        case "deed":
            deeds_lab.inject(run)
        case "reboot" | "replayed" | "leftover" | "in-use" if case.step in ("plan", "done"):
            pass  # before the plan, or after the build
        case _ if case.step == "apply":
            _identity_now(run)
        case _:
            _identity_at(run, where)


def after_the_build(run: Run) -> None:
    """What belongs to the fault and comes after the first executor's end."""
    case, vm = run.case, run.lab.vm
    match case.fault, case.detail or case.when:
        case "deed", _:
            deeds_lab.after_the_build(run)
        case "reboot", _:
            _reboot(run)
        case "replayed", "after it was taken back":
            run.execute("undo")
        case "tampered", _ if case.when == "run directory":
            path = f"/var/lib/raidtui/{run.plan.run_id}/plan.json"
            vm.put(path, _tampered(run, vm.get(path).decode()).encode(), 0o600)


def heal(run: Run) -> None:
    """The cable is seated anew: the disk answers, and udev looks at it again."""
    case, vm = run.case, run.lab.vm
    if (case.fault, case.step) == ("read-error", "S12"):
        run.lab.hardware.inject(run.serial)
        return
    vm.check(
        "for d in /sys/block/sd*/device; do grep -q offline $d/state || continue; echo running > $d/state; "
        "echo 1 > $d/rescan; done; udevadm trigger --settle --subsystem-match=block"
    )


def proof_at_the_end(run: Run) -> None:
    """md found the unreadable sector and wrote it anew."""
    if run.case.fault == "read-error" and run.case.detail == "middle":
        said = run.lab.vm.run(_CORRECTED, timeout=200)
        run.check(said.exit == 0, "md met no unreadable sector")
        run.fired.append(said.stdout.strip())


# When.


def _hook(run: Run, side: str, kind: str, where: Moment, do: str) -> None:
    kind = "step" if where.action == 0 and kind == "intent" else kind
    run.hooks.append((side, kind, where.step, where.action if kind in ("intent", "result") else 0, do))


def _end_at(run: Run, where: Moment) -> None:
    how = run.case.fault
    match run.case.when, where.action:
        case "before intent", _:
            _hook(run, "before", "intent", where, how)
        case "after intent", 0:
            _hook(run, "after", "step", where, how)
        case "during", 0:
            _hook(run, "after", "step", where, f"question {how}")
        case "after command", 0:
            _hook(run, "before", "proven", where, how)
        case "after done", _:
            _hook(run, "after", "proven", where, how)
        case when, _:
            side = {"after intent": "before", "during": "during", "after command": "after"}[when]
            run.faults.append(Fault(kind=how, side=side, words=where.argv))  # type: ignore[arg-type]


# Disks.


def _disk_error(run: Run, where: Moment) -> None:
    """Every access fails, but where md or a check alone has to meet it: there a sector cannot be read."""
    case, lab = run.case, run.lab
    offline = f"echo offline > /sys/block/$(basename $(readlink -f {lab.vm.disk_path(run.serial)}))/device/state"
    if case.fault == "read-error" and (case.detail == "middle" or case.step == "S12"):
        lab.called = lambda: _bad_sector(run)
        _hook(run, "after", "step", where, "host")
    elif case.step == "apply":
        before = lab.inventory()
        lab.vm.check(offline)
        run.fired += injectors.evidence(before, lab.inventory())
    elif case.detail == "middle" and case.step in ("S1", "S2", "S3", "S4"):  # what meets the middle is the first sync
        created = "S4" if case.disk == "member-b" else "S3"
        _hook(run, "after", "proven", moment(run.plan, created), f"shell {offline}")  # type: ignore[arg-type]
    else:
        _hook(run, "after", "step", where, f"shell {offline}")


def _bad_sector(run: Run) -> None:
    """The superblock, or a sector amid the array that its first sync alone comes to."""
    vm, serial = run.lab.hardware, run.serial
    if run.case.step == "S12":
        vm.inject(serial, BadSector("read", sector=_SUPERBLOCK))
        return
    vm.check("dmesg --clear")  # what earlier cases met proves nothing
    sector = run.plan.prediction.arrays[0].data_offset_sectors + 64 * MIB // 512
    # QEMU tells ENODATA as an unreadable medium; what it tells EIO as is tried again by the kernel, and read then
    vm.inject(serial, BadSector("read", sector=sector, once=True, errno=errno.ENODATA))


def _slow(run: Run) -> None:
    vm, serial = run.lab.hardware, run.serial
    if run.case.fault == "slow":
        vm.throttle(serial, bytes_per_s=MIB, requests_per_s=60)
        run.fired.append(f"{serial} does 1 MiB and 60 requests a second")
    else:
        vm.throttle(serial, bytes_per_s=1)
        run.fired.append(f"{serial} does not answer for {_SILENCE:.0f} s")
        run.lab.later = (time.monotonic() + _SILENCE, lambda: vm.throttle(serial))


def _identity_now(run: Run) -> None:
    """Another disk than the one that was planned with, when the build begins."""
    case, lab = run.case, run.lab
    before = lab.inventory()
    match case.fault:
        case "permuted":
            lab.reboot(3)
        case "in-use":
            lab.ask("occupy", how=case.detail, disk=lab.vm.disk_path(run.serial))
        case "re-signed":
            lab.ask("leave", what="xfs", disk=lab.vm.disk_path(run.serial))
        case "remounted":
            lab.ask("occupy", how="mounted", disk=lab.vm.disk_path(run.serial))
        case _:
            _exchange(run)
    lab.vm.check("udevadm settle")
    run.fired += injectors.evidence(before, lab.inventory())


def _identity_at(run: Run, where: Moment) -> None:
    """The same in the middle of the build."""
    disk = member(run.plan, run.case.disk or "member-b")
    match run.case.fault:
        case "permuted":
            _hook(run, "after", "step", where, f"strike renumber {disk}")
        case "re-signed":
            _hook(run, "after", "step", where, f"strike re-sign {disk} xfs")
        case "remounted":
            _hook(run, "after", "step", where, f"strike use {disk} mounted")
        case "removed" | "replaced" | "resized" | "duplicated":
            run.lab.called = lambda: _exchange(run)
            _hook(run, "after", "step", where, "host")
        case fault:
            raise LabError(f"{run.case.id}: {fault} cannot be done here")


def _exchange(run: Run) -> None:
    vm, serial = run.lab.hardware, run.serial
    wwn = next(disk.wwn for disk in run.plan.disks if disk.serial == serial)
    twin = Disk(serial=OTHER, wwn=int(wwn or "", 16), bytes=DISK_BYTES)
    match run.case.fault:
        case "removed":
            vm.unplug(serial)
        case "replaced":
            vm.unplug(serial)
            vm.plug(replace(twin, wwn=0x5000C500DEAD0001))
        case "duplicated":
            vm.plug(twin)
        case "resized":
            sector = DISK_BYTES // 512
            vm.resize(serial, DISK_BYTES - 8 * MIB)
            vm.check(
                f"for i in $(seq 100); do grep -Lx {sector} /sys/block/sd*/size | grep -q . && break; sleep 0.1; done"
            )
        case _:
            raise LabError(f"{run.case.id}: {run.case.fault} exchanges no disk")
    vm.check("udevadm settle")


# The directory of the run, the plan's file, surroundings.


def _no_room(run: Run, where: Moment) -> None:
    case, vm = run.case, run.lab.vm
    number = _ERRNOS[case.fault]
    match case.detail, case.fault:
        case "create", "EIO":
            run.create_errno = number
        case "create", fault:
            vm.check(f"mkdir -p /var/lib/raidtui; {_NO_ROOM[fault]}")
            run.fired.append(vm.check("findmnt -no FSTYPE,OPTIONS /var/lib/raidtui").stdout.strip())
        case "output", "EIO":
            _hook(run, "after", "intent", where, f"errno {number} fsync")
        case "output", _:
            _hook(run, "after", "step", where, f"errno {number} open")
        case _:
            _hook(run, "before", case.when, where, f"errno {number} {'fsync' if case.fault == 'EIO' else 'pwrite'}")


def _tampered(run: Run, text: str) -> str:
    """The plan's file with the case's change; but for `digest` and `not json` with a digest that fits it."""
    what = run.case.detail
    fields = json.loads(text)
    bystander = next(disk.id for disk in run.lab.inventory().disks if disk.serial == BYSTANDERS[0])
    injectors._changed(fields, what, bystander)
    made = json.dumps(fields)
    if what not in ("digest", "not json"):
        plan = from_json(Plan, made, source="tampered")
        made = to_json(replace(plan, digest=document_digest(plan)))
    run.fired.append(f"the plan's file: {what} changed")
    return made if what != "not json" else made[: len(made) // 2]


def _other_host(run: Run) -> None:
    name = "hostname elsewhere; hostname"
    number = "tr 0-9a-f 1-9a-f0 < /etc/machine-id > /run/id; cat /run/id > /etc/machine-id; cat /run/id"
    run.fired.append(run.lab.vm.check(name if run.case.detail == "host" else number).stdout.strip())


def _reboot(run: Run) -> None:
    """Days later: synced, a file of the user on it, then booted anew, perhaps with disks missing or a new name."""
    vm, what = run.lab.vm, run.case.detail
    # an array that is not in sync yet and short of a member does not start at boot (the plan's note first-sync)
    vm.check(_SYNC_NOW, timeout=400)
    vm.check("echo kept > /srv/data/kept.txt; sync")
    if what == "hostname":
        vm.check("echo renamed > /etc/hostname")
    missing = int(what[0]) if what[0].isdigit() else 0
    serials = {disk.id: disk.serial or "" for disk in run.plan.disks}
    run.lab.reboot(5, without=[serials[each] for each in run.plan.arrays[0].members[:missing]])
    run.fired.append(f"booted anew: {what}")
    seconds = 5 if missing > 2 else 150  # mdadm's last resort starts a degraded array half a minute late
    wait = f"for s in $(seq {seconds}); do [ -e /srv/data/kept.txt ] && exit 0; sleep 1; done; exit 1"
    there = vm.run(wait, timeout=300).exit == 0
    run.check(there is (missing <= 2), f"the user's file is {'' if there else 'not '}there after the boot")
