import re

import pytest

from raidtui.machine.inventory.capture import Noting
from raidtui.values.errors import MachineFailed
from tests.machine.answers import Answers


@pytest.mark.parametrize(("user", "way_out"), [(1000, "run as root"), (0, "run outside of the container")])
def test_what_is_denied_is_said_with_the_way_out(user: int, way_out: str) -> None:
    links = {"/proc/self/ns/mnt": "mnt:[1]", "/proc/1/ns/mnt": "denied", "/proc/2/ns/mnt": "denied"}
    host = Noting(Answers({"/sys/class/block/sda/dm/uuid": False, "/sys/x": False, "/a": "b"}, links, user=user))
    assert host.sentences() == ()
    assert [host.link(f"/proc/{pid}/ns/mnt") for pid in ("self", "1", "2")] == ["mnt:[1]", None, None]
    assert [host.text(path) for path in ("/a", "/sys/class/block/sda/dm/uuid", "/sys/x")] == ["b", None, None]
    assert host.sentences() == (
        f"the mounts of 2 other processes: {way_out}",
        f"/sys/class/block/sda/dm/uuid and 1 more: {way_out}",
    )


def test_what_is_about_one_device_is_not_about_its_namesake_or_the_machine() -> None:
    host = Noting(Answers({"/sys/class/block/sdaa/dm/uuid": False}))
    assert host.about("sdaa").text("/sys/class/block/sdaa/dm/uuid") is None
    assert [str(each) for each in host.unread_of("sdaa")] == ["/sys/class/block/sdaa/dm/uuid (permission denied)"]
    assert host.unread_of("sda") == ()
    assert not host.users_unread
    assert host.sentences() == ("/sys/class/block/sdaa/dm/uuid: run outside of the container",)


def test_what_hides_no_user_is_a_note_alone() -> None:
    host = Noting(Answers({"/sys/class/enclosure/0:0:9:0/id": False}))
    assert host.beside().text("/sys/class/enclosure/0:0:9:0/id") is None
    assert not host.users_unread
    assert host.sentences() == ("/sys/class/enclosure/0:0:9:0/id: run outside of the container",)


class Failing(Answers):
    """Whose files fail with an error."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def text(self, path: str) -> str | None:
        raise self._error


def test_a_machine_that_fails_is_told_with_the_kernels_log() -> None:
    host = Noting(Failing(MachineFailed("reading /x failed: Remote I/O error")))
    host.about("sda").text("/x")
    host.about("sdb").text("/x")
    assert host.sentences() == (
        "/x and 1 more (reading /x failed: Remote I/O error): the kernel's log (dmesg) says why; reseat the disk or "
        "leave it out",
    )


def test_an_error_that_nobody_foresaw_is_of_its_device_with_its_place_and_of_the_machine_it_is_raised() -> None:
    host = Noting(Failing(KeyError("size")))
    assert host.about("sda").text("/x") is None
    (unread,) = host.unread_of("sda")
    assert re.fullmatch(r"/x \(KeyError: 'size' in test_reading_log.py, line \d+\)", str(unread))
    assert host.sentences()[0].endswith(": raidtui disks --record FILE keeps what was read, for a report")
    with pytest.raises(KeyError):
        host.text("/x")
