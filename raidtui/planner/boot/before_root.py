"""Whether the next boot assembles what the plan builds: mdadm.conf, udev rules, kernel command line, initramfs.

The rules are applied before a build, to refuse it, and after it, as part of its verification. Parsing of mdadm.conf is
in tools/mdadm_conf. A udev rule assembles the disks: in the initramfs if that contains mdadm and, where dracut made it,
the command line asks for the array; else once the root file system is mounted. Both use mdadm.conf.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from raidtui.model.boot import Boot, DeviceNames, Image, MultipathBoot, TextFile
from raidtui.model.choices import Initramfs
from raidtui.model.counted import counted
from raidtui.model.finding import Finding
from raidtui.model.paths import MAP_LINKS
from raidtui.model.plan import Plan, PlanArray
from raidtui.model.safe import safe
from raidtui.planner.findings import error, note, some, warning
from raidtui.tools import initramfs, mdadm, mdadm_conf, multipath, udev_rule
from raidtui.tools.mdadm_conf import ArrayLine, Statement

_LONG = 80
_DRACUT = re.compile(r"(?:rd\.md=0|rd\.md\.conf=0|rd\.auto=0|rd\.md\.uuid=\S+)")
_NO_FSTAB = re.compile(r"fstab=(?:no|0|off|false|n|f)")


def check_boot(plan: Plan, boot: Boot, *, built: bool) -> Iterator[Finding]:
    """Findings if a boot would not, or might not, start the arrays and file systems of `plan`.

    `built`: the plan is built, so its lines must be present. A trial does not survive a boot and is not checked.
    """
    if plan.design.trial is not None:
        return
    path = configuration_path(plan)
    mine = tuple(file for file in boot.configuration if _belongs(file, path))
    found = statements_of(mine)
    yield from _places(path, mine, boot)
    yield from _devices(plan, found, boot.devices, path)
    yield from _arrays(plan, found, boot.devices, path, built=built)
    yield from _policies(plan, found)
    yield from _rules(boot.rules)
    yield from _command_line(boot.command_line)
    if boot.multipath is not None:
        yield from _joined(plan, boot, boot.multipath, [word for word, _ in mdadm_conf.patterns(found)], built=built)
    if built:
        yield from _images(plan, boot, plan.initramfs)
        missing = [array.device for array in plan.arrays if array.uuid not in boot.found]
        if missing:
            yield error(
                "boot-finds-no-array",
                f"mdadm --examine --scan, which uses {path}, does not find {', '.join(missing)}; neither would a boot.",
                f"check the DEVICE lines in {path} and {mdadm_conf.folder_of(path)}, and run mdadm --examine on them",
            )


def configuration_path(plan: Plan) -> str:
    """The mdadm.conf that the plan writes to."""
    return initramfs.mdadm_conf(plan.initramfs)


def asks_for_names(files: Sequence[TextFile]) -> bool:
    """True if a line of these files names devices, so that the names of the plan's disks are needed."""
    found = statements_of(files)
    words = [word for word, _ in mdadm_conf.patterns(found)]
    return not mdadm_conf.allows(words, ()) or any(line.devices for line in mdadm_conf.array_lines(found))


def statements_of(files: Sequence[TextFile]) -> tuple[Statement, ...]:
    """Every statement of these files of mdadm.conf."""
    return tuple(each for file in files for each in mdadm_conf.statements(file.path, file.text))


def _belongs(file: TextFile, path: str) -> bool:
    return file.path == path or file.path.startswith(f"{mdadm_conf.folder_of(path)}/")


def _places(path: str, mine: Sequence[TextFile], boot: Boot) -> Iterator[Finding]:
    """Findings about a second mdadm.conf: mdadm reads the one its distribution prefers (config.c, load_conffile)."""
    present = next((file.text for file in mine if file.path == path), None)
    others = [file for file in boot.configuration if file.path in mdadm.CONFIGURATIONS and file.path != path]
    for other in (file.path for file in others if file.text != present):  # often one is a link to the other
        if present is not None:
            yield warning(
                "mdadm-conf-twice",
                f"{other} exists beside {path}: this distribution's mdadm reads only {path}.",
                f"move what is needed from {other} to {path} and remove it; the build can go on",
            )
        else:
            yield error(
                "mdadm-conf-elsewhere",
                f"mdadm uses {other} on this machine, the plan writes {path}: it would read only one of them.",
                f"move {other} to {path}, then rebuild the initramfs",
            )


