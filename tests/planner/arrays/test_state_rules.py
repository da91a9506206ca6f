"""What the audit says of an array's state, in whole sentences: evidence, consequence, way out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.advice.audit.facts import AuditFacts, DiskSettings, FileSystemStripe
from raidtui.advice.audit.rules import audit
from raidtui.values.arrays import ArrayMember, ContainerSuperblock, KnownBy, MdShape, Reshape, SyncNow, VolumeOnMember
from tests.planner.arrays.test_audit import FAULTY, GROWS, HEALTHY, LOST, MD0, MEMBERS, MOVING, PLANTED, with_array

Said = tuple[str, str, str, str]
GIB = 2**30


def said(facts: AuditFacts, code: str) -> Said:
    """Severity, evidence, consequence, way out of the one finding of this code."""
    (found,) = (each for each in audit(facts).findings if each.code == code)
    return found.severity, found.evidence, found.consequence, found.way_out


def sync(action: str, of: str = "") -> SyncNow:
    return SyncNow(action=action, done_bytes=0, whole_bytes=4 * GIB, bytes_per_s=0, of=of)


REBUILDS = (*MEMBERS[:3], replace(MEMBERS[3], state="rebuilding"))
GONE = (*MEMBERS[:3], ArrayMember(slot=3, state="missing"))
REPLACE = "raidtui replace md0 names the disk to pull and the commands"
WAIT = "wait for the rebuild; do not shut down or pull disks"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"members": GONE}, ("error", "md0 (raid6): 1 of 4 members missing (slot 3).", REPLACE)),
        ({"members": (*GONE, replace(FAULTY, slot=3))},
         ("error", "md0 (raid6): 1 of 4 members missing (slot 3, sdz).", REPLACE)),
        ({"members": (*GONE, FAULTY)}, ("error", "md0 (raid6): 1 of 4 members missing (slot 3; sdz failed).", REPLACE)),
        ({"members": REBUILDS, "sync": sync("pending", "recover")},
         ("warning", "md0 (raid6): 1 of 4 members missing (slot 3, sdd). sdd waits to be rebuilt.",
          "wait: it begins once the sync of another array on its disks has ended (/proc/mdstat)")),
        ({"members": REBUILDS, "sync": sync("held"), "states": ("degraded", "auto-read-only")},
         ("warning", "md0 (raid6): 1 of 4 members missing (slot 3, sdd). sdd waits to be rebuilt.",
          "mdadm --readwrite /dev/md0 starts it")),
        ({"members": REBUILDS, "sync": sync("frozen"), "action": "frozen"},
         ("warning", "md0 (raid6): 1 of 4 members missing (slot 3, sdd). sdd waits to be rebuilt.",
          "find out what froze it: an mdadm that runs, or a person; echo idle > /sys/block/md0/md/sync_action lets it "
          "go on")),
        ({"members": REBUILDS, "sync": MOVING, "reshape": GROWS},
         ("warning", "md0 (raid6): 1 of 4 members missing (slot 3, sdd). reshape 25.0 % at 100 MB/s per member, 1 min "
          "left.", WAIT)),
        ({"members": (*MEMBERS[:2], ArrayMember(slot=2, state="missing"), replace(MEMBERS[3], state="rebuilding")),
          "lacks": 2, "sync": replace(MOVING, action="recover")},
         ("error", "md0 (raid6): 2 of 4 members missing (slots 2, 3 (sdd)). recover 25.0 % at 100 MB/s per member, 1 "
          "min left.", f"{WAIT}; then {REPLACE}")),
        ({"members": GONE, "container": "md127", "metadata": "external:/md127/0"},
         ("error", "md0 (raid6): 1 of 4 members missing (slot 3).",
          "mdadm /dev/md127 --add DISK: its container takes the disk, mdmon rebuilds onto it")),
        ({"members": (replace(MEMBERS[0], state="in-sync"), replace(MEMBERS[4], state="replacement", slot=0),
                      *MEMBERS[1:3], ArrayMember(slot=3, state="missing")), "sync": replace(MOVING, action="recover")},
         ("error", "md0 (raid6): 1 of 4 members missing (slot 3).", REPLACE)),
    ],
)  # fmt: skip
def test_an_array_that_lacks_members(changes: dict[str, object], expected: tuple[str, str, str]) -> None:
    facts = with_array(**{"states": ("degraded", "clean"), "lacks": 1, **changes})
    severity, evidence, _, way_out = said(facts, "array-degraded")
    assert (severity, evidence, way_out) == expected


@pytest.mark.parametrize(
    ("level", "layout", "there", "consequence"),
    [
        ("raid6", 2, "012", "It survives 1 further failure."),
        ("raid6", 2, "02", "One more failure loses data."),
        ("raid10", 0x102, "012", "A failure of sdc (slot 2) loses data; one of another member does not."),
        ("raid10", 0x102, "02", "One more failure loses data."),
        ("raid10", 0x201, "123", "A failure of sdb (slot 1) and sdd (slot 3) loses data; one of another member does "
         "not."),
        ("raid1", 0, "0", "One more failure loses data."),
        ("raid1", 0, "013", "It survives 2 further failures."),
    ],
)  # fmt: skip
def test_what_it_survives_is_asked_of_its_layout(level: str, layout: int, there: str, consequence: str) -> None:
    members = tuple(
        MEMBERS[slot] if str(slot) in there else ArrayMember(slot=slot, state="missing") for slot in range(4)
    )
    facts = with_array(states=("degraded", "clean"), level=level, layout=layout, lacks=4 - len(there), members=members)
    assert said(facts, "array-degraded")[2] == consequence


WITHOUT_JOURNAL = (
    "without a disk, in place of that: echo resync > /sys/block/md0/md/consistency_policy; mdadm --readwrite "
    "/dev/md/data, and it runs without a journal"
)


def test_a_journal_that_failed_or_is_missing() -> None:
    failed = replace(FAULTY, flags=("faulty", "journal"))
    lost = {"states": ("journal-lost", "clean"), "consistency": "journal"}
    assert said(with_array(**lost, members=(*MEMBERS, failed)), "journal-lost") == (
        "error",
        "The write journal of md0 failed: sdz (serial Z).",
        "Every write to it fails with an input/output error.",
        "unmount what is on it; mdadm /dev/md/data --remove /dev/disk/by-id/z; mdadm --readonly /dev/md/data; mdadm "
        f"/dev/md/data --add-journal DISK, which makes it writable again; {WITHOUT_JOURNAL}",
    )
    facts = with_array(**{**lost, "states": ("journal-lost", "read-only")})
    assert said(facts, "journal-lost") == (
        "error",
        "The write journal of md0 is missing.",
        "md has set the array read-only, and refuses --readwrite.",
        f"mdadm /dev/md/data --add-journal DISK, which makes it writable again; {WITHOUT_JOURNAL}",
    )
    assert {each.code for each in audit(facts).findings} == {"journal-lost"}


@pytest.mark.parametrize(
    ("changes", "way_out"),
    [
        ({"action": "frozen"},
         "find out what froze it: an mdadm that runs, or a person; echo idle > /sys/block/md0/md/sync_action lets it "
         "go on"),
        ({"states": ("reshaping", "read-only")}, "mdadm --readwrite /dev/md0 starts it"),
        ({"states": ("reshaping", "auto-read-only")}, "mdadm --readwrite /dev/md0 starts it"),
        ({}, "mdadm --grow --continue /dev/md/data; dmesg says why it stopped"),
        ({"reshape": replace(GROWS, backup=True)},
         "mdadm --grow --continue /dev/md/data --backup-file=FILE, the one that --grow was given; dmesg says why it "
         "stopped"),
    ],
)  # fmt: skip
def test_a_reshape_that_does_not_go_on(changes: dict[str, object], way_out: str) -> None:
    facts = with_array(**{"states": ("reshaping", "clean"), "reshape": GROWS, **changes})
    assert said(facts, "reshape-halted") == (
        "warning",
        "md0 is in the middle of a reshape that does not go on (3 to 4 members, layout left-asymmetric to "
        "left-symmetric, up to 12 MiB of the array).",
        "A part of it has each shape; nothing else can be changed until then.",
        way_out,
    )
    assert {each.code for each in audit(facts).findings} <= {"reshape-halted"}


def test_a_reshape_at_work_is_a_note() -> None:
    change = Reshape(before=MdShape(level="raid6", devices=4, layout=2, chunk_bytes=128 * 1024), position_bytes=0)
    facts = with_array(states=("reshaping", "clean"), reshape=change, sync=MOVING)
    assert said(facts, "reshape-running") == (
        "note",
        "md0 is being reshaped (chunk 128 KiB to 64 KiB, up to 0 B of the array): reshape 25.0 % at 100 MB/s per "
        "member, 1 min left.",
        "Until that ends a part of it has each shape; md continues after a boot.",
        "wait for its end; nothing else can be changed until then",
    )


def test_a_faulty_device_beside_a_whole_array() -> None:
    way_out = "mdadm /dev/md/data --remove /dev/disk/by-id/z, pull the disk, then raidtui extend md0 spare DISK"
    assert said(with_array(members=(*MEMBERS, FAULTY)), "member-faulty") == (
        "warning",
        "sdz (serial Z) failed and is still attached to md0, which has all of its 4 members and 1 spare.",
        "The next failure finds one spare less.",
        way_out,
    )
    spare_gone = said(with_array(members=(*MEMBERS[:4], FAULTY)), "member-faulty")
    assert spare_gone[1:3] == (
        "sdz (serial Z) failed and is still attached to md0, which has all of its 4 members and no spare.",
        "The next failure finds no spare.",
    )
    lacking = with_array(states=("degraded", "clean"), lacks=1, members=(*GONE, replace(FAULTY, slot=3)))
    assert "member-faulty" not in {each.code for each in audit(lacking).findings}
    older = with_array(states=("degraded", "clean"), lacks=1, members=(*GONE, replace(FAULTY, slot=1)))
    assert said(older, "member-faulty")[3] == way_out


def test_a_member_that_is_being_replaced_is_what_was_asked_for() -> None:
    old = replace(MEMBERS[0], flags=("in_sync", "want_replacement", "write_error"), errors=4, bad_blocks=2)
    copies = replace(MEMBERS[4], state="replacement", slot=0, flags=("replacement", "spare"))
    assert audit(with_array(members=(old, copies, *MEMBERS[1:4]))).findings == ()
    alone = audit(with_array(members=(old, *MEMBERS[1:4]))).findings
    assert {each.code for each in alone} == {"member-errors", "bad-blocks"}


def test_bad_blocks_and_a_name_that_two_have() -> None:
    assert said(PLANTED["bad-blocks"], "bad-blocks") == (
        "warning",
        "The log of sdb (serial S1) in md0 has 12 ranges of bad blocks.",
        "md reads and writes them no more. There the array has one copy less; where it was the last, reads fail. A "
        "rebuild of another member copies the gap.",
        "mdadm --examine-badblocks /dev/sdb lists them; raidtui replace md0 --member sdb",
    )
    assert said(PLANTED["name-twice"], "name-twice") == (
        "warning",
        f"2 arrays have the name data, with the UUIDs {MD0.uuid} and other.",
        "Which of them gets /dev/md/data depends on what a boot meets first.",
        "name each by UUID in mdadm.conf with a path of its own, or rename one: mdadm --stop /dev/md/data; mdadm "
        "--assemble /dev/md/NEW --update=name --name=NEW --uuid=other",
    )
    both = replace(HEALTHY, seen=replace(HEALTHY.seen, arrays=(MD0, replace(MD0, name="md1", uuid="other"))))
    assert "name-twice" not in {each.code for each in audit(both).findings}  # each has its line


def test_members_off_the_sectors_of_their_disk() -> None:
    assert said(PLANTED["member-misaligned"], "member-misaligned") == (
        "warning",
        "sdb (byte 32256) of md0 starts off the 4096-byte sectors of the disk.",
        "The disk reads and writes two sectors for each block of 4 KiB written. Small writes take several times as "
        "long.",
        "one after the other: a partition that starts on 1 MiB, then raidtui replace md0 --member sdb",
    )
    plain = replace(PLANTED["member-misaligned"], inventory=HEALTHY.inventory)  # sectors of 512 bytes
    assert "member-misaligned" not in {each.code for each in audit(plain).findings}


def test_a_word_that_is_not_known_is_named_for_that_array_alone() -> None:
    other = replace(MD0, name="md1", uuid="other", label="other", kernel_state="pondering", states=("unknown",))
    facts = replace(HEALTHY, seen=replace(HEALTHY.seen, arrays=(MD0, other)), stripes=())
    (found,) = audit(facts).findings
    assert (found.severity, found.code, found.subject, found.evidence, found.consequence) == (
        "note", "state-unknown", "md1",
        "The kernel says of md1: array_state pondering, not known to this version.",
        "What that means for the array was not judged.",
    )  # fmt: skip


def test_slots_in_reserve() -> None:
    assert said(PLANTED["slots-in-reserve"], "slots-in-reserve")[:2] == (
        "note", "md0 (raid1) has 4 copies in 32 slots; the last ones are empty.",
    )  # fmt: skip
    assert {each.code for each in audit(PLANTED["slots-in-reserve"]).findings} == {"slots-in-reserve"}


def test_an_array_that_md_gave_up_can_still_be_read() -> None:
    broken = with_array(
        states=("failed", "clean"), kernel_state="broken", level="raid1", devices=2, lacks=1, members=MEMBERS[1:2]
    )
    assert said(broken, "array-down") == (
        "error",
        "md0 is failed (md fails every write since an error on the last copy of something), clean.",
        "Nothing can be written to it; what can still be read has no other copy.",
        "copy its data elsewhere while it can be read; then unmount what is on it; mdadm --stop /dev/md/data; mdadm "
        f"--assemble /dev/md/data --run --uuid={MD0.uuid} starts it anew, and raidtui replace md0 names the disk to "
        "pull",
    )


def test_a_container_is_told_by_the_arrays_in_it() -> None:
    volume = VolumeOnMember(name="vol", level="raid5", devices=3, slot=0)
    disk = ArrayMember(
        state="idle", device="sda",
        container=ContainerSuperblock(kind="ddf", identity="x", disks=3, generation=1, volumes=(volume,)),
    )  # fmt: skip
    box = replace(
        MD0, name="", label="", level="container", states=("stopped", "container"), members=(disk,), size_bytes=0,
        metadata="external:ddf", uuid="",
    )  # fmt: skip
    inside = replace(
        MD0, name="", label="vol", level="raid5", devices=3, lacks=2, states=("incomplete", "stopped"),
        members=(replace(disk, slot=0),), size_bytes=0, metadata="external:ddf", layout=0,
    )  # fmt: skip
    facts = replace(HEALTHY, seen=replace(HEALTHY.seen, arrays=(box, inside)), stripes=())
    (found,) = audit(facts).findings
    assert (found.code, found.subject) == ("array-down", "vol")
    empty = replace(box, members=(replace(disk, container=None),))
    (alone,) = audit(replace(facts, seen=replace(HEALTHY.seen, arrays=(empty,)))).findings
    assert (alone.code, alone.evidence) == (
        "array-stopped", "1 device carries the superblock of ddf container, which is not assembled.",
    )  # fmt: skip


def test_the_two_ways_out_of_error_recovery() -> None:
    def recovery(kind: str, *, rotational: bool = True) -> Said:
        disks = HEALTHY.disks | {"sdb": DiskSettings(timeout_s=30, recovery=kind)}  # type: ignore[arg-type]
        kinds = tuple(replace(each, rotational=rotational) for each in HEALTHY.inventory.disks)
        facts = replace(HEALTHY, disks=disks, inventory=replace(HEALTHY.inventory, disks=kinds))
        return said(facts, "error-recovery")

    resets = (
        "At a bad sector the kernel resets the disk while it still tries to read. md then drops the member instead of "
        "rewriting the sector."
    )
    assert recovery("none") == (
        "warning", "sdb: the disk has no limit of error recovery, the kernel waits 30 s.", resets,
        "at each boot: echo 180 > /sys/block/DISK/device/timeout",
    )  # fmt: skip
    assert recovery("unlimited") == (
        "warning", "sdb: the disk does not limit its error recovery, the kernel waits 30 s.", resets,
        "at each boot: smartctl -l scterc,70,70 /dev/DISK",
    )  # fmt: skip
    assert recovery("none", rotational=False)[0::2] == (
        "note", "Flash seldom tries that long; a drive that does is reset, and md drops the member.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "evidence", "way_out"),
    [
        ({}, "The xfs at /srv has stripes of 192 KiB in units of 64 KiB; a full stripe below it is 128 KiB of 64 KiB "
         "chunks.",
         "umount /srv; mount -o sunit=128,swidth=256 /dev/md0 /srv; the same options in its line of fstab keep it"),
        ({"point": ""},
         "The xfs on /dev/md0, not mounted, has stripes of 192 KiB in units of 64 KiB; a full stripe below it is "
         "128 KiB of 64 KiB chunks.",
         "mount -o sunit=128,swidth=256 /dev/md0 MOUNTPOINT; the same options in its line of fstab keep it"),
        ({"width": None},
         "The xfs at /srv has no stripe; a full stripe below it is 128 KiB of 64 KiB chunks.",
         "an XFS that was made without a stripe takes none at a mount; where its speed matters, mkfs.xfs makes it anew "
         "with -d su=64k,sw=2"),
        ({"kind": "ext4", "width": 17},
         "The ext4 at /srv has stripes of 17 blocks; a full stripe below it is 128 KiB of 64 KiB chunks.",
         "tune2fs -E stride=16,stripe_width=32 /dev/md0, then unmount and mount it"),
    ],
)  # fmt: skip
def test_a_stripe_that_does_not_fit(changes: dict[str, object], evidence: str, way_out: str) -> None:
    held = FileSystemStripe(
        device="md0", path="/dev/md0", kind="xfs", point="/srv", unit_bytes=64 * 1024, width=192 * 1024
    )
    facts = replace(HEALTHY, stripes=(replace(held, **changes),))  # type: ignore[arg-type]
    severity, *shown = said(facts, "stripe-geometry")
    assert (severity, shown[0], shown[2]) == ("warning", evidence, way_out)


@pytest.mark.parametrize(
    ("consistency", "members", "follows"),
    [
        ("journal", (ArrayMember(state="journal", device="sdy"),),
         "It was the write journal of the array, which has another one now: what it alone holds is of no use."),
        ("resync", (),
         "It was the write journal of the array, which runs without a journal now: what it alone holds is of no use."),
    ],
)  # fmt: skip
def test_a_journal_of_before_is_erased(consistency: str, members: tuple[ArrayMember, ...], follows: str) -> None:
    """md adds none to an array that has one, or that has no place for one."""
    assert LOST.superblock is not None
    before = replace(LOST, path="/dev/disk/by-id/z", superblock=replace(LOST.superblock, journal=True, role=None))
    ours = tuple(replace(each, superblock=replace(LOST.superblock, role=each.slot)) for each in MEMBERS)
    facts = with_array(consistency=consistency, kernel_state="clean", members=(*ours, *members, before))
    assert said(facts, "member-dropped")[2:] == (
        follows, "mdadm --zero-superblock /dev/disk/by-id/z, so that no boot finds it",
    )  # fmt: skip
    facts = with_array(consistency="journal", kernel_state="readonly", members=(*ours, before))
    assert "mdadm /dev/md/data --add-journal /dev/disk/by-id/z makes a new journal" in said(facts, "member-dropped")[3]


def test_what_was_dropped_is_told_what_to_do() -> None:
    """Advice for a running array; each is told apart by what both superblocks say."""
    severity, evidence, follows, way_out = said(with_array(members=(*MEMBERS, LOST)), "member-dropped")
    assert severity == "warning"
    assert evidence.startswith("sdz (serial Z) has the superblock of md0 and is not in it: event count 118")
    assert follows.startswith("Which of both is older, its superblock cannot tell")
    assert way_out.startswith("keep both as they are; put none back")


def test_made_for_another_host_is_told_in_a_sentence() -> None:
    evidence = said(PLANTED["array-foreign"], "array-foreign")[1]
    assert evidence == "md0 was made for host other."
    no = KnownBy(answer="no", why="")
    assert said(with_array(states=("foreign", "clean"), made_for="x\x1b", in_conf=no), "array-foreign")[1].isprintable()
