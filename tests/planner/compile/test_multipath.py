"""Plans on multipath disks: they name, read and write the map, and refuse what a map cannot be."""

from __future__ import annotations

import pytest

from raidtui.installers.plan_view import view_of
from raidtui.predict.design import predict
from raidtui.scripts.build_script import build_script
from raidtui.values.design import Design, Partitions
from raidtui.values.errors import Refused
from raidtui.values.inventory import Disk, DiskPath, Multipath
from raidtui.values.notation import parse
from tests.planner.plans import disk, every_command, plan_of, step

LINK = "dm-uuid-mpath-35000c5000000000"


def joined(number: int) -> Disk:
    paths = (DiskPath(kernel_name=f"sd{number}a", state="active"), DiskPath(kernel_name=f"sd{number}b", state="active"))
    return disk(
        number, 2**31, id=f"mpath-35000c5000000000{number}", by_id=(f"{LINK}{number}",), kernel_name=f"dm-{number}",
        multipath=Multipath(name=f"mpath{number}", paths=paths, policy="service-time"),
    )  # fmt: skip


DISKS = (joined(1), joined(2))
PLAN = plan_of("raid1(2)", DISKS)
MAP = f"/dev/disk/by-id/{LINK}1"


def test_no_command_or_question_names_a_single_path() -> None:
    words = " ".join(word for command in every_command(PLAN) for word in command.argv)
    assert MAP in words
    assert not any(path.kernel_name in words for each in DISKS if each.multipath for path in each.multipath.paths)


def test_the_map_is_identified_by_the_name_that_its_paths_share() -> None:
    asked = [(each.question.argv, each.answer) for each in step(PLAN, "Check").after if each.about == (MAP,)]
    assert asked == [
        (
            ("lsblk", "--nodeps", "--noheadings", "--bytes", "--raw", "--output=TYPE,SIZE,LOG-SEC,RO", MAP),
            "mpath 2147483648 512 0",
        ),
        (
            ("dmsetup", "info", "--columns", "--noheadings", "--options=uuid", MAP),
            "mpath-35000c50000000001",
        ),
        (
            ("lsblk", "--noheadings", "--pairs", "--output=TYPE,MOUNTPOINT", MAP),
            'TYPE="mpath" MOUNTPOINT=""',
        ),
    ]  # fmt: skip


def test_a_script_asks_a_map_for_its_kind_and_no_serial_number() -> None:
    text = build_script(PLAN).text
    assert f"\ndata  0  {LINK}1  2147483648  512  -\ndata  1  {LINK}2  2147483648  512  -'\n" in text
    assert "  kind=disk; [[ $link != *dm-uuid-mpath-* ]] || kind=mpath\n" in text
    assert 'is "$kind $bytes $sector 0 ${serial#-}" lsblk -brno TYPE,SIZE,LOG-SEC,RO,SERIAL,FSTYPE,MOUNTPOINT' in text


def test_installers_get_no_multipath_disks() -> None:
    with pytest.raises(Refused, match=f"2 multipath disks in the plan, {MAP} first"):
        view_of(PLAN)


@pytest.mark.parametrize(
    ("design", "code"),
    [
        (Design(layout=parse("raid1(2)"), partitions=Partitions()), "partition-multipath"),
        (Design(layout=parse("raid1(2)"), queue_depth=8), "queue-of-multipath"),
        (Design(layout=parse("raid1(2)"), io_scheduler="none"), "queue-of-multipath"),
    ],
)
def test_what_a_map_cannot_be_is_refused(design: Design, code: str) -> None:
    found = {each.code: each.severity for each in predict(design, DISKS).findings}
    assert found.get(code) == "error"
