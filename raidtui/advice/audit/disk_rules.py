"""Rules about the disks below arrays: error recovery, links, health, failure domains."""

from __future__ import annotations

from collections import Counter

from raidtui.advice.arrays import words
from raidtui.advice.audit.facts import AuditFacts, DiskSettings, Said, found, unknown
from raidtui.advice.inferred_design import NotALayout
from raidtui.predict.disks.holds import paths_text
from raidtui.predict.placement.certificate import certify
from raidtui.predict.placement.disk_condition import failing
from raidtui.predict.placement.domains import SPOTS, can_survive, domain_counts
from raidtui.programs.multipath import BACK_TO_MAPS
from raidtui.values.findings import Severity, some
from raidtui.values.inventory import Disk
from raidtui.values.location import DomainKind
from raidtui.values.members import disks_of
from raidtui.values.safe import safe

_PATIENT_S = 180
"""seconds of a kernel timeout that outlast the recovery of desktop disks"""
_AGE_H, _SAME_H = 20_000, 48
_MANY_REALLOCATED = 10


def error_recovery(facts: AuditFacts) -> Said:
    """Disks that try longer to read a bad sector than the kernel waits: it resets them, and md fails them."""
    reported: dict[tuple[Severity, str], list[str]] = {}
    for array in facts.redundant:
        for disk in facts.disks_of(array):
            name = safe(disk.kernel_name)
            settings = facts.disks.get(disk.kernel_name)
            if settings is None or settings.recovery == "not-asked":
                continue
            if settings.recovery == "unknown" or settings.timeout_s is None:
                yield unknown("error-recovery", name, settings.why or "the kernel's timeout could not be read")
            elif problem := _patience(settings):
                flash = disk.rotational is False  # its firmware does not try for minutes
                reported.setdefault(("note" if flash else "warning", problem), []).append(name)
    for (severity, problem), disks in reported.items():
        has_none = problem.startswith("has no")
        yield found(
            severity, "error-recovery", some(disks), f"{some(disks)}: the disk {problem}.",
            "At a bad sector the kernel resets the disk while it still tries to read. md then drops the member "
            "instead of rewriting the sector."
            if severity == "warning"
            else "Flash seldom tries that long; a drive that does is reset, and md drops the member.",
            f"at each boot: echo {_PATIENT_S} > /sys/block/DISK/device/timeout"
            if has_none
            else "at each boot: smartctl -l scterc,70,70 /dev/DISK",
        )  # fmt: skip


def _patience(settings: DiskSettings) -> str:
    """Why the kernel gives up before the disk; empty where it does not."""
    waits = f"the kernel waits {settings.timeout_s} s"
    if settings.recovery == "limited":
        long = (settings.recovery_s or 0) >= (settings.timeout_s or 0)
        return f"tries for {settings.recovery_s:g} s, {waits}" if long else ""
    if (settings.timeout_s or 0) >= _PATIENT_S:
        return ""
    what = "does not limit its error recovery" if settings.recovery == "unlimited" else "has no limit of error recovery"
    return f"{what}, {waits}"


def links(facts: AuditFacts) -> Said:
    """Links slower than those of like disks, and controllers below what their slot and card can."""
    used = [disk for array in facts.running for disk in facts.disks_of(array)]
    groups: dict[tuple[str | None, str | None], dict[str, Disk]] = {}
    for disk in used:
        groups.setdefault((disk.model, disk.transport), {})[disk.kernel_name] = disk
    for alike in groups.values():
        most = max((disk.link_bits_per_s or 0 for disk in alike.values()), default=0)
        for disk in alike.values():
            if disk.link_bits_per_s and disk.link_bits_per_s < most:
                name = safe(disk.kernel_name)
                yield found(
                    "warning", "link-slow", name,
                    f"The link of {name} runs at {disk.link_bits_per_s / 1e9:g} Gbit/s, those of like disks at "
                    f"{most / 1e9:g}.",
                    "Its array is no faster than its slowest link. The usual cause is a bad cable or slot.",
                    "look for link errors in dmesg, reseat the disk, change the cable",
                )  # fmt: skip
    for controller in facts.inventory.controllers:
        speed, most_speed = controller.pcie_speed_gts, controller.pcie_max_speed_gts
        width, most_width = controller.pcie_width, controller.pcie_max_width
        holds = any(disk.place.controller == controller.pci for disk in used)
        slower = (speed and most_speed and speed < most_speed) or (width and most_width and width < most_width)
        if holds and slower:
            yield found(
                "note", "link-slow", safe(controller.pci),
                f"The controller {safe(controller.pci)} runs at {speed:g} GT/s x{width} of {most_speed:g} "
                f"x{most_width}.",
                "All disks behind it share that rate.", "look at the slot, the riser and lspci -vv",
            )  # fmt: skip