def _devices(plan: Plan, found: Sequence[Statement], devices: Sequence[DeviceNames], path: str) -> Iterator[Finding]:
    allowed = mdadm_conf.patterns(found)
    words = [word for word, _ in allowed]
    if not allowed:
        return
    places = ", ".join(dict.fromkeys(line.place for _, line in allowed))
    shown = safe(" ".join(words), longest=_LONG)
    way_out = f"write 'DEVICE partitions' instead, or remove the DEVICE lines; {path} without any allows every disk"
    barred = [each for each in devices if not mdadm_conf.allows(words, (each.name, *each.links))]
    if barred:
        yield error(
            "device-line",
            f"{safe(places)}: 'DEVICE {shown}' does not allow {_names(plan, barred)}: mdadm would not assemble "
            "these at boot.",
            way_out,
        )
    unsteady = [each for each in devices if each not in barred and not mdadm_conf.lasting(words, each.name, each.links)]
    if unsteady:
        yield warning(
            "device-line-names",
            f"{safe(places)}: 'DEVICE {shown}' allows {_names(plan, unsteady)} only under the kernel name of this "
            "boot; the next may give another.",
            f"{way_out}; the build can go on",
        )


def _names(plan: Plan, devices: Sequence[DeviceNames]) -> str:
    known = {disk.id: disk for disk in plan.disks}
    texts = []
    for each in devices:
        disk = known.get(each.id)
        place = f" ({disk.place.text or 'slot unknown'}, serial {safe(disk.serial or 'unknown')})" if disk else ""
        texts.append(f"{safe(each.name or each.id)}{place}")
    return some(texts)


def _arrays(
    plan: Plan, found: Sequence[Statement], devices: Sequence[DeviceNames], path: str, *, built: bool
) -> Iterator[Finding]:
    lines = mdadm_conf.array_lines(found)
    for array in plan.arrays:
        members = {*array.members, *array.spares}
        names = [name for each in devices if each.id in members for name in (each.name, *each.links)]
        matching = [line for line in lines if line.matches(array.uuid, names)]
        own = [line for line in matching if not line.ignored and mdadm_conf.same_name(line.device, array.device)]
        strange = [line for line in matching if line not in own[:1]]
        for line in strange:
            yield _conflict(array, line)
        if built and not own:
            yield error(
                "array-line-missing",
                f"{path} has no ARRAY line with the name and UUID of {array.device}.",
                "raidtui resume restores the plan's lines",
            )
        for line in lines:
            checked = built or line.statement.path != path  # the check step reads names in that file itself
            if checked and line not in matching and mdadm_conf.same_name(line.device, array.device):
                yield error(
                    "array-name-taken",
                    f"{safe(line.statement.place)} names another array {safe(line.device, longest=_LONG)}: mdadm "
                    "--assemble --scan refuses a file with duplicate names.",
                    "remove that line, or plan again under another --name",
                )


def _conflict(array: PlanArray, line: ArrayLine) -> Finding:
    what = "makes mdadm ignore" if line.ignored else "is a second match for"
    return error(
        "array-line-conflict",
        f"{safe(line.statement.place)}: 'ARRAY {safe(line.statement.text, longest=_LONG)}' {what} {array.device}: "
        "mdadm would not assemble it at boot.",
        "remove that line",
    )


def _policies(plan: Plan, found: Sequence[Statement]) -> Iterator[Finding]:
    automatic = next((each for each in found if each.keyword == "auto"), None)
    if automatic is not None and mdadm_conf.auto_denies(automatic.words, plan.design.metadata):
        yield note(
            "auto-line",
            f"{safe(automatic.place)}: 'AUTO {safe(automatic.text, longest=_LONG)}' keeps mdadm from assembling arrays "
            "without an ARRAY line; the plan's arrays have ARRAY lines.",
            "keep the plan's ARRAY lines; without them the arrays would not be assembled",
        )
    for each in found:
        if each.keyword == "homehost" and each.words[:1] not in ((), ("<system>",), ("<ignore>",), (plan.host,)):
            yield note(
                "homehost-line",
                f"{safe(each.place)}: HOMEHOST is {safe(each.text, longest=_LONG)}, the arrays are made for "
                f"{safe(plan.host)}; their names at boot come from the plan's ARRAY lines.",
                "keep the plan's ARRAY lines; without them names under /dev/md would start with the host's name",
            )
        if each.keyword == "policy" and re.search(r"\baction=(?:spare|force-spare|spare-same-slot)\b", each.text):
            yield warning(
                "policy-line",
                f"{safe(each.place)}: 'POLICY {safe(each.text, longest=_LONG)}' lets mdadm take a bare disk that "
                "appears as a spare.",
                "if it may match the plan's disks, remove the line until the build ends; the build can go on",
            )


