"""Each rule of the audit: planted, and found; a healthy machine, and nothing found."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from raidtui.advice.arrays import words
from raidtui.advice.audit.facts import AuditFacts, DiskSettings, EncryptedVolume, FileSystemStripe, KeptFile
from raidtui.advice.audit.rules import CODES, audit
from raidtui.answers.audit import audit_blocks, metrics
from raidtui.programs.cryptsetup import CrypttabLine
from raidtui.values.arrays import (
    ArrayBitmap,
    ArrayMember,
    Audit,
    KnownBy,
    MdShape,
    MemberSuperblock,
    ObservedArray,
    ObservedArrays,
    OnArray,
    Reshape,
    SyncNow,
)
from raidtui.values.blocks import Heading, Items
from raidtui.values.facts import Boot, Configuration, DeviceNames, Image, TextFile
from raidtui.values.inventory import Controller, Disk, DiskPath, Inventory, Multipath, Place, Smart
from tests.planner.boot.test_next_boot import ARRAYS, ASSEMBLY, CONF, MDADM, both
from tests.planner.plans import plan_of

GIB, TB = 2**30, 10**12
STANDARD = 7_814_037_168 * 512
"""4 TB by SFF-8447"""
YES = KnownBy(answer="yes", why="here")
NO = KnownBy(answer="no", why="not here")
UNKNOWN = KnownBy(answer="unknown", why="run it as root")
UUID = "0f0f0f0f:0f0f0f0f:0f0f0f0f:0f0f0f0f"


def disk(number: int, **more: Any) -> Disk:
    return Disk(
        id=f"wwn-{number}", kernel_name=f"sd{'abcdefgh'[number]}", serial=f"S{number}", model="M", firmware="1",
        size_bytes=more.pop("size_bytes", STANDARD), rotational=True, transport="sata", link_bits_per_s=6 * 10**9,
        place=Place(controller="0000:01:00.0", enclosure=f"e{number % 2}"),
        smart=Smart(healthy=True, hours=1000 * number, reallocated=0, temperature_c=None), **more,
    )  # fmt: skip


DISKS = tuple(disk(number) for number in range(5))
MEMBERS = tuple(
    ArrayMember(
        slot=number if number < 4 else None, state="in-sync" if number < 4 else "spare", device=each.kernel_name,
        disk=each.kernel_name, disk_id=each.id, serial=each.serial, size_bytes=each.size_bytes,
        data_offset_bytes=264192 * 512,
    )
    for number, each in enumerate(DISKS)
)  # fmt: skip
MD0 = ObservedArray(
    name="md0", label="data", made_for="host", path="/dev/md/data", uuid=UUID, states=("clean",), level="raid6",
    devices=4, lacks=0,
    metadata="1.2", chunk_bytes=64 * 1024, layout=2, size_bytes=2 * 3_906_886_464 * 1024,
    component_bytes=3_906_886_464 * 1024, logical_sector_bytes=512, consistency="bitmap", members=MEMBERS,
    bitmap=ArrayBitmap(kind="internal", chunk_bytes=64 * 2**20), last_action="check", mismatches=0,
    stands_on_it=(OnArray(device="md0", name="md/data", type="raid6", depth=0, content="xfs", mount_points=("/srv",)),),
    in_conf=YES, in_initramfs=YES, in_fstab=YES, monitored=YES,
)  # fmt: skip
HEALTHY = AuditFacts(
    seen=ObservedArrays(host="host", simulated=False, time="2026-01-01T00:00:00+00:00", arrays=(MD0,)),
    inventory=Inventory(
        origin="machine", name="host", disks=DISKS,
        controllers=(Controller(pci="0000:01:00.0", pcie_speed_gts=8.0, pcie_width=8, pcie_max_speed_gts=8.0,
                                pcie_max_width=8),),
    ),
    kernel="6.1.0-28-amd64", kernels=("6.1.0-28-amd64",), checks=YES, alerts=YES, shared_spares=False,
    disks={each.kernel_name: DiskSettings(timeout_s=30, recovery="limited", recovery_s=7.0) for each in DISKS},
    caches={"md0": 256}, read_ahead={"md0": 512},
    stripes=(
        FileSystemStripe(
            device="md0", path="/dev/md0", kind="xfs", point="/srv", unit_bytes=64 * 1024, width=128 * 1024
        ),
    ),
    boot=Boot(
        configuration=Configuration(files=(TextFile(path=CONF, text=f"ARRAY /dev/md/data UUID={UUID}\n"),)),
        rules=(ASSEMBLY, ARRAYS), command_line="", kernel="6.1.0-28-amd64",
        devices=tuple(DeviceNames(id=each.id, name=f"/dev/{each.kernel_name}", links=()) for each in DISKS),
        images=(Image(path="/boot/initrd.img-6.1.0-28-amd64", kernel="6.1.0-28-amd64"),),
    ),
)  # fmt: skip


def with_array(**changes: Any) -> AuditFacts:
    return replace(HEALTHY, seen=replace(HEALTHY.seen, arrays=(replace(MD0, **changes),)))


def with_disk(number: int, **changes: Any) -> AuditFacts:
    disks = tuple(replace(each, **changes) if at == number else each for at, each in enumerate(DISKS))
    return replace(HEALTHY, inventory=replace(HEALTHY.inventory, disks=disks))


def with_member(number: int, **changes: Any) -> AuditFacts:
    return with_array(
        members=tuple(replace(each, **changes) if at == number else each for at, each in enumerate(MEMBERS))
    )


def with_second(**changes: Any) -> AuditFacts:
    """Beside md0 another one of eight members on the same disks, without a spare."""
    other = replace(MD0, name="md1", uuid="other", devices=8, members=MEMBERS[:4], **changes)
    return replace(HEALTHY, seen=replace(HEALTHY.seen, arrays=(MD0, other)), stripes=())


def with_boot(facts: AuditFacts | None = None, **changes: Any) -> AuditFacts:
    healthy = facts or HEALTHY
    assert isinstance(healthy.boot, Boot)
    return replace(healthy, boot=replace(healthy.boot, **changes))


def with_conf(*lines: str, facts: AuditFacts | None = None) -> AuditFacts:
    """mdadm.conf with other lines."""
    text = "".join(f"{line}\n" for line in lines)
    return with_boot(facts, configuration=Configuration(files=(TextFile(path=CONF, text=text),)))


BLOCK = MemberSuperblock(
    level="raid6", devices=4, role=1, events=118, updated="Thu", clean=True, roster="AAAA", features=0
)  # fmt: skip
GROWS = Reshape(before=MdShape(level="raid6", devices=3, chunk_bytes=64 * 1024), position_bytes=12 * 2**20)
MOVING = SyncNow(action="reshape", done_bytes=GIB, whole_bytes=4 * GIB, bytes_per_s=10**8, seconds_left=32)
FAULTY = ArrayMember(state="faulty", device="sdz", path="/dev/disk/by-id/z", serial="Z", flags=("faulty",))
LOST = ArrayMember(slot=1, state="dropped", device="sdz", disk="sdz", serial="Z", superblock=BLOCK)
LUKS = EncryptedVolume(
    on=MD0,
    device=OnArray(device="md0", name="md/data", type="raid6", depth=0, content="crypto_LUKS", size_bytes=2**40),
    line=CrypttabLine(2, "data-luks", "UUID=1-2", "/etc/keys/k", "luks,nofail"),
    key=KeptFile(path="/etc/keys/k", there=True), backup=KeptFile(path="/var/lib/raidtui/r/h", there=True),
    sector_bytes=4096, offset_bytes=2**24,
)  # fmt: skip
FINE = tuple(replace(each, physical_sector_bytes=4096) for each in DISKS)


def with_luks(**changes: Any) -> AuditFacts:
    """md0 encrypted, on disks with physical sectors of 4096 bytes."""
    inventory = replace(HEALTHY.inventory, disks=FINE)
    return replace(HEALTHY, encrypted=(replace(LUKS, **changes),), inventory=inventory)


PLANTED: dict[str, AuditFacts] = {
    "key-file-missing": with_luks(key=KeptFile(path="/etc/keys/k")),
    "key-file-inside": with_luks(key=KeptFile(path="/srv/k", there=True, inside=True)),
    "key-file-readable": with_luks(key=KeptFile(path="/etc/keys/k", there=True, only_roots=False)),
    "header-backup": with_luks(backup=KeptFile(path="/var/lib/raidtui/r/h")),
    "luks-sectors": with_luks(sector_bytes=512),
    "luks-discards": with_luks(line=CrypttabLine(2, "data-luks", "UUID=1-2", "/etc/keys/k", "luks,discard")),
    "array-down": with_array(states=("incomplete", "inactive"), lacks=3, size_bytes=0),
    "array-stopped": with_array(name="", states=("stopped",), size_bytes=0),
    "array-degraded": with_array(states=("degraded", "clean"), lacks=1, members=MEMBERS[:3]),
    "sync-pending": with_array(
        states=("pending", "auto-read-only"),
        sync=SyncNow(action="held", done_bytes=0, whole_bytes=1, bytes_per_s=0, seconds_left=None),
    ),
    "array-read-only": with_array(states=("read-only",)),
    "member-dropped": with_array(members=(*MEMBERS, LOST)),
    "slots-in-reserve": with_array(
        states=("degraded", "clean"), level="raid1", devices=32, lacks=28, members=MEMBERS[:4], chunk_bytes=0
    ),
    "journal-lost": with_array(states=("journal-lost", "clean"), consistency="journal"),
    "reshape-running": with_array(states=("reshaping", "clean"), reshape=GROWS, sync=MOVING),
    "reshape-halted": with_array(states=("reshaping", "clean"), reshape=GROWS, action="frozen"),
    "member-faulty": with_array(members=(*MEMBERS, FAULTY)),
    "state-unknown": with_member(1, flags=("in_sync", "quantum")),
    "bad-blocks": with_member(1, bad_blocks=12),
    "name-twice": replace(
        HEALTHY,
        seen=replace(
            HEALTHY.seen, arrays=(replace(MD0, in_conf=NO), replace(MD0, name="md1", uuid="other", in_conf=NO))
        ),
    ),
    "member-misaligned": replace(
        with_member(1, start_bytes=63 * 512),
        inventory=replace(HEALTHY.inventory, disks=tuple(replace(d, physical_sector_bytes=4096) for d in DISKS)),
    ),
    "member-errors": with_member(2, errors=3, flags=("in_sync", "write_error")),
    "mismatches": with_array(mismatches=128),
    "not-in-conf": with_array(in_conf=NO),
    "not-in-initramfs": with_array(in_initramfs=NO),
    "not-in-fstab": with_array(in_fstab=NO),
    "not-in-crypttab": with_array(in_crypttab=NO),
    "not-monitored": with_array(monitored=NO),
    "alerts-unheard": replace(HEALTHY, alerts=NO),
    "check-not-scheduled": replace(HEALTHY, checks=NO),
    "kernel-door": replace(HEALTHY, kernels=("6.1.0-28-amd64", "6.19.3+deb13-amd64")),
    "no-bitmap": with_array(bitmap=ArrayBitmap(kind="none"), consistency="resync"),
    "spare-too-small": with_member(4, size_bytes=STANDARD // 2),
    "spare-not-shared": with_second(),
    "no-spare": with_array(devices=8, members=MEMBERS[:4]),
    "smart": with_disk(1, smart=Smart(healthy=False, hours=1, reallocated=None, temperature_c=None)),
    "one-batch": replace(
        HEALTHY,
        inventory=replace(
            HEALTHY.inventory,
            disks=tuple(replace(each, smart=replace(each.smart, hours=30_000)) for each in DISKS if each.smart),
        ),
    ),
    "error-recovery": replace(HEALTHY, disks=HEALTHY.disks | {"sdb": DiskSettings(timeout_s=30, recovery="none")}),
    "link-slow": with_disk(3, link_bits_per_s=1_500_000_000),
    "path-lost": with_disk(
        2,
        multipath=Multipath(
            name="mpathc",
            paths=(DiskPath(kernel_name="sdx", state="failed"), DiskPath(kernel_name="sdy", state="active")),
        ),
    ),
    "failure-domain": with_disk(2, place=Place(controller="0000:01:00.0", enclosure="e1")),
    "members-share-disk": with_member(1, disk="sda"),
    "stripe-geometry": replace(HEALTHY, stripes=(replace(HEALTHY.stripes[0], width=192 * 1024),)),
    "sector-sizes": with_disk(4, logical_sector_bytes=4096),
    "slow-member": with_disk(0, rotational=False),
    "replacement-too-small": replace(
        with_member(0, size_bytes=STANDARD + 4096),
        inventory=replace(HEALTHY.inventory, disks=(replace(DISKS[0], size_bytes=STANDARD + 4096), *DISKS[1:])),
    ),
    "raid5-large": with_array(level="raid5", size_bytes=3 * MD0.component_bytes),
    "read-ahead": replace(HEALTHY, read_ahead={"md0": 64}),
    "stripe-cache": replace(HEALTHY, caches={"md0": 16}),
    "metadata-old": with_array(metadata="0.90"),
    "array-foreign": with_array(states=("foreign", "clean"), made_for="other"),
    "device-line": with_conf("DEVICE /dev/sd[abc]"),
    "device-line-names": with_conf("DEVICE /dev/sda /dev/sdb /dev/sdc /dev/sdd /dev/sde"),
    "initramfs-device-line": with_boot(
        images=(
            Image(
                path="/boot/i", kernel="6.1.0-28-amd64",
                files=(MDADM, TextFile(path=CONF, text=f"DEVICE /dev/sd[abc]\nARRAY data UUID={UUID}\n")),
            ),
        ),
    ),
    "array-line-conflict": with_conf(f"ARRAY /dev/md/data UUID={UUID}", f"ARRAY /dev/md/old UUID={UUID}"),
    "array-line-devices": with_conf(f"ARRAY /dev/md/data UUID={UUID} devices=/dev/sd[abcd]"),
    "auto-line": with_conf("AUTO -all"),
    "mdadm-conf-twice": with_boot(configuration=both("HOMEHOST x\n", CONF)),
    "mdadm-conf-unclear": with_boot(configuration=both("HOMEHOST x\n")),
    "old-member-starts": with_array(
        level="raid1", devices=2, chunk_bytes=0, members=MEMBERS[:2],
        removed=tuple(
            replace(
                LOST, device=f"sd{'de'[role]}", disk=f"sd{'de'[role]}",
                superblock=replace(BLOCK, level="raid1", devices=2, role=role, roster="AA"),
            )
            for role in (0, 1)
        ),
    ),
    "udev-assembles-nothing": with_boot(rules=(ARRAYS,)),
    "udev-rule-masked": with_boot(
        rules=(replace(ARRAYS, path="/etc/udev/rules.d/63-md-raid-arrays.rules", text=""), ASSEMBLY, ARRAYS)
    ),
    "fstab-not-read": with_boot(command_line="ro fstab=no"),
}  # fmt: skip


def test_lines_that_an_audit_judges_are_said_in_whole_sentences() -> None:
    """A member that DEVICE does not cover, two lines for one array, a file that is not read, disks that start old."""
    said = {code: next(each for each in audit(PLANTED[code]).findings if each.code == code) for code in PLANTED}
    device = said["device-line"]
    assert (device.severity, device.subject, device.evidence, device.consequence) == (
        "error", "md0",
        "/etc/mdadm/mdadm.conf line 1: 'DEVICE /dev/sd[abc]' does not allow /dev/sdd (serial S3), /dev/sde (serial S4) "
        "of /dev/md/data: mdadm would not assemble these at boot.",
        "A boot starts the array without these members, or not at all.",
    )  # fmt: skip
    twice = said["mdadm-conf-twice"]
    assert (twice.severity, twice.subject, twice.evidence, twice.consequence, twice.way_out) == (
        "warning", "host",
        "/etc/mdadm.conf exists beside /etc/mdadm/mdadm.conf: this machine's mdadm reads only /etc/mdadm/mdadm.conf "
        "(by the order of both places in /sbin/mdadm).",
        "Lines of the file that is not read count for nothing, whatever they say.",
        "move what is needed from /etc/mdadm.conf to /etc/mdadm/mdadm.conf and remove it; then rebuild the initramfs",
    )  # fmt: skip
    starts = said["old-member-starts"]
    assert (starts.severity, starts.consequence) == (
        "warning", "What was written to the array since they left it is then missing.",
    )  # fmt: skip
    assert {each.code for each in audit(PLANTED["array-line-conflict"]).findings} == {"array-line-conflict"}


def test_what_a_boot_goes_by_was_not_read() -> None:
    facts = replace(HEALTHY, boot="/etc/udev/rules.d cannot be read")
    (found,) = audit(facts).unchecked
    assert (found.code, found.subject, found.why) == ("device-line", "host", "/etc/udev/rules.d cannot be read")


def test_mismatches_are_grave_where_a_rebuild_goes_by_them() -> None:
    mirror = with_array(level="raid1", devices=2, chunk_bytes=0, members=MEMBERS[:2], mismatches=128)
    said = {
        facts.seen.arrays[0].level: (found.severity, found.consequence)
        for facts in (PLANTED["mismatches"], mirror)
        for found in audit(facts).findings
        if found.code == "mismatches"
    }
    assert said == {
        "raid6": ("warning", "A rebuild would make wrong data of them."),
        "raid1": (
            "note", "On mirrors swap and memory maps cause them too; read from one copy or the other, data may differ."
        ),
    }  # fmt: skip


def codes(facts: AuditFacts) -> set[str]:
    return {each.code for each in audit(facts).findings}


def test_a_healthy_machine_has_no_finding_and_nothing_unchecked() -> None:
    found = audit(HEALTHY)
    assert (found.findings, found.unchecked) == ((), ())
    assert audit_blocks(found)[0] == Heading(text=f"host: 1 array, nothing found; {len(CODES)} rules, 0 not checked")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"line": None, "key": None, "backup": None},
        {"sector_bytes": None},
        {"sector_bytes": 512, "offset_bytes": 2**24 + 512},
        {"sector_bytes": 512, "device": replace(LUKS.device, size_bytes=2**40 + 512)},
    ],
)
def test_an_encrypted_volume_with_its_key_and_the_copy_of_its_header_has_no_finding(changes: dict[str, Any]) -> None:
    found = audit(with_luks(**changes))
    assert (found.findings, found.unchecked) == ((), ())


def test_an_encrypted_volume_in_words() -> None:
    (missing,) = audit(PLANTED["key-file-missing"]).findings
    assert (missing.severity, missing.subject, missing.evidence) == (
        "error", "md/data", "/etc/crypttab line 2 names the key file /etc/keys/k, which does not exist.",
    )  # fmt: skip
    (backup,) = audit(with_luks(backup=KeptFile(path="/srv/h", there=True, inside=True))).findings
    assert (backup.severity, backup.evidence) == (
        "warning", "The copy of the LUKS header of /dev/md/data, /srv/h, is on the encrypted volume itself.",
    )  # fmt: skip
    assert backup.way_out.startswith("cryptsetup luksHeaderBackup --header-backup-file NEW /dev/md/data")


@pytest.mark.parametrize("code", PLANTED)
def test_what_is_planted_is_found(code: str) -> None:
    assert code in codes(PLANTED[code])


def test_a_key_file_of_any_name_is_one_word_of_the_commands_to_type() -> None:
    facts = with_luks(key=KeptFile(path="/etc/keys/k;reboot", there=True, only_roots=False))
    (each,) = audit(facts).findings
    assert each.way_out.startswith("chown root '/etc/keys/k;reboot'; chmod 0400 '/etc/keys/k;reboot'; ")


def test_an_array_of_raidtui_that_was_changed() -> None:
    plan = plan_of("raid6(2+2)+1", fs="none")
    built = plan.arrays[0]
    same = with_array(uuid=built.uuid, chunk_bytes=512 * 1024)
    assert "plan-drift" not in codes(replace(same, plans=(plan,)))
    grown = replace(with_array(uuid=built.uuid, chunk_bytes=512 * 1024, devices=5), plans=(plan,))
    (found,) = (each for each in audit(grown).findings if each.code == "plan-drift")
    assert found.evidence == f"md0 was built by run {plan.run_id[:8]} and differs: 5 members in place of 4."


def test_the_chunk_of_an_array_of_raidtui_that_was_changed() -> None:
    plan = plan_of("raid6(2+2)+1", fs="none")
    other = replace(with_array(uuid=plan.arrays[0].uuid, chunk_bytes=256 * 1024), plans=(plan,))
    (found,) = (each for each in audit(other).findings if each.code == "plan-drift")
    assert found.evidence == f"md0 was built by run {plan.run_id[:8]} and differs: chunk 256 KiB in place of 512 KiB."


def test_every_rule_is_planted() -> None:
    assert set(PLANTED) | {"plan-drift"} == set(CODES)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        (with_array(in_conf=UNKNOWN), "not-in-conf"),
        (with_array(monitored=UNKNOWN), "not-monitored"),
        (replace(HEALTHY, checks=UNKNOWN), "check-not-scheduled"),
        (replace(HEALTHY, kernel=""), "kernel-door"),
        (with_array(bitmap=ArrayBitmap(kind="unknown")), "no-bitmap"),
        (replace(HEALTHY, disks={"sda": DiskSettings(timeout_s=30, recovery="unknown", why="root")}), "error-recovery"),
        (with_disk(2, multipath=Multipath(name="m", paths=(DiskPath(kernel_name="sdx"),))), "path-lost"),
        (replace(HEALTHY, stripes=(replace(HEALTHY.stripes[0], why="not found"),)), "stripe-geometry"),
        (with_luks(key=KeptFile(path="/etc/keys/k", why="run it as root")), "key-file-missing"),
        (with_luks(backup=KeptFile(path="/var/lib/raidtui/r/h", why="run it as root")), "header-backup"),
        (with_luks(why="run it as root"), "luks-sectors"),
    ],
)
def test_what_was_not_read_is_named(facts: AuditFacts, code: str) -> None:
    found = audit(facts)
    assert code in {each.code for each in found.unchecked}
    assert code not in {each.code for each in found.findings}


def test_gravest_first_and_what_the_baseline_has_is_left_out() -> None:
    facts = with_array(states=("degraded", "clean"), lacks=1, members=MEMBERS[:3], in_fstab=NO, in_conf=NO)
    whole = audit(facts)
    assert [each.severity for each in whole.findings] == ["error", "warning", "note"]
    assert whole.findings[0].evidence == "md0 (raid6): 1 of 4 members missing."
    assert whole.findings[0].consequence == "It survives 1 further failure."
    rest = audit(facts, {("array-degraded", "md0")})
    assert (len(rest.findings), rest.known) == (2, 1)


def test_a_member_that_is_one_of_several_paths() -> None:
    """As in Debian 12 after a boot that met the paths before multipathd: the other path has the same WWN."""
    path = replace(DISKS[2], kernel_name="sdx", wwn="0x5000c50000000003")
    facts = with_disk(2, wwn=path.wwn)
    (found,) = audit(replace(facts, inventory=replace(facts.inventory, disks=(*facts.inventory.disks, path)))).findings
    assert (found.severity, found.code, found.subject) == ("warning", "path-lost", "sdc")
    assert found.evidence == ("sdc in md0 has the WWN of sdx: both are paths to one disk, or the WWN is not unique.")
    assert found.consequence == ("Of one disk with two paths md uses this one alone and loses the member with it.")
    assert found.way_out == (
        "if it is one disk, name only the maps in a DEVICE line of mdadm.conf; rebuild the initramfs; then stop the "
        "array and run multipath -r, or reboot"
    )


def test_members_that_report_one_name_and_are_known_by_their_serial_numbers_are_no_paths() -> None:
    name = "0x5000000000000001"
    disks = tuple(replace(each, id=f"M_{each.serial}", wwn=name) for each in DISKS)
    assert audit(replace(HEALTHY, inventory=replace(HEALTHY.inventory, disks=disks))).findings == ()


def test_a_rebuild_is_a_warning_with_its_progress() -> None:
    facts = with_array(
        states=("degraded", "active"), lacks=1,
        members=(*MEMBERS[:3], replace(MEMBERS[3], state="rebuilding")),
        sync=SyncNow(action="recover", done_bytes=GIB, whole_bytes=4 * GIB, bytes_per_s=10**8, seconds_left=32),
    )  # fmt: skip
    (found,) = (each for each in audit(facts).findings if each.code == "array-degraded")
    assert found.severity == "warning"
    assert "recover 25.0 % at 100 MB/s per member" in found.evidence


def test_an_image_of_dracut_gets_mdadm_conf_by_its_configuration() -> None:
    """Debian's dracut has an update-initramfs; a generic image of it has mdadm and no mdadm.conf."""
    (found,) = (each for each in audit(with_array(in_initramfs=NO)).findings if each.code == "not-in-initramfs")
    assert found.way_out == (
        'initramfs-tools: update-initramfs -u -k all; dracut: put mdadmconf="yes" into a file of /etc/dracut.conf.d, '
        "then dracut --force --regenerate-all"
    )


