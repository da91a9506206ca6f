"""Hosts are folded to distinct machines; each difference is the smallest edit, written by hand here."""

from dataclasses import replace

from raidtui.fleet.look import fold_machines
from raidtui.fleet.machines import differences, structure_of
from raidtui.fleet.texts import difference_text, problem_lines
from raidtui.fleet.values import HostDifference, HostLook, HostProblem
from raidtui.machine.inventory import shipped
from raidtui.values.inventory import Disk, Inventory

E2660 = shipped.load("e2660")


def machine(number: int, chassis: Inventory = E2660) -> Inventory:
    """The chassis with serial numbers, names and an enclosure of its own."""
    disks = tuple(
        replace(
            disk,
            id=f"wwn-{number}-{place}",
            wwn=f"{number}-{place}",
            serial=f"S{number}{place}",
            by_id=(f"wwn-{number}-{place}",),
            kernel_name=f"sd{place + number}",
            hctl=f"{number}:0:{place}:0",
            place=replace(disk.place, enclosure=f"0x500{number}-{disk.place.enclosure}"),
        )
        for place, disk in enumerate(chassis.disks)
    )
    return replace(chassis, name=f"host{number}", disks=disks)


def changed(inventory: Inventory, places: tuple[int, ...], **edits: object) -> Inventory:
    disks = tuple(
        replace(disk, **edits) if place in places else disk  # type: ignore[arg-type]
        for place, disk in enumerate(inventory.disks)
    )
    return replace(inventory, disks=disks)


def edit(own: Inventory, usual: Inventory = E2660) -> list[str]:
    return [difference_text(each) for each in differences(structure_of(usual), structure_of(own))]


def test_serial_numbers_names_and_addresses_make_no_difference() -> None:
    hosts = {f"node{number}": machine(number) for number in range(5)}
    (group,) = fold_machines(hosts)
    assert group.hosts == tuple(hosts)
    assert [(each.count, each.size_bytes) for each in group.disks] == [(60, 2000398934016)]
    assert edit(machine(1), machine(2)) == []


def test_the_most_common_machine_comes_first_and_others_are_edits_of_it() -> None:
    other = replace(machine(1), disks=machine(1).disks[:18] + machine(1).disks[19:])
    hosts = {"a": other, "b": machine(2), "c": machine(3), "d": changed(machine(4), tuple(range(60)), firmware="9")}
    groups = fold_machines(hosts)
    assert [group.hosts for group in groups] == [("b", "c"), ("a",), ("d",)]
    assert groups[0].differences == ()
    assert groups[1].differences == (
        HostDifference(kind="missing", places=("drawer 2 slot 07",), value="2.00 TB SIM NL2000SAS72"),
    )
    assert groups[2].differences == (HostDifference(kind="disk", property="firmware", value="9", usual="0001"),)


def test_differences_as_text() -> None:
    assert edit(changed(machine(1), (0, 3), firmware="SN05")) == [
        "drawer 1 slot 01 and drawer 1 slot 04: firmware SN05 in place of 0001"
    ]
    assert edit(changed(machine(1), tuple(range(60)), firmware="SN05", link_bits_per_s=3_000_000_000)) == [
        "firmware SN05 in place of 0001 on all disks",
        "link 3 Gb/s in place of 6 Gb/s on all disks",
    ]
    assert edit(changed(machine(1), (7,), size_bytes=4_000_787_030_016, model="NEW4000")) == [
        "drawer 1 slot 08: model SIM NEW4000 in place of SIM NL2000SAS72",
        "drawer 1 slot 08: size 4.00 TB in place of 2.00 TB",
    ]
    assert edit(changed(machine(1), (7,), size_bytes=2_000_398_938_112)) == [
        "drawer 1 slot 08: size 2 000 398 938 112 bytes in place of 2 000 398 934 016 bytes"
    ]
    extra = Disk(id="x", size_bytes=480_103_981_056, model="SSD", by_path="pci-0000:00:17.0-ata-1")
    assert edit(replace(machine(1), disks=(*machine(1).disks, extra))) == ["pci-0000:00:17.0-ata-1: 480 GB SSD more"]
    narrow = replace(E2660.controllers[0], pcie_width=4)
    assert edit(replace(machine(1), controllers=(narrow, E2660.controllers[1]))) == [
        "controller 0000:03:00.0: pcie width 4 in place of 8"
    ]
    assert edit(replace(machine(1), controllers=E2660.controllers[1:])) == [
        "no controller at 0000:03:00.0 in place of SAS2 host adapter, two mini-SAS 6G ports"
    ]
    lame = replace(E2660.links[0], lanes=2)
    assert edit(replace(machine(1), links=(lame, *E2660.links[1:]))) == [
        "expander links of 2 lanes at 6 Gb/s: count 1 in place of 0",
        "expander links of 4 lanes at 6 Gb/s: count 9 in place of 10",
    ]


def test_enclosures_are_matched_by_what_is_in_them() -> None:
    """Their addresses differ on every machine, so their order says nothing."""
    small = changed(E2660, tuple(range(60)), model="SMALL", size_bytes=10**12)
    two = replace(E2660, disks=(*machine(1).disks, *machine(2, small).disks))
    turned = replace(E2660, disks=(*machine(3, small).disks, *machine(4).disks))
    assert edit(turned, two) == []
    assert len(fold_machines({"a": two, "b": turned})) == 1
    assert edit(changed(turned, (5,), firmware="X"), two) == [
        "drawer 1 slot 06 of enclosure 2: firmware X in place of 0001"
    ]


def test_machines_without_known_bays_are_compared_by_path() -> None:
    bare = tuple(
        Disk(id=f"d{place}", size_bytes=10**12, by_path=f"pci-0000:00:{place:02x}.0", kernel_name=f"vd{place}")
        for place in range(3)
    )
    usual = Inventory(origin="machine", name="a", disks=bare)
    assert edit(replace(usual, disks=bare[:2]), usual) == ["pci-0000:00:02.0 empty (1.00 TB elsewhere)"]
    nameless = tuple(replace(disk, by_path=None) for disk in bare)
    assert edit(replace(usual, disks=nameless[1:]), replace(usual, disks=nameless)) == [
        "unknown slot (3) empty (1.00 TB elsewhere)"
    ]


def test_no_disks_and_no_hosts() -> None:
    assert fold_machines({}) == ()
    (group,) = fold_machines({"a": Inventory(origin="machine", name="a")})
    assert group.disks == ()
    assert edit(Inventory(origin="machine", name="a"), Inventory(origin="machine", name="b")) == []


def test_problems_are_folded_by_what_happened() -> None:
    def failed(host: str, sentence: str) -> HostLook:
        problem = HostProblem(state="unreachable", sentence=sentence, hint="check the \x1b[31mcable")
        return HostLook(host=host, asked_at="", answered_in_s=1, problem=problem)

    looks = [failed(f"n{number}", f"ssh: connect to host n{number}: refused") for number in (1, 2, 3)]
    assert problem_lines([*looks, failed("m1", "ssh: connect to host m1: no route")]) == [
        "n[1-3]: unreachable: ssh: connect to host HOST: refused",
        "  check the \\e[31mcable",
        "m1: unreachable: ssh: connect to host m1: no route",
        "  check the \\e[31mcable",
    ]
