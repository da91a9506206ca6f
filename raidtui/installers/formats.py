"""Facts about every format: what it cannot state, what is built then, why, and what parses it in the tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from raidtui.installers import built
from raidtui.installers.exported import Attribute
from raidtui.installers.plan_view import MDADM_OWN, PlanView
from raidtui.sizes.partitions import FIRST_BYTES
from raidtui.values.choices import ExportFormat, MdLevel
from raidtui.values.units import exact_binary

Check = Callable[[PlanView], str]
"""why an installer cannot build a plan; empty where it can"""


@dataclass(frozen=True, slots=True)
class Gap:
    """An attribute that a format has no word for."""

    built: Callable[[PlanView], str] | str
    """what the installer builds; lost where that is not the plan's value; empty where the file states it"""
    reason: str
    """the sentence that an admin reads where it is lost"""

    def value(self, view: PlanView) -> str:
        """What the installer builds for this plan."""
        return self.built if isinstance(self.built, str) else self.built(view)


@dataclass(frozen=True, slots=True)
class Format:
    """One format."""

    title: str
    """first words of the comment"""
    installer: str
    """who reads it"""
    file: str
    """usual name"""
    checked_by: str
    """parser or schema"""
    gaps: Mapping[Attribute, Gap]
    """what it cannot state; all other attributes are carried"""
    native_note: str
    """what to do with the file where the installer builds"""
    adopt_note: str
    """the same where it adopts"""
    refused: Mapping[Attribute, Check] = field(default_factory=dict)
    """attributes whose values it may not be able to build at all"""


def _levels(*allowed: MdLevel) -> Check:
    def problem(view: PlanView) -> str:
        level = view.arrays[0].level
        return "" if level in allowed else f"it has no {level}"

    return problem


def _no_volume(view: PlanView) -> str:
    if view.volume is not None:
        return "it has no volume over several arrays"
    return "it has no array over arrays" if view.outer is not None else ""


_NO_VOLUME: Mapping[Attribute, Check] = {"volume": _no_volume, "extent size": _no_volume}


def _room(view: PlanView) -> str:
    start = view.disks[0].disk.members[0].start_bytes
    return f"it puts no partition at {exact_binary(start)}" if start > FIRST_BYTES else ""


_NO_ROOM: Mapping[Attribute, Check] = {"member device": _room}


def _no_outer(view: PlanView) -> str:
    return "a raid command takes partitions as members, no arrays" if view.outer is not None else ""


def _file_system(view: PlanView) -> str:
    return "" if view.filesystems else "it makes a file system on every array"


def _newer_metadata(view: PlanView) -> str:
    return "its mdadm type has no metadata 0.90" if view.arrays[0].metadata == "0.90" else ""


_UUID = Gap("random", "Every installation makes new ones, so mdadm.conf must be taken from the new system.")
_CHUNK = Gap(built.mdadm_chunk, "The format has no chunk; mdadm takes its own.")
_LAYOUT = Gap(built.mdadm_layout, "The format has no layout; mdadm takes its own.")
_RUN_BITMAP = Gap(
    built.mdadm_bitmap,
    "The installer calls mdadm with --run, with which mdadm 4.4 and later makes no bitmap. After a power cut the "
    "whole array is resynced.",
)
_BLIVET_BITMAP = Gap(built.internal_bitmap, "blivet asks for an internal bitmap with mdadm's chunk and has no PPL.")
_SIZE = Gap(MDADM_OWN, "The format has no data offset.")
_GROUP = Gap("none", "Without a spare-group in mdadm.conf a spare serves its own array alone.")
_LINEAR = Gap(built.linear_volume, "The format has no stripes of a logical volume: one stream uses one array.")
_EXTENT = Gap(built.lvm_extent, "The format has no extent size; extents may cut full stripes.")
_MKFS = Gap(
    built.mkfs_by_blivet, "The plan's options are for the stripe of its volume and layout, so they are left out."
)
_SYNC = Gap("md's own, for hours", "No installer zeroes the members first.")
_TUNING = Gap("values of the kernel", "The plan sets them by a udev rule.")
_ERASES = Gap("any, erased without a question", "The installer erases what the named disks hold without a question.")
_SIGNATURES = Gap(
    "refused where it has a signature",
    "A check before the installation looks for signatures on disks that were blank; bytes without one are erased.",
)
_ORDER = Gap("the order of the installer", "Both copies of a chunk may be in one enclosure.")
_NO_MAIL = Gap("nobody", "The installer writes ARRAY lines alone to mdadm.conf.")
_METADATA = Gap("1.2", "The format has no metadata version.")

_BUTANE = Format(
    title="Butane configuration for the data disks of this plan.",
    installer="Ignition, by butane",
    file="raidtui.bu",
    checked_by="butane --strict (fcos 1.4.0) and Ignition's validator",
    gaps={"first sync": _SYNC, "content check": _ERASES},
    native_note="Merge it into the machine's configuration. Ignition runs at the first boot only.",
    adopt_note="Build first with raidtui build or build.sh on this machine. Ignition then creates no array. It writes "
    "mdadm.conf, the udev rule and the mount unit.",
    refused=_NO_VOLUME,
)

