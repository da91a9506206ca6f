"""Whether mdadm.conf, the initramfs images, fstab and a monitor know an md array. What was not read is unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from raidtui.advice.arrays import words
from raidtui.advice.boot.configuration import readings, statements_of
from raidtui.advice.boot.next_boot import assembles, named_in
from raidtui.programs import cryptsetup, mdadm_conf, mount
from raidtui.programs.cryptsetup import CrypttabLine
from raidtui.programs.mount import Entry
from raidtui.programs.names import RUN_ID, array_uuid, begin_line
from raidtui.values.arrays import ArrayMember, KnownBy, MemberState, ObservedArray, ObservedArrays, OnArray
from raidtui.values.choices import Initramfs
from raidtui.values.facts import BootArray, BootArrays, BootMember, Configuration, Image, TextFile
from raidtui.values.findings import Finding, errors, warnings
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.location import Location
from raidtui.values.plan import partition_path
from raidtui.values.safe import safe

_NO_UUID = KnownBy(answer="unknown", why="the UUID of the array is not known")
_MEMBERS = ("LVM2_member", "crypto_LUKS", "linux_raid_member", "zfs_member", "bcache", "")
"""content that fstab does not name"""
_UNWATCHED = ("raid0", "linear", "container")
"""levels that mdadm --monitor leaves alone (Monitor.c: Wrong-Level)"""
_BEGIN = re.compile(f"^{begin_line(f'({RUN_ID.pattern})', '')}", re.MULTILINE)


def in_conf(
    found: Configuration, uuid: str, path: str, members: Sequence[str], label: str = "", minor: int | None = None
) -> KnownBy:
    """Whether an ARRAY line of the mdadm.conf that is read names the array; `members`: paths of its devices.

    `label`: its name in the superblock; empty: not known. `minor`: the number in superblocks of 0.90."""
    if not uuid:
        return _NO_UUID
    answers = [(place, _named(files, uuid, path, members, label, minor)) for place, files in readings(found)]
    if len({each.answer for _, each in answers}) == 1:
        return answers[0][1]
    said = "; ".join(f"{place}: {each.answer} ({each.why})" for place, each in answers)
    return KnownBy(answer="unknown", why=f"which mdadm.conf is read is not known ({found.why}): {said}")


def _named(
    files: Sequence[TextFile], uuid: str, path: str, members: Sequence[str], label: str, minor: int | None
) -> KnownBy:
    lines = mdadm_conf.array_lines(statements_of(files))
    matching = [line for line in lines if line.matches(uuid, members, label, minor)]
    named = next((line for line in lines if path and mdadm_conf.same_name(line.device, path)), None)
    places = " and ".join(line.statement.place for line in matching)
    if len(matching) > 1:
        return KnownBy(answer="no", why=f"{places} both match it: mdadm assembles neither")
    if matching:
        ignored = matching[0].ignored
        return KnownBy(answer="no" if ignored else "yes", why=f"{places} has mdadm ignore it" if ignored else places)
    if named is not None and named.name and not (named.uuid or label):
        return KnownBy(answer="unknown", why=f"{named.statement.place} goes by a name that was not read")
    if named is not None:
        return KnownBy(answer="no", why=f"{named.statement.place} has its name, not its UUID")
    where = ", ".join(file.path for file in files)
    return KnownBy(answer="no", why=f"no ARRAY line in {where}" if where else "there is no mdadm.conf")


def runs_named(files: Sequence[TextFile], folders: Iterable[str]) -> tuple[str, ...]:
    """Ids of raidtui's runs: of the lines that they wrote into these files, and of these names of folders."""
    written = (run for file in files for run in _BEGIN.findall(file.text))
    return tuple(dict.fromkeys((*written, *filter(RUN_ID.fullmatch, folders))))


def built_by(runs: Iterable[str], uuid: str, label: str) -> str:
    """Which of the runs gave an array its UUID; empty for none. Its name in the superblock is `label`, `host:data`.

    That UUID is a hash of the run's id and the array's name, so that a copied line or folder proves nothing false."""
    name = label.rpartition(":")[2]
    return next((run for run in runs if uuid and array_uuid(run, name) == uuid), "")


