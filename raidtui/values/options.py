"""An option, and the forms that its text can have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, make_dataclass, replace
from types import SimpleNamespace
from typing import Any, NamedTuple

from raidtui.values.choices import (
    BITMAPS,
    ENCRYPTED,
    FILE_SYSTEMS,
    FIRST_SYNCS,
    INITRAMFS,
    LEVELS,
    METADATA,
    OUTAGES,
    SCHEDULERS,
    STACKS,
    WISHES,
)
from raidtui.values.codec_rules import Value
from raidtui.values.notation import BinarySize, ByteRate, DecimalSize, Share
from raidtui.values.target import parse_release
from raidtui.values.units import (
    MIB,
    MOST_DISKS,
    MOST_QUEUE_DEPTH,
    MOST_THREADS,
    TIB,
    decimal_number,
    parse_binary_size,
    parse_rate,
    parse_share,
    parse_size,
    require_range,
    whole_number,
)

_WITH_UNIT = re.compile(r"(.*?)\s*([A-Za-z]*)")


def _words(text: str) -> tuple[str, ...]:
    """The words between commas, each once, in lower case."""
    return tuple(dict.fromkeys(word.strip().lower() for word in text.split(",") if word.strip()))


def not_empty(text: str) -> str:
    """`text`. Raises ValueError if it is empty."""
    if not text:
        raise ValueError("empty: leave it out")
    return text


class TextForm(NamedTuple):
    """The form of an option's text."""

    metavar: str
    """its name in --help"""
    read: Callable[[str], Any]
    """the value of a text; raises ValueError with the reason"""
    in_recipe: Callable[[Any], Any]
    """the type that recipes hold a value in"""


