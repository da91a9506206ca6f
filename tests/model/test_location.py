import pytest

from raidtui.values.bench import BenchDisk, Compared
from raidtui.values.codec import from_json, to_json
from raidtui.values.findings import NO_NOTES, Notes
from raidtui.values.location import NOWHERE, Location


@pytest.mark.parametrize("slot", ["3", "07", "drawer 1 slot 07", ""])
@pytest.mark.parametrize("enclosure", ["0x500", "shelf of rack 2", ""])
def test_a_location_is_read_back_from_its_text(slot: str, enclosure: str) -> None:
    for made in (Location.in_plan(slot, enclosure), Location.in_bench(slot, enclosure if slot else "")):
        read = Location.read(made.text)
        assert (read, read.slot, read.enclosure) == (made, made.slot, made.enclosure)


@pytest.mark.parametrize(
    ("text", "slot_text", "enclosure"),
    [
        ("slot 3, enclosure 0x500", "slot 3", "0x500"),
        ("drawer 1 slot 07, enclosure 0x500", "drawer 1 slot 07", "0x500"),
        ("slot drawer 1 slot 07 of 0x500", "drawer 1 slot 07", "0x500"),
        ("enclosure 0x500", "", "0x500"),
        ("by the window", "by the window", ""),
        ("", "", ""),
    ],
)
def test_both_forms_of_the_text_name_slot_and_enclosure(text: str, slot_text: str, enclosure: str) -> None:
    read = Location.read(text)
    assert (str(read), read.slot_text, read.enclosure) == (text, slot_text, enclosure)


def test_a_location_is_its_text_in_files() -> None:
    disk = BenchDisk(id="a", name="sda", place=Location.in_bench("3", "0x500"))
    assert '"place": "slot 3 of 0x500"' in to_json(disk)
    assert from_json(BenchDisk, to_json(disk), source="test").place.slot == "3"
    assert from_json(BenchDisk, '{"id": "a", "name": "sda"}', source="test").place == NOWHERE


def test_notes_are_one_text_in_files() -> None:
    row = Compared(task=1, name="a", unit="B", measured=1, verdict="ok", note=Notes.of(("one", "", "two")))
    assert '"note": "one; two"' in to_json(row)
    assert list(from_json(Compared, to_json(row), source="test").note) == ["one", "two"]
    assert Notes.read("") == NO_NOTES
