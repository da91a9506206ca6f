import pytest

from raidtui.predict.disks.holds import refusal, without_lost_members
from raidtui.values.inventory import Disk, Signature, Use, UseKind

BLANK = {"id": "wwn-0x1", "size_bytes": 1 << 40, "by_id": ("wwn-0x1",), "state": "blank"}


def why(*uses: Use, twin: bool = False, **fields: object) -> str | None:
    disk = Disk(**{**BLANK, "uses": uses, **fields})  # type: ignore[arg-type]
    return refusal(disk, twin=twin, unknown_because="not read: run as root")


@pytest.mark.parametrize(
    ("kind", "where", "says"),
    [
        ("lvm-pv", "vg0", "a physical volume of LVM (vg0)"),
        ("zfs", "tank", "part of a ZFS pool (tank)"),
        ("dm-crypt", "crypto_LUKS", "an encrypted volume"),
        ("bcache", "bcache", "part of a bcache set"),
        ("signature", "isw_raid_member", "a member of something"),
        ("signature", "ceph_bluestore", "a member of something"),
        ("signature", "sda1 drbd", "a member of something"),
        ("signature", "vdo", "a VDO volume (vdo)"),
        ("signature", "oracleasm", "a disk of Oracle ASM (oracleasm)"),
        ("file-system", "sda1 oracleasm", "a disk of Oracle ASM (sda1 oracleasm)"),
        ("dm-crypt", "BitLocker", "an encrypted volume (BitLocker)"),
        ("signature", "DM_integrity", "a dm-integrity volume"),
        ("signature", "DM_snapshot_cow", "the store of a snapshot"),
        ("signature", "jbd", "the journal of an ext4 on another device"),
        ("file-system", "ocfs2", "a cluster file system, which other machines may have mounted (ocfs2)"),
    ],
)
def test_but_not_one_that_is_somebodys(kind: UseKind, where: str, says: str) -> None:
    signature = Signature(type=where.split()[-1])
    reason = why(Use(kind=kind, where=where, active=False, signature=signature), state="content")
    assert reason is not None
    assert reason.startswith(says)
    assert "remove it with its own tool" in reason


@pytest.mark.parametrize(
    ("fields", "twin", "says"),
    [
        (
            {"protected": True, "uses": (Use(kind="system", where="/", active=True),)},
            True,
            "the running system uses it: /",
        ),
        ({"uses": (Use(kind="mounted", where="/srv", active=True),), "id": ""}, True, "in use: mounted at /srv"),
        ({"id": ""}, True, "another disk has the same identity"),
        ({"id": ""}, False, "it has neither a world-wide name"),
        ({"zoned": "host-managed"}, False, "a zoned disk (host-managed)"),
        ({"zoned": "host-aware"}, False, "a zoned disk (host-aware)"),
        ({"state": "unknown"}, False, "not read: run as root"),
        ({"by_id": ()}, False, "no link under /dev/disk/by-id"),
    ],
)
def test_the_first_hard_reason_is_given(fields: dict[str, object], twin: bool, says: str) -> None:
    reason = why(twin=twin, **fields)
    assert reason is not None
    assert reason.startswith(says)


def test_a_path_of_a_multipath_device_and_a_read_only_disk_name_their_way_out() -> None:
    path = Use(kind="multipath", where="mpatha", active=True)
    assert why(path) == (
        "in use: a path of the multipath map mpatha; plan on the map that multipathd makes of all its paths "
        "(systemctl start multipathd; raidtui disks then shows it); or exclude the disk from multipathd (blacklist in "
        "/etc/multipath.conf) and leave one path connected"
    )
    assert why(Use(kind="read-only", where="the kernel refuses writes", active=True)) == (
        "read-only: the kernel refuses writes; check the write-protect switch, or run blockdev --setrw"
    )


ARRAY = "bad7102c:a5fec442:0c8e2942:a89654a4"


def member(name: str, uuid: str = ARRAY, *, running: str = "", **fields: object) -> Disk:
    """A disk with a superblock; `running`: the array that it is a member of now."""
    signature = Signature(type="linux_raid_member", label="host:data", uuid=uuid)
    uses: tuple[Use, ...] = (Use(kind="md-member", where=f"host:data {uuid}", active=False, signature=signature),)
    uses += (Use(kind="md-member", where=running, active=True),) if running else ()
    why_not = f"in use: member of {running}" if running else None
    return Disk(
        **{
            **BLANK,
            "id": name,
            "kernel_name": name,
            "uses": uses,
            "state": "content",
            "not_selectable": why_not,
            **fields,
        }  # type: ignore[arg-type]
    )


def test_a_disk_that_a_running_array_lost_is_never_chosen() -> None:
    rest = [member(f"sd{letter}", running="md0 active raid5") for letter in "abd"]
    reasons = {disk.kernel_name: disk.not_selectable for disk in without_lost_members([*rest, member("sdc")])}
    assert reasons == {
        "sda": "in use: member of md0 active raid5",
        "sdb": "in use: member of md0 active raid5",
        "sdd": "in use: member of md0 active raid5",
        "sdc": "a lost member of md0 active raid5: put it back with mdadm --re-add or --add; if the array has a "
        "replacement, erase its superblock with mdadm --zero-superblock",
    }


@pytest.mark.parametrize(("transport", "name"), [("virtio", "sdb"), (None, "vdb")])
def test_a_disk_of_a_virtual_machine_without_a_serial_number_has_a_way_out(transport: str | None, name: str) -> None:
    sentence = (
        "it has neither a world-wide name nor a unique serial number, so it cannot be identified; give it a serial "
        "number in the virtual machine's definition and start the machine again; <serial>DISK01</serial> in libvirt's "
        "<disk>, serial=DISK01 behind QEMU's -device virtio-blk-pci"
    )
    weaker = f"{sentence}; or bind it by its path, a weaker promise: --bind-by-path"
    assert why(id="", transport=transport, kernel_name=name) == weaker
    assert why(id="", transport=transport, kernel_name=name, serial="unknown") == sentence
    assert why(id="", transport="sas", kernel_name="sdb") == (
        "it has neither a world-wide name nor a unique serial number, so it cannot be identified"
    )
