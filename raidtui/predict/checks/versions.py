"""What depends on the versions of the target: one table, asked for a design and again for the machine that builds it.

Sizes do not depend on them: mdadm 4.2 to 4.6 make the same arrays (geometry/md.py), mkfs.xfs 5.10, 6.1, 6.13 and 7.2
and mkfs.ext4 1.46.2, 1.47.0, 1.47.2 and 1.47.4 the same file systems from a plan's commands, which state every default
that changes sizes. Where a version is not known, what current ones do is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidtui.programs.mkfs_options import named_features
from raidtui.values.choices import MadeFileSystem
from raidtui.values.design import Design
from raidtui.values.findings import Finding, error, note, warning
from raidtui.values.target import TargetVersions, Version

TESTED_MDADM: tuple[Version, Version] = ((4, 2), (4, 6))
"""oldest and newest mdadm whose arrays were compared with the predictions"""
TESTED_XFSPROGS: tuple[Version, Version] = ((5, 10), (7, 2))
"""oldest and newest mkfs.xfs whose file systems were compared with the predictions"""
TESTED_E2FSPROGS: tuple[Version, Version] = ((1, 46), (1, 47))
"""oldest and newest mkfs.ext4 whose file systems were compared with the predictions"""
UNSIGNED_PPL: Version = (4, 5)
"""mdadm that reads the offset of the log, negative with metadata 1.0, as an unsigned number (commit f5889f9a)"""
RAID0_LAYOUT: Version = (4, 2)
"""mdadm that records the layout of a RAID0 with unequal members"""
NEEDS_RAID0_LAYOUT: Version = (5, 4)
"""kernel that starts no such array without it (raid0.c, default_layout)"""
CONFIGURABLE_SECTOR: Version = (6, 19)
"""kernel whose superblocks older ones refuse: a field for the logical block size, zero before (md.c)"""
WHOLE_SPEED: Version = (5, 14)
"""kernel that reads parity arrays without their lock, and merges the requests of wide ones"""
RESCUE_KERNEL: Version = (6, 1)
"""kernel that rescue systems in use have at least (Debian 12)"""
WIDE = 16
"""members above which older kernels do not merge the requests of a sync"""


@dataclass(frozen=True, slots=True)
class _Feature:
    """A feature of a file system (release notes of xfsprogs, its mkfs/lts_*.conf for the kernels; ext4(5))."""

    name: str
    """as mkfs has it"""
    kernel: Version
    """first one that mounts it for writing"""
    known: Version | None = None
    """first version of mkfs with the option; None: older than the oldest that matters here"""
    default: Version | None = None
    """first version that turns it on unasked; None: the plan always states it"""
    option: bool = True
    """a plan can turn it off with --mkfs"""


_XFS_FEATURES = (
    _Feature("rmapbt", (4, 8)),
    _Feature("reflink", (4, 9)),
    _Feature("bigtime", (5, 10), known=(5, 10), default=(5, 15)),
    _Feature("inobtcount", (5, 10), known=(5, 10), default=(5, 15)),
    _Feature("nrext64", (5, 19), known=(5, 19), default=(6, 5)),
    _Feature("exchange", (6, 10), known=(6, 10), default=(6, 18), option=False),
    _Feature("parent", (6, 10), known=(6, 10), default=(6, 18), option=False),
)
_EXT4_FEATURES = (
    _Feature("ea_inode", (4, 13)),
    _Feature("large_dir", (4, 13)),
    _Feature("metadata_csum_seed", (4, 4)),
    _Feature("orphan_file", (5, 15), known=(1, 47)),
    _Feature("stable_inodes", (5, 5), known=(1, 46)),
    _Feature("verity", (5, 4), known=(1, 45)),
)


def check_versions(
    design: Design, member_bytes: Sequence[int], target: TargetVersions | None = None
) -> Iterator[Finding]:
    """Findings about `design` on `target`, by default its own; `member_bytes` are the sizes of all its disks."""
    versions = target or design.target or TargetVersions()
    yield from _mdadm(design, member_bytes, versions)
    yield from _kernel(design, versions)
    match design.fs:
        case "xfs":
            yield from _compared("mkfs.xfs", versions.xfsprogs, versions.xfsprogs_version, TESTED_XFSPROGS)
            named = named_features(design.options.xfs)
            if design.options.xfs.nrext64 is not None:
                named["nrext64"] = design.options.xfs.nrext64
            yield from _features(_XFS_FEATURES, "xfs", named, versions)
        case "ext4":
            yield from _compared("mkfs.ext4", versions.e2fsprogs, versions.e2fsprogs_version, TESTED_E2FSPROGS)
            yield from _features(_EXT4_FEATURES, "ext4", dict.fromkeys(design.options.ext4.features, True), versions)
        case "none":
            pass


def differing(design: Design, member_bytes: Sequence[int], machine: TargetVersions) -> list[Finding]:
    """What `machine` does otherwise than the target that `design` was planned for."""
    planned = {finding.code for finding in check_versions(design, member_bytes)}
    return [each for each in check_versions(design, member_bytes, machine) if each.code not in planned]


def _mdadm(design: Design, member_bytes: Sequence[int], versions: TargetVersions) -> Iterator[Finding]:
    mdadm, kernel, layout = versions.mdadm_version, versions.kernel_version, design.layout
    if design.ppl and design.metadata == "1.0" and (mdadm is None or mdadm >= UNSIGNED_PPL):
        yield error(
            "ppl-with-metadata-1.0",
            "With metadata 1.0 mdadm 4.5 and later write the partial parity log beyond the end of the disk.",
            "use metadata 1.2",
            "metadata",
        )
    unequal = layout.level == "raid0" and len(set(member_bytes)) > 1
    if unequal and mdadm is not None and mdadm < RAID0_LAYOUT and (kernel is None or kernel >= NEEDS_RAID0_LAYOUT):
        yield error(
            "raid0-without-layout",
            f"mdadm {versions.mdadm} records no layout of a RAID0 with unequal disks, which Linux 5.4 and later"
            " do not start.",
            "use mdadm 4.2 or later, or disks of one size",
        )
    elif mdadm is not None and not TESTED_MDADM[0] <= mdadm <= TESTED_MDADM[1]:
        yield warning(
            "mdadm-not-compared",
            f"Predicted sizes were compared with mdadm 4.2 to 4.6, not with {versions.mdadm}.",
            "the build reads back what mdadm made and stops if it differs",
        )
    if mdadm == UNSIGNED_PPL:
        yield warning(
            "mdadm-needs-module",
            "mdadm 4.5 cannot create an array before the kernel module md_mod is loaded.",
            "run modprobe md_mod before the build, or use another version",
        )


def _kernel(design: Design, versions: TargetVersions) -> Iterator[Finding]:
    kernel, layout = versions.kernel_version, design.layout
    if kernel is None:
        return
    if kernel >= CONFIGURABLE_SECTOR and design.metadata != "0.90":
        yield warning(
            "kernel-one-way",
            f"Linux up to 6.18, also of a rescue system, does not assemble arrays of Linux {versions.kernel}. The "
            f"superblock has a field that they refuse.",
            "keep a rescue system with Linux 6.19 or later",
        )
    if kernel < WHOLE_SPEED and layout.parity:
        most = max(shape.members for shape in layout.shapes)
        wide = f", and a sync of more than {WIDE} members does not merge its requests" if most > WIDE else ""
        yield note(
            "kernel-slow-parity",
            f"Linux {versions.kernel} serves at most 1.2 million random reads/s per parity array{wide}.",
            "use Linux 5.14 or later",
        )


def _compared(
    program: str, named: str | None, version: Version | None, tested: tuple[Version, Version]
) -> Iterator[Finding]:
    """A warning where no file system of this version was compared with the predictions."""
    if version is not None and not tested[0] <= version <= tested[1]:
        oldest, newest = (".".join(str(part) for part in each) for each in tested)
        yield warning(
            "mkfs-not-compared",
            f"Predicted sizes were compared with {program} {oldest} to {newest}, not with {named}.",
            "the build reads back what mkfs made and stops if it differs",
            "fs",
        )


def _features(
    table: Sequence[_Feature], kind: MadeFileSystem, named: Mapping[str, bool], versions: TargetVersions
) -> Iterator[Finding]:
    """Features that this mkfs does not know, and those that it makes and this kernel does not mount."""
    kernel = versions.kernel_version
    match kind:
        case "xfs":
            package, shown, mkfs = "xfsprogs", versions.xfsprogs, versions.xfsprogs_version
        case "ext4":
            package, shown, mkfs = "e2fsprogs", versions.e2fsprogs, versions.e2fsprogs_version
    unknown = [each for each in table if each.name in named and mkfs and each.known and mkfs < each.known]
    if unknown:
        yield error(
            "mkfs-option-unknown",
            f"mkfs.{kind} {shown} does not know {_listed(unknown)}, which the plan states.",
            f"use {package} {_newest(each.known for each in unknown)} or later, or leave out --mkfs",
            "fs",
        )
    made = [each for each in table if named.get(each.name, bool(mkfs and each.default and mkfs >= each.default))]
    refused = [each for each in made if kernel is not None and kernel < each.kernel]
    if refused:
        least = max(each.kernel for each in refused)
        if kind == "ext4":  # makes none of them unasked
            other = "or leave them out of --mkfs"
        elif all(each.option for each in refused):
            other = f"or --mkfs {','.join(f'{each.name}=0' for each in refused)}"
        else:
            other = f"an older {package}, or --fs ext4"
        yield warning(
            f"kernel-without-{kind}-feature",
            f"Linux {versions.kernel} does not mount {'an XFS' if kind == 'xfs' else kind} with {_listed(refused)} for"
            " writing, unless its distribution added it.",
            f"use Linux {least[0]}.{least[1]} or later, {other}",
            "fs",
        )
    late = [each for each in made if each.kernel > RESCUE_KERNEL and each not in refused]
    if late:
        least = max(each.kernel for each in late)
        yield note(
            f"{kind}-newer-than-rescue",
            f"mkfs.{kind} {shown} turns on {_listed(late)}: rescue systems before Linux"
            f" {least[0]}.{least[1]} do not mount this file system.",
            f"keep a rescue system with Linux {least[0]}.{least[1]} or later, or use an older {package}",
            "fs",
        )


def _newest(versions: Iterable[Version | None]) -> str:
    return ".".join(str(part) for part in max(each for each in versions if each))


def _listed(features: Sequence[_Feature]) -> str:
    return " and ".join(each.name for each in features)
