"""Output of pvs, vgs and lvs (lvm2 2.03.16)."""

from __future__ import annotations

import json

from raidtui.machine.simulated.core.argv_parser import read, unknown
from raidtui.machine.simulated.core.devices import busy, kernel_name
from raidtui.machine.simulated.core.state import SimulatedVolume, State, VolumeGroup
from raidtui.machine.simulated.core.storage import seen
from raidtui.machine.simulated.tools.lvm import KIND, physical, there, volume_named
from raidtui.tools import lvm_report


def question(state: State, argv: tuple[str, ...]) -> str:
    """What pvs, vgs and lvs say."""
    if argv == lvm_report.PHYSICAL:
        return _report("pv", _physical(state))
    if argv == lvm_report.VOLUMES:
        return _report("lv", [_volume(state, group, volume) for group in there(state) for volume in group.volumes])
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
            tagged = [f"{group.name}/{each.name}" for group in there(state) for each in group.volumes
                      if each.tag == wanted]  # fmt: skip
            return _lines(tagged)
        case ("pvs", "pv_uuid", ""), (device,):
            return _lines([physical(state, device)[1].uuid])
        case ("pvs", "pe_start", ""), (device,):
            return _lines([str(physical(state, device)[1].facts["pe_start"])])
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


def _report(name: str, rows: list[dict[str, str]]) -> str:
    return json.dumps({"report": [{name: rows}]})


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


def _volume(state: State, group: VolumeGroup, volume: SimulatedVolume) -> dict[str, str]:
    key = f"{group.name}/{volume.name}"
    is_open = volume.active and busy(state, key)
    letters = f"{'s' if volume.origin else '-'}wi-{'a' if volume.active else '-'}{'o' if is_open else '-'}----"
    return {
        "lv_full_name": key, "vg_name": group.name, "lv_tags": volume.tag, "origin": volume.origin,
        "lv_attr": letters, "lv_device_open": "open" if is_open else "",
    }  # fmt: skip


def _lines(values: list[str]) -> str:
    return "".join(f"  {value}\n" for value in values)
