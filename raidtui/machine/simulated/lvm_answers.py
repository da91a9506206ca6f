"""What pvs, vgs and lvs say (lvm2 2.03.16)."""

from __future__ import annotations

from raidtui.machine.simulated.lvm import physical, there, volume_named
from raidtui.machine.simulated.options import read, unknown
from raidtui.machine.simulated.state import State


def question(state: State, argv: tuple[str, ...]) -> str:
    """What pvs, vgs and lvs say."""
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
            return _lines([given.values["--separator"].join(map(str, sizes))])
    raise unknown(argv)


def _lines(values: list[str]) -> str:
    return "".join(f"  {value}\n" for value in values)
