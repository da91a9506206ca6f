"""Each refusal of a disk says which disk, who has it, and the way out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raidtui.machine.inventory.disk_content import way_to_read
from raidtui.steps.preflight import check_disks
from raidtui.values.inventory import UNSIGNED_MIDDLE, Disk, OpenedBy, Place, Sampled, Signature, Use, UseKind
from tests.planner.plans import machine, plan_of
from tests.planner.ready import SEATED, found, mirror

ONE, TWO, THREE, FOUR, FIVE = SEATED
PLAN = mirror(*SEATED)
CALLED = "slot 1 (MODEL, serial S001)"


def said(first: Disk | None, *others: Disk) -> list[tuple[str, str, str]]:
    """What the preflight says when the plan's first disk is now `first`."""
    return found(PLAN, machine(*((first,) if first else ()), TWO, *others))


def test_a_disk_that_is_gone() -> None:
    ((code, message, way_out),) = said(None, THREE)
    assert (code, message) == ("disk-missing", f"The disk in {CALLED} is missing.")
    assert "plan again without it" in way_out


def test_two_devices_with_one_identity_are_neither() -> None:
    twin = replace(ONE, id="", not_selectable="another disk has the same identity")
    ((code, message, way_out),) = said(twin, replace(twin, kernel_name="sdx"))
    assert (code, message) == ("disk-duplicated", f"2 devices claim to be the disk in {CALLED}: sd1, sdx.")
    assert "clone" in way_out


def test_a_disk_whose_world_wide_name_another_has_now_is_known_by_its_serial_number() -> None:
    void = replace(ONE, id=f"MODEL_{ONE.serial}", wwn=ONE.wwn)
    other = replace(THREE, id=f"MODEL_{THREE.serial}", wwn=ONE.wwn)
    ((code, message, _),) = said(other, void)
    assert (code, message) == (
        "disk-changed",
        f"The disk in {CALLED} is sd1 by serial number, but its identity is no longer wwn-0x5000c50000000001.",
    )


def test_a_disk_that_lost_its_identity() -> None:
    ((code, message, _),) = said(replace(ONE, id="wwn-0x5000c500000000ff", wwn="0x5000c500000000ff"))
    assert code == "disk-changed"
    assert message == (
        f"The disk in {CALLED} is sd1 by serial number, but its identity is no longer wwn-0x5000c50000000001."
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size_bytes": 10**12}, "bytes 1 000 000 000 000, planned 2 000 398 934 016"),
        ({"logical_sector_bytes": 4096}, "bytes per sector 4096, planned 512"),
        ({"serial": "S999"}, "serial number S999, planned S001"),
        ({"serial": None}, "serial number none, planned S001"),
        ({"model": "\x1b[2JMODEL"}, "model \\e[2JMODEL, planned MODEL"),
        ({"wwn": None}, "world-wide name none, planned 0x5000c50000000001"),
        ({"by_id": ("wwn-0x9",)}, "path /dev/disk/by-id/wwn-0x9, planned /dev/disk/by-id/wwn-0x5000c50000000001"),
    ],
)
def test_another_disk_under_the_same_identity(change: dict[str, Any], words: str) -> None:
    ((code, message, way_out),) = said(replace(ONE, **change))
    assert (code, message) == ("disk-changed", f"The disk in {CALLED} is not as planned: {words}.")
    assert "plan again" in way_out


def test_a_disk_in_another_slot_is_a_changed_plan() -> None:
    ((code, message, _),) = said(replace(ONE, place=Place(slot="17")))
    assert code == "plan-differs"
    assert "disks.0.place is 'slot 1' in the plan, 'slot 17' on this machine" in message


