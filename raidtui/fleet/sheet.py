"""The sheet of a fleet: one recipe, a plan or a reason for every host, and what all hosts give together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.fleet.recipe import Recipe
from raidtui.values.codec_rules import Value
from raidtui.values.speed import Rate

SheetState = Literal["planned", "left out", "refused"]
"""planned: the host has a plan; left out: by the recipe's policy, or because it did not answer; refused: the recipe
cannot be planned on it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetHost(Value):
    """One host of the fleet."""

    host: str
    """name by which it was asked"""
    state: SheetState
    """whether it has a plan"""
    reason: str = ""
    """why it has none; empty where it has one"""
    differs: str = ""
    """in what it is not like most hosts; empty where it is"""
    kind: int | None = None
    """its place in `Sheet.kinds`, from 0; None without a plan"""
    run_id: str | None = None
    """of its plan"""
    digest: str | None = None
    """of its plan"""
    erases: tuple[str, ...] = ()
    """identities of the disks whose content is gone after its plan"""
    warnings: tuple[str, ...] = ()
    """codes of the warnings in its plan"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetKind(Value):
    """Hosts whose plans differ in names, identities and UUIDs only: what each of them is predicted to give."""

    hosts: tuple[str, ...]
    """in the order of the sheet"""
    layout: str
    """canonical notation"""
    disks: int
    """disks taken on each host, spares included"""
    simulated: bool
    """True if its disks are simulated"""
    spares: int
    """hot spares among them"""
    raw_bytes: int
    """sum of the disks taken"""
    usable_bytes: int
    """what df will show as available on each host; the volume where there is no file system"""
    seq_read: Rate
    """many streams"""
    seq_write: Rate
    """many streams of full stripes"""
    rebuild_hours: float | None = None
    """at the assumed load; None over LUNs, 0 where nothing is rebuilt"""
    any_loss_1y: float | None = None
    """probability of data loss within a year on each host, correlation 1; None over LUNs"""
    any_loss_1y_correlated: float | None = None
    """the same with the assumed correlation"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRate(Value):
    """A rate and the host that has it."""

    host: str
    """name"""
    bytes_per_s: int
    """predicted"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetSums(Value):
    """All planned hosts together."""

    planned: int
    """hosts with a plan"""
    left_out: int
    """hosts without, by the recipe's policy"""
    refused: int
    """hosts without, because it cannot be"""
    simulated: int
    """planned hosts whose disks are simulated"""
    disks: int
    """disks taken, spares included; every one of them is erased"""
    spares: int
    """hot spares among them"""
    raw_bytes: int
    """sum of the disks taken"""
    usable_bytes: int
    """sum of what df will show as available"""
    read_bytes_per_s: int
    """sum of sequential reading of all hosts at once, many streams"""
    write_bytes_per_s: int
    """sum of sequential writing"""
    slowest_read: HostRate | None = None
    """the first host with the lowest rate; None without a plan"""
    slowest_write: HostRate | None = None
    """the same for writing"""
    disk_failures_1y: float | None = None
    """expected failures of disks a year; None where members are LUNs, whose drives are not known"""
    any_loss_1y: float | None = None
    """probability that any host loses data within a year, hosts independent of each other, correlation 1"""
    any_loss_1y_correlated: float | None = None
    """the same with the assumed correlation within each host"""
    restock_days: float | None = None
    """days until a failed disk is replaced on the shelf"""
    spares_on_shelf: int | None = None
    """fewest replacement disks with which, at 95 %, those that fail while others are on order find one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetOrder(Value):
    """The order in which the hosts of a sheet are built, and the rule that stops it: signed with the sheet."""

    first: str = ""
    """host that is built first and alone; where it is not among those to build, and where this is empty, their first"""
    wave_size: int = 8
    """hosts that build at a time after it, at least 1"""
    stop_after: int = 1
    """hosts that end badly before no further host is started, at least 1; the first host stops it alone"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet(Value):
    """What is signed before a fleet is built. Everything in it follows from recipe, inventories, order and `mint`."""

    schema: Literal["raidtui/fleet-sheet/1"] = "raidtui/fleet-sheet/1"
    """format of this document"""
    recipe: Recipe
    """what every host gets"""
    mint: str
    """32 random hex digits from which the run id of each plan is derived; with the same mint, recipe and disks the
    plans are the same to the digest"""
    hosts: tuple[SheetHost, ...]
    """every host that was asked for, each once"""
    kinds: tuple[SheetKind, ...]
    """kinds of planned hosts, the most frequent first"""
    sums: FleetSums
    """all planned hosts together"""
    order: SheetOrder
    """in which they are built"""
    digest: str
    """SHA-256 over this document without its digest"""
