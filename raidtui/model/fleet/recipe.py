"""A recipe: what every host of a fleet gets, without a disk in it. Its keys are those of the file that an admin writes.

Sizes, rates, shares and the layout are texts, as the options of `raidtui plan` and `raidtui propose` take them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
from raidtui.model.options.constraints import CONSTRAINTS
from raidtui.model.options.design import INITRAMFS_OF_HOSTS, PLANNED
from raidtui.model.options.option import made_of
from raidtui.model.proposal import PickName
from raidtui.model.text_values import BinarySize, ByteRate, DecimalSize, LayoutText, Share

Differing = Literal["refuse", "fit", "skip"]
_MEANING = {option.key: {"description": option.schema_text} for option in (*PLANNED, *CONSTRAINTS, INITRAMFS_OF_HOSTS)}
"""what pydantic's schema says of a field"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeConstraints(Value):
    """What a layout must do; the search of `raidtui propose` then finds it for each kind of machine."""

    pick: PickName = "suggested"
    """which of the named proposals is built"""
    usable: DecimalSize | None = field(default=None, metadata=_MEANING["usable"])
    survive: int = field(default=0, metadata=_MEANING["survive"])
    spares: int = field(default=0, metadata=_MEANING["spares"])
    max_width: int | None = field(default=None, metadata=_MEANING["max_width"])
    levels: tuple[MdLevel, ...] = field(default=(), metadata=_MEANING["levels"])
    survive_loss_of: Outage | None = field(default=None, metadata=_MEANING["survive_loss_of"])
    max_loss: Share | None = field(default=None, metadata=_MEANING["max_loss"])
    prefer: tuple[Wish, ...] = field(default=(), metadata=_MEANING["prefer"])


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
    chunk: BinarySize | None = field(default=None, metadata=_MEANING["chunk"])
    metadata: Metadata = field(default="1.2", metadata=_MEANING["metadata"])
    bitmap: Bitmap = field(default="auto", metadata=_MEANING["bitmap"])
    bitmap_chunk: BinarySize | None = field(default=None, metadata=_MEANING["bitmap_chunk"])
    data_offset: BinarySize | None = field(default=None, metadata=_MEANING["data_offset"])
    member_size: DecimalSize | None = field(default=None, metadata=_MEANING["member_size"])
    consistency_policy: Literal["ppl"] | None = field(default=None, metadata=_MEANING["consistency_policy"])
    members: Literal["disks", "partitions"] | None = field(default=None, metadata=_MEANING["members"])
    partition_size: DecimalSize | None = field(default=None, metadata=_MEANING["partition_size"])
    stack: Stack = field(default="lvm", metadata=_MEANING["stack"])
    fs: FileSystem = field(default="xfs", metadata=_MEANING["fs"])
    mkfs: str | None = field(default=None, metadata=_MEANING["mkfs"])
    mount_options: str | None = field(default=None, metadata=_MEANING["mount_options"])
    benchmark_follows: bool = field(default=False, metadata=_MEANING["benchmark_follows"])
    name: str = field(default="data", metadata=_MEANING["name"])
    mount: str | None = field(default=None, metadata=_MEANING["mount"])
    mail: str | None = field(default=None, metadata=_MEANING["mail"])
    alert_program: str | None = field(default=None, metadata=_MEANING["alert_program"])
    read_ahead: BinarySize | None = field(default=None, metadata=_MEANING["read_ahead"])
    stripe_cache: int | None = field(default=None, metadata=_MEANING["stripe_cache"])
    parity_threads: int | None = field(default=None, metadata=_MEANING["parity_threads"])
    sync_max: ByteRate | None = field(default=None, metadata=_MEANING["sync_max"])
    sync_min: ByteRate | None = field(default=None, metadata=_MEANING["sync_min"])
    io_scheduler: Scheduler | None = field(default=None, metadata=_MEANING["io_scheduler"])
    queue_depth: int | None = field(default=None, metadata=_MEANING["queue_depth"])
    first_sync: FirstSync | None = field(default=None, metadata=_MEANING["first_sync"])
    initramfs: Initramfs = field(default="debian", metadata=_MEANING["initramfs"])
    spread: bool = field(default=True, metadata=_MEANING["spread"])
    measured: bool = True
    """false: what was measured on the hosts is not used"""
    lun: str | None = None
    """the free disks are LUNs of a hardware controller, as --lun takes it: 12+2,256K"""
    constraints: RecipeConstraints | None = None
    """what a layout must do, where none is given"""
    disks: DiskRule | None = None
    """which disks are used; left out: all that are free"""
    assumptions: Stated | None = None
    """of the speed and risk models"""
