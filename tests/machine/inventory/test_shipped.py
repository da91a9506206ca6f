from pathlib import Path

import pytest

from raidtui.machine.inventory import shipped
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput
from tests import regenerate_chassis

SHIPPED = Path(shipped.__file__).parents[2] / "chassis"


def test_the_committed_files_are_fresh() -> None:
    made = dict(regenerate_chassis.files())
    assert {path.name: path.read_text("ascii") for path in SHIPPED.glob("*.json")} == made


@pytest.mark.parametrize("name", shipped.names())
def test_shipped_files_pass_the_strict_reader(name: str) -> None:
    assert shipped.load(name) == shipped.load_file(str(SHIPPED / f"{name}.json"))


@pytest.mark.parametrize("name", shipped.names())
def test_every_disk_is_free_and_told_apart(name: str) -> None:
    inventory = shipped.load(name)
    assert inventory.simulated
    assert inventory.free == inventory.disks
    for field in ("id", "path", "serial", "wwn", "kernel_name"):
        assert len({getattr(disk, field) for disk in inventory.disks}) == len(inventory.disks)
    assert len({(disk.place.enclosure, disk.place.slot) for disk in inventory.disks}) == len(inventory.disks)
    assert all(disk.place.controller in {each.pci for each in inventory.controllers} for disk in inventory.disks)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("e2660", [2_000_398_934_016] * 60),
        ("pod45", [2_000_398_934_016] * 45),
        ("nas4", [3_960_778_588_160] * 4),
        ("trio", [250_059_350_016, 1_000_204_886_016, 1_000_204_886_016]),
        ("jbod84", [20_000_588_955_648] * 84),
        ("nvme24", [7_681_501_126_656] * 24),
    ],
)
def test_disks_to_the_byte(name: str, sizes: list[int]) -> None:
    assert [disk.size_bytes for disk in shipped.load(name).disks] == sizes


def test_failure_domains() -> None:
    e2660 = shipped.load("e2660").disks
    assert sorted({disk.place.expander for disk in e2660 if disk.place.expander}) == [
        "expander-0:0", "expander-0:1", "expander-0:2", "expander-0:3", "expander-0:4",
        "expander-1:0", "expander-1:1", "expander-1:2", "expander-1:3", "expander-1:4",
    ]  # fmt: skip
    pod45 = shipped.load("pod45").disks
    for number in range(1, 10):
        assert sum(disk.place.expander == f"ata{number}.pmp" for disk in pod45) == 5
    assert [disk.sequential_bytes_per_s for disk in shipped.load("trio").disks] == [
        95_000_000,
        110_000_000,
        112_000_000,
    ]
    assert {disk.link_bits_per_s for disk in shipped.load("nvme24").disks} == {64_000_000_000}


def test_nas4_disks_give_the_component_of_the_field_report() -> None:
    sectors = shipped.load("nas4").disks[0].sectors
    component_kib = (sectors - 264_192) // 2 // 64 * 64
    assert component_kib == 3_867_815_744
    assert 3 * component_kib == 11_603_447_232


def test_an_unknown_chassis_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(BadInput, match="there is no inventory file or chassis") as caught:
        shipped.load("../e2660")
    assert caught.value.hint == (
        "chassis: e2660, e2660-luns, jbod84, nas4, nvme24, pod45, trio; `raidtui disks --json > FILE` makes a file"
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read: No such file or directory"),
        ("", "is not an inventory of format raidtui/inventory/1"),
        ("{", "is not an inventory of format raidtui/inventory/1, nor JSON: Expecting property name enclosed in"),
        ('{"schema": "raidtui/inventory/1", "name": "x', "EOF while parsing a string at line 1 column 44"),
        ('{"schema": "raidtui/plan/1"}', "is not an inventory of format raidtui/inventory/1"),
        ('{"schema": "raidtui/inventory/1", "name": "x"}', "origin: Field required"),
        ('{"schema": "raidtui/inventory/1", "origin": "machine", "name": "x", "odd": 1}', "odd"),
    ],
)
def test_a_file_that_is_no_inventory(tmp_path: Path, text: str | None, says: str) -> None:
    file = tmp_path / "inventory.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(BadInput) as caught:
        shipped.load_file(str(file))
    assert str(caught.value).startswith(str(file))
    assert says in str(caught.value)
    assert caught.value.hint


def test_a_file_with_one_disk_twice_is_refused(tmp_path: Path) -> None:
    trio = shipped.load("trio")
    file = tmp_path / "inventory.json"
    file.write_text(to_json(trio).replace(trio.disks[2].id, trio.disks[1].id))
    with pytest.raises(BadInput, match="two disks have the identity wwn-0x"):
        shipped.load_file(str(file))


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        ("disks", "size_bytes", "-1"),
        ("disks", "size_bytes", "1" + "0" * 30),
        ("disks", "size_bytes", "1" + "0" * 400),
        ("disks", "logical_sector_bytes", "0"),
        ("disks", "physical_sector_bytes", "-512"),
        ("disks", "optimal_io_bytes", "-1"),
        ("disks", "sequential_bytes_per_s", "0"),
        ("disks", "link_bits_per_s", "-6000000000"),
        ("disks", "rpm", "-7200"),
        ("disks", "measured", '{"outer_bytes_per_s": 0, "day": "2026-01-31"}'),
        ("disks", "measured", '{"outer_bytes_per_s": 1, "inner_bytes_per_s": -1, "day": "2026-01-31"}'),
        ("controllers", "pcie_speed_gts", "NaN"),
        ("controllers", "pcie_speed_gts", "Infinity"),
        ("controllers", "pcie_width", "-4"),
        ("links", "bits_per_s", "-1"),
    ],
)
def test_numbers_that_no_machine_has_are_refused(tmp_path: Path, where: str, name: str, value: str) -> None:
    shared = {"controllers": '"pci": "0000:03:00.0"', "links": '"name": "x", "kind": "cable"'}
    entries = {key: f"{{{text}}}" for key, text in shared.items()} | {
        "disks": '{"id": "a", "size_bytes": 1000204886016}'
    }
    changed = (
        entries[where].replace('"size_bytes": 1000204886016', '"size_bytes": 1')
        if name != "size_bytes"
        else '{"id": "a"}'
    )
    entries[where] = f'{changed[:-1]}, "{name}": {value}}}'
    lists = ", ".join(f'"{key}": [{text}]' for key, text in entries.items())
    file = tmp_path / "inventory.json"
    file.write_text(f'{{"schema": "raidtui/inventory/1", "origin": "machine", "name": "x", {lists}}}')
    with pytest.raises(BadInput, match=f"{where}.0.{name}"):
        shipped.load_file(str(file))


def test_more_disks_than_a_machine_has(tmp_path: Path) -> None:
    disks = ", ".join(f'{{"id": "d{number}", "size_bytes": 1000204886016}}' for number in range(4097))
    file = tmp_path / "inventory.json"
    file.write_text(f'{{"schema": "raidtui/inventory/1", "origin": "machine", "name": "x", "disks": [{disks}]}}')
    with pytest.raises(BadInput, match="4097 disks; at most 4096 are planned"):
        shipped.load_file(str(file))
