"""The canonical build on a simulated machine: twelve targets, four bystanders, the plan, and pictures of what it is.

Targets are two RAID6 of five and two shared spares. Bystanders are a disk with ext4 and data, both halves of a
mirror of somebody else, and one of an exported pool. All of them are blank or filled before anything is planned.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from raidtui.predict.design import predict
from raidtui.steps.build import compile_plan
from raidtui.values.design import Design, Partitions
from raidtui.values.inventory import Disk, DiskPath, Inventory, Multipath, Place
from raidtui.values.notation import parse
from raidtui.values.plan import Command, Plan, WriteFile
from raidtui.values.units import MIB
from tests.faults.case import Step
from tests.planner.plans import disks
from tests.simulated.machine import FaultyMachine

_MEMORY = Path("/dev/shm")
IN_MEMORY = _MEMORY if _MEMORY.is_dir() else None
"""where a journal's many waits for the disk cost nothing"""
HOST = "host"
RUN_ID = "0f" * 16
OTHER_RUN_ID = "1e" * 16
FAST = 1e7
"""seconds that pass on the machine in one of an executor's waits: every sync ends in it"""
DAYS = 30 * 86_400.0
USER_FILE, USER_TEXT = "/srv/data/letter.txt", "written by somebody\n"
MIRROR = "5a5a5a5a:5a5a5a5a:5a5a5a5a:5a5a5a5a"
_SEATED = tuple(replace(each, place=Place(slot=str(number))) for number, each in enumerate(disks(16), start=1))


def map_of(found: Disk, number: int) -> Disk:
    """The disk as multipathd joins it of two paths: dm-NUMBER."""
    wwid = f"3{(found.wwn or '').removeprefix('0x')}"
    paths = tuple(DiskPath(kernel_name=f"{found.kernel_name}{path}", state="active") for path in "ab")
    return replace(
        found, id=f"mpath-{wwid}", by_id=(f"dm-uuid-mpath-{wwid}",), kernel_name=f"dm-{number}",
        multipath=Multipath(name=f"mpath{number}", paths=paths, policy="service-time"),
    )  # fmt: skip


_LARGER = (1, 4, 5)
"""disks of the hybrid layout that reach into its second band"""
_MIXED = tuple(
    replace(each, size_bytes=2 * each.size_bytes) if number in _LARGER else each for number, each in enumerate(_SEATED)
)