RATE = TextForm("RATE", parse_rate, ByteRate)
SHARE = TextForm("P", parse_share, Share)
BINARY_SIZE = TextForm("SIZE", parse_binary_size, BinarySize)
DECIMAL_SIZE = TextForm("SIZE", parse_size, DecimalSize)
COUNT = TextForm("N", whole_number, int)
NUMBER = TextForm("N", decimal_number, float)
WORD = TextForm("", str, str)
"""one of `Option.choices`"""
WORDS = TextForm("LIST", _words, tuple)
"""some of `Option.choices`, with commas"""
FLAG = TextForm("", bool, bool)
"""yes or no; `Option.choices` are the words of Design for False and True"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Option:
    """One option, as every surface shows and reads it."""

    key: str
    """its name: in recipes and in Design; on the command line with hyphens"""
    field: str
    """the field of `Decision` that holds its value: `assumptions.afr`"""
    title: str
    """of its line in Design, at most 12 characters"""
    kind: TextForm
    """how its text is read"""
    sentence: str
    """its meaning, without the full stop"""
    otherwise: str
    """what applies where it is left out: a text that it could have, then perhaps a comma and a remark; or what else
    decides"""
    example: str = ""
    """a text that it could have"""
    more: str = ""
    """sources and further reasons, for F1 in Design"""
    range: tuple[float, float] | None = None
    """least and most that its value may be"""
    unit: str = ""
    """what a number counts, or what a share is of"""
    choices: tuple[str, ...] = ()
    """words that it may be"""
    steps: tuple[float, ...] = ()
    """usual values, for the arrow keys"""
    in_recipes: bool = True
    """False: a recipe cannot state it, since each host has its own"""

    @property
    def flag(self) -> str:
        """Its name on the command line: `--restock-days`."""
        return f"--{self.key.replace('_', '-')}"

    @property
    def usual(self) -> str:
        """What applies where it is left out, without the remark."""
        return self.otherwise.partition(",")[0]

    @property
    def meaning(self) -> str:
        """Its sentence, with an example of a text that is more than a number or a word."""
        plain = not self.example or self.kind in (COUNT, NUMBER, WORD, WORDS)
        return self.sentence if plain else f"{self.sentence}, such as {self.example}"

    @property
    def help(self) -> str:
        """Its meaning for --help and man pages."""
        return f"{self.meaning} (default: {self.otherwise})"

    @property
    def schema_text(self) -> str:
        """Its meaning for the schema of recipes."""
        return f"{self.meaning}; left out: {self.otherwise}"

    @property
    def about(self) -> str:
        """Its meaning for F1 and the palette."""
        sentences = (f"{self.meaning[0].upper()}{self.meaning[1:]}.", self.more, f"Default: {self.otherwise}.")
        return " ".join(filter(None, sentences))

    def read(self, text: str) -> Any:
        """The value of `text`. Raises ValueError with the reason."""
        said = text.strip()
        if self.kind is NUMBER and (parts := _WITH_UNIT.fullmatch(said)) and self.unit.startswith(parts[2]):
            said = parts[1]
        value = self.kind.read(said)
        self.check(value)
        return value

    def check(self, value: Any) -> None:
        """Raises ValueError for a value that is out of range, or none of its words."""
        if self.kind in (WORD, WORDS):
            wrong = [word for word in ((value,) if self.kind is WORD else value) if word not in self.choices]
            if wrong or not value:
                raise ValueError(f"'{wrong[0] if wrong else ''}' is none of {', '.join(self.choices)}")
        if self.range is not None:
            require_range(value, *self.range, shown=self._shown)

    def _shown(self, value: float) -> str:
        return f"{value:g}" if self.kind is NUMBER else str(self.kind.in_recipe(value))


def made_of(name: str, text: str, options: Iterable[Option]) -> type:
    """A table of a recipe with a field for each of `options`, None where it is left out."""
    fields = [
        (
            option.key,
            f"{option.kind.in_recipe.__name__} | None",
            field(default=None, metadata={"description": option.schema_text}),  # pydantic's schema has it
        )
        for option in options
    ]
    space = {"__doc__": text, "__module__": __name__}
    return make_dataclass(name, fields, bases=(Value,), namespace=space, frozen=True, slots=True, kw_only=True)


# Options of the speed and risk models: what is assumed of disks and their use.


ASSUMPTIONS = (
    Option(
        key="disk_speed", field="assumptions.disk_bytes_per_s", title="Disk speed", kind=RATE, example="94MB/s",
        range=(100_000, 100_000_000_000),
        sentence="sequential rate of every disk at its outer zone", otherwise="as known",
        more="Known: from a measurement, the inventory, a table of drive families, or the disk's class.",
    ),
    Option(
        key="disk_write_speed", field="assumptions.disk_write_bytes_per_s", title="Disk writes", kind=RATE,
        range=(100_000, 100_000_000_000),
        sentence="sequential writing rate of every disk at its outer zone", otherwise="same as reading",
    ),
    Option(
        key="disk_iops", field="assumptions.disk_iops", title="Disk IOPS", kind=COUNT, range=(1, 100_000_000),
        sentence="random operations per second of every disk", otherwise="as known",
        more="Known: measured, from the table of families, or its class.",
    ),
    Option(
        key="link_ceiling", field="assumptions.link_bytes_per_s", title="Shared link", kind=RATE, example="750MB/s",
        range=(100_000, 10_000_000_000_000),
        sentence="rate of one link that all members share", otherwise="as found",
        more="As found: only the links in the inventory.",
    ),
    Option(
        key="memory", field="assumptions.memory_bytes_per_s", title="Memory", kind=RATE, example="40GB/s",
        range=(100_000_000, 100_000_000_000_000),
        sentence="memory bandwidth, reads and writes together", otherwise="estimated",
    ),
    Option(
        key="md_write", field="assumptions.md_write_bytes_per_s", title="md writes", kind=RATE, example="900MB/s",
        range=(10_000_000, 1_000_000_000_000),
        sentence="rate that md's thread of one parity array writes", otherwise="typical",
        more="Typical: 1.2 GB/s. raidtui bench finds it.",
    ),
    Option(
        key="cipher_rate", field="assumptions.cipher_bytes_per_s", title="Cipher rate", kind=RATE, example="8GB/s",
        range=(10_000_000, 1_000_000_000_000),
        sentence="rate at which all cores together encrypt a volume of --encrypt", otherwise="not counted",
        more="cryptsetup benchmark --cipher aes-xts-plain64 --key-size 512 shows that of one core.",
    ),
    Option(
        key="monitor", field="assumptions.monitor", title="Monitor", kind=FLAG, choices=("not", "runs"),
        sentence="whether mdadm --monitor runs, which the plan enables: without it no spare moves between arrays",
        otherwise="runs",
    ),
    Option(
        key="afr", field="assumptions.afr", title="AFR", kind=SHARE, unit="a year", range=(0.0001, 0.5),
        steps=(0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.1),
        sentence="failures per disk and year", otherwise="1.5%",
        more="Backblaze measured about 1.5 % over the years (Drive Stats, lifetime 1.4 to 1.6 %). Data sheets promise "
        "half of it; old disks and bad batches reach 4 % and more.",
    ),
    Option(
        key="ure", field="assumptions.ure_per_bit", title="URE", kind=SHARE, unit="per bit", range=(1e-20, 1e-12),
        steps=(1e-17, 1e-16, 3e-16, 1e-15, 1e-14),
        sentence="unrecoverable read errors per bit read", otherwise="1e-15, flash 1e-17",
        more="Data sheets give 1e-15 for nearline and 1e-14 for desktop disks; Gray and van Ingen measured about "
        "3e-16.",
    ),
    Option(
        key="restock_days", field="assumptions.restock_days", title="Restock", kind=NUMBER, unit="days",
        range=(0.04, 3650), steps=(1.0, 3.0, 7.0, 14.0, 30.0, 60.0, 90.0, 180.0, 365.0),
        sentence="days from a disk failure until a replacement is installed as a spare", otherwise="30",
        more="30 is an estimate for ordering, shipping and a visit on site.",
    ),
    Option(
        key="rebuild_share", field="assumptions.rebuild_share", title="Rebuild at", kind=SHARE, unit="of time",
        range=(0.01, 1), steps=(0.1, 0.25, 0.5, 0.75, 1.0),
        sentence="share of the members' time that a rebuild gets beside user load", otherwise="50%",
        more="100 % on an idle array, half is typical under moderate load.",
    ),
    Option(
        key="enclosure_afr", field="assumptions.enclosure_afr", title="Enclosure", kind=SHARE, unit="outages a year",
        range=(0, 0.5), steps=(0.0, 0.005, 0.01, 0.02, 0.05, 0.1),
        sentence="outages per enclosure and year", otherwise="1%, an estimate",
        more="No published figures exist. They count only if an array does not survive one.",
    ),
    Option(
        key="enclosure_loss", field="assumptions.enclosure_loss", title="  destroys", kind=SHARE, unit="of outages",
        range=(0, 1), steps=(0.0, 0.005, 0.01, 0.02, 0.05, 0.1),
        sentence="share of an enclosure's outages that destroy data", otherwise="1%, an estimate",
        more="By inconsistent writes to several members or by a power fault: 1 to 5 %.",
    ),
    Option(
        key="correlation", field="assumptions.correlation", title="Correlation", kind=NUMBER, unit="x",
        range=(1, 1000), steps=(1.0, 3.0, 10.0, 30.0, 100.0),
        sentence="factor by which a further failure is more likely in an array that has lost a member", otherwise="10",
        more="Same batch, temperature and age. Risk results show both 1 and this factor (Schroeder and Gibson, FAST "
        "2007).",
    ),
    Option(
        key="mission_years", field="assumptions.mission_years", title="Mission", kind=NUMBER, unit="years",
        range=(0.1, 50), steps=(1.0, 3.0, 5.0, 10.0, 20.0),
        sentence="years over which mission_loss, a figure of the JSON, sums losses", otherwise="5",
    ),
)  # fmt: skip
"""every field of `Assumptions`, in the order of Design's page"""


