"""What stands on an array, where udev has not seen its content yet."""

import json

from raidtui.machine.arrays.read import DeviceTree, Reads, device_tree
from raidtui.machine.system.ports import Ran
from raidtui.programs import lsblk
from raidtui.programs import mount as mountinfo

COLUMNS = [column.lower() for column in lsblk.ARGV[-1].split(",")]
MOUNTS = "36 1 9:0 / /srv rw,relatime - xfs /dev/md0 rw\n"


def test_a_mount_and_swap_say_what_lsblk_does_not() -> None:
    rows = [
        {"kname": "md0", "pkname": None, "maj:min": "9:0", "type": "raid1", "size": 10, "mountpoint": "/srv"},
        {"kname": "md1", "pkname": None, "maj:min": "9:1", "type": "raid1", "size": 10, "mountpoint": "[SWAP]"},
        {"kname": "md2", "pkname": None, "maj:min": "9:2", "type": "raid1", "size": 10, "mountpoint": None},
    ]
    text = json.dumps({"blockdevices": [dict.fromkeys(COLUMNS) | row for row in rows]})
    blocks, _ = lsblk.parse(text)
    mounts = {mount.number: [mount] for mount in mountinfo.parse(MOUNTS)}
    named = {each.name: each for each in blocks}
    tree = DeviceTree(blocks=named, above={}, below={}, mounts=mounts, mapped={}, groups={})
    found = [(each.content, each.mount_points) for name in ("md0", "md1", "md2") for each in tree.on(name)]
    assert found == [("xfs", ("/srv",)), ("swap", ("[SWAP]",)), ("", ())]


class TwoArrays:
    """A machine where lsblk lists the volume over two arrays below the first alone."""

    def ask(self, argv: tuple[str, ...]) -> Ran:
        rows: list[dict[str, object]] = [
            {"kname": "md0", "pkname": None, "maj:min": "9:0", "type": "raid1", "size": 10},
            {"kname": "dm-0", "pkname": "md0", "maj:min": "253:0", "type": "lvm", "size": 20, "fstype": "xfs"},
            {"kname": "md1", "pkname": None, "maj:min": "9:1", "type": "raid1", "size": 10},
        ]
        return Ran(
            exit=0, stdout=json.dumps({"blockdevices": [dict.fromkeys(COLUMNS) | row for row in rows]}), stderr=""
        )

    def read_text(self, path: str) -> str | None:
        return {"/sys/block/dm-0/dm/name": "vg-lv", "/proc/self/mountinfo": ""}.get(path)

    def names(self, path: str) -> tuple[str, ...]:
        return ("md0", "md1", "sdz") if path == "/sys/block/dm-0/slaves" else ()


def test_a_volume_over_two_arrays_stands_on_both() -> None:
    tree = device_tree(Reads(TwoArrays()))  # type: ignore[arg-type]
    assert [[(each.device, each.content) for each in tree.on(name)] for name in ("md0", "md1")] == [
        [("md0", "LVM2_member"), ("dm-0", "xfs")],
        [("md1", "LVM2_member"), ("dm-0", "xfs")],
    ]
