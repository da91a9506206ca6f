"""One broken reading of one of sixty disks costs that disk's row: the other fifty-nine are as on the whole machine."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, cast

import pytest

from raidtui.advice.audit.facts import AuditFacts
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.arrays.settings import audit_facts
from raidtui.machine.inventory import disk_content
from raidtui.machine.inventory.capture import Capture
from raidtui.machine.inventory.probe import probe
from raidtui.machine.system.ports import MachineReader
from raidtui.programs import lsblk, multipath, smartctl
from raidtui.values.arrays import ObservedArray
from raidtui.values.inventory import Disk, Inventory
from tests.recorded_machines.shelf import (
    DISKS,
    ROLES,
    ShelfHost,
    ShelfReader,
    kernel_name,
    role,
    second_path,
    shelf,
    shown_name,
)

LSBLK, STATUS, TABLE = (json.dumps(argv) for argv in (lsblk.ARGV, multipath.STATUS, multipath.TABLE))
SES = "/sys/class/enclosure/0:0:99:0"
GARBAGE = "\x00\udcff\u00b2 /../..:: [\n=\t-1 99999999999999999999999999999999999999999999"
Change = Callable[[Capture], None]


class Breaking(NamedTuple):
    """A way to break one reading."""

    kind: str
    """which reading"""
    way: str
    """missing, unreadable, empty, absurd: which value; or raised: an error that nobody foresaw"""
    change: Change


def breakings(number: int) -> Iterator[Breaking]:
    """Every way to break each reading of the disk `number`, its paths and its partition."""
    names = [kernel_name(number), *([second_path(number), f"dm-{number}"] if role(number) == "map" else [])]
    parts = [f"{kernel_name(number)}1"] if role(number) == "mount" else []
    for name in (*names, *parts):
        kind = "partition" if name in parts else "map" if name.startswith("dm-") else "disk"
        yield from _rows(kind, name)
        yield from _record(kind, name)
        yield from _listings(f"holders of a {kind}", f"/sys/class/block/{name}/holders")
        if name in parts:
            continue
        yield from _links(f"sysfs link of a {kind}", f"/sys/class/block/{name}")
        yield from _listings(f"sysfs directory of a {kind}", f"/sys/class/block/{name}")
        yield from _texts(f"Write Zeroes of a {kind}", f"/sys/block/{name}/queue/write_zeroes_max_bytes")
        yield from _looks(f"our look at a {kind}", name)
        yield from _runs(f"smartctl of a {kind}", json.dumps(smartctl.argv(f"/dev/{name}")))
        if kind == "map":
            yield from _texts("name of a map", f"/sys/class/block/{name}/dm/name")
            yield from _texts("UUID of a map", f"/sys/class/block/{name}/dm/uuid")
        else:
            path = int(name in names[1:])
            phy = f"phy-{path}:0:{number}"
            yield from _texts("link speed", f"/sys/class/sas_phy/{phy}/negotiated_linkrate")
            yield from _texts("state of a path", f"/sys/class/block/{name}/device/state")
            port = f"/sys/devices/pci0000:00/0000:00:03.0/0000:03:00.0/host{path}/port-{path}:0/expander-{path}:0"
            yield from _listings("SAS port", f"{port}/port-{path}:0:{number}")
    yield from _links("SES slot", f"{SES}/Slot {number + 1:02d}/device")
    match role(number):
        case "array":
            yield from _lines("mdstat line", "texts", "/proc/mdstat", f"md{number} : ")
        case "mount":
            yield from _lines("mountinfo line", "texts", "/proc/self/mountinfo", f" /srv/{number} ")
        case "map":
            yield from _lines("multipath status", "runs", STATUS, f"mpath{number}: ")
            yield from _lines("multipath table", "runs", TABLE, f"mpath{number}: ")
        case _:
            pass


def _set(table: str, key: str, value: Any) -> Change:
    def change(document: Capture) -> None:
        document[table][key] = value

    return change


def _values(kind: str, table: str, key: str, values: dict[str, Any]) -> Iterator[Breaking]:
    for way, value in values.items():
        yield Breaking(kind, way, _set(table, key, value))


def _texts(kind: str, path: str) -> Iterator[Breaking]:
    yield from _values(kind, "texts", path, {
        "missing": None, "unreadable": False, "empty": "", "absurd": GARBAGE, "raised": UnicodeError("no text"),
    })  # fmt: skip


def _listings(kind: str, path: str) -> Iterator[Breaking]:
    odd = ["", "\u00b2", "sda\u00b2", "../..", GARBAGE]
    yield from _values(kind, "names", path, {
        "missing": [], "unreadable": False, "empty": [""], "absurd": odd, "raised": OSError("bad directory"),
    })  # fmt: skip


def _links(kind: str, path: str) -> Iterator[Breaking]:
    yield from _values(kind, "links", path, {
        "missing": None, "unreadable": False, "empty": "", "absurd": GARBAGE, "raised": IndexError("no link"),
        "absurd: nowhere": "../../devices/0000:0:0.9/host/expander-/port-/end_device-/target::/:::/block",
        "absurd: long": "../" * 5000,
    })  # fmt: skip


def _looks(kind: str, name: str) -> Iterator[Breaking]:
    def change(value: Any) -> Change:
        def changed(document: Capture) -> None:
            for key in [key for key in document["looks"] if key.startswith(f"/dev/{name} ")]:
                document["looks"][key] = value

        return changed

    odd = {"type": "no such signature", "offset": -1, "label": GARBAGE, "uuid": GARBAGE}
    ways: dict[str, Any] = {
        "missing": {"error": "no such file or directory"}, "unreadable": {"error": "input/output error"},
        "unreadable: denied": False, "empty": {}, "raised": StopIteration(),
        "absurd": {"zero": False, "signatures": [odd], "not_zero": [-1], "places": -1},
        "absurd: zero and signed": {"zero": True, "signatures": [odd], "fingerprint": GARBAGE},
    }  # fmt: skip
    for way, value in ways.items():
        yield Breaking(kind, way, change(value))


def _runs(kind: str, key: str) -> Iterator[Breaking]:
    def printed(text: str, code: int = 0) -> dict[str, Any]:
        return {"exit": code, "stdout": text, "stderr": ""}

    yield from _values(kind, "runs", key, {
        "missing": None, "unreadable": False, "empty": printed(""), "absurd": printed(GARBAGE, 255),
        "absurd: values": printed('{"smart_status": {"passed": 7}, "ata_smart_attributes": {"table": {"id": 5}}, '
                                  '"power_on_time": {"hours": -3}, "rotation_rate": "fast", "temperature": []}'),
        "absurd: list": printed("[1, 2]"), "absurd: deep": printed("[" * 100_000), "raised": AttributeError("no drive"),
    })  # fmt: skip


def _record(kind: str, name: str) -> Iterator[Breaking]:
    """The record of udev, and the links in it."""

    def change(make: Callable[[str], Any]) -> Change:
        def changed(document: Capture) -> None:
            number = document["numbers"][f"/dev/{name}"]
            path = f"/run/udev/data/b{number}"
            document["texts"][path] = make(document["texts"][path])

        return changed

    def without_links(text: str) -> str:
        return "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("S:"))

    odd_links = "S:\nS:disk/by-id/\nS:disk/by-id/wwn-\nS:disk/by-id/wwn-0x1/../../sda\nS:disk/by-path/\n"
    odd_values = "E:ID_ATA_ROTATION_RATE_RPM=\u00b2\nE:ID_FS_TYPE=\x00\nE:ID_ATA=\nE:=\nE:DM_UUID=mpath-../x\nE\n"
    ways: dict[str, Callable[[str], Any]] = {
        "missing": lambda _: None, "unreadable": lambda _: False, "empty": lambda _: "",
        "absurd": lambda _: GARBAGE, "raised": lambda _: KeyError("record"),
        "absurd: values": lambda text: text + odd_values,
    }  # fmt: skip
    links: dict[str, Callable[[str], Any]] = {
        "missing": without_links, "empty": lambda text: without_links(text) + "S:\nS:disk/by-id/\n",
        "absurd": lambda text: without_links(text) + odd_links,
    }  # fmt: skip
    for way, make in ways.items():
        yield Breaking(f"udev record of a {kind}", way, change(make))
    for way, make in links.items():
        yield Breaking(f"by-id links of a {kind}", way, change(make))


COLUMNS: dict[str, tuple[Any, ...]] = {
    "kname": (None, "", 7, "../..", "no-such-disk"), "pkname": (7, "", "no-such-disk", "../.."),
    "maj:min": (None, "", "banana", 8, "8:99999999999999999999"), "type": (None, "", 7, "banana", "rom"),
    "size": (None, "", "banana", -1, 1 << 70, 1.5, True, []), "ro": ("maybe", [], 2), "rota": ("maybe", {}),
    "log-sec": (None, 0, 7, "banana", 1 << 40), "phy-sec": (None, -512, "banana"), "opt-io": ("banana", -1, []),
    "zoned": (7, []), "model": (7, [], "\ud800"), "serial": (7, {}, GARBAGE), "wwn": (7, [], GARBAGE),
    "vendor": (7, []), "rev": (7,), "tran": (7, "banana"), "hctl": (7, "banana"), "fstype": (7, "banana"),
    "label": (7, GARBAGE), "uuid": (7, GARBAGE), "pttype": (7, "banana"), "mountpoint": (7, GARBAGE),
}  # fmt: skip
"""absurd values of each column of lsblk"""


def _rows(kind: str, name: str) -> Iterator[Breaking]:
    def change(make: Callable[[dict[str, Any]], Any]) -> Change:
        def changed(document: Capture) -> None:
            rows = json.loads(document["runs"][LSBLK]["stdout"])["blockdevices"]
            made = [make(row) if row["kname"] == name else row for row in rows]
            text = json.dumps({"blockdevices": [row for row in made if row != "no row"]})
            document["runs"][LSBLK]["stdout"] = text

        return changed

    def with_value(column: str, value: Any) -> Change:
        return change(lambda row: {**row, column: value})

    table = f"partition table, lsblk's row of a {kind}"
    whole: dict[str, Callable[[dict[str, Any]], Any]] = {
        "missing": lambda _: "no row", "unreadable": lambda _: None, "empty": lambda _: {},
        "empty: values": lambda row: {**dict.fromkeys(row), "kname": row["kname"]}, "absurd": lambda _: 7,
    }  # fmt: skip
    for way, make in whole.items():
        yield Breaking(table if kind == "partition" else f"lsblk's row of a {kind}", way, change(make))
    for column, values in COLUMNS.items():
        for value in values:
            where = table if column == "pttype" else f"lsblk's row of a {kind}"
            yield Breaking(where, f"absurd: {column} {value!r:.20}", with_value(column, value))
        yield Breaking(f"lsblk's row of a {kind}", f"missing: {column}", change(functools.partial(_without, column)))


def _without(column: str, row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != column}


def _lines(kind: str, table: str, key: str, mark: str) -> Iterator[Breaking]:
    def change(make: Callable[[str], str]) -> Change:
        def changed(document: Capture) -> None:
            held = document[table]
            text = held[key] if table == "texts" else held[key]["stdout"]
            made = "".join(make(line) if mark in line else line for line in text.splitlines(keepends=True))
            held[key] = made if table == "texts" else {**held[key], "stdout": made}

        return changed

    def first_words(line: str) -> str:
        return " ".join(line.split()[:4]) + "\n"

    ways: dict[str, Callable[[str], str]] = {
        "missing": lambda _: "", "empty": lambda _: "\n", "absurd: cut off": first_words,
        "absurd": lambda line: f"{line.split()[0]} {GARBAGE.replace(chr(10), '')}\n",
        "absurd: numbers": lambda line: line.replace("0", "99999999999999999999").replace("1", "-1"),
    }  # fmt: skip
    for way, make in ways.items():
        if kind != "mountinfo line" or way != "absurd: numbers":  # one that names no device any more may be any disk's
            yield Breaking(kind, way, change(make))


@functools.cache
def whole() -> Inventory:
    """The machine with every reading."""
    inventory = probe(ShelfHost(shelf()), smart=True)
    assert (len(inventory.disks), inventory.unread, inventory.users_unread) == (DISKS, (), False)
    assert sum(disk.selectable for disk in inventory.disks) == DISKS * 3 // 5
    return inventory


def rows_of(inventory: Inventory) -> dict[str, Disk]:
    """The row of each disk, by kernel name."""
    return {disk.kernel_name: disk for disk in inventory.disks}


def others_kept(found: dict[str, Disk], number: int) -> int:
    """How many rows of other disks are there as on the whole machine; the assertion names the first that is not."""
    own = {shown_name(number), kernel_name(number), second_path(number), "no-such-disk"}
    expected = {name: disk for name, disk in rows_of(whole()).items() if name not in own}
    assert {name: disk for name, disk in found.items() if name not in own} == expected
    return len(expected)


def broken(number: int, each: Breaking) -> Inventory:
    """The machine with that reading broken."""
    document = shelf()
    each.change(document)
    return probe(ShelfHost(document), smart=each.kind.startswith("smartctl"))


def check(number: int, each: Breaking) -> int:
    """Rows of other disks that are kept; the broken one is never better off than it was."""
    inventory = broken(number, each)
    found = rows_of(inventory)
    if not each.kind.startswith("smartctl"):
        found = {name: _with_health(disk) for name, disk in found.items()}
    kept = others_kept(found, number)
    before, now = rows_of(whole())[shown_name(number)], found.get(shown_name(number))
    if now is not None:
        assert before.selectable or not now.selectable, now
        assert before.state == "blank" or now.state != "blank", now
    if each.way != "raised":
        assert not any(".py, line" in note for note in inventory.unread), inventory.unread
    return kept


def _with_health(disk: Disk) -> Disk:
    same = rows_of(whole()).get(disk.kernel_name)
    return disk if same is None else replace(disk, smart=same.smart, rpm=same.rpm)


BY_ROLE = {number: tuple(breakings(number)) for number in range(len(ROLES))}
KINDS = tuple(dict.fromkeys(each.kind for found in BY_ROLE.values() for each in found))


def first_of_each_way(kind: str) -> Iterator[tuple[int, Breaking]]:
    """A disk and a breaking of it for each way to break a reading of this kind: missing, empty and so on."""
    found = [(number, each) for number, several in BY_ROLE.items() for each in several if each.kind == kind]
    ways = dict.fromkeys(each.way.partition(":")[0] for _, each in found)
    return (next(pair for pair in found if pair[1].way.startswith(way)) for way in ways)


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_reading_costs_one_row(kind: str) -> None:
    kept = [check(number, each) for number, each in first_of_each_way(kind)]
    assert kept == [DISKS - 1] * len(kept)
    assert kept


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(len(ROLES)), ids=ROLES)
def test_each_broken_reading_of_a_disk_of_each_sort_costs_one_row(number: int) -> None:
    kept = [check(number, each) for each in BY_ROLE[number]]
    assert kept == [DISKS - 1] * len(kept)
    print(f"{ROLES[number]}: {len(kept)} readings broken, {sum(kept)} rows of other disks kept")


@pytest.mark.long
@pytest.mark.parametrize("number", range(DISKS))
def test_each_broken_reading_of_each_of_sixty_disks_costs_one_row(number: int) -> None:
    kept = [check(number, each) for each in breakings(number)]
    assert kept == [DISKS - 1] * len(kept)


def test_an_error_that_nobody_foresaw_costs_the_row_that_it_is_about_and_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a fault in raidtui that one disk alone meets: it is seen, and a fault that all meet leaves no row whole."""
    real, met = disk_content.leftovers, {kernel_name(3)}

    def faulty(tree: Any, name: str, *more: Any) -> Any:
        if name in met:
            raise ZeroDivisionError("no such content")
        return real(tree, name, *more)

    monkeypatch.setattr(disk_content, "leftovers", faulty)
    inventory = probe(ShelfHost(shelf()))
    found = {name: _with_health(disk) for name, disk in rows_of(inventory).items()}
    assert others_kept(found, 3) == DISKS - 1
    odd = found[kernel_name(3)]
    assert (odd.id, odd.state, odd.selectable) == ("", "unknown", False)
    told = r"the row of sdd \(ZeroDivisionError: no such content in test_one_broken\.py, line \d+\)"
    assert re.fullmatch(f"unclear: {told}", odd.not_selectable or "")
    assert re.fullmatch(f"{told}: raidtui disks --record FILE keeps what was read, for a report", inventory.unread[0])
    met.update(shown_name(number) for number in range(DISKS))
    assert not any(disk.selectable for disk in probe(ShelfHost(shelf())).disks)


