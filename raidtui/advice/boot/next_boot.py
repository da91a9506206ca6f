"""The one answer to what the next boot does with md arrays; `machine/arrays/boot.py` reads what it judges.

Asked before an act with the arrays as they will be after it: an error refuses the act. Asked again after it with what
is there. An audit asks it of arrays that nobody changes.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from raidtui.advice.boot.configuration import (
    LONG,
    ConfReading,
    NamesByKey,
    check_places,
    check_reading,
    named,
    readings,
    statements_of,
)
from raidtui.programs import initramfs, mdadm_conf, multipath, udev
from raidtui.values.amounts import listed
from raidtui.values.arrays import MdShape
from raidtui.values.facts import Boot, BootArray, BootArrays, BootMember, Configuration, Image, MultipathBoot, TextFile
from raidtui.values.findings import Finding, error, note, some, warning
from raidtui.values.paths import MAP_LINKS
from raidtui.values.plan import Plan, PlanArray, PlanDisk
from raidtui.values.safe import safe
from raidtui.values.survival import starts
from raidtui.values.units import counted, plural

# Arrays as the next boot is to find them: those of a plan, and what an act makes of arrays that exist.
# steps/living.py makes the same value of arrays that were observed.


def planned_arrays(plan: Plan, *, built: bool) -> BootArrays:
    """The arrays of a plan; `built`: they exist, and so must their ARRAY lines."""
    disks = {disk.id: disk for disk in plan.disks}

    def members(array: PlanArray, ids: Collection[str]) -> tuple[BootMember, ...]:
        return tuple(_member(disks[each], array) if each in disks else BootMember(id=each, path=each) for each in ids)

    return BootArrays(
        host=plan.host,
        family=plan.initramfs,
        lines="written" if built else "planned",
        arrays=tuple(
            BootArray(
                name=array.name, uuid=array.uuid, device=array.device, label=f"{plan.host}:{array.name}",
                metadata=plan.design.metadata, level="", devices=len(array.members),
                members=members(array, array.members),
                spares=members(array, [disk for disk in array.disks if disk not in array.members]),
            )
            for array in plan.arrays
        ),
    )  # fmt: skip


def after_act(
    arrays: BootArrays, uuid: str, *, joins: Collection[BootMember] = (), spares: Collection[BootMember] = (),
    leaves: Collection[BootMember] = (), wiped: Collection[BootMember] = (),
) -> BootArrays:  # fmt: skip
    """`arrays` as they will be when an act on the array `uuid` is done.

    `joins` get a slot, `spares` none; `leaves` go out and keep their superblock, but for those that are also `wiped`.
    """
    out, gone = {each.key for each in leaves}, {each.key for each in wiped}
    come = {each.key for each in (*joins, *spares)}

    def changed(array: BootArray) -> BootArray:
        there = {each.key: each for each in (*array.members, *array.spares)}
        left = tuple(there.get(each.key, each) for each in leaves)
        return replace(
            array,
            members=(*(each for each in array.members if each.key not in out | come), *joins),
            spares=(*(each for each in array.spares if each.key not in out | come), *spares),
            removed=tuple(each for each in (*array.removed, *left) if each.key not in gone | come),
        )

    return replace(
        arrays, arrays=tuple(changed(each) if each.uuid == uuid else each for each in arrays.arrays)
    )  # fmt: skip


def _member(disk: PlanDisk, array: PlanArray) -> BootMember:
    parted = disk.table is not None
    return BootMember(
        id=disk.id, path=disk.member_of(array).path, disk_path=disk.path if parted else "",
        number=(array.partition or 1) if parted else 0,
        words=f"{disk.place.text or 'slot unknown'}, serial {safe(disk.serial or 'unknown')}",
    )  # fmt: skip


# What a boot starts from disks that are in an array no more and still carry its superblock.
# Sources: mdadm 4.1 to 4.6, Incremental.c: the devices that mdadm has met so far are compared by event count; the
# newest count, and those with one less, make the array (count_active); one that it thinks complete is started at once,
# one that could run without its missing members after half a minute (mdadm-last-resort@.timer). What comes later is
# left out.


_HERE = "AR"
"""letters of a roster for members that were there: active, being replaced"""


def check_removed(array: BootArray, reading: ConfReading, where: str, *, sure: bool = True) -> Iterator[Finding]:
    """A finding where a boot by this configuration would, or might, start the array from removed disks.

    `where`: the file that has the configuration. `sure`: the next boot goes by it, so that it is an error.
    """
    old = [each for each in array.removed if reading.allows(each)]
    if not old or not array.members:
        return
    current = [each for each in array.members if reading.allows(each)]
    enough, complete = _could_run(array, old), _seems_complete(array, old)
    verb, many = ("carries", "is") if len(old) == 1 else ("carry", "are")
    device, them = safe(array.device), "it" if len(old) == 1 else "them"
    carry = f"{named(old, reading.names)} {verb} the superblock of {device} and {many} not in it"
    carry += _counts(old, array.members)
    start = f"start {device} from {them}, with what was on {them} then"
    if enough and not current:
        members = some([safe(each.path) for each in array.members], _FEW)
        yield (error if sure else warning)(
            "old-member-starts",
            f"{carry}; {where} lets mdadm look at {them} and at no member: a boot would {start}.",
            f"allow {members} in the DEVICE line, or remove the line, and rebuild the initramfs; pull what was removed "
            "before the next boot",
            array.name,
        )
    elif enough and _ahead(old, current):
        yield error(
            "old-member-starts",
            f"{carry}: mdadm takes the higher count for the newer, and a boot would {start}.",
            f"find out which side has the data (raidtui arrays); {_KEEP}",
            array.name,
        )
    elif complete and current:
        yield warning(
            "old-member-starts",
            f"{carry}: by {where} a boot that meets {them} before the members would {start}.",
            f"{_KEEP}; once nothing on what was removed is needed, mdadm --zero-superblock on it",
            array.name,
        )


_KEEP = "pull what was removed before the next boot, or name the members alone in a DEVICE line"
_FEW = 4
"""devices that a way out names one by one"""


def _counts(old: Sequence[BootMember], members: Sequence[BootMember]) -> str:
    """` (event counts 50 and 48, of members 56)`; what was not read is left out."""
    gone = [str(each.superblock.events) for each in old if each.superblock is not None]
    most = _newest(members)
    if not gone:
        return " (its superblock was not read)" if len(old) == 1 else " (their superblocks were not read)"
    ours = f", of its members {most}" if most is not None else ""
    return f" ({plural('event count', len(gone))} {listed(gone)}{ours})"


def _newest(devices: Sequence[BootMember]) -> int | None:
    counts = [each.superblock.events for each in devices if each.superblock is not None]
    return max((count for count in counts if count is not None), default=None)


def _group(old: Sequence[BootMember]) -> list[BootMember]:
    """Those of the removed disks that mdadm puts together: the newest and those one behind; unread ones may be."""
    newest = _newest(old)
    return [
        each
        for each in old
        if each.superblock is None
        or (each.superblock.role is not None and (each.superblock.events or 0) >= (newest or 0) - 1)
    ]


def _slots(group: Sequence[BootMember]) -> int:
    """Slots of the array that they fill."""
    read = {each.superblock.role for each in group if each.superblock is not None}
    return len(read) + sum(each.superblock is None for each in group)


def _could_run(array: BootArray, old: Sequence[BootMember]) -> bool:
    """True where these could run the array by themselves, as far as is known."""
    group = _group(old)
    filled = _slots(group)
    if filled >= array.devices:
        return True
    blocks = [each.superblock for each in group if each.superblock is not None]
    shape = MdShape(level=array.level, devices=array.devices, layout=array.layout)
    dirty = any(block.clean is False for block in blocks) and bool(shape.parity)
    if not filled or dirty:  # md does not start a parity array that lacks a member and was in use
        return False
    gone = sorted(set(range(array.devices)).difference(block.role for block in blocks if block.role is not None))
    unread = filled - len({block.role for block in blocks})
    if unread and shape.level == "raid10":  # which slots they have decides
        return True
    return starts(shape, gone[unread:]) is not False


def _seems_complete(array: BootArray, old: Sequence[BootMember]) -> bool:
    """True where mdadm finds all members among these that the newest of them lists."""
    group = _group(old)
    blocks = [each.superblock for each in group if each.superblock is not None]
    newest = max(blocks, key=lambda block: block.events or 0, default=None)
    roster = "" if newest is None else newest.roster
    wanted = sum(letter in _HERE for letter in roster) if roster else array.devices
    return bool(group) and _slots(group) >= wanted


def _ahead(old: Sequence[BootMember], current: Sequence[BootMember]) -> bool:
    """True where the newest of the removed disks is known to count more events than the members."""
    theirs, ours = _newest(old), _newest(current)
    return theirs is not None and ours is not None and theirs > ours


# What assembles arrays at boot beside the root file system's mdadm.conf: udev rules, command line, initramfs.
# A udev rule assembles the disks: in the initramfs if that contains mdadm and, where dracut made it, the command line
# asks for the array; else once the root file system is mounted. Both use mdadm.conf, each its own copy.


_DRACUT = re.compile(r"(?:rd\.md=0|rd\.md\.conf=0|rd\.auto=0|rd\.md\.uuid=\S+)")
_NO_FSTAB = re.compile(r"fstab=(?:no|0|off|false|n|f)")


def check_rules(rules: Sequence[TextFile]) -> Iterator[Finding]:
    """Findings about udev rules. Of files with one name udev reads the first by directory; an empty one masks all."""
    effective: dict[str, TextFile] = {}
    for file in rules:
        effective.setdefault(file.path.rpartition("/")[2], file)
    packaged = {file.path.rpartition("/")[2] for file in rules if file.path.startswith(udev.PACKAGED)}
    assembly = [effective[name] for name in udev.ASSEMBLY if name in effective]
    if not any(udev.assembles(file.text) for file in assembly):
        where = f": {', '.join(file.path for file in assembly)} does not" if assembly else ""
        yield error(
            "udev-assembles-nothing",
            f"No udev rule passes disks to mdadm{where}; arrays would not be assembled at boot.",
            "remove that file, or reinstall mdadm; then udevadm control --reload",
        )
    for name, file in effective.items():
        if file.path.startswith(udev.PACKAGED):
            continue
        if not file.text.strip() and name == udev.ARRAYS:
            yield error(
                "udev-rule-masked",
                f"{file.path} is empty and masks the rule that creates the arrays' links and notifies systemd.",
                f"remove {file.path}, then udevadm control --reload",
            )
        elif file.text.strip() and name in packaged:
            yield warning(
                "udev-rule-replaced",
                f"{file.path} replaces the package's rule of that name.",
                f"compare the two; remove {file.path} if it is not needed; the build can go on",
            )


def check_command_line(text: str) -> Iterator[Finding]:
    """Findings about words of the kernel's command line."""
    for word in text.split():
        if _NO_FSTAB.fullmatch(word):
            yield error(
                "fstab-not-read",
                f"The kernel's command line has {word}: systemd ignores fstab.",
                "remove it from the boot loader's configuration and reboot",
            )
        elif _DRACUT.fullmatch(word):
            yield note(
                "initramfs-restricted",
                f"The kernel's command line has {safe(word, longest=LONG)}: dracut's initramfs does not assemble the "
                f"plan's arrays. udev assembles them once the root file system is mounted.",
                "no action is needed, unless the root file system will be on them",
            )