@pytest.mark.parametrize(
    ("kind", "where", "words", "way_out"),
    [
        ("mounted", "/home", "in use: mounted at /home", "unmount it"),
        ("mounted", "/home (seen by process 7)", "in use: mounted at /home (seen by process 7)", "unmount it"),
        ("swap", "/dev/sd1", "in use: swap at /dev/sd1", "swapoff"),
        ("md-member", "md127 active raid5", "in use: member of md127 active raid5", "raidtui undo"),
        ("md-member", "md126 inactive", "in use: member of md126 inactive", "mdadm --stop"),
        ("lvm-pv", "vg0", "in use: in volume group vg0", "vgchange"),
        ("zfs", "tank", "in use: in the imported pool tank", "zpool export"),
        ("dm-crypt", "secret", "in use: opened as secret", "cryptsetup close"),
        ("bcache", "bcache0", "in use: part of bcache0", "bcache set"),
        ("multipath", "mpatha", "in use: a path of the multipath map mpatha", "start multipathd"),
        ("loop", "loop3", "in use: backing the loop device loop3", "losetup --detach"),
        ("exported", "LIO iblock_0/x", "in use: exported by LIO iblock_0/x", "target"),
        ("holder", "drbd0", "in use: held by drbd0", "its own tool"),
        ("read-only", "the kernel refuses writes", "read-only: the kernel refuses writes", "write-protect"),
        ("locked", "another process", "in use: another process", "fuser"),
        ("exclusive", "opened exclusively", "in use: opened exclusively", "fuser"),
        ("system", "/, /boot", "the running system uses it: /, /boot", "nothing overrides this"),
    ],
)
def test_a_disk_in_use_names_its_owner(kind: UseKind, where: str, words: str, way_out: str) -> None:
    used = replace(ONE, state="content", not_selectable="in use", uses=(Use(kind=kind, where=where, active=True),))
    ((code, message, way),) = said(used)
    assert (code, message) == (f"disk-{kind}", f"Cannot build on the disk in {CALLED}: {words}.")
    assert way_out in way


def test_a_protected_or_locked_disk_needs_no_other_word() -> None:
    assert [code for code, _, _ in said(replace(ONE, protected=True))] == ["disk-system"]
    assert [code for code, _, _ in said(replace(ONE, bsd_locked=True))] == ["disk-locked"]


def test_a_disk_planned_blank_that_has_something_now_names_the_owner() -> None:
    uses = (Use(kind="file-system", where="xfs home 0146", active=False),)
    ((code, message, way_out),) = said(replace(ONE, state="content", uses=uses, fingerprint="1"))
    assert (code, message) == (
        "disk-not-blank",
        f"The disk in {CALLED} holds file-system xfs home 0146; when the plan was made: blank.",
    )
    assert "plan again" in way_out


def test_what_nobody_could_read_is_not_blank() -> None:
    silent = f"its content is unknown (no such device or address): {way_to_read('no such device or address', '')}"
    ((code, message, way_out),) = said(replace(ONE, state="unknown", not_selectable=silent))
    assert (code, message) == (
        "disk-unknown",
        f"The content of the disk in {CALLED} cannot be read; unknown does not count as blank.",
    )
    assert way_out.endswith("the kernel's log (dmesg) says why; reseat the disk or leave it out; then build")


def test_any_other_reason_against_it_counts() -> None:
    ((code, message, _),) = said(replace(ONE, not_selectable="a zoned disk (host-managed)"))
    assert code == "disk-not-selectable"
    assert "a zoned disk (host-managed)" in message


NOTES = Signature(type="ext4", label="notes")
OLD = replace(
    ONE,
    kernel_name="sda",
    state="content",
    partitions=(1,),
    uses=(
        Use(kind="partition-table", where="gpt", active=False),
        Use(kind="file-system", where="sda1 ext4 notes", active=False, partition=1, signature=NOTES),
        Use(kind="partition-table", where="sda1", active=False, partition=1),
    ),
    fingerprint="aa",
)
OLD_PLAN = mirror(OLD, TWO)


def test_content_is_named_by_the_number_of_the_partition() -> None:
    assert tuple(map(str, OLD_PLAN.disks[0].content)) == (
        "partition-table gpt", "file-system partition 1 ext4 notes", "partition-table partition 1",
    )  # fmt: skip
    assert OLD_PLAN.disks[0].fingerprint == "aa"


def test_planned_content_that_is_still_there_passes_under_another_kernel_name() -> None:
    assert found(OLD_PLAN, machine(OLD, TWO)) == []
    uses = tuple(replace(use, where=use.where.replace("sda1", "nvme0n1p1")) for use in OLD.uses)
    assert found(OLD_PLAN, machine(replace(OLD, kernel_name="nvme0n1", uses=uses), TWO)) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fingerprint": "bb"}, "changed since the plan was made"),
        (
            {"uses": OLD.uses[:1], "partitions": ()},
            "holds partition-table gpt; when the plan was made: partition-table",
        ),
        ({"state": "blank", "uses": (), "partitions": (), "fingerprint": ""}, "holds nothing; when the plan was made"),
    ],
)
def test_planned_content_that_changed(change: dict[str, Any], words: str) -> None:
    ((code, message, _),) = found(OLD_PLAN, machine(replace(OLD, **change), TWO))
    assert code == "disk-content-changed"
    assert words in message
    assert CALLED in message


