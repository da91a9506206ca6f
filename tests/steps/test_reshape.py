"""Another shape of an array: the commands, which raidtui does not carry out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.machine.arrays.read import observe
from raidtui.steps.reshape import reshaped
from raidtui.values.acts import Extension
from raidtui.values.arrays import MdShape, Reshape
from raidtui.values.errors import BadInput
from tests.machine.simulation import Run, built_run

SDG, SDH = "/dev/disk/by-id/wwn-0x3000013300000007", "/dev/disk/by-id/wwn-0x3000013300000008"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return built_run(tmp_path, "raid5(4+1)+1", name="data", after=200_000)


def asked(run: Run, layout: str, chunk: int | None = None, **changes: object) -> Extension:
    inventory = run.machine.inventory()
    seen = observe(run.machine, inventory)
    array = replace(seen.arrays[0], **changes)  # type: ignore[arg-type]
    return reshaped(replace(seen, arrays=(array,)), inventory, "data", layout, chunk)


def typed(found: Extension) -> list[str]:
    return [" ".join(step.commands[0].argv) if step.commands else "" for step in found.steps]


def codes(found: Extension) -> list[str]:
    return [each.code for each in found.findings]


def test_more_members_and_another_level(run: Run) -> None:
    found = asked(run, "(6+2)")
    assert typed(found) == [
        f"mdadm --manage /dev/md127 --add-spare {SDG}",
        f"mdadm --manage /dev/md127 --add-spare {SDH}",
        "mdadm --grow /dev/md127 --level=6 --raid-devices=8",
    ]
    assert (found.before.array_bytes, found.after.array_bytes) == (8_001_054_310_400, 12_001_581_465_600)
    assert (found.before.spares, found.after.spares) == (1, 0)
    assert found.hours is not None
    assert found.most_hours is not None
    assert 7.7 < found.hours < 7.8  # 2.0 TB of each member at 72 MB/s
    assert 23.1 < found.most_hours < 23.2  # at 24 MB/s
    assert [step.survives for step in found.steps] == [1, 1, 1]
    members = " ".join(f"/dev/disk/by-id/wwn-0x300001330000000{number}" for number in range(1, 9))
    assert (found.steps[2].cut or "").endswith(
        f"md goes on once it is assembled: mdadm --assemble /dev/md127 {members}"
    )
    assert codes(found) == ["grows-after", "reshape-by-hand", "back-up-first"]


def without_room(run: Run, layout: str, chunk: int | None = None, **changes: object) -> Extension:
    """As of old mdadm: the data of each member starts 1 MiB behind its begin."""
    seen = observe(run.machine, run.machine.inventory())
    members = tuple(replace(each, data_offset_bytes=2**20) for each in seen.arrays[0].members)
    return asked(run, layout, chunk, members=members, **changes)


def test_without_room_before_the_data_a_backup_file_holds_its_start(run: Run) -> None:
    """More data disks: only the first stripes go through the file, and the reshape is as fast as without one."""
    found = without_room(run, "(6+2)")
    assert typed(found)[2] == "mdadm --grow /dev/md127 --level=6 --raid-devices=8 --backup-file=/root/md127.backup"
    assert found.hours is not None
    assert 7.7 < found.hours < 7.8
    assert (found.steps[2].cut or "").endswith(
        "mdadm --assemble /dev/md127 --backup-file=/root/md127.backup "
        + " ".join(f"/dev/disk/by-id/wwn-0x300001330000000{number}" for number in range(1, 9))
        + "; mdadm --grow --continue /dev/md127 --backup-file=/root/md127.backup"
    )
    assert "reshape-through-file" not in codes(found)


# Reports: from 8 MiB chunks to 1 MiB with 3 TB disks 120 h, from RAID5 to RAID6 with 3 TB disks 112 h, with chunks of
# 4 KiB and 2 TB disks 203 h.
@pytest.mark.parametrize(
    ("now", "layout", "chunk", "member_bytes", "reported"),
    [
        (8 * 2**20, "(4+1)", 2**20, 3_000_592_982_016, 120),
        (512 * 1024, "(4+2)", None, 3_000_592_982_016, 112),
        (4096, "(4+2)", None, 2_000_398_934_016, 203),
    ],
)
def test_in_place_with_a_backup_file_all_of_it_goes_through_the_file(
    run: Run, now: int, layout: str, chunk: int | None, member_bytes: int, reported: float
) -> None:
    found = without_room(run, layout, chunk, chunk_bytes=now, component_bytes=member_bytes)
    assert "--backup-file=/root/md127.backup" in typed(found)[-1]
    assert found.hours is not None
    assert found.most_hours is not None
    assert found.hours < reported < found.most_hours < 3.01 * found.hours
    assert "reshape-through-file" in codes(found)


def test_the_time_of_small_chunks_without_a_file_and_of_flash_is_not_known(run: Run) -> None:
    found = asked(run, "(4+2)", chunk_bytes=4096)
    assert (found.hours, found.most_hours) == (None, None)
    assert "reshape-time-unknown" in codes(found)


def test_another_chunk_takes_no_disk(run: Run) -> None:
    found = asked(run, "(4+1)", 131072)
    assert typed(found) == ["mdadm --grow /dev/md127 --raid-devices=5 --chunk=128K"]
    assert found.hours is not None
    assert 7.7 < found.hours < 7.8
    assert (found.before.array_bytes, found.before.spares) == (found.after.array_bytes, found.after.spares)


@pytest.mark.parametrize(
    ("layout", "changes", "code"),
    [
        ("(3+1)", {}, "reshape-shrinks"),
        ("(4+1)", {"level": "raid6", "devices": 6}, "reshape-shrinks"),
        ("(90+2)", {}, "disks-missing"),
        ("(6+1)", {"lacks": 1, "states": ("degraded", "clean")}, "array-degraded"),
        ("(6+1)", {"level": "raid10"}, "reshape-unknown"),
        ("(6+1)", {"consistency": "journal"}, "array-has-journal"),
        ("(6+1)", {"reshape": Reshape(before=MdShape(level="raid5", devices=4))}, "array-reshaping"),
    ],
)
def test_what_is_refused(run: Run, layout: str, changes: dict[str, object], code: str) -> None:
    found = asked(run, layout, None, **changes)
    assert code in codes(found)
    assert found.steps == ()


def test_a_mirror_gets_a_further_copy(tmp_path: Path) -> None:
    run = built_run(tmp_path, "raid1(2)", name="data", after=200_000)
    found = asked(run, "raid1(3)")
    assert typed(found) == [
        "mdadm --manage /dev/md127 --add-spare /dev/disk/by-id/wwn-0x3000013300000003",
        "mdadm --grow /dev/md127 --raid-devices=3",
    ]
    assert found.before.array_bytes == found.after.array_bytes
    assert found.hours is not None
    assert 5.7 < found.hours < 5.9  # a copy is a rebuild, 5.8 h for 2 TB of a disk that nobody described
    assert found.most_hours == pytest.approx(3 * found.hours)
    assert (found.steps[1].cut, codes(found)) == ("md goes on by itself", [])
    assert "reshape-shrinks" in codes(asked(run, "raid1(2)", devices=3))
    assert "reshape-unknown" in codes(asked(run, "(2+1)"))


def test_the_partial_parity_log_is_away_meanwhile(run: Run) -> None:
    found = asked(run, "(5+1)", consistency="ppl")
    assert typed(found) == [
        "mdadm --grow /dev/md127 --consistency-policy=resync",
        "mdadm --grow /dev/md127 --raid-devices=6",
        "mdadm --grow /dev/md127 --consistency-policy=ppl",
    ]
    assert typed(asked(run, "(5+2)", consistency="ppl"))[1:] == [
        "mdadm --grow /dev/md127 --consistency-policy=resync",
        "mdadm --grow /dev/md127 --level=6 --raid-devices=7",
    ]  # RAID6 has no such log


@pytest.mark.parametrize("layout", ["raid10(6)", "2x(4+1)", "hybrid(5)"])
def test_what_is_not_one_array_of_parity(run: Run, layout: str) -> None:
    with pytest.raises(BadInput, match="is not one RAID5 or RAID6"):
        asked(run, layout)


def test_its_rebuild_is_as_fast_as_the_limit_of_the_array(run: Run) -> None:
    found = asked(run, "(6+2)", sync_max_bytes_per_s=10_240_000)
    assert found.before.rebuild_hours == pytest.approx(108.52, abs=0.01)  # 2,000,263,577,600 bytes, half of the time
    assert found.after.rebuild_hours == found.before.rebuild_hours
