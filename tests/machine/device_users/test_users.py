"""Who uses a device without holding it: processes by number, the kernel by what configfs and sysfs tell."""

from __future__ import annotations

import pytest

from raidtui.machine.inventory import disk_content
from raidtui.machine.system.device_users import kernel_users, users_of
from raidtui.machine.system.ports import Look, Opener, Openers, User
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import OpenedBy, Use
from tests.machine.answers import Answers, block, tree

SDA = "/dev/disk/by-id/wwn-a"
TEXTS = {
    "/sys/class/block/sda/holders/md127": "",
    "/sys/class/block/sda/sda1/partition": "1",
    "/sys/class/block/sda1/dev": "8:1\n",
    "/sys/class/block/sda1/holders/dm-0": "",
    "/sys/class/block/md127/dev": "9:127\n",
    "/sys/class/block/md127/md127p1/partition": "1",
    "/sys/class/block/md127p1/dev": "259:5\n",
    "/sys/class/block/dm-0/dev": "254:0\n",
    "/sys/class/block/sdb/dev": "8:16\n",
}
LINKS = {"/sys/dev/block/8:0": "../../devices/pci/block/sda", "/sys/dev/block/8:16": "../../devices/pci/block/sdb"}
NUMBERS = {SDA: "8:0", "/dev/sda": "8:0", "/dev/sda1": "8:1", "/dev/sdb": "8:16"}


def opener(number: str, process: int, command: str, *, writing: bool = True) -> Opener:
    return Opener(number=number, process=process, command=command, writing=writing, elsewhere=False)


@pytest.mark.parametrize("number", ["8:0", "8:1", "9:127", "259:5", "254:0"])
def test_a_process_is_found_on_the_disk_its_partition_and_all_that_is_on_them(number: str) -> None:
    host = Answers(TEXTS, LINKS, NUMBERS, opened=Openers(found=(opener(number, 4711, "qemu-system-x86"),)))
    assert users_of(host, (SDA,)) == (User(path=SDA, by="qemu-system-x86 (pid 4711)", writing=True),)
    assert users_of(host, ("/dev/sdb",)) == ()
    assert users_of(host, ("/dev/not-there",)) == ()


def test_a_process_on_a_path_of_a_multipath_map_is_found() -> None:
    texts = {"/sys/class/block/dm-3/slaves/sdb": "", "/sys/class/block/sdb/dev": "8:16\n"}
    links = {"/sys/dev/block/254:3": "../../devices/virtual/block/dm-3"}
    host = Answers(texts, links, {"/dev/dm-3": "254:3"}, opened=Openers(found=(opener("8:16", 5, "dd"),)))
    assert users_of(host, ("/dev/dm-3",)) == (User(path="/dev/dm-3", by="dd (pid 5)", writing=True),)


def test_a_reader_is_reported_as_one() -> None:
    host = Answers(TEXTS, LINKS, NUMBERS, opened=Openers(found=(opener("8:0", 812, "smartd", writing=False),)))
    assert users_of(host, (SDA,)) == (User(path=SDA, by="smartd (pid 812)", writing=False),)


def test_what_cannot_be_looked_at_is_not_unused() -> None:
    host = Answers(TEXTS, LINKS, NUMBERS, opened=Openers(unread="the open files of process 1"))
    with pytest.raises(
        MachineFailed, match="the users of the disks are unknown: the open files of process 1 cannot"
    ) as it:
        users_of(host, (SDA,))
    assert it.value.hint == "run as root on the host, outside of containers"