# Options of the search for layouts: what one must do, and what is preferred.


CONSTRAINTS = (
    Option(
        key="usable", field="constraints.usable_bytes", title=">=", kind=DECIMAL_SIZE, example="800TB",
        range=(10**6, 10**18), sentence="at least this usable capacity, as df shows it", otherwise="any",
    ),
    Option(
        key="survive", field="constraints.survive", title="survive", kind=COUNT, range=(0, MOST_DISKS), example="2",
        sentence="failed members that every array survives, whichever they are", otherwise="0",
    ),
    Option(
        key="spares", field="constraints.spares", title="spares", kind=COUNT, range=(0, MOST_DISKS), example="1",
        sentence="at least so many hot spares in all", otherwise="0",
    ),
    Option(
        key="max_width", field="constraints.max_width", title="width", kind=COUNT, range=(1, MOST_DISKS), example="16",
        sentence="at most so many members in an array", otherwise="as md allows",
    ),
    Option(
        key="survive_loss_of", field="constraints.survive_domain", title="outlive", kind=WORD, choices=OUTAGES,
        example="enclosure", sentence="data survives the loss of any one enclosure, controller or expander, as named",
        otherwise="none",
    ),
    Option(
        key="levels", field="constraints.levels", title="level", kind=WORDS, choices=LEVELS, example="raid6,raid10",
        sentence="only these levels", otherwise="every level",
    ),
    Option(
        key="max_loss", field="constraints.max_annual_loss", title="loss", kind=SHARE, example="1 in 10000",
        sentence="at most this probability of data loss a year, by disks or an enclosure", otherwise="any",
    ),
    Option(
        key="price", field="constraints.price_per_disk", title="price", kind=NUMBER, range=(0, 1e12), example="300",
        sentence="price of one disk, which adds cost to the goals", otherwise="none", in_recipes=False,
    ),
    Option(
        key="prefer", field="constraints.wishes", title="wish", kind=WORDS, choices=WISHES, example="capacity,risk",
        sentence=f"goals, the most important first, of {', '.join(WISHES)}", otherwise="none",
    ),
)  # fmt: skip
"""in the order of Compare's line; titles are its words"""


