"""LVM: one volume group with one striped or linear volume over arrays (lvm2 2.03, pvcreate(8), lvcreate(8)).

No --force anywhere. `lvcreate --yes` answers one question only: what to do with a signature that shines through
from before on a volume that has just been made on arrays that were just made on disks that were just wiped.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from raidtui.model.plan import Command, mapped_name
from raidtui.model.units import KIB

LINEAR = "linear"
"""type of a volume, and its lv_layout"""
_REPORT = ("--noheadings", "--nosuffix", "--units=b")


def pvcreate(device: str, uuid: str, pe_start_bytes: int) -> Command:
    """Makes a physical volume whose first extent starts at `pe_start_bytes`."""
    align = f"--dataalignment={pe_start_bytes // KIB}k"
    argv = ("pvcreate", align, f"--uuid={uuid}", "--norestorefile", device)
    return Command(argv=argv, effect="destroy", devices=(device,))


def vgcreate(name: str, devices: Sequence[str], extent_bytes: int) -> Command:
    """Makes a volume group of these physical volumes."""
    argv = ("vgcreate", f"--physicalextentsize={extent_bytes // KIB}k", name, *devices)
    return Command(argv=argv, effect="change", devices=tuple(devices))


def vgextend(name: str, devices: Sequence[str]) -> Command:
    """Adds these physical volumes to a volume group."""
    return Command(argv=("vgextend", name, *devices), effect="change", devices=tuple(devices))


def lvcreate(
    group: str, name: str, *, tag: str, stripes: int, stripe_bytes: int, extents: int, read_ahead_sectors: int
) -> Command:
    """Makes a volume of exactly `extents` extents; read-ahead and `tag`, by which it is known, stay with it.

    One stripe: linear, one physical volume after another.
    """
    striped = (f"--stripes={stripes}", f"--stripesize={stripe_bytes // KIB}k")
    argv = (
        "lvcreate", "--yes", "--wipesignatures=y", "--zero=y", f"--type={'striped' if stripes > 1 else LINEAR}",
        *(striped if stripes > 1 else ()), f"--extents={extents}", f"--readahead={read_ahead_sectors}",
        f"--addtag={tag}", f"--name={name}", group,
    )  # fmt: skip
    return Command(argv=argv, effect="change", makes=f"/dev/{group}/{name}")


def pvresize(device: str) -> Command:
    """Uses a device that became larger to its end."""
    return Command(argv=("pvresize", device), effect="change", devices=(device,))


def lvextend(
    group: str, name: str, *, extents: int, stripes: int, stripe_bytes: int, devices: Sequence[str]
) -> Command:
    """Makes a volume `extents` extents long in all: what is new is on `devices`, in so many stripes; 1: linear."""
    striped = (f"--stripesize={stripe_bytes // KIB}k",) if stripes > 1 else ()
    argv = ("lvextend", f"--extents={extents}", f"--stripes={stripes}", *striped, f"{group}/{name}", *devices)
    volume = f"/dev/mapper/{mapped_name(group, name)}"
    return Command(argv=argv, effect="change", devices=(volume, *devices))


def lvremove(group: str, name: str) -> Command:
    """Removes one volume that is not in use."""
    return Command(argv=("lvremove", "--yes", f"{group}/{name}"), effect="change")


def vgremove(group: str) -> Command:
    """Removes a volume group; if it has other volumes, vgremove prompts and fails on the closed stdin."""
    return Command(argv=("vgremove", group), effect="change")


def pvremove(device: str) -> Command:
    """Removes the label of a physical volume that no group uses."""
    return Command(argv=("pvremove", device), effect="change", devices=(device,))


def group_question(name: str) -> tuple[str, ...]:
    """The name itself when such a volume group exists, nothing otherwise."""
    return ("vgs", "--noheadings", "--options=vg_name", f"--select=vg_name={name}")


def group_of_volume_question(pv_uuid: str) -> tuple[str, ...]:
    """Name of the group that holds the physical volume with this UUID, nothing when there is none."""
    return ("pvs", "--noheadings", "--options=vg_name", f"--select=pv_uuid={pv_uuid}")


def tagged_question(tag: str) -> tuple[str, ...]:
    """`group/name` of the volume with this tag, nothing when there is none."""
    return ("lvs", "--noheadings", "--options=lv_full_name", f"--select=lv_tags={tag}")


def uuid_question(device: str) -> tuple[str, ...]:
    """UUID of the physical volume on `device`; fails when there is none."""
    return ("pvs", "--noheadings", "--options=pv_uuid", device)


def start_question(device: str) -> tuple[str, ...]:
    """Bytes before the first extent of the physical volume on `device`."""
    return ("pvs", *_REPORT, "--options=pe_start", device)


def volume_question(group: str, name: str) -> tuple[str, ...]:
    """`stripes,stripe size,extent size,volume size` of a volume, in bytes."""
    columns = "--options=stripes,stripe_size,vg_extent_size,lv_size"
    return ("lvs", *_REPORT, "--separator=,", columns, f"{group}/{name}")


def linear_question(group: str, name: str) -> tuple[str, ...]:
    """`linear,extent size,volume size` of a linear volume, in bytes. Its stripes would come in a line per segment."""
    return ("lvs", *_REPORT, "--separator=,", "--options=lv_layout,vg_extent_size,lv_size", f"{group}/{name}")


def extents_question(device: str) -> tuple[str, ...]:
    """Extents of the physical volume on `device`."""
    return ("pvs", *_REPORT, "--options=pv_pe_count", device)


def size_question(group: str, name: str) -> tuple[str, ...]:
    """Size of a volume in bytes."""
    return ("lvs", *_REPORT, "--options=lv_size", f"{group}/{name}")


def pv_uuid(hex_digits: str) -> str:
    """32 hex digits in LVM's grouping of 6-4-4-4-4-4-6."""
    cuts = (0, 6, 10, 14, 18, 22, 26, 32)
    return "-".join(hex_digits[start:end] for start, end in pairwise(cuts))


def group_of(mapped: str) -> str:
    """`vg-a` of the device-mapper name `vg--a-lv`: hyphens inside names are doubled (libdm-string.c)."""
    return mapped.replace("--", "\0").split("-")[0].replace("\0", "-")
