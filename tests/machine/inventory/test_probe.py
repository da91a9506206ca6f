"""Every recorded machine means exactly the inventory beside it; record.py there says what was set up."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from raidtui.machine.inventory.capture import Capture
from raidtui.machine.inventory.disk_content import way_to_read
from raidtui.machine.inventory.probe import with_health
from raidtui.predict.design import predict
from raidtui.predict.stated_disks import choose_disks
from raidtui.values.codec import from_json, to_json
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Disk, DiskPath, Inventory, Multipath, Sampled, Use
from raidtui.values.notation import parse
from tests.recorded_machines.captures import NAMES, ROOT, by_serial, capture, replay
from tests.recorded_machines.replay import RecordedHost


def test_the_machines() -> None:
    assert NAMES == (
        "container", "encrypted", "held", "hostile", "leftovers", "multipath", "sixty", "sixty-as-nobody", "stack",
        "two-paths",
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


def test_two_paths_without_multipathd_are_two_devices_with_one_identity() -> None:
    without = replay(capture("two-paths"))
    assert [disk.serial for disk in without.disks if disk.selectable] == ["SINGLE01"]
    assert [disk.id for disk in without.disks if disk.serial == "PATHS001"] == ["", ""]


def test_a_map_is_one_disk_with_its_paths() -> None:
    inventory = replay(capture("multipath"))
    assert [disk.serial for disk in inventory.free] == ["PATHS001", "PATHS002", "SINGLE01"]
    whole, lost = inventory.free[:2]
    assert whole.path == "/dev/disk/by-id/dm-uuid-mpath-35000c50033330001"
    assert whole.multipath and lost.multipath
    assert [(path.kernel_name, path.state, path.used) for path in whole.multipath.paths] == [
        ("sda", "active", False), ("sdb", "active", True),
    ]  # fmt: skip
    assert [(path.kernel_name, path.state) for path in lost.multipath.paths] == [("sdc", "offline"), ("sde", "active")]
    assert whole.place.controller == "0000:00:04.0"
    findings = predict(Design(layout=parse("raid1(2)")), (whole, lost)).findings
    assert [(each.subject, each.message) for each in findings if each.code == "disk-path-lost"] == [
        (
            lost.id,
            "dm-1 is a multipath disk with missing paths: mpathb: 1 of 2 paths (sdc offline). It is no faster than "
            "those that are left, and lost with the last.",
        )
    ]


def test_the_name_of_a_path_is_refused_and_names_its_map() -> None:
    inventory = replay(capture("multipath"))
    with pytest.raises(BadInput, match="sdc is a path of the multipath map mpathb") as refused:
        choose_disks(inventory, only=("sdc",))
    assert refused.value.hint == "name the disk itself: mpath-35000c50033330002"
    assert [disk.serial for disk in choose_disks(inventory, only=("mpathb",))] == ["PATHS002"]


def test_a_map_without_a_working_path_is_not_read_since_a_read_may_wait_for_one() -> None:
    document = capture("multipath")
    document["texts"]["/sys/class/block/sde/device/state"] = "offline\n"
    document["looks"] = {key: look for key, look in document["looks"].items() if not key.startswith("/dev/dm-1 ")}
    disk = by_serial(replay(document))["PATHS002"]
    assert (disk.state, disk.not_selectable) == (
        "unknown",
        "no path to it works: mpathb: 0 of 2 paths (sdc offline, sde offline); multipath -ll shows them",
    )


def test_a_map_that_its_last_path_left_costs_itself_alone() -> None:
    """As a LUN that the array no longer shows: multipathd keeps the map while something holds it."""
    document = capture("multipath")
    gone = ("sdc", "sde")

    def without_paths(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        left = [row for row in rows if row["kname"] not in gone]
        return [{**row, "pkname": None} if row["pkname"] in gone else row for row in left]

    with_rows(document, without_paths)
    document["names"]["/sys/class/block"] = [name for name in document["names"]["/sys/class/block"] if name not in gone]
    document["looks"] = {key: look for key, look in document["looks"].items() if not key.startswith("/dev/dm-1 ")}
    disks = {disk.kernel_name: disk for disk in replay(document, smart=False).disks}
    left = disks["dm-1"]
    assert (left.state, left.multipath and left.multipath.paths, left.serial) == ("unknown", (), None)
    assert left.not_selectable == "no path to it works: mpathb: 0 paths; multipath -ll shows them"
    whole = {disk.kernel_name: disk for disk in replay(capture("multipath")).disks}
    assert {name: disk for name, disk in disks.items() if name != "dm-1"} == {
        name: disk for name, disk in whole.items() if name != "dm-1"
    }


def test_a_map_over_disks_that_only_report_one_name_is_no_disk() -> None:
    """multipathd joins what reports one name; where serial numbers differ, each write goes to one of two disks."""
    document = capture("multipath")
    with_rows(document, lambda rows: [{**row, "serial": "OTHER"} if row["kname"] == "sda" else row for row in rows])
    disks = {disk.kernel_name: disk for disk in replay(document).disks}
    assert disks["dm-0"].not_selectable == (
        "unclear: multipathd joined different disks that report one name (serial numbers OTHER and PATHS001): "
        "blacklist them"
    )
    assert disks["dm-1"].selectable


def test_health_is_not_asked_of_a_map_without_a_path_that_works() -> None:
    joined = Multipath(name="mpathb", paths=(DiskPath(kernel_name="sde", state="offline"),))
    dead = Disk(id="", size_bytes=1, kernel_name="dm-1", multipath=joined)
    assert with_health(RecordedHost({"runs": {}}), (dead,)) == (
        (dead,), ("health of 1 of 1 disks: no path to it works",),
    )  # fmt: skip


def test_states_and_policy_that_cannot_be_asked_are_unknown() -> None:
    document = capture("multipath")
    for key in document["runs"]:
        if "dmsetup" in key:
            document["runs"][key] = {"exit": 1, "stdout": "", "stderr": "open failed: Permission denied"}
    joined = by_serial(replay(document))["PATHS001"].multipath
    assert joined and joined.policy is None
    assert [(path.state, path.used) for path in joined.paths] == [(None, None), (None, None)]


def test_a_map_is_in_use_when_a_process_writes_to_one_of_its_paths() -> None:
    document = capture("multipath")
    writer = {"number": "8:0", "process": 7, "command": "dd", "writing": True, "elsewhere": False}
    document["self"]["openers"]["found"] = [writer]
    assert by_serial(replay(document))["PATHS001"].not_selectable == "in use: open for writing by dd (pid 7)"


def test_a_map_beside_which_a_path_is_left_over_is_refused() -> None:
    document = capture("multipath")
    document["names"]["/sys/class/block/sda/holders"] = []
    document["looks"]["/dev/sda 8:0 1073741824"] = document["looks"]["/dev/dm-0 252:0 1073741824"]
    disks = {disk.kernel_name: disk for disk in replay(document).disks}
    assert disks["dm-0"].not_selectable == "another disk has the same identity: a second path to it, or a clone"
    assert (disks["sda"].not_selectable or "").startswith("in use: a path of the multipath map that udev expects; ")


def test_a_plan_on_a_single_path_is_refused_with_the_way_out() -> None:
    path = Use(kind="multipath", where="mpatha", active=True)
    disks = tuple(replace(disk, uses=(path,)) for disk in replay(capture("multipath")).free[:2])
    found = [
        each for each in predict(Design(layout=parse("raid1(2)")), disks).findings if each.code == "disk-multipath"
    ]
    assert [(each.severity, each.message) for each in found] == [
        ("error", "Cannot build on single paths of multipath maps: dm-0, dm-1.")
    ]
    assert "systemctl start multipathd" in found[0].way_out


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


def with_rows(document: Capture, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    """Changes the rows that lsblk printed."""
    key = next(key for key in document["runs"] if json.loads(key)[0] == "lsblk")
    rows = change(json.loads(document["runs"][key]["stdout"])["blockdevices"])
    document["runs"][key]["stdout"] = json.dumps({"blockdevices": rows})


def test_a_disk_that_lsblk_leaves_out_is_there_and_may_not_be_chosen() -> None:
    document = capture("sixty")
    name = by_serial(replay(document))["LAB0007"].kernel_name
    with_rows(document, lambda rows: [row for row in rows if row["kname"] != name])
    document["texts"] |= {
        f"/sys/class/block/{name}/{file}": text for file, text in
        (("size", "3907029168\n"), ("dev", f"{_numbers(capture('sixty'))['LAB0007']}\n"), ("hidden", "0\n"))
    }  # fmt: skip
    inventory = replay(document)
    (left,) = [disk for disk in inventory.disks if disk.kernel_name == name]
    assert (left.size_bytes, left.state, left.id) == (2000398934016, "unknown", "")
    assert left.not_selectable == f"unclear: lsblk's row of {name} (there is none)"
    assert inventory.unread == (
        f"lsblk's row of {name} (there is none): raidtui disks --record FILE keeps what was read, for a report",
    )
    assert len(inventory.free) == 59


@pytest.mark.parametrize(("size", "hidden"), [("0\n", "0\n"), ("3907029168\n", "1\n")])
def test_empty_drives_and_the_hidden_paths_of_nvme_are_no_disks_that_lsblk_leaves_out(size: str, hidden: str) -> None:
    document = capture("sixty")
    document["names"]["/sys/class/block"] += ["nbd0", "sr0"]
    document["texts"] |= {"/sys/class/block/nbd0/size": size, "/sys/class/block/nbd0/hidden": hidden}
    assert replay(document) == replay(capture("sixty"))


def test_a_partition_without_a_row_may_be_mounted() -> None:
    document = capture("sixty")
    name = by_serial(replay(document))["LAB0007"].kernel_name
    document["names"][f"/sys/class/block/{name}"].append(f"{name}1")
    document["names"][f"/sys/class/block/{name}1/holders"] = []
    disk = by_serial(replay(document))["LAB0007"]
    assert (disk.state, disk.partitions) == ("content", (1,))
    assert disk.not_selectable == f"unclear: lsblk's row of {name}1 (there is none)"


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
