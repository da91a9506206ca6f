"""Reads the configuration that the next boot uses; planner/preflight/boot.py judges it. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.machine.ports.runner import MachineReader
from raidtui.model.boot import Boot, DeviceNames, Image, MultipathBoot, TextFile
from raidtui.model.by_key import by_key
from raidtui.model.errors import MachineFailed, Stale
from raidtui.model.finding import errors, first_of, warnings
from raidtui.model.plan import Plan
from raidtui.planner.preflight.boot import asks_for_names, assembles, check_boot, unnamed
from raidtui.tools import initramfs, mdadm, mdadm_conf, multipath, sysfs, udev_rule

_LINKS = "/dev/disk"
_KERNEL = "/proc/sys/kernel/osrelease"
COMMAND_LINE = "/proc/cmdline"
"""of the kernel that runs"""


def look(plan: Plan, runner: MachineReader, *, built: bool) -> Boot:
    """Boot configuration for `plan`; `built`: also the initramfs images and the arrays that mdadm finds.

    Raises MachineFailed if one of its files cannot be read.
    """
    configuration_files = configuration(runner)
    joined = _multipath(plan, runner)
    seen = Boot(
        configuration=configuration_files,
        rules=_rules(runner),
        command_line=runner.read_text(COMMAND_LINE) or "",
        devices=_names(runner, _members(plan)) if asks_for_names(configuration_files) else (),
        multipath=joined,
    )
    if built or joined:
        seen = replace(seen, kernel=sysfs.word(runner.read_text(_KERNEL)), images=images(runner))
    if not built:
        return seen
    return replace(seen, found=mdadm.scanned_uuids(runner.ask(mdadm.examine_scan()).stdout))


def prove(plan: Plan, runner: MachineReader) -> str:
    """Text for the journal: a boot assembles the finished build, and what could not be checked.

    Raises Stale with the first reason why it would not.
    """
    if plan.design.trial is not None:
        return ""
    seen = look(plan, runner, built=True)
    findings = tuple(check_boot(plan, seen, built=True))
    if wrong := errors(findings):
        raise Stale(f"a boot would not assemble it: {first_of(wrong)}", hint=wrong[0].way_out)
    parts = ["mdadm finds all arrays by its configuration"]
    for image in seen.images:
        if not image.problem and not any(assembles(image, seen.command_line, array.uuid) for array in plan.arrays):
            parts.append(f"{image.path} assembles none of them: udev does once the root file system is mounted")
        elif not image.problem and not unnamed(plan, image, seen.command_line):
            parts.append(f"{image.path} names them")
    parts += [f"warning: {finding.message} Way out: {finding.way_out}" for finding in warnings(findings)]
    return "; ".join(parts)


def configuration(runner: MachineReader) -> tuple[TextFile, ...]:
    """mdadm.conf in both its places and the files of their .d directories."""
    found = []
    for path in mdadm.CONFIGURATIONS:
        folder = mdadm_conf.folder_of(path)
        inner = (f"{folder}/{name}" for name in runner.names(folder) if mdadm_conf.is_read(name))
        for each in (path, *inner):
            if (text := runner.read_text(each)) is not None:
                found.append(TextFile(path=each, text=text))
    return tuple(found)


def _rules(runner: MachineReader) -> tuple[TextFile, ...]:
    wanted = (*udev_rule.ASSEMBLY, udev_rule.ARRAYS)
    found = []
    for folder in udev_rule.FOLDERS:
        names = set(runner.names(folder))
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


def _multipath(plan: Plan, runner: MachineReader) -> MultipathBoot | None:
    pins = [pin for disk in plan.disks if disk.is_map and (pin := runner.pin(disk.path)) is not None]
    if not pins:
        return None
    paths = [path for pin in pins for path in runner.names(sysfs.slaves_path(pin.name))]
    return MultipathBoot(
        daemon=runner.ask(multipath.enabled_question()).stdout.strip(),
        wwids=multipath.remembered(runner.read_text(multipath.WWIDS) or ""),
        paths=_names(runner, [(path, f"/dev/{path}") for path in paths]),
    )


def _members(plan: Plan) -> list[tuple[str, str]]:
    """Identity and path of the plan's members: parts of its disks, and arrays below another."""
    inner = {device for array in plan.arrays for device in array.members if device.startswith("/dev/")}
    members = [(disk.id, member.path) for disk in plan.disks for member in disk.members]
    return [*members, *((device, device) for device in sorted(inner))]


def _names(runner: MachineReader, devices: Sequence[tuple[str, str]]) -> tuple[DeviceNames, ...]:
    """The names of each device, given by identity and path, by the present targets of udev's links."""
    paths = (
        f"{_LINKS}/{folder}/{name}" for folder in runner.names(_LINKS) for name in runner.names(f"{_LINKS}/{folder}")
    )
    links = by_key((pin.number, path) for path in paths if (pin := runner.pin(path)) is not None)
    found = []
    for each, path in devices:
        pin = runner.pin(path)
        if pin is not None:
            others = tuple(dict.fromkeys((path, *links.get(pin.number, ()))))
            found.append(DeviceNames(id=each, name=f"/dev/{pin.name}", links=others))
        elif each == path:  # an array that is not made yet: mdadm takes the highest free number
            found.append(DeviceNames(id=each, name="/dev/md127", links=(path,)))
    return tuple(found)
