"""Attacks on a replacement, and the scenes that stand before all attacks. The other acts: `attack_other_rows`."""

from __future__ import annotations

from tests.lab.attacks import Attack, Scene

FILES = """
mkdir -p /srv/d; mount $DEV /srv/d
for n in 1 2 3 4; do dd if=/dev/urandom of=/srv/d/f$n bs=1M count=4 status=none; done; sha256sum /srv/d/f* > /root/sums
"""
THEIRS_ARRAY = """
mdadm --create /dev/md/theirs -l1 -n2 --bitmap=none --size=16M --assume-clean --run $LAB0007 $LAB0008
yes theirs | head -c 8M > /dev/md/theirs
"""
CONF = """
for each in data theirs; do mdadm --detail --brief /dev/md/$each >> /etc/mdadm/mdadm.conf; done
for each in data theirs; do echo 400000 > $(md $each)/sync_speed_max; done
"""
_FOUR = "$LAB0001 $LAB0002 $LAB0003 $LAB0004"
_CREATE = "mdadm --create /dev/md/data --level={} -n4 -c64 --bitmap={} {} --assume-clean --run " + _FOUR + "\n"
_XFS = """
pvcreate -q /dev/md/data; vgcreate -q vg-a /dev/md/data; lvcreate -q -y -Wn -l100%FREE -n lv vg-a
DEV=/dev/vg-a/lv; mkfs.xfs -q -K $DEV
"""
_EXT4 = "DEV=/dev/md/data; mkfs.ext4 -q -E nodiscard,lazy_itable_init=1 $DEV\n"
_SHELF = """
mdadm --create /dev/md/s0 --level=1 -n2 --bitmap=none --assume-clean --run $LAB0005 $LAB0006
mdadm --detail --brief /dev/md/s0 >> /etc/mdadm/mdadm.conf
"""
_OTHERS_SPARE = """
mdadm --create /dev/md/s0 --level=1 -n2 -x1 --bitmap=none --size=16M --assume-clean --run $LAB0005 $LAB0006 $LAB0009
mdadm --detail --brief /dev/md/s0 >> /etc/mdadm/mdadm.conf
"""
_PLAN = """
mdadm --detail --brief /dev/md/theirs >> /etc/mdadm/mdadm.conf; rm -rf /root/plan
only=; for n in 1 2 3 4; do only="$only --only LAB000$n"; done
raidtui plan '(2+1)+1' --chunk 64K --fs ext4 $only --out /root/plan
"""
_BUILD = """
raidtui build /root/plan/plan.json --wait-for-sync --yes --confirm $(python3 -c '
import json; plan = json.load(open("/root/plan/plan.json")); print(plan["digest"])
open("/root/run", "w").write(plan["run_id"][:8])')
echo 400000 > $(md data)/sync_speed_max
"""
_MEMBERS = ("LAB0001", "LAB0002", "LAB0003", "LAB0004")
SCENES = {
    "raid6": Scene(
        f"{_CREATE.format(6, 'internal', '')} {_EXT4} {FILES} {THEIRS_ARRAY} {CONF}", (*_MEMBERS, "LAB0005")
    ),
    "larger ext4": Scene(f"{_CREATE.format(5, 'none', '--size=64M')} {_EXT4} {FILES} {THEIRS_ARRAY} {CONF}", _MEMBERS),
    "larger xfs": Scene(f"{_CREATE.format(6, 'none', '--size=160M')} {_XFS} {FILES} {THEIRS_ARRAY} {CONF}", _MEMBERS),
    "shelf": Scene(
        f"{_CREATE.format(6, 'none', '')} {_XFS} {FILES} {THEIRS_ARRAY} {CONF} {_SHELF}",
        (*_MEMBERS, "LAB0005", "LAB0006"),
    ),
    "spare of another": Scene(
        f"{_CREATE.format(6, 'none', '')} {_EXT4} {FILES} {THEIRS_ARRAY} {CONF} {_OTHERS_SPARE}",
        (*_MEMBERS, "LAB0005", "LAB0006", "LAB0009"),
    ),
    "planned": Scene(f"{THEIRS_ARRAY} {_PLAN}", _MEMBERS),
    "built": Scene(f"{THEIRS_ARRAY} {_PLAN} {_BUILD}", _MEMBERS),
}  # fmt: skip
SUMS = "sync; echo 3 > /proc/sys/vm/drop_caches; sha256sum --check --quiet /root/sums"
WHOLE = f"mdadm --wait /dev/md/data || true; test $(cat $(md data)/degraded) = 0; {SUMS}"
_OUT = "! test -d $(md data)/dev-$(name $LAB0002); ! mdadm --examine $LAB0002"
_REPLACED = f"{WHOLE}; test -d $(md data)/dev-$(name $LAB0005); {_OUT}"
_AS_BEFORE = f"{WHOLE}; test -d $(md data)/dev-$(name $LAB0002); ! test -d $(md data)/dev-$(name $LAB0005)"
_REPLACE = "replace data --member LAB0002 --with LAB0005"
ADD, _COPY = "mdadm --manage * --add-spare *", "mdadm --manage * --replace *"
REMOVE, ERASE = "mdadm --manage * --remove *", "mdadm --zero-superblock *"
LOOK = "wipefs --noheadings * /dev/block/*"
SLOW = "echo 3000 > $(md data)/sync_speed_max"
FAST = "echo 400000 > $(md data)/sync_speed_max"
OPENER = (
    "setsid python3 -c \"import os, time; open('/proc/self/comm', 'w').write('rawowner'); "
    "os.open('DISK', os.O_RDWR); open('/run/attack/up', 'w'); time.sleep(600)\" < /dev/null > /dev/null 2>&1 & "
    "for i in $(seq 200); do [ -e /run/attack/up ] && break; sleep 0.1; done"
)
FULL = "mkdir -p /var/lib/raidtui; mount -t tmpfs -o size=6M,mode=700 none /var/lib/raidtui"


