"""Who has block devices open, read from a /proc made in a directory; device numbers are those that links name."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from raidtui.machine.system import device_users
from raidtui.machine.system.ports import Opener, Openers

INITIAL = "pid:[4026531836]"
READ, WRITE, READ_WRITE, PATH_ONLY = "0100000", "0100001", "02100002", "012000002"


class Proc:
    """A /proc and a /sys; process 100 is the one that looks."""

    def __init__(self, root: Path) -> None:
        self.proc, self.sys = root / "proc", root / "sys"
        self.denied: set[tuple[int, str]] = set()
        self.gone: set[int] = set()
        """these processes end when one of their descriptors is looked at"""
        self.reopened: list[str] = []
        """what fdinfo holds at each look, the last first"""
        self.waited: list[float] = []
        self.then: list[tuple[int, str]] = []
        self.process(100, "raidtui", parent=1)
        (self.proc / "self").symlink_to("100")

    def process(self, pid: int, command: str, *, parent: int = 1, pid_ns: str = INITIAL, mnt_ns: str = "mnt:[1]",
                caps: str = "000001ffffffffff", **fds: str) -> None:  # fmt: skip
        """`fds`: fd3="b 8:0 0100002", by type, number and flags."""
        folder = self.proc / str(pid)
        for each in ("fd", "fdinfo", "ns", "task"):
            (folder / each).mkdir(parents=True)
        (folder / "comm").write_text(f"{command}\n")
        (folder / "status").write_text(f"Name:\t{command}\nPPid:\t{parent}\nCapEff:\t{caps}\n")
        (folder / "ns" / "pid").symlink_to(pid_ns)
        (folder / "ns" / "mnt").symlink_to(mnt_ns)
        (folder / "task" / str(pid)).mkdir()
        for name, what in fds.items():
            self.open(folder, name.removeprefix("fd"), what)

    def open(self, folder: Path, name: str, what: str) -> None:
        kind, number, flags = what.split()
        (folder / "fd").mkdir(exist_ok=True, parents=True)
        (folder / "fdinfo").mkdir(exist_ok=True)
        (folder / "fd" / name).symlink_to(f"{kind} {number}")
        (folder / "fdinfo" / name).write_text(f"pos:\t0\nflags:\t{flags}\nmnt_id:\t21\nino:\t7\n")

    def generic(self, family: str, name: str, number: str, disk: str, disk_number: str) -> None:
        folder = self.sys / "class" / family / name
        (folder / "device" / "block" / disk).mkdir(parents=True)
        (folder / "dev").write_text(f"{number}\n")
        block = self.sys / "class" / "block" / disk
        block.mkdir(parents=True)
        (block / "dev").write_text(f"{disk_number}\n")

    def device(self, directory: int, name: str) -> tuple[int, int, int]:
        """Stands for statx(2)."""
        folder = Path(f"/proc/self/fd/{directory}").readlink()
        pid = int(folder.relative_to(self.proc).parts[0])
        if pid in self.gone:
            shutil.rmtree(self.proc / str(pid))
            raise PermissionError(13, "Permission denied", name)
        if self.reopened:
            (self.proc / str(pid) / "fdinfo" / name).write_text(self.reopened.pop())
        if (pid, name) in self.denied:
            raise PermissionError(13, "Permission denied", name)
        kind, number = os.readlink(name, dir_fd=directory).split()
        major, minor = number.split(":")
        return {"b": stat.S_IFBLK, "c": stat.S_IFCHR, "f": stat.S_IFREG}[kind], int(major), int(minor)

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        for pid, name in self.then[:1]:
            (self.proc / str(pid) / "fd" / name).unlink()
        del self.then[:1]

    def read(self) -> Openers:
        return device_users.read(str(self.proc), str(self.sys), device=self.device, wait=self.wait, own=100)


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path)


def opener(number: str, process: int, command: str, *, writing: bool, elsewhere: bool = False) -> Opener:
    return Opener(number=number, process=process, command=command, writing=writing, elsewhere=elsewhere)


def test_a_process_with_a_disk_open_for_writing_is_found_and_one_that_reads_as_a_reader(proc: Proc) -> None:
    proc.process(4711, "qemu-system-x86", fd3=f"b 8:0 {READ_WRITE}", fd4=f"f 0:0 {READ_WRITE}", fd5=f"c 1:3 {WRITE}")
    proc.process(812, "smartd", fd7=f"b 8:16 {READ}", fd8=f"b 8:1 {WRITE}")
    assert proc.read() == Openers(
        found=(
            opener("8:1", 812, "smartd", writing=True),
            opener("8:16", 812, "smartd", writing=False),
            opener("8:0", 4711, "qemu-system-x86", writing=True),
        )
    )
    assert proc.waited == []


def test_we_and_our_children_are_no_users(proc: Proc) -> None:
    proc.open(proc.proc / "100", "3", f"b 8:0 {READ_WRITE}")
    proc.process(101, "blkdiscard", parent=100, fd3=f"b 8:0 {READ_WRITE}")
    proc.process(102, "fio", parent=101, fd3=f"b 8:0 {READ_WRITE}")
    proc.process(103, "dd", parent=1, fd3=f"b 8:0 {WRITE}")
    assert [each.process for each in proc.read().found] == [103]


def test_a_descriptor_that_only_names_a_path_opens_nothing(proc: Proc) -> None:
    proc.process(200, "systemd", fd3=f"b 8:0 {PATH_ONLY}")
    assert proc.read() == Openers()


def test_another_namespace_is_reported(proc: Proc) -> None:
    proc.process(300, "mysqld", pid_ns="pid:[4026532999]", mnt_ns="mnt:[9]", fd3=f"b 259:0 {READ_WRITE}")
    proc.process(301, "cron", mnt_ns="mnt:[9]", fd3=f"b 259:0 {READ}")
    found = proc.read().found
    assert [(each.process, each.elsewhere) for each in found] == [(300, True), (301, True)]
    assert found[0].by == "mysqld (pid 300, in a container)"


@pytest.mark.parametrize(
    ("family", "name", "number", "disk"),
    [
        ("scsi_generic", "sg2", "21:2", "sda"),
        ("bsg", "0:0:1:0", "250:3", "sda"),
        ("nvme-generic", "ng0n1", "240:0", "nvme0n1"),
    ],
)
def test_a_character_device_of_a_disk_counts_as_the_disk(
    proc: Proc, family: str, name: str, number: str, disk: str
) -> None:
    proc.generic(family, name, number, disk, "8:0")
    proc.process(400, "sg_dd", fd3=f"c {number} {READ_WRITE}", fd4=f"c 21:9 {READ_WRITE}")
    assert proc.read().found == (opener("8:0", 400, "sg_dd", writing=True),)


def test_threads_are_looked_at_when_the_first_of_them_has_ended(proc: Proc) -> None:
    proc.process(500, "postgres")
    proc.open(proc.proc / "500" / "task" / "501", "9", f"b 8:32 {READ_WRITE}")
    assert proc.read().found == (opener("8:32", 500, "postgres", writing=True),)


@pytest.mark.parametrize("command", ["systemd-udevd", "(udev-worker)"])
def test_udev_that_closes_the_disk_in_time_does_not_count(proc: Proc, command: str) -> None:
    proc.process(600, command, fd3=f"b 8:0 {READ}", fd4=f"b 8:16 {READ}")
    proc.process(601, "mdadm", parent=600, fd3=f"b 8:0 {READ_WRITE}")
    proc.then = [(600, "3"), (600, "4"), (601, "3")]
    assert proc.read() == Openers()
    assert proc.waited == [0.1, 0.1, 0.1]


def test_udev_that_keeps_the_disk_open_counts_after_five_looks(proc: Proc) -> None:
    proc.process(600, "(udev-worker)", fd3=f"b 8:0 {READ}")
    assert proc.read().found == (opener("8:0", 600, "(udev-worker)", writing=False),)
    assert proc.waited == [0.1] * 4


def test_a_descriptor_that_is_denied_is_reported_and_one_that_vanishes_is_not(proc: Proc) -> None:
    proc.process(700, "gone", fd3=f"b 8:0 {READ}")
    (proc.proc / "700" / "fdinfo" / "3").unlink()
    proc.then = []
    proc.process(701, "hidden", fd3=f"b 8:0 {READ}", fd4=f"f 0:0 {READ}")
    proc.denied = {(701, "3")}
    openers = proc.read()
    assert openers == Openers(unread="the open files of process 700 and 1 more")
    (proc.proc / "700" / "fd" / "3").unlink()
    assert proc.read().unread == "the open files of process 701"
    proc.denied = set()
    assert proc.read().unread == ""


def test_a_process_that_ends_while_it_is_read_is_no_gap(proc: Proc) -> None:
    """The kernel then answers EACCES, not ENOENT, for its descriptors."""
    proc.process(700, "blkid", fd3=f"b 8:0 {READ}")
    proc.gone = {700}
    assert proc.read() == Openers()


def test_a_number_that_is_closed_and_opened_again_while_it_is_read_counts(proc: Proc) -> None:
    proc.process(700, "blkid", fd3=f"b 8:0 {READ}")
    proc.reopened = [f"flags:\t{READ}\n", "", ""]
    assert proc.read() == Openers(found=(opener("8:0", 700, "blkid", writing=False),))


def test_a_process_that_ended_is_no_gap(proc: Proc) -> None:
    proc.process(702, "ends", fd3=f"b 8:0 {READ}")
    (proc.proc / "702" / "fd" / "3").unlink()
    (proc.proc / "702" / "fd").rmdir()
    assert proc.read() == Openers()


def test_without_the_right_to_look_at_every_process_nothing_is_known(proc: Proc) -> None:
    (proc.proc / "100" / "status").write_text("Name:\traidtui\nCapEff:\t0000000000000000\n")
    assert proc.read().unread == "the open files of other users' processes"


def test_in_a_container_the_processes_outside_are_not_known(proc: Proc) -> None:
    (proc.proc / "100" / "ns" / "pid").unlink()
    (proc.proc / "100" / "ns" / "pid").symlink_to("pid:[4026532001]")
    assert proc.read().unread == "the open files of processes outside of this container"


def test_without_proc_nothing_is_known(tmp_path: Path) -> None:
    openers = device_users.read(str(tmp_path / "none"), str(tmp_path), own=1)
    assert openers == Openers(unread="the open files of all processes (/proc is not mounted)")


def test_a_hostile_name_of_a_process_stays_data(proc: Proc) -> None:
    proc.process(800, "x\x1b[2J\n[/]", fd3=f"b 8:0 {READ_WRITE}")
    assert proc.read().found[0].command == "x\x1b[2J\n[/]"


def test_the_kernel_tells_type_and_number_of_an_open_file_without_asking_a_server(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "null").symlink_to("/dev/null")
    directory = os.open(tmp_path, os.O_RDONLY)
    try:
        device = device_users._statx()
        kind, major, minor = device(directory, "null")
        assert (stat.S_ISCHR(kind), major, minor) == (True, 1, 3)
        assert stat.S_ISREG(device(directory, "file")[0])
        with pytest.raises(FileNotFoundError):
            device(directory, "none")
    finally:
        os.close(directory)
