"""Reads what the next boot goes by; advice/boot/next_boot.py judges it. Writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from raidtui.advice.boot.configuration import asks_for_names
from raidtui.advice.boot.next_boot import assembles, check_boot, planned_arrays, unnamed
from raidtui.machine.system.ports import MachineReader
from raidtui.machine.system.programs import ANYWHERE, find
from raidtui.programs import initramfs, mdadm, mdadm_conf, multipath, sysfs, udev
from raidtui.values.choices import Initramfs
from raidtui.values.codec import by_key
from raidtui.values.errors import MachineFailed, Stale
from raidtui.values.facts import (
    Boot,
    BootArrays,
    BootMember,
    Configuration,
    DeviceNames,
    Image,
    MultipathBoot,
    TextFile,
)
from raidtui.values.findings import errors, first_of, warnings
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan, partition_path

_LINKS = "/dev/disk"
KERNEL = "/proc/sys/kernel/osrelease"
"""release of the kernel that runs"""
COMMAND_LINE = "/proc/cmdline"
"""of the kernel that runs"""
_MDADM = "/sbin/mdadm"
"""the program that upstream's udev rule starts"""


def look(of: Plan | BootArrays, runner: MachineReader, *, built: bool = True) -> Boot:
    """What the next boot goes by, for the arrays of a plan (`built`: they exist) or any arrays.

    The initramfs images are not read for a plan that is not built, which rebuilds one. Raises MachineFailed if a file
    cannot be read.
    """
    arrays = planned_arrays(of, built=built) if isinstance(of, Plan) else of
    rules = udev_rules(runner)
    seen = Boot(
        configuration=configuration(runner, rules),
        rules=rules,
        command_line=runner.read_text(COMMAND_LINE) or "",
        devices=(),
        multipath=_multipath(arrays, runner),
    )
    if arrays.lines != "planned" or seen.multipath is not None:
        seen = replace(seen, kernel=sysfs.word(runner.read_text(KERNEL)), images=images(runner))
    return with_names(arrays, runner, seen)


def with_names(arrays: BootArrays, runner: MachineReader, seen: Boot) -> Boot:
    """`seen` with the names of all devices of the arrays, where a line of mdadm.conf asks for some."""
    inside = (file for image in seen.images for file in image.files if "/mdadm.conf" in file.path)
    if not asks_for_names((*seen.configuration.files, *inside)):
        return seen
    return replace(seen, devices=_names_of(runner, arrays.everything))


def prove(of: Plan | BootArrays, runner: MachineReader, *, known: Collection[tuple[str, str, str]] = ()) -> str:
    """Text for the journal: a boot starts these arrays, which exist, from their members; what could not be checked.

    `known`: code, subject and message of what was wrong before, which is told and raises nothing.
    Raises Stale with the first reason why it would not.
    """
    if isinstance(of, Plan) and of.design.trial is not None:
        return ""
    arrays = planned_arrays(of, built=True) if isinstance(of, Plan) else of
    seen = look(arrays, runner)
    seen = replace(seen, found=mdadm.scanned_uuids(runner.ask(mdadm.examine_scan()).stdout))
    findings = tuple(check_boot(arrays, seen))
    if wrong := [each for each in errors(findings) if (each.code, each.subject, each.message) not in known]:
        raise Stale(f"a boot would not assemble it: {first_of(wrong)}", hint=wrong[0].way_out)
    parts = [] if errors(findings) else ["mdadm finds all arrays by its configuration"]
    for image in seen.images:
        if not image.problem and not any(assembles(image, seen.command_line, array.uuid) for array in arrays.arrays):
            parts.append(f"{image.path} assembles none of them: udev does once the root file system is mounted")
        elif not image.problem and not unnamed(arrays, image, seen.command_line):
            parts.append(f"{image.path} names them")
    told = (*errors(findings), *warnings(findings))
    parts += [f"warning: {finding.message} Fix: {finding.way_out}" for finding in told]
    return "; ".join(parts)


def configuration(runner: MachineReader, rules: Sequence[TextFile] | None = None) -> Configuration:
    """mdadm.conf in both its places, and which of them this machine's mdadm prefers where that matters.

    `rules`: udev's rules, which name the mdadm that a boot starts; None: they are read if need be.
    """
    found = []
    for path in mdadm.CONFIGURATIONS:
        folder = mdadm_conf.folder_of(path)
        inner = (f"{folder}/{name}" for name in runner.names(folder) if mdadm_conf.is_read(name))
        for each in (path, *inner):
            if (text := runner.read_text(each)) is not None:
                found.append(TextFile(path=each, text=text))
    files = tuple(found)
    there = {file.path for file in files}
    if len(mdadm_conf.places_read(there, "")) == 1 or not there:
        return Configuration(files=files)
    program = udev.program(file.text for file in (udev_rules(runner) if rules is None else rules)) or _MDADM
    try:
        first = mdadm_conf.preferred(runner.ask(mdadm_conf.preference_question(program)).stdout)
        why = f"by the order of both places in {program}" if first else f"{program} does not show its order"
    except MachineFailed as problem:
        first, why = "", str(problem)
    return Configuration(files=files, first=first, why=why, one_file=_is_one(runner, there))


