"""Trials are ordinary plans of a slice of each disk, without anything that lasts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raidtui.answers.plain_text import plain_lines
from raidtui.answers.trials import tuning_blocks
from raidtui.predict.design import predict
from raidtui.scripts.build_script import build_script
from raidtui.steps.build import recompiled
from raidtui.steps.trials import TrialRequest, blanked, chunk_range, seconds_of, tuning
from raidtui.values.bench import Job, Profile
from raidtui.values.codec import document_digest, from_json, to_json
from raidtui.values.design import Design, Trial
from raidtui.values.errors import BadInput, Refused
from raidtui.values.inventory import Use
from raidtui.values.notation import parse
from raidtui.values.plan import Plan
from raidtui.values.trials import Tuning
from raidtui.values.units import GIB, KIB, MIB
from tests.planner.plans import commands, disk, disks, every_command, machine, plan_of, step

D = "/dev/disk/by-id/wwn-0x5000c5000000000"


def ask(layout: str = "(2+1)+1", **more: Any) -> TrialRequest:
    design = Design(layout=parse(layout), **more.pop("design", {}))
    given: dict[str, Any] = {
        "chunks": (64 * KIB, 512 * KIB), "file_systems": ("xfs", "ext4"), "slice_bytes": 2 * GIB, "first_sync": False,
        "profile": "quick", "seconds": None,
    }  # fmt: skip
    return TrialRequest(design=design, **{**given, **more})


def tried(asked: TrialRequest, count: int = 8, **more: Any) -> tuple[Tuning, tuple[Plan, ...]]:
    found = disks(count)
    return tuning(asked, machine(*found), found, host="host", **more)


def test_each_chunk_with_each_file_system_on_the_same_members_and_no_spare() -> None:
    made, plans = tried(ask())
    assert [each.name for each in made.variants] == ["64 KiB xfs", "512 KiB xfs", "64 KiB ext4", "512 KiB ext4"]
    assert (made.layout, made.asked_layout) == ("(2+1)", "(2+1)+1")
    assert {tuple(disk.id for disk in plan.disks) for plan in plans} == {made.disks}
    assert len(made.disks) == 3
    assert len({plan.run_id for plan in plans}) == 4
    assert [(plan.run_id, plan.digest) for plan in plans] == [(v.run_id, v.plan_digest) for v in made.variants]
    assert len({array.uuid for plan in plans for array in plan.arrays}) == 4


def test_the_commands_of_a_trial() -> None:
    _, (plan, *_) = tried(ask())
    place = f"/var/lib/raidtui/{plan.run_id}"
    uuid = plan.arrays[0].uuid
    assert commands(step(plan, "Create")) == [
        f"mdadm --create /dev/md/trial --name=trial --homehost=host --uuid={uuid} --metadata=1.2 --level=5 "
        "--raid-devices=3 --layout=left-symmetric --chunk=64K --size=2097152 --bitmap=internal --assume-clean --run "
        f"{D}1 {D}2 {D}3",
        "udevadm settle --timeout=180",
        "wipefs --all --lock=yes /dev/md/trial",
    ]
    assert commands(step(plan, "Mount")) == [
        f"install --directory --mode=0700 {place}/files",
        f"mount --types=xfs --options=noatime,nodev,nosuid,noexec /dev/md/trial {place}/files",
        "udevadm settle --timeout=180",
    ]
    assert [each.stage for each in plan.steps] == [
        "check", "save", "wipe", "create", "format", "mount", "tune", "verify",
    ]  # fmt: skip


def test_nothing_of_a_trial_lasts_over_a_boot_but_its_tuning_rule_which_undo_removes() -> None:
    for plan in tried(ask("2x(2+1)"))[1]:
        text = to_json(plan.steps[1:])
        assert "mdadm.conf" not in text and "/etc/fstab" not in text and "initramfs" not in text
        assert "mdmonitor" not in text and "systemctl" not in text
        rule = step(plan, "Tune").undo[0]
        assert rule.argv == ("rm", "--", "/etc/udev/rules.d/90-raidtui-trial.rules")  # type: ignore[union-attr]


@pytest.mark.parametrize("layout", ["(2+1)", "2x(2+1)", "(2+2)", "raid1(2)", "raid10(4,f2)", "raid4(2+1)"])
def test_assume_clean_is_said_unless_the_first_sync_is_waited_for(layout: str) -> None:
    chunks = (512 * KIB,)
    for first_sync in (False, True):
        for plan in tried(ask(layout, first_sync=first_sync, chunks=chunks))[1]:
            said = [command.argv for command in every_command(plan) if "--assume-clean" in command.argv]
            assert len(said) == (0 if first_sync else plan.design.layout.arrays)
            assert all(argv[:2] == ("mdadm", "--create") for argv in said)


def test_a_trial_is_no_script() -> None:
    with pytest.raises(Refused, match="raidtui tune only"):
        build_script(tried(ask())[1][0])


def test_a_stripe_has_no_size_and_no_first_sync() -> None:
    _, (plan, *_) = tried(ask("raid0(3)"))
    create = commands(step(plan, "Create"))[0]
    assert "--size" not in create and "--assume-clean" not in create and "--run" not in create
    assert plan.prediction.volume_bytes > 5_000_000_000_000


@pytest.mark.parametrize(
    ("layout", "stack", "extents", "whole"),
    [
        # one extent of each is LVM's own area; an extent is a full stripe, at least 1 MiB
        ("4x disk", "lvm", 4 * 2047, False),
        ("2x raid0(2)", "lvm", 2 * 4095, False),
        ("2x(2+1)", "lvm", 2 * 4095, False),
        ("2x raid0(2)", "md", None, True),
        ("disk", "lvm", None, True),
        ("raid0(3)", "lvm", None, True),
    ],
)
def test_a_volume_over_disks_keeps_to_the_slice(layout: str, stack: str, extents: int | None, whole: bool) -> None:
    made, (plan, *_) = tried(ask(layout, design={"stack": stack}, chunks=(512 * KIB,)))
    assert made.whole_disks is whole
    text = " ".join(plain_lines(tuning_blocks(made, 60)))
    assert ("; without redundancy" in text) is (layout != "2x(2+1)")
    assert ("all of each disk is used" in text, "at most 2 GiB of each disk is used" in text) == (whole, not whole)
    made_of = [word for command in every_command(plan) for word in command.argv if word.startswith("--extents=")]
    assert made_of == ([] if extents is None else [f"--extents={extents}"])


def test_a_build_says_neither_size_limits_nor_assume_clean() -> None:
    plan = plan_of("(2+1)")
    assert plan.design.trial is None
    assert "trial" not in to_json(plan)
    assert plan.prediction.arrays[0].component_bytes == 2_000_263_577_600


@pytest.mark.parametrize(
    ("layout", "chunk", "component", "array"),
    [
        ("(2+1)", 64 * KIB, 2 * GIB, 4 * GIB),
        ("(2+2)", 1024 * KIB, 2 * GIB, 4 * GIB),
        ("raid1(3)", 512 * KIB, 2 * GIB, 2 * GIB),
        ("raid10(3,n2)", 512 * KIB, 2 * GIB, 3 * GIB),
        ("raid10(4,f2)", 64 * KIB, 2 * GIB, 4 * GIB),
        ("raid10(3,o2)", 1024 * KIB, 2 * GIB, 3 * GIB),
    ],
)
def test_the_slice_is_what_each_member_gives(layout: str, chunk: int, component: int, array: int) -> None:
    design = Design(layout=parse(layout), chunk_bytes=chunk, trial=Trial(slice_bytes=2 * GIB))
    (geometry,) = predict(design, disks(4)).arrays
    assert (geometry.component_bytes, geometry.array_bytes) == (component, array)
    whole = predict(replace(design, trial=None), disks(4)).arrays[0]
    assert geometry.data_offset_sectors == whole.data_offset_sectors


def test_a_slice_that_is_no_multiple_of_the_chunk_is_rounded_down() -> None:
    design = Design(layout=parse("(2+1)"), chunk_bytes=2 * MIB, trial=Trial(slice_bytes=101 * MIB))
    assert predict(design, disks(3)).arrays[0].component_bytes == 100 * MIB


def test_a_slice_larger_than_the_disk_is_the_disk() -> None:
    small = disks(3, 300 * MIB)
    whole = Design(layout=parse("(2+1)"))
    trial = replace(whole, trial=Trial(slice_bytes=GIB))
    assert predict(trial, small).arrays[0].component_bytes == predict(whole, small).arrays[0].component_bytes


def test_a_trial_has_a_bitmap_where_the_whole_array_will_have_one() -> None:
    assert {plan.design.bitmap for plan in tried(ask())[1]} == {"internal"}
    small = disks(4, 80 * GIB)
    _, plans = tuning(ask(), machine(*small), small, host="host")
    assert {plan.design.bitmap for plan in plans} == {"auto"}


def test_separate_arrays_are_alike_so_one_is_tried() -> None:
    made, plans = tried(ask("2x(2+1)", design={"stack": "separate"}))
    assert (made.layout, len(plans[0].disks)) == ("(2+1)", 3)
    assert plans[0].filesystems[0].mount_point.endswith("/files")


def test_what_is_on_the_disks_is_given_up_by_the_first_trial_only() -> None:
    use = Use(kind="file-system", where="ext4", active=False)
    first = disk(1, state="content", uses=(use,), partitions=(), fingerprint="ab" * 32)
    found = (first, *disks(3)[1:])
    _, plans = tuning(ask(), machine(*found), found, host="host")
    remains = ("data bytes between its zero ends that no known signature explains",)
    assert [tuple(map(str, plan.disks[0].content)) for plan in plans] == [
        ("file-system ext4",),
        remains,
        remains,
        remains,
    ]
    assert [plan.disks[0].fingerprint for plan in plans] == ["ab" * 32, "", "", ""]
    later = blanked(machine(*found), found)
    assert recompiled(plans[1], later) == plans[1]
    assert recompiled(plans[0], machine(*found)) == plans[0]


@pytest.mark.parametrize("family", ["debian", "dracut"])
def test_a_trial_is_compiled_anew_to_the_letter(family: Any) -> None:
    for plan in tried(ask("2x(2+1)"), initramfs=family)[1]:
        assert recompiled(plan, machine(*disks(8))) == plan
        assert document_digest(from_json(Plan, to_json(plan), source="test")) == plan.digest


def test_the_same_ask_has_the_same_digest_until_it_was_carried_out() -> None:
    first, second, third = tried(ask())[0], tried(ask())[0], tried(ask(), before=1)[0]
    assert first == second
    assert first.id != third.id and first.digest != third.digest
    assert not {each.run_id for each in first.variants} & {each.run_id for each in third.variants}
    assert document_digest(first) == first.digest != document_digest(replace(first, first_sync=True))
    other = disks(8)
    changed = (replace(other[0], serial="X"), *other[1:])
    assert tuning(ask(), machine(*changed), changed, host="host")[0].id != first.id


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"file_systems": ("xfs", "xfs")}, "duplicate"),
        ({"chunks": (65536, 65536)}, "duplicate"),
        ({"mkfs": ("", "")}, "duplicate"),
        ({"mkfs": ("", "speed=high")}, "--mkfs: unknown option 'speed'"),
        ({"mount_options": ("", "fast")}, "--mount-options: "),
        ({"mkfs": ("reserved=1%",)}, "--mkfs: xfs has none of the sets"),
        ({"file_systems": ("ext4",), "mount_options": ("data=journal,delalloc",)}, "exclude each other"),
        ({"slice_bytes": 32 * MIB}, "slice"),
        ({"slice_bytes": 2 * GIB + 1}, "slice"),
    ],
)
def test_asks_that_cannot_be(change: dict[str, Any], word: str) -> None:
    with pytest.raises(BadInput, match=word):
        tried(ask(**change))


def test_a_set_is_tried_where_the_file_system_has_it_and_the_estimate_counts_arrays() -> None:
    asked = ask(mkfs=("", "reserved=1%"), mount_options=("", "data=writeback"), chunks=(64 * KIB,))
    made, plans = tried(asked)
    assert [each.name for each in made.variants] == [
        "64 KiB xfs", "64 KiB ext4", "64 KiB ext4 data=writeback", "64 KiB ext4 reserved=1%",
        "64 KiB ext4 reserved=1% data=writeback",
    ]  # fmt: skip
    assert (made.arrays, len({plan.run_id for plan in plans})) == (2, 2)
    assert {plan.filesystems[0].uuid for plan in plans[1:]} == {plans[1].filesystems[0].uuid}
    job = Job(name="a", title="a", target="files", pattern="write", block_bytes=MIB, seconds=30, repeats=3)
    profile = Profile(name="p", title="p", purpose="p", jobs=(job,))
    assert seconds_of(profile, asked) == 5 * 3 * (5 + 30 + 3) + 2 * 90 + 3 * 10
    text = "\n".join(plain_lines(tuning_blocks(made, 780.0)))
    assert "5 trials on 2 arrays of (2+1)" in text and "Trials of one run share its array" in text


def test_a_mirror_has_no_chunk_to_try_but_mirrors_under_a_stripe_have() -> None:
    with pytest.raises(BadInput, match="no chunk"):
        tried(ask("raid1(2)"))
    assert len(tried(ask("2x raid1(2)"))[1]) == 4


def test_disks_in_use_and_too_few_are_refused() -> None:
    used = (disk(1, uses=(Use(kind="mounted", where="/home", active=True),)), *disks(3)[1:])
    with pytest.raises(Refused, match="in use"):
        tuning(ask(), machine(*used), used, host="host")
    with pytest.raises(Refused, match=r"needs 3 disks \(3 members\), found 2") as few:
        tried(ask(), 2)
    assert few.value.hint == "select 1 more, or choose a smaller layout"
    with pytest.raises(Refused):  # XFS wants 300 MiB
        tried(ask(slice_bytes=64 * MIB))


def test_ranges_of_chunks() -> None:
    assert chunk_range(4 * KIB, 1024 * KIB) == tuple(KIB << power for power in range(2, 11))
    assert chunk_range(60 * KIB, 130 * KIB) == (64 * KIB, 128 * KIB)
    with pytest.raises(BadInput):
        chunk_range(1024 * KIB, 4 * KIB)
