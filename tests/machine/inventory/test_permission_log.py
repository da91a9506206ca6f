import pytest

from raidtui.machine.inventory.permission_log import Noting
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


def test_silence_about_a_disk_is_not_silence_about_its_namesake() -> None:
    host = Noting(Answers({"/sys/class/block/sdaa/dm/uuid": False}))
    host.text("/sys/class/block/sdaa/dm/uuid")
    assert host.was_denied("sdaa")
    assert not host.was_denied("sda")