def _is_one(runner: MachineReader, there: set[str]) -> bool:
    """True where both places lead to one file."""
    if not there >= set(mdadm.CONFIGURATIONS):
        return False
    try:
        return bool(runner.ask(mdadm_conf.one_file_question()).stdout.strip())
    except MachineFailed:
        return False


def udev_rules(runner: MachineReader) -> tuple[TextFile, ...]:
    """Rules of md in every directory that udev reads, the directory that wins first. Raises MachineFailed where no
    directory has any rule: then it was not seen what udev does."""
    wanted = (*udev.ASSEMBLY, udev.ARRAYS)
    found = []
    names_in = {folder: set(runner.names(folder)) for folder in udev.FOLDERS}
    if not any(names_in.values()):
        raise MachineFailed(f"no rule of udev is in {', '.join(udev.PACKAGED)}", hint="install udev, or find its rules")
    for folder, names in names_in.items():
        for name in wanted:
            if name in names:
                path = f"{folder}/{name}"
                found.append(TextFile(path=path, text=runner.read_text(path) or ""))
    return tuple(found)


def images(runner: MachineReader) -> tuple[Image, ...]:
    """The initramfs images in /boot whose kernel is there too."""
    found = []
    for name, kernel in initramfs.images(runner.names(initramfs.FOLDER)):
        path = f"{initramfs.FOLDER}/{name}"
        try:
            texts = runner.initramfs_texts(path)
        except MachineFailed as problem:
            found.append(Image(path=path, kernel=kernel, problem=str(problem)))
            continue
        files = tuple(TextFile(path=each, text=text) for each, text in sorted(texts.items()))
        found.append(Image(path=path, kernel=kernel, files=files))
    return tuple(found)


def _multipath(arrays: BootArrays, runner: MachineReader) -> MultipathBoot | None:
    maps = dict.fromkeys(each.disk_path or each.path for each in arrays.everything if each.is_map)
    pins = [pin for path in maps if (pin := runner.pin(path)) is not None]
    if not pins:
        return None
    paths = [path for pin in pins for path in runner.names(sysfs.slaves_path(pin.name))]
    return MultipathBoot(
        daemon=runner.ask(multipath.enabled_question()).stdout.strip(),
        wwids=multipath.remembered(runner.read_text(multipath.WWIDS) or ""),
        paths=_names_of(runner, [BootMember(id=path, path=f"/dev/{path}") for path in paths]),
    )


def _names_of(runner: MachineReader, devices: Iterable[BootMember]) -> tuple[DeviceNames, ...]:
    """The names of each device, by the present targets of udev's links."""
    paths = (
        f"{_LINKS}/{folder}/{name}" for folder in runner.names(_LINKS) for name in runner.names(f"{_LINKS}/{folder}")
    )
    links = by_key((pin.number, path) for path in paths if (pin := runner.pin(path)) is not None)
    found = []
    others: Sequence[str]
    for each in devices:
        pin = runner.pin(each.path)
        disk = runner.pin(each.disk_path) if pin is None and each.disk_path else None
        if pin is not None:
            name, others = f"/dev/{pin.name}", links.get(pin.number, ())
        elif disk is not None:  # a partition that an act will make gets the names of its disk, with its number
            name = f"/dev/{sysfs.partition_name(disk.name, each.number)}"
            others = tuple(partition_path(link, each.number) for link in links.get(disk.number, ()))
        elif each.id == each.path:  # an array that is not made yet: mdadm takes the highest free number
            name, others = "/dev/md127", ()
        else:
            continue
        own = tuple(dict.fromkeys((each.path, *others)))
        found.append(DeviceNames(id=each.id, number=each.number, name=name, links=own))
    return tuple(found)


# Which tool rebuilds the initramfs on the host of a plan.


def initramfs_tool(inventory: Inventory) -> Initramfs:
    """The tool found on this machine if `inventory` is of this machine, else Debian's, as of recorded machines."""
    if inventory.origin != "machine":
        return "debian"
    return "dracut" if find("dracut", ANYWHERE) and not find("update-initramfs", ANYWHERE) else "debian"
