"""What assembles arrays at boot beside the root file system's mdadm.conf: udev rules, command line, initramfs.

A udev rule assembles the disks: in the initramfs if that contains mdadm and, where dracut made it, the command line
asks for the array; else once the root file system is mounted. Both use mdadm.conf, each its own copy.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from raidtui.model.boot import Boot, BootArrays, Configuration, Image, MultipathBoot, TextFile
from raidtui.model.counted import counted
from raidtui.model.finding import Finding
from raidtui.model.paths import MAP_LINKS
from raidtui.model.safe import safe
from raidtui.planner.boot.configuration import LONG, ConfReading, NamesByKey, named, readings, statements_of
from raidtui.planner.boot.removed import check_removed
from raidtui.planner.findings import error, note, warning
from raidtui.tools import initramfs, mdadm_conf, multipath, udev_rule

_DRACUT = re.compile(r"(?:rd\.md=0|rd\.md\.conf=0|rd\.auto=0|rd\.md\.uuid=\S+)")
_NO_FSTAB = re.compile(r"fstab=(?:no|0|off|false|n|f)")


def check_rules(rules: Sequence[TextFile]) -> Iterator[Finding]:
    """Findings about udev rules. Of files with one name udev reads the first by directory; an empty one masks all."""
    effective: dict[str, TextFile] = {}
    for file in rules:
        effective.setdefault(file.path.rpartition("/")[2], file)
    packaged = {file.path.rpartition("/")[2] for file in rules if file.path.startswith(udev_rule.PACKAGED)}
    assembly = [effective[name] for name in udev_rule.ASSEMBLY if name in effective]
    if not any(udev_rule.assembles(file.text) for file in assembly):
        where = f": {', '.join(file.path for file in assembly)} does not" if assembly else ""
        yield error(
            "udev-assembles-nothing",
            f"No udev rule passes disks to mdadm{where}; arrays would not be assembled at boot.",
            "remove that file, or reinstall mdadm; then udevadm control --reload",
        )
    for name, file in effective.items():
        if file.path.startswith(udev_rule.PACKAGED):
            continue
        if not file.text.strip() and name == udev_rule.ARRAYS:
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
                "plan's arrays; udev assembles them once the root file system is mounted.",
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
            f"{multipath.WWIDS} lacks {counted(len(unknown), 'multipath disk')} of the arrays, {unknown[0]} first: the "
            "next boot may take their paths for disks.",
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