def check_joined(arrays: BootArrays, boot: Boot, joined: MultipathBoot, words: Sequence[str]) -> Iterator[Finding]:
    """Findings where mdadm may meet single paths of multipath disks before multipathd has joined them.

    `words`: of the DEVICE lines; where they bar every path, an image needs no multipathd. One of initramfs-tools never
    suffices: multipath-tools-boot runs multipath there after udev has offered the paths to mdadm.
    """
    if joined.daemon != "enabled":
        yield error(
            "multipath-not-started",
            f"multipathd does not start at boot ({safe(joined.daemon or 'no answer', longest=LONG)}): the arrays "
            "would be assembled over single paths.",
            f"systemctl enable --now {multipath.UNIT}",
        )
    everything = [each for array in arrays.arrays for each in (*array.members, *array.spares)]
    disks = {
        each.id.removeprefix(multipath.PREFIX): each.disk_path or each.path for each in everything if each.is_map
    }  # fmt: skip
    if unknown := [path for wwid, path in disks.items() if wwid not in joined.wwids]:
        yield error(
            "multipath-not-claimed",
            f"{multipath.WWIDS} does not name {counted(len(unknown), 'multipath disk')} of the arrays, {unknown[0]} "
            "first: the next boot may take their paths for disks.",
            "multipath -a DISK adds one; then check blacklist and find_multipaths in /etc/multipath.conf",
        )
    if not any(mdadm_conf.allows(words, (each.name, *each.links)) for each in joined.paths):
        return
    for image in boot.images:
        if not any(assembles(image, boot.command_line, array.uuid) for array in arrays.arrays):
            continue
        texts = {file.path.rpartition("/")[2]: file.text for file in image.files}
        if not _of_dracut(image) or "multipathd" not in texts:
            lacks = "no multipathd that claims paths before it"
        elif arrays.lines != "planned" and not set(disks) <= multipath.remembered(texts.get("wwids", "")):
            lacks = f"a {multipath.WWIDS} without these disks"
        else:
            continue
        report = error if image.kernel == boot.kernel else warning
        yield report(
            "initramfs-without-multipath",
            f"{safe(image.path)} has mdadm and {lacks}: it would assemble the arrays over single paths.",
            f"write 'DEVICE {MAP_LINKS}*' into {initramfs.mdadm_conf(arrays.family)}, with further names for disks of "
            "other arrays: mdadm then ignores paths; or, with dracut, add its module multipath and rebuild the image "
            "(Debian's multipath-tools-boot does not suffice)",
        )


