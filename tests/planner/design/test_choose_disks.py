"""Which disks a layout may take."""

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.predict.stated_disks import choose_disks
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Disk, Inventory, Place

BLANK = Disk(id="wwn-0x1", serial="S1", size_bytes=10**12, state="blank", place=Place(slot="1"), kernel_name="sda")
OLD = Disk(id="wwn-0x2", serial="S2", size_bytes=10**12, state="content", place=Place(slot="2"), kernel_name="sdaa")
SYSTEM = Disk(
    id="wwn-0x3", serial="S3", size_bytes=10**12, state="content", not_selectable="mounted on /", protected=True
)
UNKNOWN = Disk(id="wwn-0x4", serial="S4", size_bytes=10**12, state="unknown", not_selectable="its ends were not read")
SPARE = Disk(id="wwn-0x5", serial="S5", size_bytes=10**12, state="blank", place=Place(slot="1"))
INVENTORY = Inventory(origin="machine", name="lab", disks=(BLANK, OLD, SYSTEM, UNKNOWN, SPARE))


def test_a_disk_with_content_is_taken_when_it_is_named() -> None:
    assert choose_disks(INVENTORY, only=("S5", "sdaa")) == (OLD, SPARE)


def test_a_slot_is_named_as_a_screen_shows_it() -> None:
    (chosen,) = choose_disks(load("e2660"), only=("d1s07",))
    assert chosen.place.slot == "drawer 1 slot 07"


@pytest.mark.parametrize(("name", "reason"), [("sd", "no disk matches 'sd'"), ("1", "'1' matches 2 disks")])
def test_a_name_fits_exactly_one_disk(name: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        choose_disks(INVENTORY, only=(name,))