def _rules(rules: Sequence[TextFile]) -> Iterator[Finding]:
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


def _command_line(text: str) -> Iterator[Finding]:
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
                f"The kernel's command line has {safe(word, longest=_LONG)}: dracut's initramfs does not assemble the "
                "plan's arrays; udev assembles them once the root file system is mounted.",
                "no action is needed, unless the root file system will be on them",
            )


def _joined(plan: Plan, boot: Boot, joined: MultipathBoot, words: Sequence[str], *, built: bool) -> Iterator[Finding]:
    """Findings where mdadm may meet single paths of the plan's multipath disks before multipathd has joined them.

    `words`: of the DEVICE lines; where they bar every path, an image needs no multipathd. One of initramfs-tools never
    suffices: multipath-tools-boot runs multipath there after udev has offered the paths to mdadm.
    """
    if joined.daemon != "enabled":
        yield error(
            "multipath-not-started",
            f"multipathd does not start at boot ({safe(joined.daemon or 'no answer', longest=_LONG)}): the arrays "
            "would be assembled over single paths.",
            f"systemctl enable --now {multipath.UNIT}",
        )
    disks = {disk.id.removeprefix(multipath.PREFIX): disk.path for disk in plan.disks if disk.is_map}
    if unknown := [path for wwid, path in disks.items() if wwid not in joined.wwids]:
        yield error(
            "multipath-not-claimed",
            f"{multipath.WWIDS} lacks {counted(len(unknown), 'multipath disk')} of the plan, {unknown[0]} first: the "
            "next boot may take their paths for disks.",
            "multipath -a DISK adds one; then check blacklist and find_multipaths in /etc/multipath.conf",
        )
    if not any(mdadm_conf.allows(words, (each.name, *each.links)) for each in joined.paths):
        return
    for image in boot.images:
        if not any(assembles(image, boot.command_line, array.uuid) for array in plan.arrays):
            continue
        texts = {file.path.rpartition("/")[2]: file.text for file in image.files}
        if not _of_dracut(image) or "multipathd" not in texts:
            lacks = "no multipathd that claims paths before it"
        elif built and not set(disks) <= multipath.remembered(texts.get("wwids", "")):
            lacks = f"a {multipath.WWIDS} without the plan's disks"
        else:
            continue
        report = error if image.kernel == boot.kernel else warning
        yield report(
            "initramfs-without-multipath",
            f"{safe(image.path)} has mdadm and {lacks}: it would assemble the arrays over single paths.",
            f"write 'DEVICE {MAP_LINKS}*' into {configuration_path(plan)}, with further names for disks of other "
            "arrays: mdadm then ignores paths; or, with dracut, add its module multipath and rebuild the image "
            "(Debian's multipath-tools-boot does not suffice)",
        )


def _images(plan: Plan, boot: Boot, family: Initramfs) -> Iterator[Finding]:
    """Findings about images. The plan rebuilds only one: Debian's newest, or dracut's of the running kernel."""
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
    lacking = [image for image in opened if unnamed(plan, image, boot.command_line)]
    for image in lacking:
        missing = ", ".join(unnamed(plan, image, boot.command_line))
        message = f"{safe(image.path)} has mdadm, and its mdadm.conf does not name {missing}."
        again = shlex.join(initramfs.rebuild_for(family, image.kernel))
        if family == "debian" and _of_dracut(image):
            again = f'put mdadmconf="yes" into a file of /etc/dracut.conf.d; {again}'
        if len(lacking) == len(opened):
            yield error("initramfs-without-arrays", message, f"{again} must add them; check its output")
        else:
            yield warning("initramfs-of-before", message, f"{again}, before that kernel is booted")


def unnamed(plan: Plan, image: Image, command_line: str) -> list[str]:
    """Arrays that are assembled from the image and that its mdadm.conf does not name."""
    named = named_in(image)
    return [
        array.device for array in plan.arrays if array.uuid not in named and assembles(image, command_line, array.uuid)
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
