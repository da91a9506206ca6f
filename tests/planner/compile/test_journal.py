"""A write journal in a plan: commands, readings, undo, what is bound and confirmed, scripts, limits, findings."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from raidtui.answers.confirm import build_page
from raidtui.answers.plain_text import plain_lines
from raidtui.installers.plan_view import view_of
from raidtui.predict.design import predict, speed
from raidtui.predict.placement.place import disks_for
from raidtui.predict.speed.volume import volume_of
from raidtui.scripts.build_script import build_script
from raidtui.scripts.undo_script import undo_script
from raidtui.steps.array_steps import first_sync_text
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.design import Design, Partitions, Trial
from raidtui.values.errors import Refused
from raidtui.values.findings import Finding
from raidtui.values.inventory import Disk, Place
from raidtui.values.layout import Layout
from raidtui.values.notation import parse
from raidtui.values.plan import Plan, WriteFile
from raidtui.values.units import GIB, MIB
from tests.lab import journal_sizes
from tests.planner.plans import commands, disk, disks, machine, plan_of, step, undo_commands

BY_ID = "/dev/disk/by-id/wwn-0x5000c500"
SPINNING = disks(12, rotational=True)
LOG = tuple(disk(number, 400 * 10**9, rotational=False) for number in (21, 22))
OTHERS = tuple(disk(number, 400 * 10**9, rotational=False) for number in (23, 24))


def plan() -> Plan:
    return plan_of("(2+1)+1", (*SPINNING[:4], LOG[0]), journal=1)


def mirrored() -> Plan:
    return plan_of("(2+1)+1", (*SPINNING[:4], *LOG), journal=2)


def found(code: str, layout: str = "(3+1)", on: tuple[Disk, ...] = (*SPINNING[:4], LOG[0]), **more: Any) -> Finding:
    design = Design(layout=parse(layout), journal=1, **more)
    (finding,) = (each for each in predict(design, on).findings if each.code == code)
    return finding


def test_the_array_is_created_with_the_journal_named_in_words_of_its_own() -> None:
    made = step(plan(), "Create /dev/md/data")
    assert commands(made)[0] == (
        "mdadm --create /dev/md/data --name=data --homehost=host --uuid=42dbae94:1561526f:8ca5d025:9d816dee "
        "--metadata=1.2 --level=5 --raid-devices=3 --layout=left-symmetric --chunk=512K --size=1953382400 "
        f"--bitmap=none {BY_ID}00000001 {BY_ID}00000002 {BY_ID}00000003 --write-journal {BY_ID}00000015"
    )
    create = made.commands[0]
    assert create.members == tuple(f"{BY_ID}000000{number}" for number in ("01", "02", "03", "15"))
    assert create.devices == ("/dev/md/data", *create.members)
    assert made.destroys == tuple(f"wwn-0x5000c500000000{number}" for number in ("01", "02", "03", "15"))


def test_what_must_be_true_after_it_names_the_journal() -> None:
    readings = {reading.what: (reading.key, reading.answer) for reading in step(plan(), "Create").after}
    log = f"{BY_ID}00000015"
    assert readings["/dev/md/data has the consistency policy journal"] == ("Consistency Policy", "journal")
    assert readings[f"{log} is its journal"] == ("Device Role", "Journal")
    assert readings["/dev/md/data has Working Devices 4"] == ("Working Devices", "4")
    assert f"{log} belongs to data" in readings
    assert f"{log} has the role Journal" in {reading.what for reading in step(plan(), "Verify").after}
    assert "/dev/md/data has 5 working devices" in {reading.what for reading in step(plan(), "Add 1 hot").after}


def test_its_disk_is_bound_checked_wiped_and_blanked_like_a_member() -> None:
    made = plan()
    log = made.disks[-1]
    assert (log.id, log.role, made.arrays[0].journal) == ("wwn-0x5000c50000000015", "journal of data", log.id)
    wipe = step(made, "Wipe 5 disks")
    assert f"blkdiscard --zeroout --offset=0 --length=4194304 {log.path}" in commands(wipe)
    assert log.id in wipe.destroys and log.id in wipe.locks
    blanked = [each for each in wipe.undo_commands if each.devices == (log.path,)]
    assert len(blanked) == 5
    assert {each.only_if.answer for each in blanked if each.only_if} == {made.arrays[0].uuid}
    assert any(log.path in reading.about for reading in step(made, "Check").after)
    assert undo_commands(step(made, "Create")) == ["wipefs --all /dev/md/data", "mdadm --stop /dev/md/data"]
    page = "\n".join(plain_lines(build_page(made)))
    assert "raid5 of 3 disks + 1 spare, write journal S021" in page


def test_each_array_has_a_disk_for_its_own_and_the_script_names_it() -> None:
    two = plan_of("2x(2+1)", (*SPINNING[:6], *LOG), journal=1)
    assert [array.journal for array in two.arrays] == ["wwn-0x5000c50000000015", "wwn-0x5000c50000000016"]
    text = build_script(two).text
    assert '{ disks "$array"; echo --write-journal; disks "$array" 2; } | xargs' in text
    assert '($2 == "spare") + 2 * ($2 == "journal") == s' in text
    assert "data-1  journal  wwn-0x5000c50000000016" in text
    assert "512K journal' value" in text


def test_two_disks_become_a_mirror_first_and_the_array_is_created_with_it() -> None:
    made = mirrored()
    mirror, array = step(made, "Create /dev/md/data-log"), step(made, "Create /dev/md/data:")
    assert mirror.number + 1 == array.number
    assert commands(mirror)[0] == (
        "mdadm --create /dev/md/data-log --name=data-log --homehost=host --uuid=ec484a8a:e9685228:b2e05238:3c501594 "
        f"--metadata=1.2 --level=1 --raid-devices=2 --size=390492864 --bitmap=internal {BY_ID}00000015 "
        f"{BY_ID}00000016"
    )
    assert mirror.commands[0].members == (f"{BY_ID}00000015", f"{BY_ID}00000016")
    assert commands(array)[0].endswith(
        f"--bitmap=none {BY_ID}00000001 {BY_ID}00000002 {BY_ID}00000003 --write-journal /dev/md/data-log"
    )
    assert array.commands[0].devices[-1] == "/dev/md/data-log"
    assert mirror.destroys == ("wwn-0x5000c50000000015", "wwn-0x5000c50000000016")
    assert array.destroys == tuple(f"wwn-0x5000c5000000000{number}" for number in (1, 2, 3))


def test_a_mirror_of_unequal_disks_is_as_large_as_the_smaller() -> None:
    made = plan_of("(2+1)", (*SPINNING[:3], LOG[0], disk(25, 800 * 10**9, rotational=False)), journal=2)
    mirror = step(made, "Create /dev/md/data-log")
    assert "--size=390492864 --bitmap=internal --run " in commands(mirror)[0]
    assert mirror.purpose.endswith("--run accepts disks of unequal size; both were just verified blank.")
    assert made.prediction.journals is not None
    assert made.prediction.journals[0].array_bytes == 390492864 * 1024


def test_an_array_and_its_mirror_are_read_back_and_undone_the_array_first() -> None:
    made = mirrored()
    mirror, array = step(made, "Create /dev/md/data-log"), step(made, "Create /dev/md/data:")
    after = {reading.what for reading in array.after}
    assert {"/dev/md/data-log belongs to data", "/dev/md/data-log is its journal"} <= after
    assert "/dev/md/data-log has 399864692736 bytes" in {reading.what for reading in mirror.after}
    proved = {reading.what for reading in step(made, "Verify").after}
    assert "/dev/md/data-log has 2 working devices" in proved
    assert f"the data offset of {BY_ID}00000016 is 264192 sectors" in proved
    assert [(each, only.only_if and only.only_if.what) for each, only in zip(
        undo_commands(array), array.undo_commands, strict=True
    )] == [
        ("wipefs --all /dev/md/data", "/dev/md/data has UUID 42dbae94:1561526f:8ca5d025:9d816dee"),
        ("mdadm --stop /dev/md/data", "/dev/md/data has UUID 42dbae94:1561526f:8ca5d025:9d816dee"),
        ("mdadm --zero-superblock /dev/md/data-log", "/dev/md/data-log belongs to data"),
    ]  # fmt: skip
    assert undo_commands(mirror) == ["wipefs --all /dev/md/data-log", "mdadm --stop /dev/md/data-log"]
    assert {only.only_if.answer for only in mirror.undo_commands if only.only_if} == {made.arrays[1].uuid}
    blanked = [each for each in step(made, "Wipe 6").undo_commands if each.devices == (f"{BY_ID}00000016",)]
    assert {each.only_if.answer for each in blanked if each.only_if} == {made.arrays[1].uuid}


def test_the_boot_knows_the_mirror_before_its_array_and_starts_it_without_a_disk() -> None:
    made = mirrored()
    text = "\n".join(each.text for one in made.steps for each in one.actions if isinstance(each, WriteFile))
    lines = [line for line in text.splitlines() if line.startswith("ARRAY")]
    assert lines == [
        "ARRAY /dev/md/data-log metadata=1.2 UUID=ec484a8a:e9685228:b2e05238:3c501594",
        "ARRAY /dev/md/data metadata=1.2 UUID=42dbae94:1561526f:8ca5d025:9d816dee",
    ]
    late = [line for line in text.splitlines() if "mdadm-last-resort" in line]
    assert len(late) == 2 and "ec484a8a-e968-5228-b2e0-52383c501594" in late[1]
    page = "\n".join(plain_lines(build_page(made)))
    assert "raid5 of 3 disks + 1 spare, write journal /dev/md/data-log" in page
    assert "mirror of S021 and S022, 372.4 GiB" in page
    assert [each.role for each in made.disks[-2:]] == ["member 0 of data-log", "member 1 of data-log"]


def test_the_arrays_of_the_layout_come_first_then_the_mirrors_then_the_stripe() -> None:
    made = plan_of("2x(2+1)", (*SPINNING[:6], *LOG, *OTHERS), journal=2, stack="md")
    assert [array.name for array in made.arrays] == ["data-0", "data-1", "data-0-log", "data-1-log", "data"]
    assert [array.name for array in made.data_arrays] == ["data-0", "data-1"]
    assert made.outer == made.arrays[-1]
    assert [array.members for array in made.arrays[2:4]] == [(LOG[0].id, LOG[1].id), (OTHERS[0].id, OTHERS[1].id)]
    assert made.filesystems[0].device == "/dev/md/data"
    joined = plan_of("2x(2+1)", (*SPINNING[:6], *LOG, *OTHERS), journal=2)
    assert joined.outer is None
    apart = plan_of("2x(2+1)", (*SPINNING[:6], *LOG, *OTHERS), journal=2, stack="separate")
    assert [made.device for made in apart.filesystems] == ["/dev/md/data-0", "/dev/md/data-1"]


def test_the_scripts_make_the_mirrors_first_and_stop_them_last() -> None:
    made = plan_of("2x(2+1)", (*SPINNING[:6], *LOG, *OTHERS), journal=2, stack="md")
    text = build_script(made).text
    mirrors = text.index("for array in data-0-log data-1-log; do\n  disks \"$array\" | xargs -td '\\n' mdadm --create")
    arrays = text.index('{ disks "$array"; printf \'%s\\n\' --write-journal "/dev/md/$array-log"; } | xargs')
    assert mirrors < arrays
    assert "data-1-log  1  wwn-0x5000c50000000018" in text
    assert 'is "${UUID[$array]} Journal" value \'Array UUID|Device Role\' mdadm --examine "/dev/md/$array-log"' in text
    assert "data(-[0-9]+)?(-log)?[[:blank:]]" in text
    undone = undo_script(made).text
    logs = "|".join(array.uuid for array in made.arrays[2:4])
    assert f"MIRRORS='{logs}' mirrors=()" in undone
    assert 'mirrors+=("$md")' in undone and 'arrays+=("${mirrors[@]}")' in undone
    assert "|raid1 [0-9:]+( linux_raid_member (" in undone


def test_the_disks_of_a_mirror_are_near_in_size_and_in_different_enclosures() -> None:
    def at(number: int, size: int, enclosure: str) -> Disk:
        place = Place(enclosure=enclosure, slot=str(number))
        return replace(disk(number, size, rotational=False), place=place)

    flash = (
        at(21, 400 * 10**9, "E1"), at(22, 400 * 10**9, "E1"), at(23, 401 * 10**9, "E2"), at(24, 800 * 10**9, "E2"),
        at(25, 400 * 10**9, "E2"), at(26, 800 * 10**9, "E1"),
    )  # fmt: skip
    design = Design(layout=parse("2x(2+1)"), journal=2)
    order = disks_for(design, (*SPINNING[:6], *flash))
    assert [each.serial for each in order[6:10]] == ["S021", "S025", "S022", "S023"]
    spinning = (*SPINNING[:6], *flash[:3], SPINNING[6])
    assert [each.serial for each in disks_for(design, spinning)[6:10]] == ["S021", "S023", "S022", "S007"]


def test_the_flash_disks_that_the_layout_leaves_are_taken_the_smallest_first() -> None:
    large, small = disk(30, 2 * 10**12, rotational=False), disk(31, 300 * 10**9, rotational=False)
    tiny = disk(32, 512 * MIB, rotational=False)
    design = Design(layout=parse("(8+2)+1"), journal=1)
    order = disks_for(design, (tiny, large, small, *SPINNING))
    assert [each.serial for each in order[11:]] == ["S031", "S030", "S032", "S012"]
    assert disks_for(replace(design, journal=None), SPINNING[:11]) == SPINNING[:11]


def test_sizes_are_those_without_a_bitmap() -> None:
    on = (*SPINNING[:4], LOG[0])
    logged = predict(Design(layout=parse("(3+1)"), journal=1), on)
    without = predict(Design(layout=parse("(3+1)"), bitmap="none"), on[:4])
    assert logged.arrays == without.arrays
    assert logged.filesystem == without.filesystem
    assert (logged.disks[-1], logged.raw_bytes) == (LOG[0].id, 4 * 2_000_398_934_016 + 400 * 10**9)


@pytest.mark.parametrize("number", range(24))
def test_sizes_are_those_that_real_md_gave(number: int) -> None:
    case = [json.loads(line) for line in journal_sizes.FILE.read_text().splitlines()][number]
    sizes = {each.serial: each.bytes for each in journal_sizes.pool()}
    on = [disk(at, sizes[each], optimal_io_bytes=512) for at, each in enumerate([*case["members"], *case["journal"]])]
    layout, logs = Layout.of(level=case["level"], members=len(case["members"])), len(case["journal"])
    made = predict(Design(layout=layout, chunk_bytes=case["chunk"] * 1024, journal=logs, fs="none"), on)
    (array,) = made.arrays
    offset = f"{array.data_offset_sectors} sectors"
    assert (array.array_bytes, array.component_bytes) == (case["bytes"], 1024 * case["kernel"][1])
    assert (array.io_min_bytes, array.io_opt_bytes) == tuple(case["kernel"][2:4])
    assert (case["member"][1], case["last"][1], case["log"][:2]) == (offset, offset, ["Journal", offset])
    assert (case["detail"][:2], case["kernel"][0]) == ([str(len(case["members"]) + 1), "journal"], "journal")
    mirrors = [(f"{each.data_offset_sectors} sectors", each.array_bytes) for each in made.journals or ()]
    assert mirrors == ([(case["log_offset"], case["log_bytes"])] if logs == 2 else [])


def test_it_limits_writes_where_it_is_slower_and_no_reads() -> None:
    on = (*SPINNING[:10], LOG[0])
    design = Design(layout=parse("(8+2)"), journal=1)
    prediction = predict(design, on)
    volume = volume_of(design, on, prediction.arrays, machine(*on))
    log = volume.bands[0].journal
    assert log is not None and not log.rotational
    rates = speed(design, on, prediction, machine(*on), DEFAULTS)
    assert rates is not None
    wanted = {str(limit): value for limit, value in rates.seq_write.ceilings.items()}["journal"]
    assert wanted == round(log.write_bytes_per_s / (1.066 * 10 / 8))
    assert str(rates.seq_write.bottleneck) == "journal"
    assert "journal" not in map(str, rates.seq_read.ceilings)


def test_a_mirror_is_as_fast_as_the_slower_of_its_disks() -> None:
    fast = replace(LOG[1], transport="nvme")
    alone = [volume_of(Design(layout=parse("(8+2)"), journal=1), (*SPINNING[:10], log), (), machine(log)) for log in
             (LOG[0], fast)]  # fmt: skip
    both = volume_of(Design(layout=parse("(8+2)"), journal=2), (*SPINNING[:10], LOG[0], fast), (), machine(*LOG))
    assert alone[0].bands[0].journal != alone[1].bands[0].journal
    assert both.bands[0].journal == alone[0].bands[0].journal


@pytest.mark.parametrize("journal", [1, 2])
def test_a_trial_measures_without(journal: int) -> None:
    design = Design(layout=parse("(3+1)"), journal=journal, trial=Trial(slice_bytes=GIB))
    assert (design.journal_disks, design.disks, design.logs, design.mirrors_journals) == (0, 4, False, False)


@pytest.mark.parametrize(
    ("code", "more", "message"),
    [
        (
            "journal-needs-parity", {"layout": "raid10(4)"},
            "A write journal exists for RAID4, RAID5 and RAID6 only, not for raid10.",
        ),
        ("journal-with-other-log", {"ppl": True}, "An array has a write journal or a partial parity log, not both."),
        ("journal-with-other-log", {"bitmap": "internal"}, "An array has a write journal or a bitmap, not both."),
        (
            "journal-needs-metadata-1.2", {"metadata": "1.0"},
            "raidtui gives no write journal to an array of metadata 1.0.",
        ),
        (
            "journal-needs-whole-disks", {"partitions": Partitions()},
            "raidtui gives no write journal to an array on partitions.",
        ),
        (
            "not-enough-disks", {"layout": "(3+2)"},
            "The layout needs 6 disks (5 members, 1 for write journals), found 5.",
        ),
        (
            "journal-disk-too-small", {"on": (*SPINNING[:4], disk(21, 160 * MIB, rotational=False))},
            "Too small for a write journal, below 193.0 MiB: sd21.",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(code: str, more: dict[str, Any], message: str) -> None:
    finding = found(code, **more)
    assert (finding.severity, finding.message) == ("error", message)


@pytest.mark.parametrize(
    ("code", "on", "severity", "message"),
    [
        (
            "journal-disk-rotating", SPINNING[:5], "warning",
            "A write journal is a rotating disk: sd5. Every write waits for it.",
        ),
        (
            "journal-disk-small", (*SPINNING[:4], disk(21, 900 * MIB, rotational=False)), "warning",
            "Below 1 GiB, so that writes wait for the members often: sd21.",
        ),
        (
            "journal-single", (*SPINNING[:4], LOG[0]), "warning",
            "The write journal is one disk: when it fails, md fails every further write, and reads go on.",
        ),
        (
            "journal-wear", (*SPINNING[:4], LOG[0]), "note",
            "The write journal of 3 data disks of 4 gets 1.42 bytes for each byte written.",
        ),
        (
            "journal-fixed-shape", (*SPINNING[:4], LOG[0]), "note",
            "md gives an array with a write journal no other size and no other shape.",
        ),
    ],
)  # fmt: skip
def test_what_is_said(code: str, on: tuple[Disk, ...], severity: str, message: str) -> None:
    finding = found(code, on=on)
    assert (finding.severity, finding.message) == (severity, message)


def test_nothing_is_said_without_one_nor_of_a_bitmap_beside_one() -> None:
    codes = {each.code for each in predict(Design(layout=parse("(3+1)")), SPINNING[:4]).findings}
    assert not [code for code in codes if code.startswith("journal")]
    logged = predict(Design(layout=parse("(3+1)"), journal=1, bitmap="none"), (*SPINNING[:4], LOG[0]))
    assert "no-bitmap" not in {each.code for each in logged.findings}


def test_a_mirror_is_no_single_disk_and_both_of_its_disks_wear() -> None:
    codes = {
        each.code: each for each in predict(Design(layout=parse("(3+1)"), journal=2), (*SPINNING[:4], *LOG)).findings
    }
    assert "journal-single" not in codes
    assert codes["journal-wear"].message == (
        "The write journal of 3 data disks of 4 gets 1.42 bytes for each byte written, on both of its disks."
    )
    tiny = (disk(21, 194 * MIB, rotational=False), LOG[1])
    small = predict(Design(layout=parse("(3+1)"), journal=2), (*SPINNING[:4], *tiny)).findings
    assert "Too small for a write journal, below 194.0 MiB: sd21." not in {each.message for each in small}
    less = (disk(21, 193 * MIB, rotational=False), LOG[1])
    small = predict(Design(layout=parse("(3+1)"), journal=2), (*SPINNING[:4], *less)).findings
    assert "Too small for a write journal, below 194.0 MiB: sd21." in {each.message for each in small}


@pytest.mark.parametrize("made", [plan, mirrored])
def test_installers_refuse_it(made: Callable[[], Plan]) -> None:
    with pytest.raises(Refused, match="installers make no array with a write journal"):
        view_of(made())


def test_arrays_over_zeroes_are_in_sync_and_their_mirrors_are_not() -> None:
    said = {
        number: first_sync_text(plan_of("(2+1)", (*SPINNING[:3], *LOG[:number]), journal=number, first_sync="zeroes"))
        for number in (1, 2)
    }
    assert said[1].endswith(". All is in sync then: there is no first sync of about 7.6 h.")
    assert said[2].endswith(
        ". All but the mirrors of write journals is in sync then: there is no first sync of about 7.6 h."
    )