def check_images(arrays: BootArrays, boot: Boot, names: NamesByKey) -> Iterator[Finding]:
    """Findings about images. A build rebuilds only one: Debian's newest, or dracut's of the running kernel."""
    if boot.kernel not in {image.kernel for image in boot.images}:
        yield warning(
            "initramfs-unknown",
            f"No initramfs of the running kernel {safe(boot.kernel)} was found in {initramfs.FOLDER}.",
            "find it by the boot loader's configuration; lsinitramfs or lsinitrd lists its content",
        )
    for image in boot.images:
        if image.problem:
            yield warning(
                "initramfs-unknown",
                f"Cannot check that {safe(image.path)} names the arrays: {safe(image.problem)}.",
                "lsinitramfs or lsinitrd lists its content",
            )
    opened = [image for image in boot.images if not image.problem]
    if arrays.lines == "written":
        yield from _unnamed(arrays, boot, opened)
    for image in opened:
        for reading in image_readings(image, boot.configuration.first, names):
            yield from _device_lines(arrays, boot, image, reading)


def _unnamed(arrays: BootArrays, boot: Boot, opened: Sequence[Image]) -> Iterator[Finding]:
    """Findings about images that assemble arrays which their mdadm.conf does not name."""
    lacking = [image for image in opened if unnamed(arrays, image, boot.command_line)]
    for image in lacking:
        missing = ", ".join(unnamed(arrays, image, boot.command_line))
        message = f"{safe(image.path)} has mdadm, and its mdadm.conf does not name {missing}."
        again = rebuild_image(arrays, image)
        if len(lacking) == len(opened):
            yield error("initramfs-without-arrays", message, f"{again} must add them; check its output")
        else:
            yield warning("initramfs-of-before", message, f"{again}, before that kernel is booted")