def test_the_kernel_door_from_both_sides() -> None:
    (before,) = audit(PLANTED["kernel-door"]).findings
    assert (before.severity, before.consequence) == (
        "note",
        "Linux below 6.19 refuses arrays that are created under it. It assembles what was written before (md0) only "
        "once "
        "md/logical_block_size is set there.",
    )
    assert not codes(replace(PLANTED["kernel-door"], kernel="7.0.1", kernels=("7.0.1", "6.19.3")))
    other = replace(MD0, name="md1", uuid="other", stored_sector_bytes=512)
    arrays = (replace(MD0, stored_sector_bytes=0), other)
    both = replace(PLANTED["kernel-door"], kernel="7.0.1", seen=replace(HEALTHY.seen, arrays=arrays), stripes=())
    (after,) = (each for each in audit(both).findings if each.code == "kernel-door")
    assert (after.severity, after.consequence) == (
        "warning",
        "Kernels below 6.19 refuse md1, whose superblocks have the sector size "
        "(md/logical_block_size in sysfs is not 0).",
    )
    assert not codes(replace(both, seen=replace(both.seen, arrays=arrays[:1])))
    unread = audit(replace(both, seen=HEALTHY.seen))
    assert "kernel-door" not in {each.code for each in unread.findings}
    assert [(each.subject, each.why) for each in unread.unchecked if each.code == "kernel-door"] == [
        ("md0", "md/logical_block_size could not be read")
    ]


