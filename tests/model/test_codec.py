"""Values survive the trip through JSON; what does not fit is named with its place."""

import pytest

from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import BadInput
from raidtui.model.inventory import Disk, Inventory, Place, Use

DISK = Disk(
    id="wwn-0x5000c500aaaa0001",
    size_bytes=2_000_398_934_016,
    serial="\x1b[2J",
    place=Place(slot="A01"),
    uses=(Use(kind="file-system", where="ext4", active=False),),
    state="content",
)
INVENTORY = Inventory(origin="machine", name="stor01", disks=(DISK,))


def test_round_trip_through_pure_ascii() -> None:
    text = to_json(INVENTORY)
    assert text.isascii()
    assert "\x1b" not in text
    assert from_json(Inventory, text, source="x") == INVENTORY


def test_what_is_not_known_is_absent() -> None:
    assert "firmware" not in to_json(INVENTORY)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "lab.json: the document: Invalid JSON"),
        ('{"origin": "machine"}', "lab.json: name: Field required"),
        ('{"origin": "moon", "name": "x"}', "lab.json: origin: Input should be 'machine', 'chassis' or 'purchase'"),
        ('{"origin": "machine", "name": "x", "colour": 1}', "lab.json: colour: unknown key"),
        ('{"origin": "machine", "name": "x", "disks": [{"id": "a"}]}', "lab.json: disks.0.size_bytes: Field required"),
    ],
)
def test_the_place_of_what_does_not_fit(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said.replace(".", r"\.")):
        from_json(Inventory, text, source="lab.json")