def paths(facts: AuditFacts) -> Said:
    """Members that are single paths; multipath members that lack a path, or whose paths could not be asked."""
    for array in facts.running:
        for disk in facts.disks_of(array):
            joined, name = disk.multipath, safe(disk.kernel_name)
            if joined is None:
                wwn = disk.own_wwn
                others = [each for each in facts.inventory.disks if each is not disk and each.own_wwn == wwn]
                if wwn and others:
                    yield found(
                        "warning", "path-lost", name,
                        f"{name} in {words.name(array)} has the WWN of {safe(others[0].kernel_name)}: both are "
                        "paths to one disk, or the WWN is not unique.",
                        "Of one disk with two paths md uses this one alone and loses the member with it.",
                        f"if it is one disk, {BACK_TO_MAPS}",
                    )  # fmt: skip
            elif any(path.state is None for path in joined.paths):
                yield unknown("path-lost", name, "the states of its paths were not read: run raidtui audit as root")
            elif len(joined.working) < max(2, len(joined.paths)):
                yield found(
                    "warning", "path-lost", name,
                    f"{name} in {words.name(array)} has paths missing: {safe(paths_text(joined))}.",
                    "It is no faster than those that are left, and lost with the last.",
                    "multipath -ll shows the paths; look at cables, switch and controller",
                )  # fmt: skip


def health(facts: AuditFacts) -> Said:
    """What SMART says of the members."""
    for array in facts.running:
        disks = facts.disks_of(array)
        for disk in disks:
            name = safe(disk.kernel_name)
            if disk.smart is None:
                continue
            reallocated = disk.smart.reallocated or 0
            if failing(disk) or reallocated >= _MANY_REALLOCATED:
                severity: Severity = "error" if failing(disk) else "warning"
                what = "SMART reports that it fails" if failing(disk) else f"{reallocated} sectors were reallocated"
                yield found(
                    severity, "smart", name, f"{name} in {words.name(array)}: {what}.",
                    "It is likely to fail next.", "replace it while the array is whole",
                )  # fmt: skip
        yield from _one_batch(words.name(array), disks)
    if facts.running and all(disk.smart is None for array in facts.running for disk in facts.disks_of(array)):
        yield unknown("smart", facts.seen.host, "SMART was not read: run raidtui audit --smart as root")


def _one_batch(name: str, disks: tuple[Disk, ...]) -> Said:
    hours = [disk.smart.hours for disk in disks if disk.smart is not None and disk.smart.hours is not None]
    kinds = Counter((disk.model, disk.firmware) for disk in disks)
    if len(disks) < 3 or len(kinds) > 1 or len(hours) < len(disks):
        return
    if min(hours) >= _AGE_H and max(hours) - min(hours) <= _SAME_H:
        yield found(
            "note", "one-batch", name,
            f"All members of {name} are of one model and firmware and have run {min(hours)} to {max(hours)} hours.",
            "Disks of one batch and age fail close to each other, often during a rebuild.",
            "exchange some of them before they fail; keep a spare",
        )  # fmt: skip


def domains(facts: AuditFacts) -> Said:
    """Arrays that one enclosure, controller or expander takes with it although others could hold a part of them."""
    for array in facts.redundant:
        built = facts.built(array)
        if isinstance(built, NotALayout) or array.lacks:
            continue
        certificates = certify(built.design.layout, disks_of(built.design.layout, built.disks))
        for each in certificates:
            if each.verdict == "lost" and can_survive(built.design.layout, _held(facts, each.kind)):
                yield found(
                    "note", "failure-domain", words.name(array),
                    f"The {each.kind} {safe(each.domain)} holds {max(each.members_lost)} members of "
                    f"{words.name(array)}.",
                    "Its loss takes the array, although the members could be spread.",
                    "move members between slots while the array is stopped: md finds them by their superblocks",
                )  # fmt: skip
                break


def _held(facts: AuditFacts, kind: DomainKind) -> list[int]:
    """How many disks of the machine each domain of a kind holds."""
    return list(domain_counts(Counter(SPOTS.each(facts.inventory.disks)), kind).values())
