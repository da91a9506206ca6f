import pytest

from raidtui.predict.disks.holds import further_uses, holders, refusal, without_lost_members
from raidtui.values.inventory import Disk, Signature, Use, UseKind

BLANK = {"id": "wwn-0x1", "size_bytes": 1 << 40, "by_id": ("wwn-0x1",), "state": "blank"}


def why(*uses: Use, twin: bool = False, **fields: object) -> str | None:
    disk = Disk(**{**BLANK, "uses": uses, **fields})  # type: ignore[arg-type]
    return refusal(disk, twin=twin, unknown_because="not read: run as root")


def test_a_blank_disk_with_an_identity_may_be_chosen() -> None:
    assert why() is None


@pytest.mark.parametrize("kind", ["partition-table", "file-system", "swap", "md-member", "signature", "data"])
def test_so_may_one_with_nobodys_leftovers(kind: UseKind) -> None:
    assert why(Use(kind=kind, where="old", active=False), state="content") is None


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


def test_who_holds_it_says_more_than_that_it_is_held() -> None:
    locked = Use(kind="locked", where="another process holds a BSD lock on it", active=True)
    assert why(locked, Use(kind="holder", where="odd", active=True)) == "in use: held by odd"
    assert why(locked) == "in use: another process holds a BSD lock on it"


def test_what_holds_a_disk_and_is_left_on_it_is_said_once() -> None:
    running = Use(kind="md-member", where="md0 active raid5", active=True)
    left = Use(kind="md-member", where="host:data bad7102c", active=False)
    swap = Use(kind="swap", where="/dev/sda2", active=True)
    locked = Use(kind="locked", where="another process holds a BSD lock on it", active=True)
    disk = Disk(id="a", size_bytes=1, uses=(locked, left, running, swap), not_selectable="in use: member of md0")
    assert [use.kind for use in holders(disk)] == ["md-member", "swap", "locked"]
    assert further_uses(disk) == (
        "another process holds a BSD lock on it, md-member host:data bad7102c, swap at /dev/sda2"
    )
    free = Disk(id="a", size_bytes=1, uses=(left,))
    assert (holders(free), further_uses(free)) == ([], "md-member host:data bad7102c")


def test_a_path_of_a_multipath_device_and_a_read_only_disk_name_their_way_out() -> None:
    path = Use(kind="multipath", where="mpatha", active=True)
    assert why(path) == (
        "in use: a path of the multipath map mpatha; plan on the map that multipathd makes of all its paths: systemctl "
        "start multipathd, then raidtui disks shows it; or exclude the disk from multipathd (blacklist in "
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
        "sdc": "a lost member of md0 active raid5: put it back with mdadm --re-add or --add, or erase its superblock "
        "with mdadm --zero-superblock if the array has a replacement",
    }


def test_a_member_of_an_array_that_does_not_run_may_be_chosen_as_before() -> None:
    disks = [member("sda"), member("sdb"), member("sdc", "0" * 8 + ":0:0:0", running="md0 active raid1")]
    assert without_lost_members(disks) == disks
    other = member("sde", uuid="bad7102c:a5fec442:0c8e2942:a89654a5")
    assert without_lost_members([*disks, other])[-1] == other


def test_what_held_it_before_is_still_the_first_reason() -> None:
    lost = member("sdb", not_selectable="another disk has the same identity: a second path to it, or a clone")
    assert without_lost_members([member("sda", running="md0 active raid1"), lost])[1] == lost


@pytest.mark.parametrize(("transport", "name"), [("virtio", "sdb"), (None, "vdb")])
def test_a_disk_of_a_virtual_machine_without_a_serial_number_has_a_way_out(transport: str | None, name: str) -> None:
    sentence = (
        "it has neither a world-wide name nor a unique serial number, so it cannot be identified; give it a serial "
        "number in the virtual machine's definition and start the machine again: <serial>DISK01</serial> in libvirt's "
        "<disk>, serial=DISK01 behind QEMU's -device virtio-blk-pci"
    )
    weaker = f"{sentence}; or bind it by its path, a weaker promise: --bind-by-path"
    assert why(id="", transport=transport, kernel_name=name) == weaker
    assert why(id="", transport=transport, kernel_name=name, serial="unknown") == sentence
    assert why(id="", transport="sas", kernel_name="sdb") == (
        "it has neither a world-wide name nor a unique serial number, so it cannot be identified"
    )
