"""A recipe: what every host of a fleet gets, without a disk in it. Its keys are those of the file that an admin writes.

Sizes, rates, shares and the layout are texts, as the options of `raidtui plan` and `raidtui propose` take them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from raidtui.model.choices import (
    Bitmap,
    FileSystem,
    FirstSync,
    Initramfs,
    MdLevel,
    Metadata,
    Outage,
    Scheduler,
    Stack,
    Wish,
)
from raidtui.model.codec_rules import Value
from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.options.option import made_of
from raidtui.model.proposal import PickName
from raidtui.model.text_values import BinarySize, DecimalSize, LayoutText, Share

Differing = Literal["refuse", "fit", "skip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(Value):
    """What a layout must do; the search of `raidtui propose` then finds it for each kind of machine."""

    pick: PickName = "balanced"
    """which of the named proposals is built"""
    usable: DecimalSize | None = None
    """at least so much room for files on every host"""
    survive: int = 0
    """every array outlives so many failed members, whichever they are"""
    spares: int = 0
    """at least so many hot spares on every host"""
    max_width: int | None = None
    """at most so many members in an array"""
    levels: tuple[MdLevel, ...] = ()
    """only these levels; empty: every level"""
    survive_loss_of: Outage | None = None
    """data outlives the loss of any one of these"""
    max_loss: Share | None = None
    """at most this probability of data loss a year, by disks or an enclosure, on every host"""
    prefer: tuple[Wish, ...] = ()
    """goals, the most important first"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskRule(Value):
    """Which of the free disks of a host are used: those that fit every rule. Free disks hold nothing."""

    rotational: bool | None = None
    """true: only hard disks; false: only flash"""
    at_least: DecimalSize | None = None
    """smallest disk that is used"""
    at_most: DecimalSize | None = None
    """largest disk that is used"""
    model: str | None = None
    """pattern of the model with * and ?, such as `HUS724020*`"""
    transport: str | None = None
    """sas, sata, nvme, ..."""


if TYPE_CHECKING:

    class Stated(Value):
        """A text or number for each key of the table; None where it is left out."""

        def __init__(self, **said: Any) -> None: ...

        def __getattr__(self, key: str) -> Any: ...

else:
    Stated = made_of(
        "Stated",
        "Assumptions of the speed and risk models; what is left out has the default of `raidtui model`.",
        ASSUMPTIONS,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe(Value):
    """What every host gets: a layout, or constraints that a layout must meet. With `fit` it may have both."""

    schema: Literal["raidtui/recipe/1"] = "raidtui/recipe/1"
    """format of this document"""
    layout: LayoutText | None = None
    """the layout of every host, such as 4x(12+2)+4"""
    differs: Differing = "refuse"
    """what becomes of hosts that are not like most: refuse: nothing is planned for any host; skip: they are left out,
    by name; fit: each gets a layout of its own within `constraints`, without them the layout if its disks suffice"""
    chunk: BinarySize | None = None
    """chunk size; left out: 512K"""
    metadata: Metadata = "1.2"
    """md superblock version"""
    bitmap: Bitmap = "auto"
    """write-intent bitmap"""
    bitmap_chunk: BinarySize | None = None
    """bytes of member per bit of the bitmap; left out: mdadm's choice"""
    data_offset: BinarySize | None = None
    """where data starts on every member; left out: mdadm's choice"""
    consistency_policy: Literal["ppl"] | None = None
    """ppl: partial parity log (RAID5)"""
    members: Literal["disks", "partitions"] | None = None
    """partitions: one GPT partition on each disk becomes the member"""
    partition_size: DecimalSize | None = None
    """size of each partition; implies partitions"""
    stack: Stack = "lvm"
    """how several arrays become one volume"""
    fs: FileSystem = "xfs"
    """file system"""
    mkfs: str | None = None
    """options of mkfs, as --mkfs takes them: rmapbt=1"""
    mount_options: str | None = None
    """options of mount, as --mount-options takes them: pquota,largeio"""
    benchmark_follows: bool = False
    """true: mkfs.ext4 writes inode tables and journal itself"""
    name: str = "data"
    """base name of arrays, volume group and labels"""
    mount: str | None = None
    """mount point of the file system; left out: /srv/NAME"""
    mail: str | None = None
    """MAILADDR: who gets mdadm's alerts; left out: root"""
    alert_program: str | None = None
    """PROGRAM: what mdadm starts for an alert"""
    read_ahead: BinarySize | None = None
    """read-ahead below the file system; left out: two full stripes, 128 KiB to 64 MiB"""
    io_scheduler: Scheduler | None = None
    """I/O scheduler of every disk; left out: unchanged"""
    queue_depth: int | None = None
    """requests that every SATA or SAS disk is given at once; left out: unchanged"""
    first_sync: FirstSync | None = None
    """zeroes: all members are zeroed, where drives have Write Zeroes, and nothing is left to sync; left out: resync"""
    initramfs: Initramfs = "debian"
    """initramfs tool of the hosts"""
    spread: bool = True
    """true: the best-fitting disks, spread over enclosures, controllers and expanders; false: in inventory order"""
    measured: bool = True
    """false: what was measured on the hosts is not used"""
    lun: str | None = None
    """the free disks are LUNs of a hardware controller, as --lun takes it: 12+2,256K"""
    constraints: Wanted | None = None
    """what a layout must do, where none is given"""
    disks: DiskRule | None = None
    """which disks are used; left out: all that are free"""
    assumptions: Stated | None = None
    """of the speed and risk models"""
