"""Trials are ordinary plans of a slice of each disk, without anything that lasts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.scripts.build_script import build_script
from raidtui.steps.build import recompiled
from raidtui.steps.trials import TrialRequest, blanked, tuning
from raidtui.values.codec import document_digest, from_json, to_json
from raidtui.values.design import Design, Trial
from raidtui.values.errors import BadInput, Refused
from raidtui.values.inventory import Use
from raidtui.values.notation import parse
from raidtui.values.plan import Plan
from raidtui.values.trials import Tuning
from raidtui.values.units import GIB, KIB, MIB
from tests.planner.plans import commands, disk, disks, every_command, machine, step

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


def test_disks_in_use_and_too_few_are_refused() -> None:
    used = (disk(1, uses=(Use(kind="mounted", where="/home", active=True),)), *disks(3)[1:])
    with pytest.raises(Refused, match="in use"):
        tuning(ask(), machine(*used), used, host="host")
    with pytest.raises(Refused, match=r"needs 3 disks \(3 members\), found 2") as few:
        tried(ask(), 2)
    assert few.value.hint == "select 1 more, or choose a smaller layout"
    with pytest.raises(Refused):  # XFS wants 300 MiB
        tried(ask(slice_bytes=64 * MIB))
