"""What stands on an array, where udev has not seen its content yet."""

import json

from raidtui.machine.arrays.stack import ArrayTree
from raidtui.tools import lsblk, mountinfo

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
    tree = ArrayTree(blocks={each.name: each for each in blocks}, above={}, mounts=mounts, mapped={}, groups={})
    found = [(each.content, each.mount_points) for name in ("md0", "md1", "md2") for each in tree.on(name)]
    assert found == [("xfs", ("/srv",)), ("swap", ("[SWAP]",)), ("", ())]
