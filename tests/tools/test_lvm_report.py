import pytest

from raidtui.programs.lvm import (
    PHYSICAL,
    SEGMENTS,
    SPACE,
    VOLUMES,
    LogicalVolume,
    PhysicalSpace,
    PhysicalVolume,
    Segment,
    logical_volumes,
    physical_volumes,
    segments,
    spaces,
)
from raidtui.values.errors import MachineFailed

LVS = """
  {
      "report": [
          {
              "lv": [
                  {"lv_full_name":"data/data", "vg_name":"data", "lv_tags":"raidtui_0f0f,other", "origin":"",
                   "lv_attr":"owi-aos---", "lv_device_open":"open"},
                  {"lv_full_name":"data/before", "vg_name":"data", "lv_tags":"", "origin":"[data]",
                   "lv_attr":"swi---s---", "lv_device_open":""}
              ]
          }
      ]
  }
"""
PVS = """{"report": [{"pv": [
  {"pv_name":"/dev/md127", "pv_uuid":"Wr5xYz-0000-1111-2222-3333-4444-555555", "vg_name":"data"},
  {"pv_name":"[unknown]", "pv_uuid":"abcdef-0000-1111-2222-3333-4444-555555", "vg_name":""}]}], "log": []}"""


def test_what_is_asked() -> None:
    assert VOLUMES == (
        "lvs", "--config=devices/use_devicesfile=0", "--reportformat=json", "--all",
        "--options=lv_full_name,vg_name,lv_tags,origin,lv_attr,lv_device_open",
    )  # fmt: skip
    assert PHYSICAL == (
        "pvs", "--config=devices/use_devicesfile=0", "--reportformat=json", "--options=pv_name,pv_uuid,vg_name",
    )  # fmt: skip


def test_volumes_and_snapshots() -> None:
    assert logical_volumes(LVS) == (
        LogicalVolume(
            name="data/data", group="data", tags=("raidtui_0f0f", "other"), origin="", active=True, open=True
        ),
        LogicalVolume(name="data/before", group="data", tags=(), origin="data", active=False, open=False),
    )


def test_physical_volumes() -> None:
    assert physical_volumes(PVS) == (
        PhysicalVolume(path="/dev/md127", uuid="Wr5xYz-0000-1111-2222-3333-4444-555555", group="data"),
        PhysicalVolume(path="[unknown]", uuid="abcdef-0000-1111-2222-3333-4444-555555", group=""),
    )


@pytest.mark.parametrize("text", ["", "nothing", "{}", '{"report": [{"lv": [{}], "pv": [{}]}]}', "[]", '{"report": 1}'])
def test_anything_else_is_no_answer(text: str) -> None:
    for read in (logical_volumes, physical_volumes):
        with pytest.raises(MachineFailed, match="unexpected output of"):
            read(text)


def test_extents_of_physical_volumes() -> None:
    assert SPACE == (
        "pvs", "--config=devices/use_devicesfile=0", "--reportformat=json", "--units=b", "--nosuffix",
        "--options=pv_name,pv_uuid,vg_name,pe_start,pv_pe_count,pv_pe_alloc_count,vg_extent_size",
    )  # fmt: skip
    text = """{"report": [{"pv": [
      {"pv_name":"/dev/md127", "pv_uuid":"Wr5xYz", "vg_name":"vg", "pe_start":"1048576", "pv_pe_count":"99",
       "pv_pe_alloc_count":"90", "vg_extent_size":"4194304"},
      {"pv_name":"/dev/sdz", "pv_uuid":"abcdef", "vg_name":"", "pe_start":"1048576", "pv_pe_count":"0",
       "pv_pe_alloc_count":"0", "vg_extent_size":"0"}]}]}"""
    assert spaces(text) == (
        PhysicalSpace(
            path="/dev/md127", uuid="Wr5xYz", group="vg", start_bytes=1048576, extent_bytes=4194304, extents=99, used=90
        ),
        PhysicalSpace(path="/dev/sdz", uuid="abcdef", group="", start_bytes=1048576, extent_bytes=0, extents=0, used=0),
    )


def test_segments_of_volumes() -> None:
    assert SEGMENTS == (
        "lvs", "--config=devices/use_devicesfile=0", "--reportformat=json", "--units=b", "--nosuffix", "--segments",
        "--options=lv_name,vg_name,lv_size,segtype,stripes,stripe_size,devices",
    )  # fmt: skip
    text = """{"report": [{"seg": [
      {"lv_name":"lv", "vg_name":"vg", "lv_size":"754974720", "segtype":"striped", "stripes":"2",
       "stripe_size":"65536", "devices":"/dev/md127(0),/dev/md126(0)"}]}]}"""
    assert segments(text) == (
        Segment(name="lv", group="vg", size_bytes=754974720, type="striped", stripes=2, stripe_bytes=65536,
                devices=("/dev/md127", "/dev/md126")),
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "[]", '{"report": [{"pv": [{"vg_name": "x"}]}]}'])
def test_no_report_of_extents(text: str) -> None:
    with pytest.raises(MachineFailed):
        spaces(text)
    with pytest.raises(MachineFailed):
        segments(text)
