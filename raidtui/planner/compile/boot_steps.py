"""What makes it last over a reboot: mdadm.conf, initramfs, fstab and mount, the monitor, the tuning rule."""

from __future__ import annotations

from dataclasses import replace

from raidtui.model.geometry import ArrayGeometry
from raidtui.model.plan import Command, PlanArray, PlanFileSystem, Reading, Step, WriteFile
from raidtui.model.units import KIB, SECTOR, binary_size
from raidtui.planner.compile.step_builder import Build, block, block_facts, fact, only_if
from raidtui.planner.compile.volume_steps import read_ahead_bytes
from raidtui.tools import fstab, identity, initramfs, mdadm, systemd, udev_rule

_STRIPES_CACHED = 16
_LEAST_CACHE = 1024
_MOST_CACHE = 8192
_CACHE_ENTRY = 4 * KIB
SYNC_SPEED_MIN_KIB = 10_000
"""KiB/s a member; the kernel's 1000 lets the rebuild of a 2 TB disk under load take three weeks"""


def conf_step(build: Build) -> Step:
    """mdadm.conf with UUIDs and the spare-group, and an initramfs that has it.

    The group may be armed during first syncs: mdadm's monitor (4.2) neither takes a spare from an array that lacks a
    member nor counts one that rebuilds as lacking a spare, so the recovering last member of a new RAID5 stays where it
    is, and its array lends its real spare from the moment its first build is over.
    """
    path, text = initramfs.mdadm_conf(build.family), conf_text(build)
    newer = initramfs.newer_question(build.family)
    rebuilt = () if newer is None else (fact("setting", f"an initramfs in /boot is newer than {path}", newer, "newer"),)
    return Step(
        number=0,
        stage="configure",
        title=f"Name the arrays in {path} and the initramfs",
        purpose="Arrays are found by UUID under the same names at every boot"
        + (
            ", and the spare-group lets the monitor move a spare to the array that needs it."
            if _grouped(build)
            else "."
        ),
        actions=(block(path, text), initramfs.rebuild(build.family)),
        after=(block_facts(build, path, text), *rebuilt),
        undo=(block(path, ""), initramfs.rebuild(build.family)),
        undo_note="The file as it was before is kept beside the log.",
    )


def conf_text(build: Build) -> str:
    """The plan's lines in mdadm.conf."""
    group = build.names.spare_group if _grouped(build) else None
    lines = [mdadm.array_line(leg.device, build.design.metadata, leg.uuid, group) for leg in build.legs]
    lines += [mdadm.array_line(outer.device, "1.2", outer.uuid) for outer in build.arrays[len(build.legs) :]]
    return mdadm.conf_text(lines)


def mount_step(build: Build) -> Step:
    """fstab lines by UUID, and the mounts themselves."""
    text = fstab_text(build)
    places = ", ".join(made.mount_point for made in build.filesystems)
    return Step(
        number=0,
        stage="mount",
        title=f"Mount on {places}",
        purpose="By UUID from fstab, so that a boot does what is verified here; nofail: a missing array does not "
        "stop the boot; noatime: reads cause no writes.",
        actions=(
            *(fstab.make_directory(made.mount_point) for made in build.filesystems),
            block(fstab.PATH, text),
            systemd.daemon_reload(),
            *(_mounted_by(fstab.mount(made.mount_point), made) for made in build.filesystems),
        ),
        after=(block_facts(build, fstab.PATH, text), *(mounted_reading(made) for made in build.filesystems)),
        undo=(
            *(only_if(mounted_reading(made), fstab.umount(made.mount_point)) for made in reversed(build.filesystems)),
            block(fstab.PATH, ""),
            systemd.daemon_reload(),
        ),
        undo_note="The empty directory stays.",
    )


def trial_mount_step(build: Build) -> Step:
    """A mount in a directory that only root can look into, and that no boot repeats."""
    folder = build.names.state
    return Step(
        number=0,
        stage="mount",
        title=f"Mount below {folder}",
        purpose="In the run's own directory, which only root may enter, and not in fstab: a reboot does not "
        "mount it again.",
        actions=(
            *(
                command
                for made in build.filesystems
                for command in (
                    fstab.make_directory(made.mount_point, 0o700),
                    _mounted_by(fstab.mount_device(made.device, made.mount_point, build.design.fs), made),
                )
            ),
            systemd.settle(),  # whoever measures looks the file system up by udev's links
        ),
        after=tuple(mounted_reading(made) for made in build.filesystems),
        undo=tuple(
            only_if(mounted_reading(made), fstab.umount(made.mount_point)) for made in reversed(build.filesystems)
        ),
        undo_note="The empty directory stays.",
    )


def fstab_text(build: Build) -> str:
    """The plan's lines in fstab."""
    fs = build.design.fs
    return "\n".join(fstab.line(made.uuid, made.mount_point, fs) for made in build.filesystems)


