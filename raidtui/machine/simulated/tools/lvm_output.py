"""Output of pvs, vgs and lvs (lvm2 2.03.16)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from raidtui.machine.simulated.core.argv_parser import read, unknown
from raidtui.machine.simulated.core.devices import busy, kernel_name
from raidtui.machine.simulated.core.state import SimulatedVolume, State, VolumeGroup
from raidtui.machine.simulated.core.storage import physical_volume, seen
from raidtui.machine.simulated.tools.lvm import KIND, physical, segments, space, there, volume_named
from raidtui.tools import lvm_report


def question(state: State, argv: tuple[str, ...]) -> str:
    """What pvs, vgs and lvs say."""
    if argv in _REPORTS:
        name, rows = _REPORTS[argv]
        return json.dumps({"report": [{name: list(rows(state))}]})
    given = read(
        argv, flags={"--noheadings", "--nosuffix"}, values={"--options", "--select", "--units", "--separator"}, most=1
    )
    asked = (argv[0], given.values.get("--options"), given.values.get("--select", "").partition("=")[0])
    wanted = given.values.get("--select", "").partition("=")[2]
    if "--noheadings" not in given.flags or given.values.get("--units", "b") != "b":
        raise unknown(argv)
    match asked, given.operands:
        case ("vgs", "vg_name", "vg_name"), ():
            return _lines([group.name for group in there(state) if group.name == wanted])
        case ("pvs", "vg_name", "pv_uuid"), ():
            return _lines([group.name for group in there(state) if wanted in group.physical])
        case ("lvs", "lv_full_name", "lv_tags"), ():
            return _lines([f"{group.name}/{each.name}" for group, each in _all(state) if each.tag == wanted])
        case ("pvs", "pv_uuid", ""), (device,):
            return _lines([physical(state, device)[1].uuid])
        case ("pvs", "pe_start", ""), (device,):
            return _lines([str(physical(state, device)[1].facts["pe_start"])])
        case ("pvs", "pv_pe_count", ""), (device,):
            uuid = physical(state, device)[1].uuid
            group = next(each for each in there(state) if uuid in each.physical)
            return _lines([str(space(state, group, uuid)[0])])
        case ("lvs", "lv_size", ""), (name,):
            group, volume = volume_named(state, name)
            return _lines([str(volume.extents * group.extent_bytes)])
        case ("lvs", "stripes,stripe_size,vg_extent_size,lv_size", ""), (name,):
            group, volume = volume_named(state, name)
            sizes = (volume.stripes, volume.stripe_bytes, group.extent_bytes, volume.extents * group.extent_bytes)
            if volume.stripes == 1:  # stripes are of segments, one in each physical volume of a full linear volume
                raise unknown(argv)
            return _lines([given.values["--separator"].join(map(str, sizes))])
        case ("lvs", "lv_layout,vg_extent_size,lv_size", ""), (name,):
            group, volume = volume_named(state, name)
            layout = "linear" if volume.stripes == 1 else "striped"
            values = (layout, group.extent_bytes, volume.extents * group.extent_bytes)
            return _lines([given.values["--separator"].join(map(str, values))])
        case _:
            raise unknown(argv)


def _physical(state: State) -> list[dict[str, str]]:
    """Every label that can be read, by the device that it is on."""
    keys = [array.name for array in state.arrays if array.running]
    keys += [drive.key for drive in state.drives if drive.present]
    rows = []
    for key in keys:
        for mark in seen(state, key):
            if mark.kind == KIND:
                path = f"/dev/{kernel_name(state, key)}"
                rows.append({"pv_name": path, "pv_uuid": mark.uuid, "vg_name": mark.texts.get("group", "")})
    labels = {row["pv_uuid"] for row in rows}
    missing = [(uuid, group.name) for group in there(state) for uuid in group.physical if uuid not in labels]
    return rows + [{"pv_name": "[unknown]", "pv_uuid": uuid, "vg_name": name} for uuid, name in missing]


def _spaces(state: State) -> Iterator[dict[str, str]]:
    """Physical volumes with their extents; one in no group has none."""
    for row in _physical(state):
        group = next((each for each in there(state) if each.name == row["vg_name"]), None)
        extents, used = (0, 0) if group is None else space(state, group, row["pv_uuid"])
        found = physical_volume(state, row["pv_uuid"])
        yield row | {
            "pe_start": str(found[1].facts["pe_start"] if found else 0), "pv_pe_count": str(extents),
            "pv_pe_alloc_count": str(used), "vg_extent_size": str(0 if group is None else group.extent_bytes),
        }  # fmt: skip


def _segments(state: State) -> Iterator[dict[str, str]]:
    """Each with its physical volumes and the first extent that it has there."""
    names = {row["pv_uuid"]: row["pv_name"] for row in _physical(state)}
    first = dict.fromkeys(names, 0)
    for group, volume in _all(state):
        for part in segments(group, volume):
            yield {
                "lv_name": volume.name, "vg_name": group.name, "lv_size": str(volume.extents * group.extent_bytes),
                "segtype": "striped" if part.stripes > 1 else "linear", "stripes": str(part.stripes),
                "stripe_size": str(part.stripe_bytes),
                "devices": ",".join(f"{names[uuid]}({first[uuid]})" for uuid in part.physical),
            }  # fmt: skip
            for uuid in part.physical:
                first[uuid] += part.extents // len(part.physical)


def _volumes(state: State) -> Iterator[dict[str, str]]:
    for group, volume in _all(state):
        key = f"{group.name}/{volume.name}"
        is_open = volume.active and busy(state, key)
        letters = f"{'s' if volume.origin else '-'}wi-{'a' if volume.active else '-'}{'o' if is_open else '-'}----"
        yield {
            "lv_full_name": key, "vg_name": group.name, "lv_tags": volume.tag, "origin": volume.origin,
            "lv_attr": letters, "lv_device_open": "open" if is_open else "",
        }  # fmt: skip


def _all(state: State) -> list[tuple[VolumeGroup, SimulatedVolume]]:
    return [(group, volume) for group in there(state) for volume in group.volumes]


_REPORTS: dict[tuple[str, ...], tuple[str, Callable[[State], Iterable[dict[str, str]]]]] = {
    lvm_report.PHYSICAL: ("pv", _physical), lvm_report.SPACE: ("pv", _spaces),
    lvm_report.VOLUMES: ("lv", _volumes), lvm_report.SEGMENTS: ("seg", _segments),
}  # fmt: skip


def _lines(values: list[str]) -> str:
    return "".join(f"  {value}\n" for value in values)