_JOINED = (*(map_of(each, number) for number, each in enumerate(_SEATED[:12])), *_SEATED[12:])
"""targets with two paths, which udev does not leave alone while they are locked"""
_ABLE = tuple(replace(each, write_zeroes_max_bytes=2**31) for each in _SEATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A machine before the build, as text, and the plan made on it."""

    machine: str
    plan: Plan

    @property
    def targets(self) -> tuple[str, ...]:
        """Identities of the disks of the plan."""
        return tuple(disk.id for disk in self.plan.disks)

    def fresh(self) -> FaultyMachine:
        """The machine before the build."""
        return FaultyMachine.from_json(self.machine, speed_up=FAST)


@cache
def canonical(fs: str = "xfs") -> Scene:
    """Two RAID6 of 3+2 and two spares, LVM over both, one file system, mounted."""
    machine = with_bystanders(_SEATED, targets=12)
    return Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(3+2)+2", fs=fs))


@cache
def over_zeroes(fs: str = "xfs") -> Scene:
    """The canonical build, of arrays that are created over zeroes."""
    machine = with_bystanders(_ABLE, targets=12)
    return Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(3+2)+2", fs=fs, first_sync="zeroes"))


@cache
def other(name: str) -> Scene:
    """Eleven other layouts; seven of them over disks that hold old content.

    `zeroes` are two arrays created over zeroes instead of a first sync; `bands` is a RAID5 over five disks and a RAID1
    over the two that are larger, with a spare as large as those; `maps` are multipath disks; `left`
    are partitions behind 64 MiB that are left to others; `journal` are two arrays with a write journal each, `mirror`
    two of which each has its own on a mirror; `plain` is LVM over disks without md.
    """
    layouts: dict[str, tuple[str, dict[str, Any]]] = {
        "raid10": ("raid10(4,n2)+1", {"fs": "ext4"}),
        "stack": ("2x(2+1)+1", {"stack": "md"}),
        "separate": ("2x(2+1)+2", {"stack": "separate"}),
        "partitions": ("2x(2+1)+1", {"partitions": Partitions()}),
        "left": ("(2+1)", {"partitions": Partitions(leave_bytes=64 * MIB)}),
        "bands": ("hybrid(5)+1", {}),
        "zeroes": ("2x(2+1)+1", {"first_sync": "zeroes"}),
        "maps": ("2x(2+1)+1", {"stack": "separate"}),
        "journal": ("2x(2+1)+1", {"journal": 1}),
        "mirror": ("2x(2+1)+1", {"journal": 2}),
        "plain": ("3x disk", {}),
    }
    layout, design = layouts[name]
    count = Design(layout=parse(layout), **design).disks
    seated = {"bands": _MIXED, "zeroes": _ABLE, "maps": _JOINED}.get(name, _SEATED)
    machine = with_bystanders(seated, targets=count)
    if name in ("raid10", "partitions", "bands", "zeroes", "maps", "journal", "mirror"):
        last = "fs-in-old-array" if name == "raid10" else "md-1.0"
        for place, left in enumerate(("md-1.2", "gpt", "ext4", last)):
            machine.leave(seated[place].id, left)  # type: ignore[arg-type]
    return Scene(machine=machine.to_json(), plan=plan_on(machine, layout, **design))


def with_bystanders(seated: tuple[Disk, ...], targets: int) -> FaultyMachine:
    """A machine with `targets` blank disks and, behind them, four that are somebody's."""
    kept = (*seated[:targets], *seated[12:16])
    found = Inventory(origin="chassis", name=HOST, machine_id="f" * 32, disks=kept)
    machine = FaultyMachine(found, speed_up=FAST)
    ext4, left, right, pool = (disk.id for disk in kept[targets:])
    machine.leave(ext4, "ext4")
    machine.leave(ext4, "data")
    machine.occupy(pool, "zfs-exported")
    for argv in _mirror(left, right):
        assert machine.run(argv, _null()) == 0, argv
    machine.advance(DAYS)
    machine.reboot()
    return machine


def plan_on(machine: FaultyMachine, layout: str, *, run_id: str = RUN_ID, **design: Any) -> Plan:
    """The plan of `layout` on the first disks of the machine."""
    found = machine.inventory()
    asked = Design(layout=parse(layout), **design)
    taken = found.disks[: asked.disks]
    return compile_plan(
        asked, found, taken, predict(asked, taken), run_id=run_id, name="data", mount_point="/srv/data", host=HOST
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The command that a step of the matrix is struck at."""

    step: int
    """number of the plan's step"""
    action: int
    """number of the action; 0 where the step only asks"""
    argv: tuple[str, ...]


def moment(plan: Plan, step: Step) -> Moment:
    """Where the matrix' step is in the plan."""
    stage, title, words = _WHERE[step]
    found = next(each for each in plan.steps if each.stage == stage and title in each.title)
    for number, action in enumerate(found.actions, start=1):
        argv = action.argv if isinstance(action, Command) else ("write", action.path)
        if argv[: len(words)] == words:
            return Moment(step=found.number, action=number, argv=argv)
    return Moment(step=found.number, action=0, argv=())


_WHERE: dict[Step, tuple[str, str, tuple[str, ...]]] = {
    "S1": ("wipe", "", ("blkdiscard",)),
    "S2": ("save", "", ("env",)),
    "S3": ("create", "data-0", ("mdadm", "--create")),
    "S4": ("create", "data-1", ("mdadm", "--create")),
    "S5": ("spare", "", ("mdadm", "--manage")),
    "S6": ("volume", "", ("vgcreate",)),
    "S7": ("volume", "", ("lvcreate",)),
    "S8": ("format", "", ("mkfs.xfs",)),
    "S9": ("mount", "", ("mount",)),
    "S10": ("configure", "Add the arrays", ("write",)),
    "S11": ("configure", "Add the arrays", ("update-initramfs",)),
    "S12": ("verify", "", ("nothing",)),
}
"""stage, a part of the title, first words of the command; the last step only asks"""


def last_command(plan: Plan) -> Moment:
    """The last command before everything is read back: where a tool can lie last."""
    step = plan.steps[-2]
    action = step.actions[-1]
    assert not isinstance(action, WriteFile)
    return Moment(step=step.number, action=len(step.actions), argv=action.argv)


def member(plan: Plan, which: str) -> str:
    """Identity of the disk that a case names."""
    array, spare = {"member-a": (0, False), "member-b": (1, False), "spare": (0, True)}[which]
    return (plan.arrays[array].spares if spare else plan.arrays[array].members)[0]


def picture(machine: FaultyMachine, targets: tuple[str, ...]) -> dict[str, Any]:
    """Everything that lasts, once all syncs have ended: without times, counters, kernel names and random numbers."""
    twin = FaultyMachine.from_json(machine.to_json())
    twin.advance(DAYS)
    state = json.loads(twin.to_json())["state"]
    drives = {drive["key"]: drive for drive in state["drives"]}
    names = {key: drive["disk"]["id"] for key, drive in drives.items()}
    names |= {array["name"]: array["link"] or array["name"] for array in state["arrays"]}  # below other arrays
    return {
        "disks": {
            drive["disk"]["id"]: [_mark(mark) for mark in _sorted(drive["marks"])]
            for drive in drives.values()
            if drive["disk"]["id"] in targets
        },
        "arrays": {array["link"] or array["name"]: _array(array, names) for array in state["arrays"]},
        "groups": [{name: group[name] for name in ("name", "physical", "extent_bytes")} for group in state["groups"]],
        "volumes": [
            {name: volume[name] for name in ("name", "tag", "stripes", "stripe_bytes", "extents", "active")}
            for group in state["groups"]
            for volume in group["volumes"]
        ],
        "mounts": sorted((mount["place"], mount["uuid"]) for mount in state["mounts"]),
        "files": state["files"],
        "folders": sorted(state["folders"]),
        "units": state["units"],
        "initramfs": state["initramfs"],
        "rules": state["rules"],
    }


def _sorted(marks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted((mark for mark in marks if mark["kind"] != "data"), key=lambda mark: (mark["offset"], mark["depth"]))


def _mark(mark: dict[str, Any]) -> dict[str, Any]:
    block = mark.get("superblock")
    kept = {name: mark[name] for name in ("kind", "offset", "length", "uuid", "facts", "depth")}
    kept["texts"] = {path: text for path, text in mark["texts"].items() if not USER_FILE.endswith(path)}
    if block is not None:
        config = {name: value for name, value in block["config"].items() if name != "created"}
        kept |= {"config": config} | {name: block[name] for name in ("role", "in_sync", "recovered", "roster")}
    return kept


def _array(array: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    keys = ((each["key"], each["key"].partition("p")[0], each) for each in array["members"])
    members = {names.get(key, names.get(disk, key)): (each["role"], each["state"]) for key, disk, each in keys}
    kept = {name: array[name] for name in ("running", "in_sync", "read_ahead_sectors")}
    return kept | {"uuid": array["config"]["uuid"], "members": dict(sorted(members.items()))}


def _mirror(left: str, right: str) -> tuple[tuple[str, ...], ...]:
    create = (
        "mdadm", "--create", "/dev/md/theirs", "--name=theirs", f"--homehost={HOST}", f"--uuid={MIRROR}",
        "--metadata=1.2", "--level=1", "--raid-devices=2", "--bitmap=none", f"/dev/disk/by-id/{left}",
        f"/dev/disk/by-id/{right}",
    )  # fmt: skip
    write = ("blkdiscard", "--zeroout", "--offset=0", "--length=4096", "/dev/md/theirs")
    return create, write


@cache
def _null() -> int:
    import os

    return os.open(os.devnull, os.O_WRONLY)