def test_a_kernel_that_is_too_old_for_a_lockless_bitmap_is_named() -> None:
    """6.1 as it was tried: `unrecognized superblock version`, the array stays inactive."""
    lockless = with_array(bitmap=ArrayBitmap(kind="lockless", chunk_bytes=65536))
    (found,) = audit(replace(lockless, kernel="6.18.2", kernels=("6.18.2", "6.1.0-28-amd64"))).findings
    assert (found.severity, found.code) == ("warning", "kernel-door")
    assert found.evidence == "md0 has a lockless bitmap; 6.1.0-28-amd64 is installed."
    assert not codes(replace(lockless, kernel="6.18.2", kernels=("6.18.2",)))


def test_the_topic_names_every_rule() -> None:
    page = (resources.files("raidtui") / "topics" / "rules.md").read_text()
    assert {code for code in CODES if f"`{code}`" not in page} == set()


def test_metrics_escape_what_disks_are_called() -> None:
    facts = with_array(states=("degraded", "clean"), lacks=1, name='md"0\n\\')
    text = metrics(audit(facts), facts.seen)
    assert 'raidtui_audit_findings{severity="error"} 1' in text
    assert 'raidtui_array_members_missing{array="md\\"0\\\\n\\\\"} 1' in text
    assert all(line.startswith(("#", "raidtui_")) for line in text.splitlines())


def test_hostile_names_stay_on_one_line() -> None:
    facts = with_array(in_conf=replace(NO, why="x\x1b[2J\ny"))
    (items,) = (block for block in audit_blocks(audit(facts)) if isinstance(block, Items))
    assert items.items[0].text.isprintable()


def test_the_document_reads_back() -> None:
    from raidtui.values.codec import from_json, to_json

    found = audit(PLANTED["array-degraded"])
    assert from_json(Audit, to_json(found), source="test") == found


def test_an_act_that_ended_names_what_the_array_lacks_by_then() -> None:
    assert words.after_act(MD0, "is as asked") == "md0 is as asked"
    lacking = replace(MD0, lacks=1)
    assert words.after_act(lacking, "is as asked") == "md0 is as asked, but 1 member missing: raidtui replace md0"