def in_initramfs(images: Sequence[Image], uuid: str, command_line: str) -> KnownBy:
    """Whether every image that assembles the array, with this command line of the kernel, names it."""
    if not uuid:
        return _NO_UUID
    assembling = [image for image in images if assembles(image, command_line, uuid)]
    if lacking := [image.path for image in assembling if uuid not in named_in(image)]:
        return KnownBy(answer="no", why=f"not named in {', '.join(lacking)}")
    if unread := [image for image in images if image.problem]:
        return KnownBy(answer="unknown", why=f"{unread[0].path}: {unread[0].problem}")
    if assembling:
        return KnownBy(answer="yes", why=", ".join(image.path for image in assembling))
    if images:
        return KnownBy(answer="not-needed", why="no image assembles it: udev does after the root file system")
    return KnownBy(answer="unknown", why="no initramfs image of an installed kernel in /boot")


def at_boot(findings: Sequence[Finding], name: str) -> KnownBy:
    """Whether the next boot starts the array `name` from its members, by what advice/boot found."""
    about = [each for each in findings if each.subject in ("", name)]
    if wrong := errors(about):
        return KnownBy(answer="no", why=wrong[0].message.rstrip("."))
    doubts = "".join(f"; warning: {each.message.rstrip('.')}" for each in warnings(about) if each.subject)
    return KnownBy(answer="yes", why=f"mdadm may look at all of its members{doubts}")


def in_fstab(text: str, stack: Sequence[OnArray], leads_to: Callable[[str], str]) -> KnownBy:
    """Whether a line names each file system and swap area; `leads_to`: name of the device behind a path."""
    content = [each for each in stack if each.content not in _MEMBERS and not each.content.endswith("_raid_member")]
    if not content:
        return KnownBy(answer="not-needed", why="no file system or swap area on it")
    places, missing = [], []
    for each in content:
        line = next((entry for entry in mount.entries(text) if _is_for(entry, each, leads_to)), None)
        places += [f"{mount.PATH} line {line.line}"] if line else []
        missing += [] if line else [f"{each.content} on /dev/{each.name}"]
    if missing:
        return KnownBy(answer="no", why=f"no line for {', '.join(missing)}")
    return KnownBy(answer="yes", why=", ".join(places))


def in_crypttab(text: str | None, stack: Sequence[OnArray], leads_to: Callable[[str], str]) -> KnownBy | None:
    """Whether a line names each LUKS volume, by UUID or by a path to it; None where there is none.

    `text`: of crypttab, empty without such a file, None where it could not be read.
    """
    volumes = [each for each in stack if each.content == cryptsetup.KIND]
    if not volumes:
        return None
    if text is None:
        return KnownBy(answer="unknown", why=f"{cryptsetup.PATH} could not be read")
    places, missing = [], []
    for each in volumes:
        line = crypttab_line(text, each, leads_to)
        places += [] if line is None else [f"{cryptsetup.PATH} line {line.number}"]
        missing += [f"/dev/{each.name}"] if line is None else []
    if missing:
        return KnownBy(answer="no", why=f"no line for {', '.join(missing)}")
    return KnownBy(answer="yes", why=", ".join(places))


def crypttab_line(text: str, volume: OnArray, leads_to: Callable[[str], str]) -> CrypttabLine | None:
    """The first line of crypttab about this LUKS volume, by UUID or by a path to it."""
    ways = {f"UUID={volume.uuid}", f"/dev/disk/by-uuid/{volume.uuid}"} if volume.uuid else set()
    names = (volume.device, volume.name, volume.name.removeprefix("mapper/"))
    return next(
        (
            each for each in cryptsetup.lines_of(text)
            if each.device in ways or (each.device[:1] == "/" and leads_to(each.device) in names)
        ),
        None,
    )  # fmt: skip


