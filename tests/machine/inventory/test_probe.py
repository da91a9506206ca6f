"""Every recorded machine means exactly the inventory beside it; record.py there says what was set up."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from raidtui.machine.inventory.capture import Capture
from raidtui.machine.inventory.disk_content import way_to_read
from raidtui.model.codec import from_json, to_json
from raidtui.model.design import Design
from raidtui.model.inventory import Inventory, Sampled, Use
from raidtui.model.notation import parse
from raidtui.planner.design.choose_disks import choose_disks
from raidtui.planner.design.predict import predict
from tests.recorded_machines.captures import NAMES, ROOT, by_serial, capture, replay


def test_the_machines() -> None:
    assert NAMES == (
        "container", "held", "hostile", "leftovers", "multipath", "sixty", "sixty-as-nobody", "stack", "two-paths",
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_machine_means_its_inventory(name: str) -> None:
    expected = from_json(Inventory, (ROOT / name / "expected.json").read_text("ascii"), source=name)
    assert replay(capture(name), smart=name == "sixty") == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_capture_is_small_and_an_inventory_survives_its_file(name: str) -> None:
    assert (ROOT / name / "capture.json.gz").stat().st_size < 300_000
    inventory = replay(capture(name))
    assert from_json(Inventory, to_json(inventory), source=name) == inventory


def test_root_sees_sixty_blank_disks_and_protects_its_own() -> None:
    inventory = replay(capture("sixty"))
    assert len(inventory.free) == 60
    assert {disk.serial: disk.protected for disk in inventory.disks if not disk.selectable} == {
        "lab-root": True,
        "lab-boot": True,
    }
    assert inventory.unread == ()


def test_without_root_nothing_is_blank_and_the_way_out_is_said() -> None:
    inventory = replay(capture("sixty-as-nobody"))
    assert {disk.state for disk in inventory.disks if not disk.protected} == {"unknown"}
    assert inventory.free == ()
    assert inventory.unread[-1] == "the ends of 62 disks (sda, ...) (permission denied): run as root"
    assert by_serial(inventory)["LAB0007"].not_selectable == ("its content is unknown (permission denied): run as root")


@pytest.mark.parametrize(
    ("error", "way_out"),
    [
        ("permission denied", "run as root"),
        ("no such device or address", "the kernel's log (dmesg) says why; reseat the disk or leave it out"),
        (
            "reading it failed (Input/output error)",
            "the kernel's log (dmesg) says why; reseat the disk or leave it out",
        ),
    ],
)
def test_a_disk_that_does_not_answer_is_not_a_matter_of_rights(error: str, way_out: str) -> None:
    assert way_to_read(error, "run as root") == way_out


def test_disks_come_in_the_order_of_their_places() -> None:
    paths = [disk.by_path for disk in replay(capture("sixty")).disks]
    assert paths[:4] == [
        "pci-0000:00:01.0",
        "pci-0000:00:02.0",
        "pci-0000:00:04.0-scsi-0:0:0:0",
        "pci-0000:00:04.0-scsi-0:0:1:0",
    ]
    assert paths[11:14] == [
        "pci-0000:00:04.0-scsi-0:0:9:0",
        "pci-0000:00:04.0-scsi-0:0:10:0",
        "pci-0000:00:04.0-scsi-0:0:11:0",
    ]


def test_a_stack_is_seen_from_the_mount_down_to_every_disk() -> None:
    disks = by_serial(replay(capture("stack")))
    for serial in ("LAB0001", "LAB0002"):
        assert disks[serial].uses[:3] == (
            Use(kind="md-member", where="md127 active raid1", active=True),
            Use(kind="lvm-pv", where="data-vg", active=True),
            Use(kind="mounted", where="/srv/files", active=True),
        )
    assert disks["LAB0003"].protected
    assert disks["LAB0003"].not_selectable == "the running system uses it: swap"
    assert disks["LAB0004"].not_selectable == "in use: opened as vault"
    assert disks["NVME0001"].not_selectable == "in use: mounted at /srv/notes"
    assert disks["NVME0001"].partitions == (1, 2)
    assert (disks["FK0001"].logical_sector_bytes, disks["FK0001"].state) == (4096, "blank")
    assert disks["NOWWN001"].id == "RAIDTUI-LAB_NOWWN001"


@pytest.mark.parametrize(
    ("serial", "reason"),
    [
        ("NAMESPACE", "in use: mounted at /mnt (seen by process 476)"),
        ("LOCKED", "in use: another process holds a BSD lock on it"),
        ("EXCLUSIVE", "in use: opened exclusively by a process or a driver"),
        ("LOOP", "in use: backing the loop device loop0"),
        ("EXPORTED", "in use: exported by LIO iblock_0/shop"),
        ("INACTIVE1", "in use: member of md127 inactive"),
        ("READONLY", "read-only: the kernel refuses writes; check the write-protect switch, or run blockdev --setrw"),
        ("LINEAR", "in use: held by odd"),
        ("INACTIVE2", None),
        ("FREE", None),
    ],
)
def test_whatever_holds_a_disk_is_named(serial: str, reason: str | None) -> None:
    assert by_serial(replay(capture("held")))[serial].not_selectable == reason


def test_leftovers_are_content_but_only_what_is_nobodys_may_be_chosen() -> None:
    inventory = replay(capture("leftovers"))
    refused = {disk.serial for disk in inventory.disks if not disk.selectable}
    assert refused == {"lab-root", "lab-boot", "LVMIDLE", "LVMBARE", "LUKS"}
    assert [disk.serial for disk in inventory.disks if disk.state == "blank"] == ["BLANK"]
    assert [disk.serial for disk in inventory.disks if disk.state == "unknown"] == []


def test_neither_a_path_of_two_nor_their_map_may_be_chosen() -> None:
    without = replay(capture("two-paths"))
    assert [disk.serial for disk in without.disks if disk.selectable] == ["SINGLE01"]
    assert [disk.id for disk in without.disks if disk.serial == "PATHS001"] == ["", ""]
    joined = replay(capture("multipath"))
    assert [disk.id for disk in joined.disks if disk.selectable] == ["wwn-0x5000c50033330003"]
    maps = [disk for disk in joined.disks if disk.id in ("mpath-35000c50033330001", "mpath-35000c50033330002")]
    assert len(maps) == 2
    for disk in maps:
        assert (disk.not_selectable or "").startswith(
            "a multipath map: multipath maps are not supported yet; if no other host uses the disk"
        )


def test_a_plan_on_a_multipath_map_or_path_is_refused_with_the_way_out() -> None:
    inventory = replay(capture("multipath"))
    design = Design(layout=parse("raid1(2)"))
    path = next(use for disk in inventory.disks for use in disk.uses if use.kind == "multipath")
    for disks in (
        choose_disks(inventory, only=("mpath-35000c50033330001", "wwn-0x5000c50033330003")),
        tuple(replace(disk, not_selectable=None) for disk in inventory.disks if disk.id.startswith("mpath-")),
        tuple(disk for disk in inventory.disks if path in disk.uses)[:2],
    ):
        found = [finding for finding in predict(design, disks).findings if finding.code == "disk-multipath"]
        assert [finding.severity for finding in found] == ["error"]
        assert found[0].message.endswith(": multipath maps are not supported yet.")
        assert "flush the map (multipath -f NAME)" in found[0].way_out


def test_a_process_that_writes_is_named_and_one_that_reads_is_a_reader() -> None:
    document = capture("sixty")
    numbers = {serial: number for serial, number in _numbers(document).items() if serial in ("LAB0001", "LAB0002")}
    opener = {"process": 4711, "command": "qemu-system-x86", "writing": True, "elsewhere": False}
    document["self"]["openers"]["found"] = [
        {**opener, "number": numbers["LAB0001"]},
        {**opener, "number": numbers["LAB0002"], "process": 812, "command": "smartd", "writing": False},
    ]
    disks = by_serial(replay(document))
    written, read = disks["LAB0001"], disks["LAB0002"]
    assert written.not_selectable == "in use: open for writing by qemu-system-x86 (pid 4711)"
    assert written.uses == (Use(kind="open", where="qemu-system-x86 (pid 4711)", active=True),)
    assert (read.state, read.uses, read.selectable) == ("blank", (), True)
    assert [(each.process, each.writing, each.device) for each in (*written.opened_by, *read.opened_by)] == [
        (4711, True, written.kernel_name), (812, False, read.kernel_name),
    ]  # fmt: skip


def test_where_processes_could_not_be_looked_at_no_disk_may_be_chosen() -> None:
    document = capture("sixty")
    document["self"]["openers"]["unread"] = "the open files of process 1"
    inventory = replay(document)
    assert inventory.free == ()
    assert inventory.unread == ("the open files of process 1: run outside of the container",)
    assert by_serial(inventory)["LAB0001"].not_selectable == (
        "not all possible users could be read: run outside of the container"
    )


@pytest.mark.parametrize(("text", "most"), [("2147450880\n", 2147450880), ("0\n", 0), (None, None)])
def test_write_zeroes_is_as_the_kernel_says_or_unknown(text: str | None, most: int | None) -> None:
    document = capture("sixty")
    disk = by_serial(replay(document))["LAB0001"]
    if text is not None:
        document["texts"][f"/sys/block/{disk.kernel_name}/queue/write_zeroes_max_bytes"] = text
    assert by_serial(replay(document))["LAB0001"].write_zeroes_max_bytes == most


def test_bytes_between_zero_ends_are_content() -> None:
    document = capture("sixty")
    number = _numbers(document)["LAB0001"]
    look = next(look for key, look in document["looks"].items() if key.split()[1] == number)
    look.update(places=126, not_zero=[1048576, 135266304])
    disk = by_serial(replay(document))["LAB0001"]
    assert (disk.state, disk.unsigned, disk.selectable) == ("content", True, True)
    assert disk.uses == (
        Use(kind="data", where="bytes between its zero ends that no known signature explains", active=False),
    )
    assert disk.sampled == Sampled(places=126, not_zero=2, first_offset=1048576)


def _numbers(document: Capture) -> dict[str, str]:
    """major:minor by serial, as the recorded lsblk printed them."""
    printed = next(ran["stdout"] for argv, ran in document["runs"].items() if json.loads(argv)[0] == "lsblk")
    return {each["serial"]: each["maj:min"] for each in json.loads(printed)["blockdevices"] if each["serial"]}


def test_hostile_names_stay_data() -> None:
    disks = replay(capture("hostile")).disks
    labelled = next(disk for disk in disks if disk.state == "content" and not disk.protected)
    assert labelled.serial == "$(reboot)`id`;'\"\\"
    assert labelled.uses[0].where == "ext4 \x1b[31m\n[/x]$() 5007ae43-48b0-4c15-9bcc-79cb63b13c7b"
    assert [disk.id for disk in disks if disk.serial in ("00000000", "none")] == ["", ""]
    assert all("/" not in disk.id and disk.id.isprintable() for disk in disks)