def _replace(name: str, at: str, strike: str, exits: tuple[int, ...], says: str, **more: object) -> Attack:
    return Attack(
        name=f"replace: {name}", scene="raid6", act=_REPLACE, at=at, strike=strike, exits=exits, says=says,
        **{"holds": WHOLE, **more},  # type: ignore[arg-type]
    )  # fmt: skip


SLOTS = (
    _replace("another disk in the slot of the new one", ADD, "pull LAB0005; put OWN0001", (3, 4), "LAB0005"),
    _replace(
        "another disk in the slot of the new one, before the copy",
        _COPY,
        "pull LAB0005; put OWN0001",
        (3, 4),
        "",
    ),
    _replace(
        "a half of a mirror in the slot of the old one",
        ERASE,
        "pull LAB0002; put OWN0002; for a in /sys/block/md*/md; do grep -q inactive $a/array_state && mdadm --stop "
        "/dev/$(basename $(dirname $a)); done; sleep 0.5",
        (0,),
        "still have a superblock",
        never="",
    ),
    _replace(
        "the new one pulled while md copies, another in its slot added by hand",
        _COPY,
        f"{SLOW}; (sleep 2; pull LAB0005; put LAB0006; mdadm /dev/md/data --add-spare $LAB0006; {FAST}) "
        "> /dev/null 2>&1 &",
        (3, 4),
        "LAB0005",
        changes=("LAB0006",),
        holds=SUMS,
    ),
    _replace(
        "the old one pulled while md copies",
        _COPY,
        f"{SLOW}; (sleep 2; pull LAB0002; {FAST}) > /dev/null 2>&1 &",
        (0,),
        "",
        never="",
        holds=f"{WHOLE}; test -d $(md data)/dev-$(name $LAB0005)",
    ),
    _replace(
        "the old one pulled right before it is taken out",
        REMOVE,
        "pull LAB0002; put OWN0001",
        (0, 3, 4),
        "",
        never="",
    ),
)
LINKS = (
    _replace(
        "the link of the new one leads to another, before the look",
        "mdadm --detail --export *",
        "ln -sfn $(readlink -f $LAB0006) $(ls /dev/disk/by-id/wwn-*0005 | grep 4c41)",
        (4, 3),
        "LAB0005|digest|changed",
        holds=_AS_BEFORE,
    ),
    _replace(
        "the link of the new one leads to another, before it is added",
        ADD,
        "ln -sfn $(readlink -f $LAB0006) $(ls /dev/disk/by-id/wwn-*4c410005)",
        (4, 3),
        "LAB0005",
    ),
    _replace(
        "the link of the old one leads to a stranger, before it is taken out",
        REMOVE,
        "ln -sfn $(readlink -f $BY0001) $(ls /dev/disk/by-id/wwn-*4c410002)",
        (0, 3, 4),
        "",
        never="",
    ),
    _replace(
        "the link of the old one leads to a stranger, before it is erased",
        "wipefs * --types=linux_raid_member *",
        "ln -sfn $(readlink -f $BY0001) $(ls /dev/disk/by-id/wwn-*4c410002)",
        (0, 3, 4),
        "still have a superblock",
        never="",
    ),
)
USED = tuple(
    _replace(
        f"{what} on the new disk, right before it is looked at",
        LOOK,
        strike,
        (4, 3),
        says,
        changes=("LAB0005",),
        holds=_AS_BEFORE,
        mend=mend,
    )
    for what, strike, says, mend in (
        ("a file system", "mkfs.ext4 -q -E nodiscard $LAB0005", "holds ext4", ""),
        (
            "a mount of a file system",
            "mkfs.ext4 -q -E nodiscard $LAB0005; mount -r $LAB0005 /mnt",
            "holds ext4|open|in use",
            "",
        ),
        ("swap", "mkswap -q $LAB0005; swapon $LAB0005", "holds swap|in use|open", ""),
        ("a partition table", "echo 'start=1MiB' | sfdisk -q $LAB0005", "holds dos", ""),
        ("a writer", OPENER.replace("DISK", "$LAB0005"), "rawowner", ""),
        ("a mapping", "echo 0 2048 linear $LAB0005 2048 | dmsetup create theirs", "in use by dm-", ""),
        ("a volume group", "pvcreate -q $LAB0005; vgcreate -q users $LAB0005", "holds LVM2_member", ""),
        ("bytes at its end", "echo kept | dd of=$LAB0005 bs=1 seek=268435000 status=none", "not blank", ""),
    )
)
KILLS = tuple(
    _replace(
        f"killed {when} {what}", at, "kill -9 $(acting)", (-9,), "", when="after" if when == "after" else "instead",
        again=(0,), says_again="is whole", done=_REPLACED,
    )
    for what, at in (("the disk is added", ADD), ("the copy begins", _COPY), ("the old one is taken out", REMOVE),
                     ("the old one is erased", ERASE))
    for when in ("before", "after")
)  # fmt: skip
SIGNALS = tuple(
    _replace(
        f"{name} while {what}", at, f"kill -{name} $(acting); sleep 0.3", (5, 130), "stopped between two commands",
        again=(0,), says_again="is whole", done=_REPLACED,
    )
    for name, what, at in (
        ("TERM", "the disk is added", ADD), ("INT", "the old one is taken out", REMOVE),
        ("HUP", "the copy begins", _COPY),
    )
)  # fmt: skip
SECOND = (
    _replace(
        "the new disk is added to another array by hand", _COPY,
        "mdadm /dev/md/data --remove $LAB0005; mdadm --zero-superblock $LAB0005; mdadm /dev/md/theirs --add-spare "
        "$LAB0005; sleep 1; sync", (3, 4), "LAB0005|ended with", never="is whole", changes=("LAB0007", "LAB0008"),
    ),
    _replace(
        "the new disk fails while md copies", _COPY,
        f"{SLOW}; (sleep 2; mdadm /dev/md/data --fail $LAB0005; {FAST}) > /dev/null 2>&1 &", (3,),
        "failed or is gone",
    ),
    _replace(
        "another member fails while md copies", _COPY,
        f"{SLOW}; (sleep 2; mdadm /dev/md/data --fail $LAB0003; {FAST}) > /dev/null 2>&1 &", (0,),
        "lost 1 other member", never="md127 is whole", holds=SUMS,
    ),
    _replace(
        "the new disk is taken out by hand while md copies", _COPY,
        f"{SLOW}; (sleep 2; mdadm /dev/md/data --fail $LAB0005 --remove $LAB0005; {FAST}) > /dev/null 2>&1 &", (3,),
        "failed or is gone",
    ),
    _replace(
        "the old one is put back by hand right before it is erased", ERASE, "mdadm /dev/md/data --add $LAB0002",
        (0, 3, 4), "", never="",
    ),
    _replace(
        "udev offers the old one right before it is erased", ERASE,
        "udevadm trigger --action=add --settle $LAB0002; mdadm --incremental $LAB0002", (0,), "", never="",
    ),
    _replace(
        "the old one becomes a spare of another array right before it is erased",
        "wipefs * --types=linux_raid_member *",
        "mdadm --zero-superblock $LAB0002; mdadm /dev/md/theirs --add-spare $LAB0002; sleep 1; sync", (0,),
        "still have a superblock", never="", changes=("LAB0007", "LAB0008"),
        holds=f"{WHOLE}; test -d $(md theirs)/dev-$(name $LAB0002); mdadm --examine $LAB0002 | grep theirs",
    ),
    _replace(
        "the old one is reused right before it is erased", "wipefs * --types=linux_raid_member *",
        "wipefs -q -a $LAB0002; pvcreate -q $LAB0002; vgcreate -q users $LAB0002", (0,), "", never="",
        changes=("LAB0002",),
    ),
    _replace(
        "a second raidtui begins with the same disk", _COPY,
        "PATH=$PATH:/usr/local/bin; act='extend data spare LAB0006'; "
        "raidtui $act --begin --yes --confirm $(raidtui $act --json | "
        "python3 -c 'import json, sys; print(json.load(sys.stdin)[\"digest\"])'); test $? != 0", (0,), "is whole",
        never="", holds=f"{_REPLACED}; ! test -d $(md data)/dev-$(name $LAB0006)",
    ),
    _replace(
        "somebody makes the array larger while md copies", _COPY, f"{SLOW}; mdadm --grow /dev/md/data --bitmap=none; "
        f"mdadm --grow /dev/md/data -n5; (sleep 3; {FAST}) > /dev/null 2>&1 &", (0, 3, 4), "", never="",
        holds=SUMS,
    ),
    _replace("the array is stopped, its name given to another", ADD,
        "umount /srv/d; mdadm --stop /dev/md/data && mdadm --stop /dev/md/theirs && mdadm --assemble /dev/md127 "
        "$LAB0007 $LAB0008; mount /dev/md/data /srv/d", (0,), "is whole", never="", holds=_REPLACED,
    ),
)  # fmt: skip
LIES = (
    _replace("mdadm says it added and did not", ADD, "true", (3,), "it is not so", when="instead", holds=_AS_BEFORE),
    _replace("mdadm says it copies and does not", _COPY, "true", (3,), "it is not so", when="instead"),
    _replace("mdadm says it removed and did not", REMOVE, "true", (3,), "it is not so", when="instead"),
    _replace("mdadm says it erased and did not", ERASE, "true", (0,), "still have a superblock", when="instead",
             never="", holds=WHOLE),
    _replace("the check does not begin", "mdadm --misc --action=check *", "false", (0,), "the check did not begin",
             when="instead", never="being checked", holds=_REPLACED),
    _replace("mdadm added and says it failed", ADD, "mdadm --manage /dev/md127 --add-spare $LAB0005; false", (0,),
             "is whole", when="instead", never="", holds=_REPLACED),
    _replace("mdadm prints control sequences and no text", ADD,
             "printf '\\033]0;x\\007\\033[2J\\377\\376'; false", (3,), "", when="instead", never="\x1b",
             holds=_AS_BEFORE),
    _replace("mdadm prints 40 megabytes", ADD, "head -c 40M /dev/zero; false", (3,), "", when="instead",
             holds=_AS_BEFORE),
    _replace("mdadm dies", ADD, "kill -SEGV $$", (3,), "", when="instead", holds=_AS_BEFORE),
    _replace("another array answers for ours", "mdadm --detail --export *", "mdadm --detail --export /dev/md/theirs",
             (4, 3), "is not the array|changed", when="instead", nth=2, holds=_AS_BEFORE),
)  # fmt: skip
PLACES = (
    _replace(
        "no room is left for its journal",
        "",
        f"{FULL}; head -c 6M /dev/zero > /var/lib/raidtui/fill; true",
        (1, 3, 4),
        "No space left|room",
        holds=_AS_BEFORE,
    ),
    _replace(
        "the room for its journal runs out",
        "",
        f"{FULL}; head -c 6000K /dev/zero > /var/lib/raidtui/fill",
        (0, 1, 3, 4),
        "",
        never="",
    ),
    _replace(
        "the clock goes to 1971",
        _COPY,
        "date -s 1971-01-01 > /dev/null",
        (0,),
        "is whole",
        never="",
        holds=f"{_REPLACED}; date -s 2026-11-28",
    ),
    _replace(
        "the clock goes to 2100",
        REMOVE,
        "date -s 2100-01-01 > /dev/null",
        (0,),
        "is whole",
        never="",
        holds=f"{_REPLACED}; date -s 2026-11-28",
    ),
    _replace(
        "mdadm.conf forgets the array",
        REMOVE,
        "sed -i '/md.data/d; s/^HOMEHOST.*/AUTO -all/' /etc/mdadm/mdadm.conf",
        (3, 4),
        "mdadm.conf",
    ),
)
REPLACE_ATTACKS = (
    Attack(
        name="control: no attack on a replacement", scene="raid6", act=_REPLACE, at=ADD, strike="true", exits=(0,),
        says="is whole, and is being checked", never="", holds=_REPLACED,
    ),
    *SLOTS, *LINKS, *USED, *KILLS, *SIGNALS, *SECOND, *LIES, *PLACES,
)  # fmt: skip
