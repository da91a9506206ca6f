import pytest

from raidtui.machine.inventory.selectable import refusal
from raidtui.model.inventory import Disk, Signature, Use, UseKind

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
