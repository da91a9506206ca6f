"""The table of ways out: each state on real md that raidtui prints commands for, and what typing them must come to."""

from __future__ import annotations

from tests.lab.ways_out import Way

_RAID1 = "mdadm -CR /dev/md/a -l1 -n2 --bitmap=none --assume-clean $1 $2\n"
_RAID5 = "mdadm -CR /dev/md/a -l5 -n4 -c64 --bitmap=none --assume-clean $1 $2 $3 $4\n"
_SMALL = "mdadm -CR /dev/md/a -l5 -n4 -c64 --bitmap=none --assume-clean --size=64M $1 $2 $3 $4\n"
_RAID5_BITMAP = "mdadm -CR /dev/md/a -l5 -n4 -c64 --bitmap=internal --assume-clean $1 $2 $3 $4\n"
_RAID6 = "mdadm -CR /dev/md/a -l6 -n4 -c64 --bitmap=none --assume-clean $1 $2 $3 $4\n"
_STOP = "udevadm settle; mdadm -S /dev/md/a; udevadm settle; mdadm -Ss; udevadm settle\n"
_PARTITIONS = (
    "for d in $1 $2 $3; do printf 'label: gpt\\nstart=1MiB, size=96MiB, type=raid\\n' | sfdisk -q $d; done; "
    "udevadm settle; mdadm -CR /dev/md/a -l5 -n3 -c64 --bitmap=none --assume-clean $1-part1 $2-part1 $3-part1\n"
)
_JOURNAL = """
mdadm -CR /dev/md/a -l5 -n3 -c64 --write-journal $4 $1 $2 $3; idle /dev/md/a
mkfs.ext4 -q -E nodiscard /dev/md/a; mkdir -p /srv/a; mount /dev/md/a /srv/a; sync
"""
_LOST_JOURNAL = f"{_JOURNAL}umount /srv/a; {_STOP}dd if=/dev/zero of=$4 bs=1M count=8\n"
_FILLED = "dd if=/dev/urandom of=/srv/a/f bs=4k count=4k; sha1sum /srv/a/f > /root/sum; sync\n"
_READ_ONLY = "umount /srv/a; mdadm --readonly /dev/md/a; udevadm settle\n"
_WITHOUT_JOURNAL = "echo resync > /sys/block/{md}/md/consistency_policy; mdadm --readwrite {path}"
_IS_JOURNAL = "test $(cat $(sys /dev/md127)/dev-$(md $5)/state) = journal"
_READS_BACK = "mount /dev/md/a /srv/a; sha1sum --check --quiet /root/sum"
_SLOW = "echo 500 > /proc/sys/dev/raid/speed_limit_max; echo 100 > /proc/sys/dev/raid/speed_limit_min\n"
_FAST = "echo 400000 > /proc/sys/dev/raid/speed_limit_max; echo 300000 > /proc/sys/dev/raid/speed_limit_min"
_GROWING = f"{_RAID5}{_SLOW}mdadm /dev/md/a --add $5; mdadm --grow /dev/md/a -n5 --backup-file=/root/backup; sleep 1\n"
_WHOLE = "idle /dev/md/a; test $(cat $(sys /dev/md/a)/degraded) = 0"
_FIVE = "test $(cat $(sys /dev/md/a)/raid_disks) = 5; test $(cat $(sys /dev/md/a)/degraded) = 0"
_IN = "test -d $(sys /dev/md/a)/dev-$(md {})"
_IMSM = "mdadm -CR /dev/md/box -e imsm -n3 $1 $2 $3; mdadm -CR /dev/md/a -l5 -n3 -c64 /dev/md/box --assume-clean\n"
_DDF = "mdadm -CR /dev/md/box -e ddf -n4 $1 $2 $3 $4; mdadm -CR /dev/md/a -l5 -n4 -c64 /dev/md/box --assume-clean\n"