def test_a_stack_is_taken_whole_or_not_at_all() -> None:
    uuid = "01461a2b:3c4d5e6f:01461a2b:3c4d5e6f"
    piece = Use(
        kind="md-member", where=f"nas:0 {uuid}", active=False,
        signature=Signature(type="linux_raid_member", label="nas:0", uuid=uuid),
    )  # fmt: skip
    told = Signature(type="linux_raid_member", uuid=uuid.replace(":", "-"))
    other = replace(piece, where=f"sd31 {told}", partition=1, signature=told)
    first = replace(ONE, state="content", uses=(piece,), fingerprint="aa")
    outside = replace(THREE, state="content", uses=(other,), partitions=(1,), fingerprint="cc")
    plan = plan_of("raid1(2)", (first, TWO), inventory=machine(first, TWO, outside))
    ((code, message, way_out),) = found(plan, machine(first, TWO, outside))
    assert (code, message) == (
        "disk-straddles",
        f"The disk in {CALLED} is part of {uuid.replace(':', '')}; the others are not in the plan: sd3 (serial S003).",
    )
    assert "or none" in way_out
    assert found(plan, machine(first, TWO, FOUR)) == []


def test_a_bystander_may_do_what_it_likes() -> None:
    busy = replace(THREE, state="content", uses=(Use(kind="mounted", where="/", active=True),), protected=True)
    assert said(ONE, busy, FIVE) == []


WRITER = OpenedBy(process=4711, command="qemu-system-x86", device="sda", writing=True)
READER = OpenedBy(process=812, command="smartd\x1b[2J", device="sda", writing=False)
REMAINS = Use(kind="data", where=UNSIGNED_MIDDLE, active=False)
SAMPLED = Sampled(places=126, not_zero=3, first_offset=1048576)
MIDDLE: dict[str, Any] = {"state": "content", "uses": (REMAINS,), "sampled": SAMPLED}


def test_a_process_that_can_write_refuses_and_is_named() -> None:
    use = Use(kind="open", where="qemu-system-x86 (pid 4711)", active=True)
    ((code, message, way_out),) = said(replace(ONE, uses=(use,), opened_by=(WRITER,)))
    assert (code, message) == (
        "disk-open",
        f"Cannot build on the disk in {CALLED}: in use: open for writing by qemu-system-x86 (pid 4711).",
    )
    assert way_out == "stop that process if it is not needed, then build"


def test_a_process_that_reads_is_a_warning() -> None:
    (finding,) = check_disks(PLAN, machine(replace(ONE, opened_by=(READER,)), TWO))
    assert (finding.severity, finding.code, finding.message) == (
        "warning",
        "disk-read",
        f"The disk in {CALLED} is open for reading by smartd\\e[2J (pid 812).",
    )
    assert "fuser --verbose" in finding.way_out


def test_bytes_between_the_ends_that_appeared_refuse() -> None:
    ((code, message, _),) = said(replace(ONE, **MIDDLE))
    assert code == "disk-not-blank"
    assert message == (
        f"The disk in {CALLED} holds data bytes between its zero ends that no known signature explains; "
        "when the plan was made: blank."
    )


def test_bytes_between_the_ends_that_were_accepted_may_be_there_or_not_but_nothing_else_may() -> None:
    old = replace(ONE, **MIDDLE)
    plan = mirror(old, TWO, THREE)
    assert [str(content) for content in plan.disks[0].content] == [
        "data bytes between its zero ends that no known signature explains"
    ]
    assert found(plan, machine(old, TWO)) == []
    assert found(plan, machine(ONE, TWO)) == []
    signed = Use(kind="file-system", where="ext", active=False)
    ((code, _, _),) = found(plan, machine(replace(old, uses=(signed,), fingerprint="aa"), TWO))
    assert code == "disk-content-changed"
