"""Attacks on extensions, drills, trials, builds and the files of /etc that they write; scenes: `attack_rows`."""

from __future__ import annotations

from typing import Any

from tests.lab.attack_rows import ADD, ERASE, FAST, LOOK, OPENER, REMOVE, SLOW, SUMS, WHOLE
from tests.lab.attacks import Attack

_IN = "test -d $(md data)/dev-$(name ${})"
_SPARE = "extend data spare LAB0005"
_ADDED = f"{WHOLE}; {_IN.format('LAB0005')}"
_NOT_ADDED = f"{WHOLE}; ! {_IN.format('LAB0005')}"
_MOVED = f"{WHOLE}; {_IN.format('LAB0009')}; ! test -d $(md s0)/dev-$(name $LAB0009)"
_KEPT = f"{WHOLE}; ! {_IN.format('LAB0009')}"
_GROWN = f"test $(blockdev --getsize64 /dev/md/data) -gt 300000000; {WHOLE}"
_LARGER = f"test $(blockdev --getsize64 /dev/vg-a/lv) -gt 400000000; {WHOLE}"
_JOINED = f"test $(blockdev --getsize64 /dev/vg-a/lv) -gt 600000000; {WHOLE}"
_ANOTHER_GROUP = (
    "vgrename -q vg-a users; pvcreate -q $LAB0009; vgcreate -q vg-a $LAB0009; lvcreate -q -y -Wn -L 32M -n lv vg-a"
)
_OTHER_UNTOUCHED = "test $(blockdev --getsize64 /dev/vg-a/lv) = 33554432"
_OVER = "put OWN0001; mount -r $OWN0001 /srv/d"
_NOT_OURS = "what is mounted at /srv/d is not the file system on"
_STOP = "mdadm --stop /dev/md/{} && mdadm --stop /dev/md/theirs && mdadm --assemble /dev/md127 $LAB0007 $LAB0008"


def _rows(act: str, scene: str, verb: str, holds: str, *rows: tuple[Any, ...]) -> tuple[Attack, ...]:
    """Rows of one act: name, moment, strike, good exit codes, what it says, and what differs from the others."""
    return tuple(
        Attack(
            name=f"{verb}: {name}", scene=scene, act=act, at=at, strike=strike, exits=exits, says=says,
            **{"holds": holds, **(more[0] if more else {})},
        )
        for name, at, strike, exits, says, *more in rows
    )  # fmt: skip


def _killed(what: str, at: str, done: str, says: str = "is as asked") -> tuple[tuple[Any, ...], ...]:
    """Killed before and after a command; the same call goes on."""
    more = {"again": (0,), "says_again": says, "done": done, "holds": SUMS}
    return (
        (f"killed before {what}", at, "kill -9 $(acting)", (-9,), "", {**more, "when": "instead"}),
        (f"killed after {what}", at, "kill -9 $(acting)", (-9,), "", {**more, "when": "after"}),
    )


