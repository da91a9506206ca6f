"""Options of a design and its plan: members, file system, names, what disks are told, the host that builds."""

from __future__ import annotations

from dataclasses import replace

from raidtui.model.choices import BITMAPS, FILE_SYSTEMS, FIRST_SYNCS, INITRAMFS, METADATA, SCHEDULERS, STACKS
from raidtui.model.options.option import BINARY_SIZE, COUNT, DECIMAL_SIZE, FLAG, RATE, WORD, Option, TextForm, not_empty
from raidtui.model.ranges import MOST_QUEUE_DEPTH, MOST_THREADS
from raidtui.model.target import parse_release


def _directory(path: str) -> str:
    """`path` without the slashes at its end, which the shell completes."""
    return path.rstrip("/") or path


_LIST = TextForm("LIST", str, str)
_VERSION = TextForm("VERSION", parse_release, str)
_OF_TARGET = "Findings depend on it, and before it writes anything the build compares it with what it finds."

TUNED = (
    Option(
        key="stripe_cache", field="design.stripe_cache_pages", title="Stripe cache", kind=COUNT, unit="pages",
        range=(17, 32768),
        sentence="stripe_cache_size of RAID4, RAID5 and RAID6, in pages of each member, kept over reboots",
        otherwise="sixteen rows of chunks, 1024 to 8192", more="md's own default is 256: 1 MiB of each member.",
    ),
    Option(
        key="parity_threads", field="design.parity_threads", title="md threads", kind=COUNT,
        range=(0, MOST_THREADS),
        sentence="threads that write each parity array (md's group_thread_cnt), kept over reboots",
        otherwise="0, one thread",
        more="0 is the kernel's default.",
    ),
    Option(
        key="sync_max", field="design.sync_max_bytes_per_s", title="Sync limit", kind=RATE, unit="per member",
        range=(1_000_000, 100_000_000_000),
        example="400MB/s",
        sentence="limit of the sync rate of a member (md's sync_speed_max), kept over reboots", otherwise="204.8MB/s",
        more="The kernel's default is 200000 KiB/s, below what newer disks reach.",
    ),
    Option(
        key="sync_min", field="design.sync_min_bytes_per_s", title="Sync floor", kind=RATE, unit="per member",
        range=(1_024_000, 100_000_000_000), example="50MB/s",
        sentence="sync rate of a member beside other load (md's sync_speed_min), kept over reboots",
        otherwise="10.24MB/s", more="The kernel's default is 1000 KiB/s: a rebuild starves under load.",
    ),
)  # fmt: skip
"""what the kernel is told of arrays; the models assume the same"""
MEMBERS = (
    Option(
        key="metadata", field="design.metadata", title="Metadata", kind=WORD, choices=METADATA,
        sentence="version of the md superblock", otherwise="1.2",
        more="1.2 is near the start of each member, 1.0 at its end; 0.90 is the old format at the end, which supports "
        "neither large arrays nor many members.",
    ),
    Option(
        key="bitmap", field="design.bitmap", title="Bitmap", kind=WORD, choices=BITMAPS,
        sentence="write-intent bitmap, by which md resyncs only marked regions after a crash",
        otherwise="auto, internal on members over 100 GiB",
        more="auto: internal above 100 GiB per member. ppl (RAID5) keeps a partial parity log instead, which also "
        "closes the write hole.",
    ),
    Option(
        key="bitmap_chunk", field="design.bitmap_chunk_bytes", title="Bitmap unit", kind=BINARY_SIZE, example="256M",
        sentence="bytes of member per bit of the write-intent bitmap", otherwise="mdadm's, 64M or more",
        more="Larger costs fewer writes of the bitmap, and longer resyncs after a crash.",
    ),
    *TUNED,
    Option(
        key="data_offset", field="design.data_offset_bytes", title="Data offset", kind=BINARY_SIZE, example="1M",
        sentence="where data starts on every member", otherwise="mdadm's, up to 129M",
    ),
    Option(
        key="member_size", field="design.member_bytes", title="Member size", kind=DECIMAL_SIZE, example="1.99TB",
        sentence="most that md uses of each whole disk, so that a replacement of this size fits",
        otherwise="all of the smallest disk",
        more="Metadata is in it; mdadm gets what is left as --size. Disks of one advertised capacity differ in size "
        "unless they follow SFF-8447.",
    ),
    Option(
        key="consistency_policy", field="design.ppl", title="Policy", kind=WORD, choices=("ppl",),
        sentence="partial parity log in place of the bitmap (RAID5)", otherwise="none",
    ),
    Option(
        key="members", field="design.partitions", title="Members", kind=WORD, choices=("disks", "partitions"),
        sentence="what becomes a member: the whole disk, or one GPT partition on each disk", otherwise="disks",
    ),
    Option(
        key="partition_size", field="design.partitions", title="Part. size", kind=DECIMAL_SIZE,
        sentence="size of each partition, so that a smaller replacement fits; implies members on partitions",
        otherwise="all of a disk",
    ),
)  # fmt: skip
"""what md writes on which devices"""
STACK = Option(
    key="stack", field="design.stack", title="Stack", kind=WORD, choices=STACKS,
    sentence="how several arrays become one volume", otherwise="lvm",
    more="lvm stripes a logical volume over them, md puts a RAID0 over them, separate gives each its own file system.",
)  # fmt: skip
FORMAT = (
    Option(
        key="chunk", field="design.chunk_bytes", title="Chunk", kind=BINARY_SIZE, example="256K",
        sentence="bytes written to one member before the next", otherwise="512K",
        more="Chunk times data disks is the full stripe; on parity levels a smaller write must read first.",
    ),
    STACK,
    Option(
        key="fs", field="design.fs", title="File system", kind=WORD, choices=FILE_SYSTEMS,
        sentence="file system that mkfs creates on the volume", otherwise="xfs",
        more="mkfs gets the real stripe as options, because the kernel reports a wrong one through a stack of devices.",
    ),
    Option(
        key="mkfs", field="design.fs_options", title="mkfs", kind=_LIST,
        example="inode=1K,log=1G or reserved=1%,inodes=4000000",
        sentence="options of mkfs beyond the stripe: raidtui help mkfs lists all",
        otherwise="mkfs's own",
    ),
    Option(
        key="mount_options", field="design.fs_options", title="Mount opts", kind=_LIST,
        example="pquota,largeio or data=ordered,commit=30",
        sentence="options of mount", otherwise="none",
        more="Each is checked against a table, and its cost becomes a finding.",
    ),
    Option(
        key="benchmark_follows", field="design.fs_options", title="Lazy init", kind=FLAG,
        choices=("by kernel", "by mkfs"),
        sentence="whether mkfs.ext4 writes inode tables and journal itself, so that a benchmark can follow at once",
        otherwise="by kernel",
        more="By kernel: a thread does so after the mount, and lowers the rates of a benchmark.",
    ),
)  # fmt: skip
"""what is on the arrays"""
NAMES = (
    Option(
        key="name", field="plan_name", title="Name", kind=TextForm("NAME", str, str),
        sentence="base name of the arrays, the volume group and the labels", otherwise="data",
    ),
    Option(
        key="mount", field="mount_point", title="Mount", kind=TextForm("DIR", _directory, str),
        sentence="directory where the file system is mounted", otherwise="/srv/NAME",
    ),
    Option(
        key="mail", field="alert.mail", title="Alert mail", kind=TextForm("ADDRESS", not_empty, str),
        sentence="who gets mdadm's alerts of a failed disk (MAILADDR of mdadm.conf)", otherwise="root",
    ),
    Option(
        key="alert_program", field="alert.program", title="Alert prog.", kind=TextForm("PATH", not_empty, str),
        sentence="what mdadm starts for an alert, with event, array and member (PROGRAM of mdadm.conf)",
        otherwise="none",
    ),
)  # fmt: skip
DISKS = (
    Option(
        key="read_ahead", field="design.read_ahead_bytes", title="Read-ahead", kind=BINARY_SIZE, example="24M",
        sentence="how far the kernel reads ahead below the file system, kept over reboots",
        otherwise="two full stripes, 128 KiB to 64 MiB",
    ),
    Option(
        key="io_scheduler", field="design.io_scheduler", title="Scheduler", kind=WORD, choices=SCHEDULERS,
        sentence="I/O scheduler of every disk, kept over reboots", otherwise="unchanged",
    ),
    Option(
        key="queue_depth", field="design.queue_depth", title="Queue depth", kind=COUNT, range=(1, MOST_QUEUE_DEPTH),
        sentence="requests that every SATA or SAS disk is given at once, kept over reboots; SATA (NCQ): at most 32",
        otherwise="unchanged",
    ),
    Option(
        key="first_sync", field="design.first_sync", title="First sync", kind=WORD, choices=FIRST_SYNCS,
        sentence="how redundancy becomes true: by md's resync, or over zeroes that are written to all members first",
        otherwise="resync", more="zeroes needs drives with Write Zeroes, and leaves nothing to sync for hours.",
    ),
)  # fmt: skip
"""what disks are told"""
SPREAD = Option(
    key="spread", field="spread", title="Placement", kind=FLAG, choices=("in order", "spread"),
    sentence="whether the best-fitting disks are chosen and spread over enclosures, controllers and expanders, or they "
    "are used in the order of the inventory",
    otherwise="spread",
    more="Spread: the loss of an enclosure, a controller or an expander removes as few members of an array as "
    "possible, and slow or worn disks are spares.",
)  # fmt: skip
HOST = (
    Option(
        key="host", field="homehost", title="Host", kind=TextForm("HOST", str, str), in_recipes=False,
        sentence="homehost of the arrays: what `uname -n` prints on the machine that assembles them",
        otherwise="of these disks",
    ),
    Option(
        key="initramfs", field="initramfs", title="Initramfs", kind=WORD, choices=INITRAMFS,
        sentence="tool that rebuilds the initramfs of the host", otherwise="as found",
        more="debian: update-initramfs. As found: dracut where this machine has only that.",
    ),
)  # fmt: skip
INITRAMFS_OF_HOSTS = replace(HOST[1], otherwise="debian", more="debian: update-initramfs.")
"""of a recipe, which knows no host"""
TARGET = tuple(
    Option(
        key=key, field=f"design.target.{key}", title=title, kind=_VERSION, example=example, in_recipes=False,
        sentence=f"version of {program} on the server that builds", otherwise="as found", more=_OF_TARGET,
    )
    for key, title, program, example in (
        ("kernel", "Kernel", "the kernel", "6.1"), ("mdadm", "mdadm", "mdadm", "4.2"),
        ("xfsprogs", "xfsprogs", "mkfs.xfs", "6.1"), ("e2fsprogs", "e2fsprogs", "mkfs.ext4", "1.47"),
    )
)  # fmt: skip
"""versions of the machine that a plan is for; a recipe takes each host's own"""
PLANNED = (*MEMBERS, *FORMAT, *NAMES, *DISKS, SPREAD, *HOST, *TARGET)
"""all of them, in an order in which they can be set: a name before the directory that follows it, a file system before
its options"""