WAYS = (
    # Members that failed, or are missing.
    Way(
        name="degraded, a blank disk",
        code="array-degraded",
        make=f"{_RAID5}mdadm /dev/md/a -f $2; mdadm /dev/md/a --remove $2",
        lines=("raidtui replace {md}",),
        holds=_WHOLE,
    ),
    Way(
        name="degraded, the failed member attached",
        code="array-degraded",
        make=f"{_RAID6}mdadm /dev/md/a -f $2",
        lines=("raidtui replace {md}",),
        holds=f"{_WHOLE}; ! {_IN.format('$2')}",
    ),
    Way(
        name="failed, a spare took over",
        code="member-faulty",
        make=f"{_RAID6}mdadm /dev/md/a --add-spare $5; mdadm /dev/md/a -f $2; sleep 0.5; idle /dev/md/a",
        lines=("mdadm {path} --remove {2}", "raidtui extend {md} spare DISK"),
        fills={"DISK": "LAB0006"},
        holds=f"{_WHOLE}; {_IN.format('$6')}; ! {_IN.format('$2')}",
    ),
    Way(
        name="failed, the mirror was made smaller",
        code="member-faulty",
        make="mdadm -CR /dev/md/a -l1 -n3 --bitmap=none --assume-clean $1 $2 $3; mdadm /dev/md/a -f $3; "
        "mdadm -G /dev/md/a -n2",
        lines=("mdadm {path} --remove {3}",),
        holds=_WHOLE,
    ),
    Way(
        name="bad blocks on a member",
        code="bad-blocks",
        make=f"{_RAID5}echo 2048 8 > $(sys /dev/md/a)/dev-$(md $2)/bad_blocks",
        lines=("mdadm --examine-badblocks {2}", "raidtui replace {md} --member {vd2}"),
    ),
    Way(
        name="a member to be replaced",
        code="member-errors",
        make=f"{_RAID5}echo want_replacement > $(sys /dev/md/a)/dev-$(md $2)/state",
        lines=("raidtui replace {md} --member {vd2}",),
        holds=_WHOLE,
    ),
    # Devices that are not in their array.
    Way(
        name="dropped, of the same content, with a bitmap",
        code="member-dropped",
        make=f"{_RAID5_BITMAP}{_STOP}mdadm -A -o --run /dev/md/a $1 $2 $3",
        before="mdadm --readwrite /dev/md/a",
        lines=("mdadm {path} --re-add {4}",),
        holds=_WHOLE,
    ),
    Way(
        name="dropped, of the same content, without a bitmap",
        code="member-dropped",
        make=f"{_RAID5}{_STOP}mdadm -A -o --run /dev/md/a $1 $2 $3",
        before="mdadm --readwrite /dev/md/a; yes | head -c 1M > /dev/md/a; sync; sleep 1",
        lines=("mdadm --zero-superblock {4}", "mdadm {path} --add {4}"),
        holds=_WHOLE,
    ),
    Way(
        name="a spare that was left out",
        code="member-dropped",
        make=f"{_RAID5}mdadm /dev/md/a --add-spare $5; {_STOP}mdadm -A /dev/md/a $1 $2 $3 $4",
        lines=("mdadm {path} --add {5}",),
        holds=_IN.format("$5"),
    ),
    Way(
        name="a member that was copied to another disk",
        code="member-dropped",
        make=f"{_RAID1}mdadm /dev/md/a --add-spare $3; mdadm /dev/md/a --replace $1; sleep 0.5; idle /dev/md/a; "
        "mdadm /dev/md/a --remove $1; yes new | head -c 1M > /dev/md/a; sync; sleep 1",
        lines=("mdadm --zero-superblock {1}",),
    ),
    Way(
        name="members that came too late",
        code="member-dropped",
        make=f"{_RAID5}{_STOP}mdadm -I $1; mdadm -I $2; udevadm settle",
        lines=("mdadm --stop {path}", "mdadm --assemble --scan"),
        holds="test $(cat $(sys /dev/md127)/degraded) = 0",
    ),
    Way(
        name="a journal that was left out",
        code="member-dropped",
        make=f"{_JOURNAL}umount /srv/a; {_STOP}mdadm -A --force /dev/md/a $1 $2 $3",
        lines=("mdadm --stop {path}", "mdadm --assemble --scan"),
        holds="test $(cat $(sys /dev/md/a)/array_state) != readonly",
    ),
    # Journals.
    Way(
        name="journal failed",
        code="journal-lost",
        make=f"{_JOURNAL}mdadm /dev/md/a -f $4",
        before="umount /srv/a",
        lines=("mdadm {path} --remove {4}", "mdadm --readonly {path}", "mdadm {path} --add-journal DISK"),
        fills={"DISK": "{5}"},
        holds="test $(cat $(sys /dev/md/a)/array_state) != readonly; mount /dev/md/a /srv/a",
    ),
    Way(
        name="journal missing at the start",
        code="journal-lost",
        fills={"DISK": "{5}"},
        make=f"{_LOST_JOURNAL}mdadm -A --force /dev/md/a $1 $2 $3",
        lines=("mdadm {path} --add-journal DISK",),
        holds="test $(cat $(sys /dev/md/a)/array_state) != readonly",
    ),
    Way(
        name="journal missing, replaced",
        code="journal-lost",
        make=f"{_LOST_JOURNAL}mdadm -A --force /dev/md/a $1 $2 $3",
        lines=("mdadm {path} --add-journal DISK",),
        fills={"DISK": "{4}"},
    ),
    Way(
        name="journal missing, not started",
        code="array-down",
        make=f"{_LOST_JOURNAL}for e in $1 $2 $3; do mdadm -I $e; done",
        lines=("mdadm --stop {path}; mdadm --assemble {path} --force --uuid={uuid}", "mdadm {path} --add-journal DISK"),
        fills={"DISK": "{5}"},
    ),
    Way(
        name="journal failed, no disk for another",
        code="journal-lost",
        make=f"{_JOURNAL}mdadm /dev/md/a -f $4",
        before="umount /srv/a",
        lines=("mdadm {path} --remove {4}", "mdadm --readonly {path}", _WITHOUT_JOURNAL),
        holds="test $(cat $(sys /dev/md/a)/consistency_policy) = resync; mount /dev/md/a /srv/a; touch /srv/a/f; sync",
    ),
    Way(
        name="journal missing at the start, no disk for another",
        code="journal-lost",
        make=f"{_LOST_JOURNAL}mdadm -A --force /dev/md/a $1 $2 $3",
        lines=(_WITHOUT_JOURNAL,),
        holds=f"{_STOP}mdadm -A --scan; test $(cat $(sys /dev/md127)/array_state) = clean",
    ),
    Way(
        name="the journal of before",
        code="member-dropped",
        make=f"{_JOURNAL}{_READ_ONLY}mdadm /dev/md/a -f $4; mdadm /dev/md/a --remove $4; "
        "mdadm /dev/md/a --add-journal $5",
        lines=("mdadm --zero-superblock {4}",),
        holds=f"{_STOP}mdadm -A --scan; {_IS_JOURNAL}",
    ),
    Way(
        name="the journal of an array without one",
        code="member-dropped",
        make=f"{_JOURNAL}{_READ_ONLY}mdadm /dev/md/a -f $4; mdadm /dev/md/a --remove $4; "
        "echo resync > $(sys /dev/md/a)/consistency_policy; mdadm --readwrite /dev/md/a",
        lines=("mdadm --zero-superblock {4}",),
    ),
    Way(
        name="a journal that works, exchanged",
        make=f"{_JOURNAL}{_FILLED}{_READ_ONLY}",
        lines=("raidtui replace {md} --member {vd4} --with {vd5}",),
        holds=f"{_IS_JOURNAL}; {_READS_BACK}; ! mdadm --examine $4",
    ),
    Way(
        name="a journal in write-back mode, exchanged",
        make=f"{_JOURNAL}echo write-back > $(sys /dev/md/a)/journal_mode\n{_FILLED}{_READ_ONLY}",
        lines=("raidtui replace {md} --member {vd4} --with {vd5}",),
        holds=f"{_IS_JOURNAL}; {_READS_BACK}; ! mdadm --examine $4",
    ),
    Way(
        name="a journal that failed, read-only, exchanged",
        make=f"{_JOURNAL}{_READ_ONLY}mdadm /dev/md/a -f $4",
        lines=("raidtui replace {md} --with {vd5}",),
        holds=_IS_JOURNAL,
    ),
    # What waits.
    Way(
        name="read-only",
        code="array-read-only",
        make=f"{_RAID1}udevadm settle; mdadm -o /dev/md/a",
        lines=("mdadm --readwrite /dev/{md}",),
    ),
    Way(
        name="a sync that waits for the first write",
        code="sync-pending",
        make=f"{_SLOW}mdadm -CR /dev/md/a -l1 -n2 --bitmap=none $1 $2; {_STOP}{_FAST}; "
        "echo 1 > /sys/module/md_mod/parameters/start_ro; mdadm -A /dev/md/a $1 $2",
        lines=("mdadm --readwrite /dev/{md}",),
        holds="idle /dev/md/a",
    ),
    Way(
        name="a rebuild that is frozen",
        code="array-degraded",
        make=f"{_RAID5}mdadm /dev/md/a -f $2; mdadm /dev/md/a --remove $2; echo frozen > $(sys /dev/md/a)/sync_action; "
        "mdadm /dev/md/a --add-spare $5",
        lines=("echo idle > /sys/block/{md}/md/sync_action",),
        holds=_WHOLE,
    ),
    Way(
        name="degraded and read-only",
        code="array-degraded",
        make=f"{_RAID5}mdadm /dev/md/a --add-spare $5; udevadm settle; mdadm -o /dev/md/a; mdadm /dev/md/a -f $2",
        lines=("mdadm --readwrite /dev/{md}",),
        holds=_WHOLE,
    ),
    # Reshapes.
    Way(
        name="a reshape that is frozen",
        code="reshape-halted",
        make=f"{_GROWING}echo frozen > $(sys /dev/md/a)/sync_action; sleep 0.5; {_FAST}",
        lines=("echo idle > /sys/block/{md}/md/sync_action",),
        holds=f"idle /dev/md/a; {_FIVE}",
    ),
    Way(
        name="a reshape that was stopped",
        code="array-stopped",
        make=f"{_GROWING}{_STOP}{_FAST}",
        lines=("mdadm --assemble --scan",),
        holds="sleep 1; idle /dev/md127; test $(cat $(sys /dev/md127)/raid_disks) = 5",
    ),
    Way(
        name="a reshape, started read-only",
        code="reshape-halted",
        make=f"{_GROWING}{_STOP}{_FAST}; mdadm -A -o /dev/md/a $1 $2 $3 $4 $5",
        lines=("mdadm --readwrite /dev/{md}",),
        holds=f"sleep 1; idle /dev/md/a; {_FIVE}",
    ),
    Way(
        name="a reshape that was stopped, by raidtui arrays",
        code="reshape-interrupted",
        asks="arrays",
        make=f"{_GROWING}{_STOP}{_FAST}",
        lines=("mdadm --assemble /dev/md/NAME --backup-file=FILE {1} {2} {3} {4} {5}",),
        fills={"NAME": "a", "FILE": "/root/backup"},
        holds=f"sleep 1; idle /dev/md/a; {_FIVE}",
    ),
    # What does not run.
    Way(
        name="stopped",
        code="array-stopped",
        make=f"{_RAID5}{_STOP}",
        lines=("mdadm --assemble --scan",),
        holds="test $(cat $(sys /dev/md127)/degraded) = 0",
    ),
    Way(
        name="inactive, these suffice",
        code="array-down",
        make=f"{_RAID5}{_STOP}dd if=/dev/zero of=$4 bs=1M count=8; for e in $1 $2 $3; do mdadm -I $e; done",
        lines=("mdadm --run {path}",),
        holds="test $(cat $(sys /dev/md127)/degraded) = 1",
    ),
    Way(
        name="stopped, these suffice",
        code="array-down",
        make=f"{_RAID5}{_STOP}dd if=/dev/zero of=$4 bs=1M count=8",
        lines=("mdadm --assemble /dev/md/NAME --run --uuid={uuid}",),
        fills={"NAME": "a"},
        holds="test $(cat $(sys /dev/md127)/degraded) = 1",
    ),
    Way(
        name="inactive, all members",
        code="array-down",
        make=f"{_RAID5}udevadm settle; sleep 1; echo inactive > $(sys /dev/md/a)/array_state",
        lines=("mdadm --run {path}",),
        holds="test $(cat $(sys /dev/md/a)/degraded) = 0",
    ),
    Way(
        name="a mirror whose last copy had an error",
        code="array-down",
        make=f"{_RAID1}mdadm /dev/md/a -f $2; mdadm /dev/md/a --remove $2; "
        "echo faulty > $(sys /dev/md/a)/dev-$(md $1)/state || true; "
        "echo -n -write_error > $(sys /dev/md/a)/dev-$(md $1)/state || true; "
        "test $(cat $(sys /dev/md/a)/array_state) = broken",
        lines=("mdadm --stop {path}; mdadm --assemble {path} --run --uuid={uuid}",),
    ),
    Way(
        name="stopped, by raidtui arrays",
        code="array-not-started",
        asks="arrays",
        make=f"{_RAID5}{_STOP}",
        lines=("mdadm --assemble /dev/md/NAME --uuid={uuid}",),
        fills={"NAME": "a"},
        holds=_WHOLE,
    ),
    Way(
        name="stopped, these suffice, by raidtui arrays",
        code="array-incomplete",
        asks="arrays",
        make=f"{_RAID5}{_STOP}dd if=/dev/zero of=$4 bs=1M count=8; udevadm settle",
        lines=("mdadm --assemble /dev/md/NAME --run --uuid={uuid}",),
        fills={"NAME": "a"},
        holds="test $(cat $(sys /dev/md/a)/degraded) = 1",
    ),
    Way(
        name="stopped without its journal, by raidtui arrays",
        code="journal-missing",
        asks="arrays",
        make=f"{_LOST_JOURNAL}udevadm settle",
        lines=("mdadm --assemble /dev/md/NAME --force --uuid={uuid}", "mdadm /dev/md/NAME --add-journal DISK"),
        fills={"NAME": "a", "DISK": "{5}"},
        holds="test $(cat $(sys /dev/md/a)/array_state) != readonly",
    ),
    # Containers.
    Way(
        name="DDF, stopped",
        code="array-stopped",
        make=f"{_DDF}mdadm -Ss; udevadm settle; mdadm -Ss",
        lines=("mdadm --assemble --scan",),
    ),
    Way(
        name="IMSM, a member failed",
        code="array-degraded",
        make=f"{_IMSM}mdadm /dev/md/a -f $2; sleep 2",
        lines=("mdadm /dev/md127 --add DISK",),
        fills={"DISK": "{5}"},
    ),
    # Names, metadata, bitmaps, spares.
    Way(
        name="not in mdadm.conf",
        code="not-in-conf",
        make=_RAID1,
        lines=("mdadm --detail --brief /dev/{md}",),
        then="mdadm --detail --brief /dev/md/a >> /etc/mdadm/mdadm.conf",
    ),
    Way(
        name="made for another host",
        code="array-foreign",
        make="mdadm -CR /dev/md/a --homehost=elsewhere -l1 -n2 --bitmap=none --assume-clean $1 $2",
        lines=("mdadm --stop {path}; mdadm --assemble {path} --update=homehost --uuid={uuid}",),
    ),
    Way(
        name="two arrays of one name",
        code="name-twice",
        make=f"{_RAID1}{_STOP}mdadm -CR /dev/md/a -l1 -n2 --bitmap=none --assume-clean $3 $4",
        lines=("mdadm --assemble /dev/md/NEW --update=name --name=NEW --uuid={last}",),
        fills={"NEW": "new"},
    ),
    Way(
        name="metadata 0.90",
        code="metadata-old",
        make="mdadm -CR /dev/md9 -e 0.90 -l1 -n2 --bitmap=none --assume-clean $1 $2",
        lines=("mdadm --stop {path}; mdadm --assemble {path} --update=metadata --uuid={uuid}",),
    ),
    Way(
        name="no bitmap on large members",
        code="no-bitmap",
        make="mdadm -CR /dev/md/a -l1 -n2 --bitmap=none --assume-clean $9 ${10}",
        lines=("mdadm --grow --bitmap=internal /dev/{md}",),
    ),
    Way(
        name="no spare",
        code="no-spare",
        make="mdadm -CR /dev/md/a -l6 -n6 -c64 --bitmap=none --assume-clean $1 $2 $3 $4 $5 $6",
        lines=("mdadm /dev/{md} --add-spare DISK",),
        fills={"DISK": "{7}"},
    ),
    Way(
        name="copies that differ",
        code="mismatches",
        make=f"{_RAID5}dd if=/dev/urandom of=$2 bs=1M seek=100 count=1 conv=fsync; "
        "echo check > $(sys /dev/md/a)/sync_action; "
        "sleep 0.5; idle /dev/md/a",
        lines=("echo check > /sys/block/{md}/md/sync_action",),
        refuses="exit 0",
    ),
    # What stands on it.
    Way(
        name="XFS of another stripe",
        code="stripe-geometry",
        make="mdadm -CR /dev/md/a -l5 -n3 -c64 --bitmap=none --size=2G --assume-clean $9 ${10} missing\n"
        "mkfs.xfs -q -K -d su=16k,sw=2,agsize=1g /dev/md/a; mkdir -p /srv/a; mount /dev/md/a /srv/a",
        lines=("umount /srv/a; mount -o sunit=128,swidth=256 /dev/{md} /srv/a",),
    ),
    Way(
        name="ext4 of another stripe",
        code="stripe-geometry",
        make=f"{_RAID5}mkfs.ext4 -q -E nodiscard,stride=4,stripe_width=8 /dev/md/a; "
        "mkdir -p /srv/a; mount /dev/md/a /srv/a",
        lines=("tune2fs -E stride=16,stripe_width=48 /dev/{md}",),
        then="umount /srv/a; mount /dev/md/a /srv/a",
    ),
    Way(
        name="read-ahead below a stripe",
        code="read-ahead",
        make=f"{_RAID5}blockdev --setra 128 /dev/md/a",
        lines=("blockdev --setra 768 /dev/{md}",),
    ),
    Way(
        name="a stripe cache of few chunks",
        code="stripe-cache",
        make="mdadm -CR /dev/md/a -l5 -n4 -c1024 --bitmap=none --assume-clean $1 $2 $3 $4",
        lines=("echo 1024 > /sys/block/{md}/md/stripe_cache_size",),
    ),
    # What replace and extend say.
    Way(
        name="grow: limited by --array-size",
        code="array-limited",
        asks="extend a grow",
        make=f"{_SMALL}mdadm -G /dev/md/a --array-size=100M",
        lines=("mdadm --grow /dev/{md} --array-size=max",),
        then="raidtui extend a grow",
        holds="test $(cat /sys/block/$(md /dev/md/a)/size) -gt 800000",
    ),
    Way(
        name="grow: read-only",
        code="array-read-only",
        asks="extend a grow",
        make=f"{_SMALL}udevadm settle; mdadm -o /dev/md/a",
        lines=("mdadm --readwrite /dev/{md}",),
    ),
    Way(
        name="grow: degraded",
        code="array-degraded",
        asks="extend a grow",
        make=f"{_SMALL}mdadm /dev/md/a -f $2",
        lines=("raidtui replace {md}",),
        holds=_WHOLE,
    ),
    Way(
        name="bitmap: the journal is lost",
        code="journal-lost",
        asks="extend a bitmap none",
        make=f"{_LOST_JOURNAL}mdadm -A --force /dev/md/a $1 $2 $3",
        lines=("raidtui replace {md} --with DISK",),
        fills={"DISK": "LAB0005"},
        holds="test $(cat $(sys /dev/md/a)/array_state) != readonly",
    ),
    Way(
        name="replace: auto-read-only",
        code="array-read-only",
        asks="replace a --with LAB0005",
        make=f"{_RAID5}mdadm /dev/md/a -f $2; mdadm /dev/md/a --remove $2; {_STOP}"
        "echo 1 > /sys/module/md_mod/parameters/start_ro; mdadm -A --run /dev/md/a $1 $3 $4; "
        "test $(cat $(sys /dev/md/a)/array_state) = read-auto",
        lines=("mdadm --readwrite /dev/{md}",),
    ),
    Way(
        name="replace: the journal is not read-only",
        code="journal-needs-read-only",
        asks="replace a --with LAB0005",
        make=f"{_JOURNAL}mdadm /dev/md/a -f $4",
        before="umount /srv/a",
        lines=("mdadm /dev/{md} --remove {4}", "mdadm --readonly /dev/{md}"),
    ),
    Way(
        name="replace: metadata of a container",
        code="external-metadata",
        asks="replace a --with LAB0005",
        make=f"{_IMSM}mdadm /dev/md/a -f $2; sleep 2",
        lines=("mdadm /dev/md127 --add DISK",),
        fills={"DISK": "{5}"},
        refuses="exit 0",
        holds="sleep 1; idle /dev/md/a; test $(cat $(sys /dev/md/a)/degraded) = 0",
    ),
    Way(
        name="replace: the new disk works already",
        code="nothing-to-replace",
        asks="replace a --with LAB0002",
        make=_RAID1,
        lines=("mdadm --misc --action=check /dev/{md}",),
        refuses="exit 0",
    ),
    Way(
        name="spare: members are partitions",
        code="spare-needs-table",
        asks="extend a spare LAB0005",
        make=_PARTITIONS,
        lines=(
            "sfdisk --dump /dev/{vd1} | sed -e '/label-id/d' -e '/lba/d' -e 's/ uuid=[^,]*,//' | sfdisk NEW; "
            "udevadm settle; mdadm /dev/{md} --add-spare NEW-part1",
        ),
        fills={"NEW": "{5}"},
        refuses="exit 0",
        holds=_IN.format("$5-part1"),
    ),
    Way(
        name="reshape: what is on it grows after it",
        code="grows-after",
        asks="extend a reshape '(4+1)'",
        make=f"{_RAID5}mkfs.ext4 -q -E nodiscard /dev/md/a; mkdir -p /srv/a; mount /dev/md/a /srv/a",
        before="raidtui extend a reshape '(4+1)'",
        lines=("raidtui extend {md} grow",),
        refuses="exit 0",
        holds="test $(df --output=size /srv/a | tail -1) -gt 580000",
    ),
    Way(
        name="replace: write-mostly",
        code="write-mostly-by-hand",
        asks="replace a --member LAB0002 --with LAB0003",
        make="mdadm -CR /dev/md/a -l1 -n2 --bitmap=none --assume-clean --failfast $1 --write-mostly $2",
        before="raidtui replace a --member LAB0002 --with LAB0003",
        lines=("echo writemostly > /sys/block/{md}/md/dev-{vd3}/state",),
        refuses="exit 0",
        holds=f"{_WHOLE}; grep -q failfast $(sys /dev/md/a)/dev-$(md $3)/state; "
        "mdadm --examine $3 | grep -q 'Flags : write-mostly failfast'",
    ),
    Way(
        name="replace: frozen",
        code="array-frozen",
        asks="replace a --with LAB0005",
        make=f"{_RAID5}mdadm /dev/md/a -f $2; mdadm /dev/md/a --remove $2; echo frozen > $(sys /dev/md/a)/sync_action",
        lines=("echo idle > /sys/block/{md}/md/sync_action",),
    ),
    Way(
        name="grow: a sync waits for the first write",
        code="array-syncing",
        asks="extend a grow",
        make=f"{_SLOW}mdadm -CR /dev/md/a -l1 -n2 --bitmap=none --size=64M $1 $2; {_STOP}{_FAST}; "
        "echo 1 > /sys/module/md_mod/parameters/start_ro; mdadm -A /dev/md/a $1 $2",
        lines=("mdadm --readwrite /dev/{md}",),
    ),
    # What they list to do.
    Way(
        name="a member that works is copied",
        make=_RAID5,
        lines=("raidtui replace a --member {vd2} --with LAB0005",),
        holds=f"{_WHOLE}; {_IN.format('$5')}; ! {_IN.format('$2')}; ! mdadm --examine $2",
    ),
    Way(
        name="a member is copied onto the spare that the disk is",
        make=f"{_RAID5}mdadm /dev/md/a --add-spare $5",
        lines=("raidtui replace a --member {vd2} --with LAB0005",),
        holds=f"{_WHOLE}; {_IN.format('$5')}; ! {_IN.format('$2')}",
    ),
    Way(
        name="a spare took over, the failed disk goes",
        make=f"{_RAID5}mdadm /dev/md/a --add-spare $5; mdadm /dev/md/a -f $2; sleep 0.5; idle /dev/md/a",
        lines=("raidtui replace a --with LAB0006",),
        holds=f"{_WHOLE}; {_IN.format('$6')}; ! {_IN.format('$2')}; ! mdadm --examine $2",
    ),
    Way(
        name="a member was dropped and is plugged in",
        make=f"{_RAID5}mdadm /dev/md/a -f $2; mdadm /dev/md/a --remove $2",
        lines=("raidtui replace a --with LAB0005",),
        holds=f"{_WHOLE}; {_IN.format('$5')}",
    ),
    Way(
        name="members that are partitions",
        make=_PARTITIONS,
        lines=("raidtui replace a --member {vd2} --with LAB0005",),
        holds=f"{_WHOLE}; {_IN.format('$5-part1')}; ! {_IN.format('$2-part1')}",
    ),
    Way(
        name="grow with a partial parity log",
        make="mdadm -CR /dev/md/a -l5 -n4 -c64 --consistency-policy=ppl --size=64M $1 $2 $3 $4; idle /dev/md/a",
        lines=("raidtui extend a grow",),
        holds="test $(cat /sys/block/$(md /dev/md/a)/size) -gt 800000; "
        "test $(cat $(sys /dev/md/a)/consistency_policy) = ppl",
    ),
    Way(
        name="grow with a file system",
        make="mdadm -CR /dev/md/a -l6 -n4 -c64 --bitmap=internal --size=64M --assume-clean $1 $2 $3 $4\n"
        "mkfs.xfs -q -K /dev/md/a || mkfs.ext4 -q -E nodiscard /dev/md/a; mkdir -p /srv/a; mount /dev/md/a /srv/a",
        lines=("raidtui extend a grow",),
        holds="test $(df --output=size /srv/a | tail -1) -gt 250000",
    ),
    Way(
        name="another bitmap",
        make=_RAID5_BITMAP,
        lines=("raidtui extend a bitmap 128M",),
        holds="test $(cat $(sys /dev/md/a)/bitmap/chunksize) = 134217728",
    ),
    Way(
        name="another level with a further member",
        make=_RAID5,
        lines=("raidtui extend a reshape '(3+2)'",),
        holds="sleep 1; idle /dev/md/a; test $(cat $(sys /dev/md/a)/level) = raid6",
    ),
    Way(
        name="a further copy of a mirror",
        make=_RAID1,
        lines=("raidtui extend a reshape 'raid1(3)'",),
        holds=f"sleep 1; {_WHOLE}; test $(cat $(sys /dev/md/a)/raid_disks) = 3",
    ),
)

NOT_TYPED = {
    "error-recovery": "a lab disk has no device/timeout and answers no smartctl",
    "member-misaligned": "physical sectors of a lab disk are as large as its logical ones",
    "member-stale": "asks to start each side read-only and to compare files: no command of one outcome",
    "new-unmapped": "NAME is what somebody opened; it was typed by hand with the commands of `raidtui help luks`",
    "spare-moved": "names mdadm --monitor as what moves spares by itself",
}
"""codes whose way out holds a command that is not typed here, with the reason"""