SPARES = _rows(
    _SPARE, "raid6", "spare", _NOT_ADDED,
    ("no attack", ADD, "true", (0,), "is as asked", {"never": "", "holds": _ADDED}),
    ("another disk in its slot", ADD, "pull LAB0005; put OWN0001", (3, 4), "LAB0005|ended with", {"holds": WHOLE}),
    ("a file system on it", LOOK, "mkfs.ext4 -q -E nodiscard $LAB0005", (4,), "holds ext4", {"changes": ("LAB0005",)}),
    ("a writer has it open", LOOK, OPENER.replace("DISK", "$LAB0005"), (4,), "rawowner"),
    ("its link leads to another", LOOK, "ln -sfn $(readlink -f $LAB0006) $(ls /dev/disk/by-id/wwn-*4c410005)", (3, 4),
     "LAB0005", {"holds": WHOLE}),
    ("it is added to another array by hand", ADD, "mdadm /dev/md/theirs --add-spare $LAB0005; sleep 1; sync", (3,),
     "busy", {"changes": ("LAB0007", "LAB0008")}),
    ("the array's name is given to another", ADD, f"umount /srv/d; {_STOP.format('data')}; "
     "mount /dev/md/data /srv/d", (0,), "is as asked", {"never": "", "holds": _ADDED}),
    ("mdadm says it added and did not", ADD, "true", (3,), "it is not so",
     {"when": "instead", "limit_s": 300}),
    *_killed("it is added", ADD, _ADDED),
)  # fmt: skip
MOVED = _rows(
    "extend data spare LAB0009", "spare of another", "move", _KEPT,
    ("no attack", ADD, "true", (0,), "is as asked", {"never": "", "holds": _MOVED}),
    ("a file system on it once it is out", REMOVE, "mkfs.ext4 -q -F -E nodiscard $LAB0009", (4,), "ext4|no spare",
     {"when": "after", "changes": ("LAB0009",)}),
    ("bytes on it once it is out", REMOVE, "echo kept | dd of=$LAB0009 bs=1 seek=268435000 status=none", (4,),
     "not blank", {"when": "after", "holds": "dd if=$LAB0009 bs=1 skip=268435000 count=4 status=none | grep kept"}),
    ("a writer has it open once it is out", REMOVE, OPENER.replace("DISK", "$LAB0009"), (4,), "rawowner",
     {"when": "after"}),
    ("its own array needs it", REMOVE, "mdadm /dev/md/s0 --fail $LAB0005; sleep 0.5", (3, 4), "",
     {"holds": f"{_KEPT}; mdadm --wait /dev/md/s0 || true; test -d $(md s0)/dev-$(name $LAB0009)"}),
    ("it is back in its array once it is out", REMOVE, "mdadm /dev/md/s0 --add-spare $LAB0009", (3, 4), "is spare in",
     {"when": "after"}),
    ("another disk in its slot once it is out", REMOVE, "pull LAB0009; put OWN0001", (3, 4), "LAB0009",
     {"when": "after", "holds": WHOLE}),
    *_killed("it leaves its array", REMOVE, _MOVED),
    *_killed("its superblock is erased", ERASE, _MOVED),
)  # fmt: skip
GROWN = _rows(
    "extend data grow", "larger ext4", "grow", SUMS,
    ("no attack", "mdadm --grow *", "true", (0,), "is as asked", {"never": "", "holds": _GROWN}),
    ("another file system is mounted over ours", "mdadm --grow *", _OVER, (4,), _NOT_OURS,
     {"when": "after", "holds": "true", "mend": "umount /srv/d", "again": (0,), "done": _GROWN}),
    ("ours is unmounted and another is there", "mdadm --grow *", f"umount /srv/d; {_OVER}", (4,), _NOT_OURS,
     {"when": "after", "holds": "true", "mend": "umount /srv/d; mount /dev/md/data /srv/d", "again": (0,),
      "done": _GROWN}),
    ("the array's name is given to another", "mdadm --grow *", f"umount /srv/d; {_STOP.format('data')};"
     " mount /dev/md/data /srv/d", (0,), "is as asked", {"never": "", "holds": _GROWN}),
    ("a member fails in the sync of the new part", "mdadm --grow *",
     f"{SLOW}; (sleep 1; mdadm /dev/md/data --fail $LAB0003; {FAST}) > /dev/null 2>&1 &", (0,), "1 member missing",
     {"when": "after", "never": "", "holds": SUMS}),
    ("resize2fs says it grew and did not", "resize2fs *", "true", (3,), "it is not so",
     {"when": "instead", "limit_s": 300}),
    *_killed("the array is grown", "mdadm --grow *", _GROWN),
    *_killed("the file system is grown", "resize2fs *", _GROWN),
)  # fmt: skip
VOLUMES = _rows(
    "extend data grow", "larger xfs", "volume", SUMS,
    ("no attack", "lvextend *", "true", (0,), "is as asked", {"never": "", "holds": _LARGER}),
    ("another file system is mounted over ours", "lvextend *", _OVER, (4,), _NOT_OURS,
     {"when": "after", "holds": "true", "mend": "umount /srv/d", "again": (0,), "done": _LARGER}),
    ("a second tool extends it first", "lvextend *", "lvextend -q -l +100%FREE /dev/vg-a/lv", (0, 3), "",
     {"never": ""}),
    ("another group takes its name", "pvresize *", _ANOTHER_GROUP, (3, 4), "",
     {"when": "after", "changes": ("LAB0009",), "holds": _OTHER_UNTOUCHED}),
    ("pvresize says it grew and did not", "pvresize *", "true", (3,), "it is not so",
     {"when": "instead", "limit_s": 300}),
    *_killed("the volume is extended", "lvextend *", _LARGER),
)  # fmt: skip
SHELVES = _rows(
    "extend data shelf s0", "shelf", "shelf", SUMS,
    ("no attack", "vgextend *", "true", (0,), "is as asked", {"never": "", "holds": _JOINED}),
    ("a file system on the new array", "wipefs --noheadings *", "mkfs.ext4 -q -E nodiscard /dev/md/s0", (4,),
     "holds ext4"),
    ("swap on the new array", "wipefs --noheadings *", "mkswap -q /dev/md/s0; swapon /dev/md/s0", (4,), "holds swap"),
    ("a writer has the new array open", "wipefs --noheadings *", OPENER.replace("DISK", "/dev/md/s0"), (4,),
     "rawowner"),
    ("the new array's name is given to another", "pvcreate *", _STOP.format("s0"), (0,), "is as asked",
     {"never": "", "holds": _JOINED}),
    ("the new array joins another group", "vgextend *", "vgcreate -q users /dev/md/s0", (3, 4), ""),
    ("another group takes the name of ours", "pvcreate *", _ANOTHER_GROUP, (3, 4), "",
     {"when": "after", "changes": ("LAB0009",), "holds": _OTHER_UNTOUCHED}),
    ("another file system is mounted over ours", "lvextend *", _OVER, (4,), _NOT_OURS,
     {"when": "after", "holds": "true", "mend": "umount /srv/d", "again": (0,), "done": _JOINED}),
    ("pvcreate says it did and did not", "pvcreate *", "true", (3,), "it is not so",
     {"when": "instead", "limit_s": 300}),
    *_killed("the label is made", "pvcreate *", _JOINED),
    *_killed("the array joins the group", "vgextend *", _JOINED),
)  # fmt: skip
_FAIL = "mdadm --manage * --fail *"
_SET = "test $(cat $(md data)/degraded) = 0"
DRILLS = _rows(
    "drill $(cat /root/run) --array 0", "built", "drill", _SET,
    ("no attack", _FAIL, "true", (0,), "", {"never": ""}),
    ("files are hidden below another mount", "", "touch /srv/data/f; sync; mount -t tmpfs over /srv/data", (1,),
     "is mounted on /srv/data, not", {"holds": f"{_SET}; umount /srv/data; test -e /srv/data/f"}),
    ("files come before it begins", "", "touch /srv/data/f; sync", (1,), "contains files"),
    ("the spare is given to another array", "", "mdadm /dev/md/data --remove $LAB0004; mdadm --zero-superblock "
     "$LAB0004; mdadm /dev/md/theirs --add-spare $LAB0004; sleep 1; sync", (1, 4), "no spare|LAB0004",
     {"changes": ("LAB0007", "LAB0008")}),
    ("the array's name is given to another", _FAIL, f"umount /srv/data; {_STOP.format('data')}; "
     "mount /dev/md/data /srv/data", (0,), "", {"never": ""}),
    ("mdadm says it failed it and did not", _FAIL, "true", (3, 4), "", {"when": "instead"}),
    ("the failed disk is exchanged before it is put back", ADD, "pull LAB0001; put OWN0001", (3, 4), "",
     {"holds": f"{_SET}"}),
)  # fmt: skip
_ONLY = " ".join(f"--only LAB000{number}" for number in range(1, 5))
_TRIAL = f"tune '(2+1)+1' {_ONLY} --chunks 64K --fs ext4 --slice 64M --seconds 1 --repeats 1"
_CREATE = "mdadm --create *"
TRIALS = _rows(
    _TRIAL, "planned", "tune", "test -e /dev/md/theirs",
    ("a file system on one of its disks", "wipefs --noheadings *", "mkfs.ext4 -q -E nodiscard $LAB0003", (1, 3, 4),
     "4c410003", {"changes": ("LAB0003",)}),
    ("another disk in the slot of one of its disks", _CREATE, "pull LAB0003; put OWN0001", (1, 3, 4), "LAB0003"),
    ("the link of a disk leads to a stranger", _CREATE,
     "ln -sfn $(readlink -f $BY0001) $(ls /dev/disk/by-id/wwn-*4c410003)", (1, 3, 4), ""),
    ("another file system is mounted over the trial's", "mount *", "put OWN0001; for i in 1 2 3; do m=$(findmnt -rn -o "
     "TARGET | grep ^/var/lib/raidtui | head -1); [ -z \"$m\" ] || break; sleep 0.2; done; mount -r $OWN0001 $m",
     (1, 3, 4), "", {"when": "after"}),
)  # fmt: skip
_CONF_FILE = "/etc/mdadm/mdadm.conf"
_MADE = "mkfs.ext4 * /dev/*"
FILES_OF_ETC = _rows(
    "build /root/plan/plan.json", "planned", "files", "test -e /dev/md/theirs",
    ("no attack", _MADE, "true", (0,), "", {"never": "", "holds": f"grep -q data {_CONF_FILE}; findmnt /srv/data"}),
    ("mdadm.conf is a link to /dev/null", _CREATE, f"rm {_CONF_FILE}; ln -s /dev/null {_CONF_FILE}", (1,),
     "symbolic link to /dev/null"),
    ("mdadm.conf is a hard link to a file of others", _CREATE, f"ln -f /etc/passwd {_CONF_FILE}", (0, 1, 3, 4), "",
     {"never": ""}),
    ("mdadm.conf is in a directory of a user", _CREATE, "chown 1000 /etc/mdadm", (1,), "belongs to user 1000"),
    ("fstab is a pipe", _MADE, "rm /etc/fstab; mkfifo /etc/fstab", (1,), "is a pipe"),
    ("fstab is a directory", _MADE, "rm /etc/fstab; mkdir /etc/fstab", (1, 3), "/etc/fstab"),
    ("a file of others is mounted over fstab", _MADE, "mount --bind /etc/passwd /etc/fstab", (1, 3, 4), "fstab"),
    ("no file can be written", _MADE, "mount -o remount,ro / || mount -o remount,ro,force /", (0, 3), "",
     {"never": ""}),
    ("fstab cannot be changed", _MADE, "chattr +i /etc/fstab", (3,), "fstab", {"holds": "chattr -i /etc/fstab"}),
    ("the mount point becomes a link", _MADE,
     "rm -rf /srv/data; mkdir -p /etc/ssh/data; ln -s /etc/ssh/data /srv/data", (1, 4),
     "/srv/data", {"holds": "! findmnt /etc/ssh/data; rm /srv/data; rmdir /etc/ssh/data"}),
    ("the mount point is a user's", _MADE, "rm -rf /home/u; mkdir -p /srv; chown 1000 /srv", (1,),
     "belongs to user 1000", {"holds": "chown root /srv"}),
)  # fmt: skip
OTHER_ATTACKS = (*SPARES, *MOVED, *GROWN, *VOLUMES, *SHELVES, *DRILLS, *TRIALS, *FILES_OF_ETC)