def _is_for(entry: Entry, each: OnArray, leads_to: Callable[[str], str]) -> bool:
    """True for a line about the device: by its content, by a path to it, by its partition.

    A partition that udev has no link to is known by where it is mounted."""
    if entry.source in {f"UUID={each.uuid}", f"LABEL={each.label}"} - {"UUID=", "LABEL="}:
        return True
    path = mount.source_path(entry.source)
    led = leads_to(path) if path else ""
    if path and not led and not entry.source.startswith("/"):
        return entry.mount_point in each.mount_points
    return bool(led) and led in (each.device, each.name.removeprefix("mapper/"))


def monitored(watching: str | None, level: str, unread: str) -> KnownBy:
    """Whether a monitor watches it; `watching`: which one runs, None where none does; `unread`: why that is unknown."""
    if level in _UNWATCHED:
        return KnownBy(answer="not-needed", why=f"mdadm --monitor does not watch {level}")
    if watching is not None:
        return KnownBy(answer="yes", why=watching)
    if unread:
        return KnownBy(answer="unknown", why=unread)
    return KnownBy(answer="no", why="mdmonitor.service is not active, and no process runs mdadm --monitor")


# Arrays that exist as the next boot is to find them: the other source of what advice/boot judges, beside a plan.


_BOOT_MEMBERS: tuple[MemberState, ...] = ("in-sync", "rebuilding", "replacement", "idle")
_BESIDE: tuple[MemberState, ...] = ("spare", "journal")
_GONE: tuple[MemberState, ...] = ("dropped", "faulty")
"""md writes no superblock to a faulty member any more: a boot finds it as it finds one that was removed"""


def observed_arrays(
    seen: ObservedArrays, inventory: Inventory, family: Initramfs, uuids: Collection[str] = ()
) -> BootArrays:
    """The arrays that run, those of `uuids` where some are named; of IMSM and DDF none, whose containers hold disks.

    `family`: what rebuilds the machine's initramfs.
    """
    disks = {disk.kernel_name: disk for disk in inventory.disks if disk.kernel_name}
    arrays = [
        each
        for each in seen.arrays
        if each.size_bytes and each.uuid and not each.metadata.startswith("external") and "container" not in each.states
    ]
    return BootArrays(
        host=seen.host,
        family=family,
        lines="as-found",
        arrays=tuple(_array(each, disks) for each in arrays if not uuids or each.uuid in uuids),
    )


def _array(array: ObservedArray, disks: dict[str, Disk]) -> BootArray:
    def those(states: Collection[MemberState]) -> tuple[BootMember, ...]:
        found = (each for each in (*array.members, *array.removed) if each.device and each.state in states)
        return tuple(_member(each, disks) for each in found)

    slots = [each.slot for each in array.members if each.slot is not None]
    return BootArray(
        name=words.name(array), uuid=array.uuid, device=array.path, label=array.label, metadata=array.metadata,
        level=array.level, devices=array.devices or len(set(slots)), layout=array.layout,
        members=those(_BOOT_MEMBERS), spares=those(_BESIDE), removed=those(_GONE),
    )  # fmt: skip


def _member(member: ArrayMember, disks: dict[str, Disk]) -> BootMember:
    disk, node = disks.get(member.disk), f"/dev/{member.device.replace('!', '/')}"
    number = member.device.removeprefix(member.disk).removeprefix("p") if member.disk else ""
    part = int(number) if number.isdecimal() else 0
    if disk is None or (member.device != member.disk and not part):
        return BootMember(
            id=node, path=node, device=member.device, words="" if member.device[:2] == "md" else _words(None, None),
            superblock=member.superblock,
        )  # fmt: skip
    path = (partition_path(disk.path, part) if part else disk.path) if disk.path else node
    return BootMember(
        id=disk.id, path=path, disk_path=disk.path if part else "", number=part, device=member.device,
        words=_words(member.place.slot, member.serial), superblock=member.superblock,
    )  # fmt: skip


def _words(slot: str | None, serial: str | None) -> str:
    place = f"{safe(Location.in_plan(slot, '').text, longest=40)}, " if slot else ""
    return f"{place}serial {safe(serial or 'unknown', longest=40)}"
