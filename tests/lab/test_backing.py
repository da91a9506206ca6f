"""Every disk of the lab has a backing file of its own. No machine is started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lab.disk import Disk, backing_path
from tests.lab.vm import Machine


class Off(Machine):
    """A machine that is off, with nothing but a directory."""

    def __init__(self, directory: Path) -> None:
        self._work = directory
        self._disks: dict[str, Disk] = {}
        self._backings: dict[str, Any] = {}

    def put_in(self, serial: str) -> None:
        """What `plug` does before QEMU hears of the disk."""
        self._disks[serial] = Disk(serial=serial, bytes=1 << 20, unplugged=True)
        self._add(self._disks[serial])

    def give_away(self, serial: str) -> None:
        """What `scrap` does after QEMU let go of the disk."""
        del self._disks[serial]


def test_a_serial_number_that_comes_again_shares_no_file(tmp_path: Path) -> None:
    machine = Off(tmp_path)
    for serial in ("LAB0001", "LAB0002"):
        machine.put_in(serial)
    machine.give_away("LAB0001")
    machine.put_in("LAB0001")
    machine.put_in("LAB0003")
    paths = [machine.backing(serial).path for serial in ("LAB0001", "LAB0002", "LAB0003")]
    assert len(set(paths)) == 3
    paths[0].write_bytes(b"x")
    assert machine.backing("LAB0003").is_blank()


def test_odd_serial_numbers_stay_in_the_directory(tmp_path: Path) -> None:
    names = {backing_path(tmp_path, serial) for serial in ("../../x", "$(reboot)`id`", "a/b/c", "A" * 20, "....")}
    assert len(names) == 5
    assert {path.parent for path in names} == {tmp_path}