def mounted_reading(made: PlanFileSystem) -> Reading:
    """The file system of the plan is mounted at its place."""
    return fact(
        "mounted",
        f"{made.mount_point} is the file system {made.uuid}",
        fstab.mounted_question(made.mount_point),
        made.uuid,
    )


def _mounted_by(mount: Command, made: PlanFileSystem) -> Command:
    """A mount that is done, too, where systemd was quicker: it mounts what fstab names when the device shows."""
    return replace(mount, done_if=mounted_reading(made))


def monitor_step(build: Build) -> Step:
    """The monitor, with the configuration just written."""
    enable = (systemd.enable(systemd.MONITOR),) if build.family == "dracut" else ()
    return Step(
        number=0,
        stage="monitor",
        title="Monitor the arrays",
        purpose="mdadm's monitor mails when a disk fails"
        + (" and moves spares within the spare-group, which has no effect without it" if _grouped(build) else "")
        + "; it reads its configuration once, so it is started anew. A test message for each array goes the way of "
        "an alarm: whether it arrives, only its reader can see.",
        actions=(
            *enable,
            systemd.restart(systemd.MONITOR),
            mdadm.test_alert([array.device for array in build.legs]),
        ),
        after=(fact("setting", "the monitor runs", systemd.active_question(systemd.MONITOR), "active"),),
        undo=(systemd.try_restart(systemd.MONITOR),),
    )


def tuning_step(build: Build) -> Step:
    """A udev rule, so the values hold after a reboot too."""
    path, text = udev_rule.path(build.names.name), tuning_text(build)
    memory = sum(_cache_bytes(build, geometry) for geometry in build.prediction.arrays)
    same = fact(
        "setting", f"{path} is the one of the plan", identity.digest_question(path), identity.digest_answer(path, text)
    )
    late = " An array that a boot finds short of a member is started half a minute later."
    late = late if any(geometry.level != "raid0" for geometry in build.prediction.arrays) else ""
    cost = f" The stripe cache takes up to {binary_size(memory)} of memory." if memory else ""
    return Step(
        number=0,
        stage="tune",
        title="Tune the arrays",
        purpose="Read-ahead of two full stripes; a stripe cache of sixteen, so that writes combine into full "
        f"stripes; and at least {SYNC_SPEED_MIN_KIB} KiB/s per member for a rebuild under load." + late + cost,
        actions=(
            WriteFile(path=path, text=text),
            udev_rule.reload(),
            *(udev_rule.trigger(array.device) for array in build.arrays),
        ),
        after=(
            same,
            *(
                fact(
                    "setting",
                    f"{array.device} reads {ahead // KIB} KiB ahead",
                    udev_rule.read_ahead_question(array.device),
                    str(ahead // SECTOR),
                )
                for array, ahead in _read_aheads(build)
            ),
        ),
        undo=(
            only_if(same, identity.remove((path,))),
            udev_rule.reload(),
        ),
    )


def tuning_text(build: Build) -> str:
    """The rule file."""
    lines = [f"# Arrays of {build.names.name}, made by raidtui plan {build.names.run_id}."]
    ahead = {array.name: count for array, count in _read_aheads(build)}
    for array, geometry in zip(build.legs, build.prediction.arrays, strict=True):
        cached = _cache_bytes(build, geometry)
        if cached:
            lines.append(f"# {array.name}: the stripe cache takes up to {binary_size(cached)} of memory.")
        lines.append(
            udev_rule.line(
                udev_rule.ArrayTuning(
                    uuid=array.uuid,
                    read_ahead_kib=ahead[array.name] // KIB,
                    stripe_cache_entries=_cache_entries(build) if cached else None,
                    sync_speed_min_kib=None if geometry.level == "raid0" else SYNC_SPEED_MIN_KIB,
                )
            )
        )
        if geometry.level != "raid0":
            lines.append(udev_rule.start_line(array.uuid))
    lines += [
        udev_rule.line(udev_rule.ArrayTuning(uuid=outer.uuid, read_ahead_kib=ahead[outer.name] // KIB))
        for outer in build.arrays[len(build.legs) :]
    ]
    return "\n".join(lines)


def _read_aheads(build: Build) -> list[tuple[PlanArray, int]]:
    legs = len(build.legs)
    return [
        (array, read_ahead_bytes(build, arrays=1 if number < legs else legs))
        for number, array in enumerate(build.arrays)
    ]


def _cache_entries(build: Build) -> int:
    return min(max(_STRIPES_CACHED * build.design.chunk_bytes // _CACHE_ENTRY, _LEAST_CACHE), _MOST_CACHE)


def _cache_bytes(build: Build, geometry: ArrayGeometry) -> int:
    if geometry.level not in ("raid4", "raid5", "raid6"):
        return 0
    return _cache_entries(build) * _CACHE_ENTRY * geometry.members


def _grouped(build: Build) -> bool:
    return build.design.layout.spares > 0 and build.design.layout.arrays > 1
