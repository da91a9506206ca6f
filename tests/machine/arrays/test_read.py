"""Arrays of the simulated machine, through what happens to them."""

from pathlib import Path

import pytest

from raidtui.machine.arrays.read import observe
from raidtui.values.arrays import KnownBy, ObservedArray
from tests.machine.simulation import Run, built_run, do, planned


@pytest.fixture
def built(tmp_path: Path) -> Run:
    return built_run(tmp_path, "2x(4+2)+1")


def arrays(run: Run) -> tuple[ObservedArray, ...]:
    return observe(run.machine, run.machine.inventory()).arrays


def of_sda(run: Run) -> ObservedArray:
    return next(array for array in arrays(run) if any(member.device == "sda" for member in array.members))


def test_what_a_build_leaves(built: Run) -> None:
    array = of_sda(built)
    assert (array.name, array.path, array.label) == ("md127", "/dev/md/data-0", "e2660:data-0")
    assert (array.states, array.level, array.devices, array.lacks) == (("clean",), "raid6", 6, 0)
    assert (array.chunk_bytes, array.layout, array.metadata) == (524288, 2, "1.2")
    assert (array.bitmap.kind, array.bitmap.chunk_bytes) == ("internal", 64 * 1024**2)
    assert [(member.slot, member.device, member.place.slot, member.state) for member in array.members] == [
        (0, "sda", "drawer 1 slot 01", "in-sync"), (1, "sdb", "drawer 1 slot 02", "in-sync"),
        (2, "sdc", "drawer 1 slot 03", "in-sync"), (3, "sdd", "drawer 1 slot 04", "in-sync"),
        (4, "sde", "drawer 1 slot 05", "in-sync"), (5, "sdf", "drawer 1 slot 06", "in-sync"),
        (None, "sdm", "drawer 2 slot 01", "spare"),
    ]  # fmt: skip
    assert array.members[0].serial == "SIME26600001"
    assert array.sync is not None and (array.sync.action, array.sync.whole_bytes) == ("resync", 2000263577600)
    assert array.sync.seconds_left is not None and 20_000 < array.sync.seconds_left < 21_000
    volume, data = array.stands_on_it
    assert (volume.content, volume.group, volume.depth) == ("LVM2_member", "data", 0)
    assert (data.name, data.content, data.mount_points, data.depth) == ("mapper/data-data", "xfs", ("/srv/data",), 1)
    assert array.in_conf == KnownBy(answer="yes", why="/etc/mdadm/mdadm.conf line 4")
    assert array.built_by == built.plan.run_id
    assert array.in_initramfs == KnownBy(answer="yes", why="/boot/initrd.img-6.1.0-28-amd64")
    assert array.in_fstab == KnownBy(answer="yes", why="/etc/fstab line 3")
    assert array.monitored == KnownBy(answer="yes", why="mdmonitor.service is active")
    assert array.unread == ()


def test_a_pulled_member_is_missing_and_dropped_when_it_is_back(built: Run) -> None:
    machine, pulled = built.machine, built.plan.disks[1].id
    machine.unplug(pulled)
    machine.advance(10)
    array = of_sda(built)
    assert (array.states, array.lacks) == (("degraded", "clean"), 1)
    assert (array.members[1].slot, array.members[1].state, array.members[1].device) == (1, "missing", "")
    machine.plug(pulled)
    (dropped,) = of_sda(built).dropped
    assert (dropped.slot, dropped.serial, dropped.place.slot) == (1, "SIME26600002", "drawer 1 slot 02")
    first = of_sda(built).members[0]
    assert dropped.superblock is not None and first.superblock is not None
    assert (dropped.superblock.events, first.superblock.events) == (2, 3)


def test_a_spare_rebuilds_after_the_first_sync(built: Run, tmp_path: Path) -> None:
    machine = built.machine
    machine.advance(86400)
    assert of_sda(built).last_action == "resync"
    assert do(machine, tmp_path, "mdadm", "--manage", "/dev/md127", "--fail", "/dev/sda")[0] == 0
    machine.advance(10)
    array = of_sda(built)
    assert (array.states, array.lacks) == (("degraded", "clean"), 1)
    states = {member.device: member.state for member in array.members}
    assert (states["sda"], states["sdm"], states["sdb"]) == ("faulty", "rebuilding", "in-sync")
    assert array.sync is not None and array.sync.action == "recover"


def test_after_a_power_cut_the_sync_waits_for_the_first_write(built: Run) -> None:
    built.machine.reboot()
    assert {array.name: array.states for array in arrays(built)} == {
        "md126": ("pending", "auto-read-only"),
        "md127": ("clean",),  # its spare joined late, which made it writable
    }


def test_a_stopped_array_is_found_by_its_superblocks(tmp_path: Path) -> None:
    run = Run(tmp_path / "alone", planned("(4+2)"))
    run.build()
    assert do(run.machine, tmp_path, "umount", "/srv/data")[0] == 0
    assert do(run.machine, tmp_path, "mdadm", "--stop", "/dev/md127")[0] == 0
    (stopped,) = arrays(run)
    assert (stopped.states, stopped.level, stopped.devices, stopped.lacks) == (("stopped",), "raid6", 6, 0)
    assert {member.state for member in stopped.members} == {"idle"}
    assert stopped.in_fstab.answer == "unknown"


def test_a_run_is_named_where_a_line_or_its_folder_is_left_and_not_otherwise(
    built: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def named() -> set[str]:
        return {array.built_by for array in arrays(built)}

    built.machine.write_text("/etc/mdadm/mdadm.conf", "MAILADDR root\n", 0o644)
    assert named() == {built.plan.run_id}  # its folder below /var/lib/raidtui
    listed = built.machine.names
    monkeypatch.setattr(built.machine, "names", lambda path: () if path == "/var/lib/raidtui" else listed(path))
    assert named() == {""}


def test_nobody_knows_an_array_whose_lines_are_gone(built: Run) -> None:
    machine = built.machine
    machine.write_text("/etc/mdadm/mdadm.conf", "MAILADDR root\n", 0o644)
    machine.write_text("/etc/fstab", "", 0o644)
    array = of_sda(built)
    assert array.in_conf == KnownBy(answer="no", why="no ARRAY line in /etc/mdadm/mdadm.conf")
    assert array.in_fstab == KnownBy(answer="no", why="no line for xfs on /dev/mapper/data-data")