def _device_lines(arrays: BootArrays, boot: Boot, image: Image, reading: ConfReading) -> Iterator[Finding]:
    """Findings about the DEVICE lines of an image, which may be older than those of the root file system."""
    for array in arrays.arrays:
        if not assembles(image, boot.command_line, array.uuid) or not reading.assembles(array, arrays.host):
            continue
        everyone = (*array.members, *array.spares)
        barred = [each for each in everyone if each.key in reading.names and not reading.allows(each)]
        if barred:
            shown = safe(" ".join(reading.device_words), longest=LONG)
            yield warning(
                "initramfs-device-line",
                f"The mdadm.conf in {safe(image.path)} has 'DEVICE {shown}'"
                f", which does not allow {named(barred, reading.names)} of {safe(array.device)}.",
                f"correct the DEVICE lines in {initramfs.mdadm_conf(arrays.family)}; then "
                f"{rebuild_image(arrays, image)}",
                array.name,
            )
        yield from check_removed(array, reading, safe(image.path), sure=image.kernel == boot.kernel)


def rebuild_image(arrays: BootArrays, image: Image) -> str:
    """The command that makes an image anew with the mdadm.conf of now."""
    again = shlex.join(initramfs.rebuild_for(arrays.family, image.kernel))
    if arrays.family == "debian" and _of_dracut(image):
        return f'put mdadmconf="yes" into a file of /etc/dracut.conf.d; {again}'
    return again