@pytest.mark.parametrize(
    ("texts", "use", "by"),
    [
        (
            {"/sys/class/block/loop3/loop/backing_file": "/dev/sda1\n"},
            Use(kind="loop", where="loop3", active=True),
            "the loop device loop3",
        ),
        (
            {"/sys/class/block/loop3/loop/backing_file": "/dev/sda1 (deleted)\n"},
            Use(kind="loop", where="loop3", active=True),
            "the loop device loop3",
        ),
        (
            {"/sys/kernel/config/target/core/iblock_0/shop/udev_path": "/dev/sda1\n"},
            Use(kind="exported", where="LIO iblock_0/shop", active=True),
            "the export LIO iblock_0/shop",
        ),
        (
            {
                "/sys/kernel/config/target/core/fileio_2/x/udev_path": "",
                "/sys/kernel/config/target/core/fileio_2/x/info": "Status: ACTIVATED  Max Queue Depth: 0\n"
                "        TCM FILEIO ID: 0        File: /dev/sda1  Size: 1073741824  Mode: O_DSYNC Async: 0\n",
            },
            Use(kind="exported", where="LIO fileio_2/x", active=True),
            "the export LIO fileio_2/x",
        ),
        (
            {"/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/device_path": "/dev/sda1\n"},
            Use(kind="exported", where="NVMe nqn.x/namespaces/1", active=True),
            "the export NVMe nqn.x/namespaces/1",
        ),
        (
            {"/sys/class/block/zram0/backing_dev": "/dev/sda1\n"},
            Use(kind="holder", where="zram0", active=True),
            "zram0",
        ),
        (
            {"/sys/kernel/scst_tgt/devices/disk1/filename": "/dev/sda1\n[key]\n"},
            Use(kind="exported", where="SCST disk1", active=True),
            "the export SCST disk1",
        ),
        (
            {"/sys/kernel/config/usb_gadget/g1/functions/mass_storage.0/lun.0/file": "/dev/sda1\n"},
            Use(kind="exported", where="USB gadget g1 lun.0", active=True),
            "the export USB gadget g1 lun.0",
        ),
    ],
)
def test_a_user_in_the_kernel_is_found_on_a_partition(texts: dict[str, str], use: Use, by: str) -> None:
    host = Answers({**TEXTS, **texts}, LINKS, NUMBERS)
    assert kernel_users(host) == (("/dev/sda1", use),)
    assert users_of(host, (SDA, "/dev/sdb")) == (User(path=SDA, by=by, writing=True),)


def test_loops_of_files_and_zram_without_a_device_are_none() -> None:
    texts = {
        "/sys/class/block/loop0/loop/backing_file": "/var/image.raw\n",
        "/sys/class/block/zram0/backing_dev": "none\n",
    }
    assert kernel_users(Answers(texts)) == (("/var/image.raw", Use(kind="loop", where="loop0", active=True)),)
    assert users_of(Answers({**TEXTS, **texts}, LINKS, NUMBERS), (SDA,)) == ()


def test_a_disk_is_in_use_by_who_writes_and_read_by_who_reads() -> None:
    parts = {"sda": ("sda1",)}
    found = tree(block("sda", "8:0"), block("sda1", "8:1", kind="part"), above=parts, partitions=parts)
    openers = (
        opener("8:1", 4711, "qemu-system-x86"),
        opener("8:0", 812, "smartd", writing=False),
        opener("8:99", 1, "x"),
    )
    uses = disk_content.active(Answers(), found, (), openers)
    opened = disk_content.opened_by(found, openers, "sda")
    assert opened == (
        OpenedBy(process=4711, command="qemu-system-x86", device="sda1", writing=True),
        OpenedBy(process=812, command="smartd", device="sda", writing=False),
    )
    assert disk_content.of_disk(found, uses, "sda", Look(), opened) == (
        Use(kind="open", where="qemu-system-x86 (pid 4711)", active=True),
    )


def test_who_may_have_opened_a_disk_exclusively_is_named() -> None:
    found = tree(block("sda", "8:0"))
    openers = (opener("8:0", 300, "python3", writing=False),)
    opened = disk_content.opened_by(found, openers, "sda")
    assert disk_content.of_disk(found, {}, "sda", Look(busy=True), opened) == (
        Use(
            kind="exclusive",
            where="opened exclusively by a process or a driver; open in python3 (pid 300)",
            active=True,
        ),
    )