class Standing(NamedTuple):
    """What `raidtui arrays` and `raidtui audit` make of the machine."""

    arrays: dict[str, ObservedArray]
    facts: AuditFacts


def standing(document: Capture) -> Standing:
    """The arrays of the machine, and what the rules go by."""
    inventory = probe(ShelfHost(document))
    look = ArraysLook(cast(MachineReader, ShelfReader(document)), inventory)
    seen = look.take()
    return Standing({array.name: array for array in seen.arrays}, audit_facts(look, seen))


@functools.cache
def whole_standing() -> Standing:
    """Of the whole machine."""
    found = standing(shelf())
    assert (len(found.arrays), len(found.facts.disks)) == (DISKS // len(ROLES), DISKS // len(ROLES))
    return found


def check_arrays(number: int, each: Breaking) -> int:
    """Arrays on other disks that are kept, with the settings of those disks."""
    document = shelf()
    each.change(document)
    found, expected = standing(document), whole_standing()
    own = {f"md{number}", "", kernel_name(number), "no-such-disk"}  # "": as its superblock tells of one
    for now, before in ((found.arrays, expected.arrays), (found.facts.disks, expected.facts.disks)):
        kept = {name: it for name, it in before.items() if name not in own}
        assert {name: it for name, it in now.items() if name not in own} == kept
    return len(expected.arrays) - 1


def array_breakings() -> tuple[Breaking, ...]:
    """Readings of the first disk, which has an array, with those that `arrays` and `audit` have besides."""
    disk = kernel_name(0)
    found = [each for each in BY_ROLE[0] if not each.kind.startswith("SAS")]
    found += _rows("array", "md0")
    found += _texts("kernel's timeout", f"/sys/block/{disk}/device/timeout")
    found += _runs("smartctl -l scterc", json.dumps(smartctl.recovery_argv(f"/dev/{disk}")))
    return tuple(found)


ARRAY_KINDS = tuple(dict.fromkeys(each.kind for each in array_breakings()))


@pytest.mark.parametrize("kind", ARRAY_KINDS)
def test_a_broken_reading_costs_no_other_array(kind: str) -> None:
    found = [each for each in array_breakings() if each.kind == kind]
    ways = dict.fromkeys(each.way.partition(":")[0] for each in found)
    kept = [check_arrays(0, next(each for each in found if each.way.startswith(way))) for way in ways]
    assert kept == [DISKS // len(ROLES) - 1] * len(kept)


@pytest.mark.thorough
def test_each_broken_reading_costs_no_other_array() -> None:
    kept = [check_arrays(0, each) for each in array_breakings()]
    assert kept == [DISKS // len(ROLES) - 1] * len(kept)
    print(f"{len(kept)} readings broken, {sum(kept)} arrays on other disks kept")


if __name__ == "__main__":
    rows = [check(number, each) for number, several in BY_ROLE.items() for each in several]
    print(f"{len(rows)} readings broken, {sum(rows)} of {len(rows) * (DISKS - 1)} rows of other disks kept")
    arrays = [check_arrays(0, each) for each in array_breakings()]
    print(f"{len(arrays)} readings broken, {sum(arrays)} arrays on other disks kept")