def image_readings(image: Image, first: str, names: NamesByKey) -> tuple[ConfReading, ...]:
    """What the mdadm of an image reads; `first`: the place that it prefers."""
    files = tuple(file for file in image.files if "/mdadm.conf" in file.path)
    found = Configuration(files=files, first=first)
    return tuple(
        ConfReading(place, statements_of(texts), names) for place, texts in readings(found)
    )  # fmt: skip


def unnamed(arrays: BootArrays, image: Image, command_line: str) -> list[str]:
    """Arrays that are assembled from the image and that its mdadm.conf does not name."""
    known = named_in(image)
    return [
        array.device
        for array in arrays.arrays
        if array.uuid not in known and assembles(image, command_line, array.uuid)
    ]


def assembles(image: Image, command_line: str, uuid: str) -> bool:
    """True when the array is assembled from the image; else udev assembles it once the root file system is mounted."""
    if not any(file.path.endswith("/mdadm") for file in image.files):
        return False
    own = (file.text for file in image.files if "/cmdline.d/" in file.path)
    return not _of_dracut(image) or initramfs.dracut_assembles(" ".join((command_line, *own)), uuid)


def _of_dracut(image: Image) -> bool:
    return any(file.path.endswith(initramfs.DRACUT_START) for file in image.files)


def named_in(image: Image) -> set[str]:
    """UUIDs of the arrays that the image's mdadm.conf names."""
    lines = mdadm_conf.array_lines(statements_of([file for file in image.files if "/mdadm.conf" in file.path]))
    return {line.uuid for line in lines if not line.ignored}


def check_boot(arrays: BootArrays, boot: Boot) -> Iterator[Finding]:
    """Findings if a boot would not, or might not, start these arrays from their members, and their file systems."""
    yield from dict.fromkeys(_findings(arrays, boot))


def root_readings(arrays: BootArrays, boot: Boot) -> tuple[ConfReading, ...]:
    """mdadm.conf of the root file system as mdadm will read it; several where it is not known which file that is."""
    written = initramfs.mdadm_conf(arrays.family) if arrays.lines == "planned" else ""
    names = {each.key: each for each in boot.devices}
    return tuple(
        ConfReading(place, statements_of(files), names)
        for place, files in readings(boot.configuration, written=written)
    )  # fmt: skip


def _findings(arrays: BootArrays, boot: Boot) -> Iterator[Finding]:
    yield from check_places(arrays, boot.configuration)
    read = root_readings(arrays, boot)
    for reading in read:
        yield from check_reading(arrays, reading)
        for array in arrays.arrays:
            if reading.assembles(array, arrays.host):
                yield from check_removed(array, reading, reading.path)
    yield from check_rules(boot.rules)
    yield from check_command_line(boot.command_line)
    if boot.multipath is not None:
        yield from check_joined(arrays, boot, boot.multipath, [word for each in read for word in each.device_words])
    if arrays.lines != "planned":
        yield from check_images(arrays, boot, {each.key: each for each in boot.devices})
    missing = [each.device for each in arrays.arrays if boot.found is not None and each.uuid not in boot.found]
    if missing:
        path = " or ".join(each.path for each in read)
        yield error(
            "boot-finds-no-array",
            f"mdadm --examine --scan, which uses {path}, does not find {safe(', '.join(missing))}; neither would a "
            "boot.",
            f"check the DEVICE lines in {path} and {mdadm_conf.folder_of(read[0].path)}, and run mdadm --examine on "
            "them",
        )
