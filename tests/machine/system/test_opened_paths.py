"""What is mounted on a path is read from the opened directory, and no symbolic link leads anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.machine.system.ports import Mounted
from raidtui.machine.system.runner import SystemReader
from raidtui.programs import mount as mountinfo
from raidtui.values.errors import MachineFailed


def kernel_says(point: str) -> mountinfo.Mount:
    """The last line of mountinfo for a mount point."""
    found = mountinfo.parse(Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape"))
    return next(mount for mount in reversed(found) if mount.point == point)


@pytest.mark.parametrize("point", ["/", "/proc"])
def test_a_mount_is_known_by_device_and_id(point: str) -> None:
    line = kernel_says(point)
    seen = SystemReader().mount_at(point)
    assert seen == Mounted(number=line.number, mount_id=line.id, root=line.root)
    assert seen.is_whole(line.number) == (line.root == "/")
    assert not seen.is_whole("9:127")


def test_nothing_is_mounted_on_a_directory_a_file_or_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    reader = SystemReader()
    for path in (tmp_path, tmp_path / "file", tmp_path / "file" / "below", tmp_path / "no", tmp_path / "no" / "such"):
        assert reader.mount_at(str(path)) is None


def test_a_link_anywhere_in_the_path_is_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "last").symlink_to("/proc")
    (tmp_path / "above").symlink_to("/")
    for path, link in ((tmp_path / "last", "last"), (tmp_path / "above" / "proc", "above")):
        seen = SystemReader().mount_at(str(path))
        assert seen == Mounted(link=str(tmp_path / link))
        assert not seen.is_whole("")
        assert not seen.is_whole(kernel_says("/proc").number)


def test_what_cannot_be_opened_is_an_error_and_not_taken_for_no_mount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("raidtui.machine.system.places.os.open", refuse)
    with pytest.raises(MachineFailed, match="Permission denied"):
        SystemReader().mount_at(str(tmp_path))
