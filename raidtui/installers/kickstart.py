"""Kickstart commands (pykickstart, anaconda) for the data disks of a plan: an include file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.installers.built import anaconda_takes, options_by_blivet
from raidtui.installers.plan_view import ArrayView, FileSystemView, MemberView, PlanView
from raidtui.installers.text import adoption_check, blank_check
from raidtui.values.units import KIB, MIB


def native(view: PlanView) -> str:
    """Commands with which anaconda partitions the disks and creates arrays, volume and file systems."""
    drives = ",".join(_drive(member) for member in view.disks)
    lines = [*_pre(blank_check(view, serials=False)), f"clearpart --all --initlabel --disklabel=gpt --drives={drives}"]
    for number, array in enumerate(view.arrays):
        lines += _array(view, number, array)
    if view.volume is not None:
        volumes = " ".join(_volume_id(number) for number in range(len(view.arrays)))
        extent = view.volume.extent_bytes
        size = f" --pesize={extent // KIB}" if anaconda_takes(extent) else ""
        lines.append(f"volgroup {view.name} {volumes}{size}")
        lines += [
            f"logvol {made.mount_point} --vgname={view.name} --name={view.logical_volume} --size=1 --grow"
            f"{_formatted(made, made.uuid_option)}"
            for made in view.filesystems
        ]
    return "\n".join(lines) + "\n"


def adopted(view: PlanView) -> str:
    """Commands with which anaconda mounts what is there, after a check that it is the plan's."""
    lines = _pre(adoption_check(view))
    if view.volume is not None:
        lines.append(f"volgroup {view.name} --useexisting --noformat")
    for made in view.filesystems:
        options = f'--useexisting --noformat --fsoptions="{made.mount_options}"'
        if view.volume is not None:
            lines.append(
                f"logvol {made.mount_point} --vgname={view.name} --name={view.logical_volume} {options} "
                f"--fstype={made.type}"
            )
        else:
            name = made.device.rpartition("/")[2]
            lines.append(f"raid {made.mount_point} --device={name} {options} --fstype={made.type}")
    return "\n".join(lines) + "\n"


def _pre(check: str) -> list[str]:
    return ["%pre --erroronfail --interpreter=/bin/bash", *check.splitlines(), "%end"]


def _array(view: PlanView, number: int, array: ArrayView) -> Iterator[str]:
    devices = (*array.members, *array.spares)
    parts = [f"raid.{number:02}{place:02}" for place in range(len(devices))]
    for part, member in zip(parts, devices, strict=True):
        yield f"part {part} --ondisk={_drive(member)} {_size(member)}"
    made = next(made for made in view.filesystems if made.array in (number, None))
    chunk = array.geometry.chunk_bytes
    words = [f"raid {_volume_id(number) if made.array is None else made.mount_point}", f"--device={array.name}"]
    words.append(f"--level={array.level.upper()}")
    words += [f"--spares={len(array.spares)}"] if array.spares else []
    words += [f"--chunksize={chunk // KIB}"] if chunk else []
    formatted = "" if made.array is None else _formatted(made, options_by_blivet(view, made))
    yield f"{' '.join(words)}{formatted} {' '.join(parts)}"


def _drive(member: MemberView) -> str:
    return member.disk.path.removeprefix("/dev/")


def _size(member: MemberView) -> str:
    """A partition of the plan in whole MiB, else one over the whole disk."""
    table = member.disk.table
    return "--size=1 --grow" if table is None else f"--size={table.size_bytes // MIB}"


def _volume_id(number: int) -> str:
    return f"pv.{number:02}"


def _formatted(made: FileSystemView, options: Sequence[str]) -> str:
    """No word has a quote or a backslash: see `plan_view.word` and the options of `tools.mkfs_*`."""
    return f' --fstype={made.type} --fsoptions="{made.mount_options}" --mkfsoptions="{" ".join(options)}"'