# Options of a design and its plan: members, file system, names, what disks are told, the host that builds.


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
        key="journal", field="design.journal", title="Journal", kind=COUNT, range=(1, 2), example="2",
        sentence="disks of its own on which each RAID4, RAID5 or RAID6 has its write journal, in place of a bitmap",
        otherwise="none",
        more="It closes the write hole: after a crash no parity is synced. Two disks are a mirror, which outlives one "
        "of them. Of the disks that the layout leaves, flash is taken, then the smallest. raidtui help journal has "
        "what it costs.",
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
    Option(
        key="leave", field="design.partitions", title="Leave", kind=BINARY_SIZE, example="2GiB",
        range=(MIB, 16 * TIB),
        sentence="room in front of the members on each disk, for partitions of yours; implies members on partitions",
        otherwise="none",
        more="It starts at 1 MiB and is rounded up to whole MiB. After the build it is for /boot or an EFI partition: "
        "raidtui help boot.",
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
    Option(
        key="encrypt", field="design.encryption", title="Encryption", kind=WORD, choices=ENCRYPTED,
        sentence="what is encrypted with LUKS2: what each file system is made on, or each array below LVM",
        otherwise="none",
        more="Replacing a disk needs no key. raidtui help luks has the sizes, and when to encrypt the arrays.",
    ),
    Option(
        key="key_file", field="design.encryption", title="Key file", kind=TextForm("PATH", not_empty, str),
        sentence="file that opens the encrypted volume now and at every boot; implies --encrypt volume",
        otherwise="none, a build then asks for a passphrase",
        more="It is root's, readable by root alone, and not on the arrays themselves.",
    ),
    Option(
        key="passphrase", field="design.encryption", title="Passphrase", kind=FLAG, choices=("no", "asked"),
        in_recipes=False,
        sentence="ask for a passphrase beside the key file, as a second key; implies --encrypt volume",
        otherwise="no, but without a key file a build always asks",
        more="It is typed twice when a build begins, and is kept nowhere. raidtui help luks has what a boot asks.",
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
    sentence="whether the best disks are chosen and spread over enclosures, controllers, expanders, or used in the "
    "order of the inventory",
    otherwise="spread",
    more="Spread: the loss of an enclosure, controller or expander removes as few members of an array as possible. "
    "Slow or worn disks are spares.",
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


# Every option of a design, its plan, the models and the search.


OPTIONS = (*PLANNED, *ASSUMPTIONS)
"""those that Design has a field for; Compare has a line for the constraints"""
ROW = SimpleNamespace(**{option.key: option for option in (*OPTIONS, *CONSTRAINTS)})
"""each by its key: `ROW.queue_depth`"""
