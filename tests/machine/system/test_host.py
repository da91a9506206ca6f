from pathlib import Path

import pytest

from raidtui.machine.system.host import PROGRAMS, SystemHost
from raidtui.machine.system.runner import SystemReader
from raidtui.values.errors import MachineFailed


def test_text_names_and_links(tmp_path: Path) -> None:
    host = SystemHost()
    (tmp_path / "b").write_bytes(b"caf\xe9\n" + b"x" * 200_000)
    (tmp_path / "a").symlink_to("../b")
    assert host.text(f"{tmp_path}/b") == "caf\udce9\n" + "x" * 200_000
    assert host.names(str(tmp_path)) == ("a", "b")
    assert host.link(f"{tmp_path}/a") == "../b"


def test_files_of_the_kernel_are_read_in_pieces() -> None:
    # asked for 16 MiB at once, /proc/sys answers with ENOMEM
    assert len((SystemReader().read_text("/proc/sys/kernel/random/boot_id") or "").strip()) == 36
    assert "MemAvailable" in (SystemReader().read_text("/proc/meminfo") or "")


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    host = SystemHost()
    assert host.text(f"{tmp_path}/no") is None
    assert host.names(f"{tmp_path}/no") == ()
    assert host.link(f"{tmp_path}/no") is None
    assert host.link(str(tmp_path)) is None
    assert host.number(f"{tmp_path}/no") is None
    assert host.number(str(tmp_path)) is None
    assert host.number("a\0b") is None


def test_only_a_block_device_of_that_number_and_size_is_read(tmp_path: Path) -> None:
    host = SystemHost()
    (tmp_path / "file").write_bytes(bytes(4096))
    (tmp_path / "link").symlink_to("file")
    assert host.look(f"{tmp_path}/file", "8:0", 4096).error == "the path points to another device now"
    assert host.look(f"{tmp_path}/link", "8:0", 4096).error == "too many levels of symbolic links"
    assert host.look(f"{tmp_path}/no", "8:0", 4096).error == "no such file or directory"
    assert host.look("/dev/null", "1:3", 4096).error == "the path points to another device now"


def test_only_programs_that_look_or_wait_are_started() -> None:
    assert {"lsblk", "smartctl", "nvme", "udevadm", "dmsetup"} == PROGRAMS
    for argv in (("wipefs", "-a", "/dev/x"), ("/usr/bin/lsblk",), ("sh", "-c", "lsblk")):
        with pytest.raises(MachineFailed, match="not one of the programs"):
            SystemHost().run(argv)


def test_a_program_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.machine.system.programs.ANYWHERE", ("/nowhere",))
    assert SystemHost().run(("lsblk",)) is None


def test_own_paths_are_real_and_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    paths = SystemHost().own_paths()
    assert paths[0] == str(tmp_path.resolve())
    assert paths[-1] == f"{tmp_path.resolve()}/raidtui"
    assert all(Path(path).is_absolute() for path in paths)


def test_the_door_opens_nothing_for_writing() -> None:
    source = Path(__file__).parents[3] / "raidtui" / "machine"
    text = "".join((source / name).read_text() for name in ("system/host.py", "inventory/capture.py"))
    for word in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "write_text", "write_bytes", "pwrite", "unlink"):
        assert word not in text