FORMATS: Mapping[ExportFormat, Format] = {
    "kickstart": Format(
        title="Kickstart commands for the data disks of this plan.",
        installer="anaconda",
        file="raidtui.ks",
        checked_by="pykickstart 3.78, syntax of RHEL 8, 9, 10 and Fedora 42",
        gaps={
            "first sync": _SYNC,
            "member device": Gap(
                built.partition_of_all, "part makes partitions in whole MiB; a whole disk cannot be a member."
            ),
            "layout": _LAYOUT,
            "bitmap": _BLIVET_BITMAP,
            "metadata version": _METADATA,
            "array UUID": _UUID,
            "size and data offset": _SIZE,
            "spare group": _GROUP,
            "volume": _LINEAR,
            "extent size": Gap(built.anaconda_extent, "anaconda takes powers of two alone."),
            "mkfs options": _MKFS,
            "alert": Gap("root", "anaconda writes MAILADDR root."),
            "tuning": _TUNING,
            "content check": _SIGNATURES,
        },
        native_note="Put this into your Kickstart file, or name it there with %ksappend, beside the system's own "
        "disks. A Kickstart file has one clearpart command: add the drives below to yours.",
        adopt_note="Build first with raidtui build or build.sh on this machine; then put this into your Kickstart "
        "file. "
        "%pre ends the installation unless the plan's arrays and file systems are there. Name no data disk in "
        "clearpart.",
        refused={"volume": _no_outer, "mkfs options": _file_system, **_NO_ROOM},
    ),
    "autoinstall": Format(
        title="Autoinstall storage for the data disks of this plan.",
        installer="Subiquity and curtin",
        file="user-data",
        checked_by="curtin's own schema and storage handlers, disks as Subiquity resolves them",
        gaps={
            "first sync": _SYNC,
            "member order": _ORDER,
            "chunk": _CHUNK,
            "layout": _LAYOUT,
            "bitmap": _RUN_BITMAP,
            "array UUID": _UUID,
            "size and data offset": _SIZE,
            "spare group": _GROUP,
            "volume": _LINEAR,
            "extent size": _EXTENT,
            "mkfs options": Gap(
                built.mkfs_by_curtin,
                "The plan's options are for its own stripe, and for sectors that curtin does not state itself.",
            ),
            "alert": _NO_MAIL,
            "tuning": _TUNING,
            "content check": _SIGNATURES,
        },
        native_note="Add the entries of storage.config to those of the system's own disks. Disks are matched by serial "
        "number, since Subiquity takes any disk for an entry with a WWN alone. Its versions before 24.08.1 end with an "
        "error.",
        adopt_note="Build first with raidtui build or build.sh on this machine; then install with these entries added "
        "to storage.config. The early command ends the installation unless the plan's arrays and file systems are "
        "there.",
        refused={"level": _levels("raid0", "raid1", "raid5", "raid6", "raid10"), **_NO_ROOM},
    ),
    "butane": _BUTANE,
    "ignition": replace(
        _BUTANE,
        title="Ignition configuration for the data disks of this plan.",
        installer="Ignition",
        file="raidtui.ign",
        checked_by="ignition-validate and Ignition's JSON schema (spec 3.3.0)",
    ),
    "disko": Format(
        title="NixOS module for the data disks of this plan.",
        installer="disko",
        file="raidtui-disks.nix",
        checked_by="nix-instantiate --parse and disko's own modules",
        gaps={
            "first sync": _SYNC,
            "spares": Gap("none", "disko makes every device of an array a member; add spares by hand afterwards."),
            "spare group": Gap("none", "There are no spares to share."),
            "extent size": _EXTENT,
            "content check": _ERASES,
        },
        native_note="Import it beside the system's own disko.devices.",
        adopt_note="Build first with raidtui build or build.sh on this machine. Then import this module. It names no "
        "disk to disko, mounts by UUID and fails no boot.",
        refused={"metadata version": _newer_metadata},
    ),
    "linux-system-roles": Format(
        title="Variables of the role linux-system-roles.storage for the data disks of this plan.",
        installer="linux-system-roles.storage (blivet)",
        file="raidtui-storage.yml",
        checked_by="names of the role's defaults/main.yml",
        gaps={
            "first sync": _SYNC,
            "member device": Gap(
                built.partition_of_stated_size, "The role makes a partition of all of a disk, or none."
            ),
            "layout": _LAYOUT,
            "bitmap": _BLIVET_BITMAP,
            "array UUID": _UUID,
            "size and data offset": _SIZE,
            "spare group": _GROUP,
            "mkfs options": _MKFS,
            "alert": Gap("nobody", "The role does not write mdadm.conf."),
            "tuning": _TUNING,
        },
        native_note="storage_safe_mode stays true: the role refuses disks that hold something.",
        adopt_note="Build first with raidtui build or build.sh on this machine. The role then finds the volumes, keeps "
        "them (storage_safe_mode: true) and mounts them.",
        refused={**_NO_VOLUME, **_NO_ROOM},
    ),
    "systemd": Format(
        title="Files for a system that uses the arrays of this plan.",
        installer="systemd, udev and mdadm",
        file="raidtui-files",
        checked_by="systemd-analyze verify, systemd-repart --dry-run",
        gaps={
            attribute: Gap("none", "systemd creates no arrays and no volumes.")
            for attribute in (
                "level",
                "member order",
                "spares",
                "chunk",
                "layout",
                "bitmap",
                "size and data offset",
                "volume",
                "extent size",
                "mkfs options",
            )
        },
        native_note="systemd-repart makes the partitions; nothing here creates an array: build with raidtui build or "
        "build.sh.",
        adopt_note="Build first with raidtui build or build.sh on this machine. Then copy these files to the system "
        "that uses the arrays.",
        refused=_NO_ROOM,
    ),
}
"""every format, in the order of the help"""
