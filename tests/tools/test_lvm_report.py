import pytest

from raidtui.model.errors import MachineFailed
from raidtui.tools.lvm_report import PHYSICAL, VOLUMES, LogicalVolume, PhysicalVolume, logical_volumes, physical_volumes

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
