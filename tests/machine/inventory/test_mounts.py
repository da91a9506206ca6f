import pytest

from raidtui.machine.inventory import mounts
from raidtui.machine.inventory.capture import Noting
from raidtui.machine.inventory.mounts import DeviceClaim
from tests.machine.answers import Answers, block, tree

DISKS = tree(block("sda", "8:0"), block("sdaa", "65:160"), block("sdb", "8:16"), block("sdc", "8:32"))
ROOT = "22 1 8:0 / / rw - ext4 /dev/root rw\n"


def read(
    own: str, links: dict[str, str] | None = None, numbers: dict[str, str] | None = None, **texts: str
) -> mounts.MountClaims:
    named = {"/proc/swaps": texts.pop("swaps", ""), "/proc/self/mountinfo": own}
    named |= {f"/proc/{pid.removeprefix('p')}/mountinfo": text for pid, text in texts.items()}
    all_links = {"/proc/self/ns/mnt": "mnt:[1]", **(links or {})}
    return mounts.read(Answers(named, all_links, numbers or {}, own_paths=("/srv/state",)), DISKS)


def test_devices_are_found_by_number_and_what_the_system_needs_is_told_apart() -> None:
    found = read(ROOT + "23 22 65:160 / /srv rw - ext4 /dev/sdaa rw\n24 22 8:16 / /data rw - xfs /dev/sdb rw\n")
    assert found.claims == (
        DeviceClaim(device="sda", kind="mounted", where="/"),
        DeviceClaim(device="sdaa", kind="mounted", where="/srv"),
        DeviceClaim(device="sdb", kind="mounted", where="/data"),
    )
    assert found.system == {"sda": ("/",), "sdaa": ("/srv",)}
    assert found.complete


def test_swap_is_the_systems() -> None:
    swaps = "Filename Type\n/dev/sdaa partition 1 0 -2\n/swapfile file 1 0 -3\n"
    found = read(ROOT, numbers={"/dev/sdaa": "65:160"}, swaps=swaps)
    assert found.claims[-1] == DeviceClaim(device="sdaa", kind="swap", where="/dev/sdaa")
    assert found.system["sdaa"] == ("swap",)
    assert "sdb" not in found.system


def test_a_mount_in_another_namespace_names_a_process_that_sees_it() -> None:
    other = ROOT + "30 22 8:16 / /mnt rw - ext4 /dev/sdb rw\n"
    links = {"/proc/7/ns/mnt": "mnt:[1]", "/proc/12/ns/mnt": "mnt:[2]", "/proc/13/ns/mnt": "mnt:[2]"}
    found = read(ROOT, links, p12=other, p13=other)
    assert found.claims == (
        DeviceClaim(device="sda", kind="mounted", where="/"),
        DeviceClaim(device="sdb", kind="mounted", where="/mnt (seen by process 12)"),
    )


def test_a_process_that_ended_leaves_its_namespace_to_the_next() -> None:
    links = {"/proc/12/ns/mnt": "mnt:[2]", "/proc/13/ns/mnt": "mnt:[2]"}
    found = read(ROOT, links, p13=ROOT + "30 22 8:16 / /mnt rw - ext4 /dev/sdb rw\n")
    assert found.claims[-1].where == "/mnt (seen by process 13)"


def test_btrfs_over_several_devices_and_zfs_by_pool() -> None:
    own = ROOT + "25 22 0:40 / /many rw - btrfs /dev/sdb rw\n26 22 0:41 / /tank/a rw - zfs tank/a rw\n"
    links = {
        "/sys/fs/btrfs/u-1/devices/sdb": "../../../devices/sdb",
        "/sys/fs/btrfs/u-1/devices/sdc": "../../../devices/sdc",
        "/sys/fs/btrfs/u-2/devices/sdaa": "../../../devices/sdaa",
    }
    found = read(own, links, {"/dev/sdb": "8:16"})
    assert found.claims[1:] == (
        DeviceClaim(device="sdb", kind="mounted", where="/many"),
        DeviceClaim(device="sdc", kind="mounted", where="/many"),
        DeviceClaim(device="tank", kind="zfs", where="/tank/a"),
    )


@pytest.mark.parametrize("line", ["40 22 8:16 / /data rw", "x - ext4 /dev/sdb", "x /dev/sdb y - "])
def test_a_torn_line_costs_the_device_that_it_names(line: str) -> None:
    answers = {"/proc/self/mountinfo": f"{ROOT}{line}\n"}
    host = Noting(Answers(answers, {"/proc/self/ns/mnt": "mnt:[1]"}, {"/dev/sdb": "8:16"}))
    found = mounts.read(host, DISKS)
    assert (found.claims, found.complete) == ((DeviceClaim(device="sda", kind="mounted", where="/"),), True)
    assert [str(each) for each in host.unread_of("sdb")] == [f"a line of /proc/self/mountinfo ({line})"]
    assert not host.users_unread


@pytest.mark.parametrize("line", ["40 22 0:41 / /data rw", " - ", "x - ext4 /dev/sdz"])
def test_a_torn_line_that_names_no_device_may_be_of_any_disk(line: str) -> None:
    host = Noting(Answers({"/proc/self/mountinfo": f"{ROOT}{line}\n"}, {"/proc/self/ns/mnt": "mnt:[1]"}))
    mounts.read(host, DISKS)
    assert host.users_unread


def test_without_proc_it_is_not_complete() -> None:
    assert not mounts.read(Answers(), DISKS).complete
