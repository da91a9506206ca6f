"""Undo history of the user's decisions, and what follows from one. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from raidtui.predict.placement.disk_pool import kind_of
from raidtui.predict.stated_disks import choose_disks
from raidtui.values.amounts import rate
from raidtui.values.assumptions import defaults_for
from raidtui.values.choices import PURPOSE_WORDS
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.findings import Finding, gravest_first, note, subject
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import HybridDisks, Layout
from raidtui.values.members import groups_of
from raidtui.values.notation import show
from raidtui.values.target import TargetVersions, merged
from raidtui.values.units import binary_size, counted, decimal_size, exact_binary

if TYPE_CHECKING:
    from raidtui.advice.proposals.guide import Answers
    from raidtui.predict.placement.place import Placer
    from raidtui.values.location import Placement
    from raidtui.values.prediction import Durability, Prediction
    from raidtui.values.proposal import Candidate, Constraints
    from raidtui.values.speed import AskedRate, Throughput


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionHistory:
    """Every decision of this session. Decisions execute nothing, so all of them can be undone."""

    now: Decision
    past: tuple[Decision, ...] = ()
    future: tuple[Decision, ...] = ()

    def to(self, decision: Decision) -> DecisionHistory:
        """Appends `decision` as the present one and drops the undone ones."""
        return self if decision == self.now else DecisionHistory(now=decision, past=(*self.past, self.now))

    def undo(self) -> DecisionHistory:
        """Goes back one decision; unchanged if there is none."""
        if not self.past:
            return self
        return DecisionHistory(now=self.past[-1], past=self.past[:-1], future=(self.now, *self.future))

    def redo(self) -> DecisionHistory:
        """Goes forward one undone decision; unchanged if there is none."""
        if not self.future:
            return self
        return DecisionHistory(now=self.future[0], past=(*self.past, self.now), future=self.future[1:])


def change_words(now: Decision, before: Decision) -> str:
    """What `now` has instead of what `before` had: `chunk 256 KiB instead of 512 KiB`."""
    return ", ".join((*_changes(now.design, before.design), *_changes(now, before))) or "nothing"


def _changes(now: object, before: object) -> Iterator[str]:
    """The words of each field that differs, but for the design as a whole; of a value with fields those of its own."""
    for each in fields(cast("Decision", now)):
        new, old = getattr(now, each.name), getattr(before, each.name)
        if new == old or each.name == "design":
            continue
        name = each.name.removesuffix("_per_s").removesuffix("_bytes").replace("_", " ")
        words = _value_words(each.name, new), _value_words(each.name, old)
        if None not in words:
            yield f"{name} {words[0]} instead of {words[1]}"
        elif type(new) is type(old) and is_dataclass(new):
            yield from _changes(new, old)
        elif new is None:
            yield f"no {name}"
        else:
            yield f"{name} set" if old is None else f"other {name}"


def _value_words(name: str, value: object) -> str | None:
    """None: a value that does not fit into a few words."""
    match value:
        case None:
            return "automatic"
        case bool():
            return "yes" if value else "no"
        case Layout():
            return show(value)
        case frozenset():
            return counted(len(value), "disk")
        case int() if name.endswith("_bytes_per_s"):
            return rate(value)
        case int() if name.endswith("_bytes"):
            return binary_size(value)
        case float():
            return f"{value:g}"
        case str() | int():
            return str(value)
        case _:
            return None


def chosen_disks(inventory: Inventory, decision: Decision) -> tuple[Disk, ...]:
    """The disks that the design may use, in inventory order."""
    free = tuple(disk for disk in choose_disks(inventory) if disk.id not in decision.left_out)
    if not decision.taken_over:
        return free
    wanted = {disk.id for disk in free} | decision.taken_over
    return tuple(disk for disk in inventory.disks if disk.selectable and disk.id in wanted)


def constraints_of(decision: Decision) -> Constraints:
    """The constraints of `decision`, with chunk, stack and file system of its design."""
    # after the first picture
    from raidtui.predict.options import with_format
    from raidtui.values.proposal import Constraints

    return with_format(decision.constraints or Constraints(), decision.design)


def with_answers(decision: Decision, answers: Answers, disks: Sequence[Disk]) -> Decision:
    """`decision` with what the answers of the guide ask of layouts of `disks`."""
    from raidtui.advice.proposals.guide import wanted  # after the questions

    asked = wanted(answers, decision.assumptions, disks)
    return replace(
        decision,
        constraints=asked.constraints,
        assumptions=asked.assumptions,
        purpose=asked.purpose,
        design=replace(decision.design, chunk_bytes=asked.chunk_bytes, fs=asked.fs),
    )


def toggled(decision: Decision, disk: Disk) -> Decision:
    """Excludes or includes `disk`; unchanged if the disk cannot be used."""
    if not disk.selectable:
        return decision
    if disk.state == "blank":
        return replace(decision, left_out=decision.left_out ^ {disk.id})
    return replace(decision, taken_over=decision.taken_over ^ {disk.id})


def branch_toggled(decision: Decision, disks: Iterable[Disk]) -> Decision:
    """Excludes the free ones of `disks` if the design may use any of them; otherwise includes all of them.

    Disks with old content are never included this way: each of them is one decision.
    """
    free = frozenset(disk.id for disk in disks if is_free(disk))
    used = free - decision.left_out
    return replace(decision, left_out=decision.left_out | used if used else decision.left_out - free)


def is_free(disk: Disk) -> bool:
    """True if `disk` is usable and has no content."""
    return disk.selectable and disk.state == "blank"


def exclusion_reasons(decision: Decision, inventory: Inventory) -> dict[str, str]:
    """The reason of each excluded disk, by identity."""
    return {
        disk.id: "by you; Space uses it" for disk in inventory.disks if disk.id in decision.left_out and is_free(disk)
    }


def first_decision(inventory: Inventory, design: Design | None = None) -> Decision:
    """The first decision of a session: `design`, or one that fits the free disks, on the disks that verbs start from.

    Its layout is that for as many of the largest disks of one kind as hold most, each counted as the smallest of them.
    """
    if design is not None:
        return Decision(design=design)
    from raidtui.predict.placement.disk_pool import disk_pool  # beside the first placement

    free = choose_disks(inventory)
    layout = sensible_layout(len(disk_pool(free).used))
    return Decision(design=Design(layout=layout), assumptions=defaults_for(free))


def sensible_layout(disks: int) -> Layout:
    """An initial layout, one that the search picks too for like disks: double parity in arrays of up to 15 disks.

    One spare per array where enough disks remain: 60 disks give 4x(12+2)+4. Three disks are RAID5; with fewer than two
    it is a mirror that cannot be built yet.
    """
    if disks < 3:
        return Layout.of(level="raid1", members=2)
    if disks < 4:
        return Layout.of(level="raid5", members=disks)
    if disks < 6:
        return Layout.of(level="raid6", members=disks)
    arrays = max(1, -(-disks // 16))
    spares = arrays if disks >= 8 else 0
    return Layout.of(level="raid6", members=(disks - spares) // arrays, arrays=arrays, spares=spares)


# A decision and what follows from it for the disks of one machine. Nothing here draws.


class DesignOutcome:
    """A decision and its results, each computed on first access."""

    def __init__(self, decision: Decision, inventory: Inventory, before: DesignOutcome | None = None) -> None:
        """`before`: the outcome that this one follows; what it knows of the same disks is not found again."""
        self.decision = decision
        self.inventory = inventory
        target = merged(decision.design.target or TargetVersions(), inventory.target)
        self.design = replace(decision.design, target=target) if target else decision.design
        """the design for the machine whose disks these are"""
        self.allowed: tuple[Disk, ...] = chosen_disks(inventory, decision)
        """disks that the design may use, in inventory order"""
        self.disks = self.allowed
        """the same disks in the order of use"""
        self.placer: Placer | None = None
        """places designs on `allowed`"""
        if decision.spread:
            from raidtui.predict.placement.place import Placer, disks_for  # only where disks are spread

            same = before.placer if before is not None and before.allowed == self.allowed else None
            self.placer = same or Placer(self.allowed)
            self.disks = disks_for(decision.design, self.allowed, self.placer)
        if decision.design.layout.hybrid is not None:
            from raidtui.sizes.partitions import on_disks  # after the first picture

            self.design = on_disks(self.design, self.disks)

    @cached_property
    def prediction(self) -> Prediction:
        """Sizes and findings of the design on those disks."""
        from raidtui.predict.checks.disks import with_arrays_first  # after the first picture
        from raidtui.predict.design import predict  # beside it

        return with_arrays_first(predict(self.design, self.disks), self.inventory)

    @cached_property
    def placement(self) -> Placement | None:
        """Effects of the loss of each failure domain; None if the design is invalid."""
        from raidtui.predict.design import placement  # after the first picture

        return placement(self.decision.design, self.disks, self.prediction, spread=self.decision.spread)

    @cached_property
    def groups(self) -> dict[str, str]:
        """Label of the array of each disk that the design uses, by identity; empty if it needs more disks.

        Does not predict: Disks shows these labels.
        """
        design = self.decision.design
        return groups_of(design.layout, self.disks, design.journal_disks) if len(self.disks) >= design.disks else {}

    @cached_property
    def throughput(self) -> Throughput | None:
        """Predicted rates; None if the design is invalid."""
        from raidtui.predict.design import speed  # after the first picture

        return speed(self.decision.design, self.disks, self.prediction, self.inventory, self.decision.assumptions)

    @cached_property
    def asked(self) -> AskedRate | None:
        """What the stated workload gets; None without one, or if the design is invalid."""
        from raidtui.predict.design import answers  # after the first picture

        decision = self.decision
        asks = (decision.ask,) if decision.ask is not None else ()
        found = answers(asks, decision.design, self.disks, self.prediction, self.inventory, decision.assumptions)
        return found[0] if found else None

    @cached_property
    def durability(self) -> Durability | None:
        """Rebuild time and probability of data loss; None if the design is invalid."""
        from raidtui.predict.design import risk_and_sync  # after the first picture

        return risk_and_sync(
            self.decision.design, self.disks, self.prediction, self.inventory, self.decision.assumptions
        )

    @cached_property
    def assessed(self) -> Prediction:
        """The prediction with placement, throughput and durability filled in."""

        return replace(
            self.prediction, throughput=self.throughput, durability=self.durability, placement=self.placement,
            asked=(self.asked,) if self.asked else None,
        )  # fmt: skip


# Disks of several sizes: those that a design leaves idle, and what a hybrid layout of all holds. Draws nothing.


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedSizes:
    """What a design does not use of disks of several sizes."""

    idle: tuple[Disk, ...]
    """disks of another size than those that it uses"""
    layout: Layout | None = None
    """hybrid layout of all disks; None: none holds more"""
    more_bytes: int = 0
    """usable bytes that it holds beyond the design"""


def mixed_sizes(outcome: DesignOutcome) -> MixedSizes | None:
    """What `outcome` does not use of the disks of its kind; None if that is nothing, or the design is refused.

    Sizes that differ by less than a twentieth are no reason for another design. The hybrid layout survives as many
    failures as the design, at least 1, and has as many spares.
    """
    present = outcome.decision.design.layout
    if not outcome.prediction.arrays or not _of_several_sizes(outcome.disks):
        return None
    disks = [disk for disk in outcome.disks if kind_of(disk) == kind_of(outcome.disks[0])]
    if not _of_several_sizes(disks):
        return None
    used = {disk.size_bytes for disk in disks[: present.disks]}
    idle = tuple(disk for disk in disks[present.disks :] if disk.size_bytes not in used)
    none = MixedSizes(idle=idle) if idle else None
    failures, count = min(max(present.survives, 1), 2), len(disks) - present.spares
    if present.hybrid is not None or count <= failures:
        return none
    layout = Layout.over(HybridDisks(disks=count, failures=failures), present.spares)
    design = replace(outcome.decision.design, layout=layout, ppl=False, journal=None, stack="lvm")
    mixed = DesignOutcome(replace(outcome.decision, design=design), outcome.inventory).prediction
    more = mixed.usable_bytes - outcome.prediction.usable_bytes
    return MixedSizes(idle=idle, layout=layout, more_bytes=more) if mixed.has_sizes and more > 0 else none


def _of_several_sizes(disks: Iterable[Disk]) -> bool:
    sizes = {disk.size_bytes for disk in disks}
    return max(sizes) * 20 >= min(sizes) * 21


def idle_words(mixed: MixedSizes) -> str:
    """`1 disk of 250 GB is idle`, `4 disks of 2.00 TB or 4.00 TB are idle`; empty if none is."""
    return f"{_disks_words(mixed)} {'is' if len(mixed.idle) == 1 else 'are'} idle" if mixed.idle else ""


def gain_words(mixed: MixedSizes) -> str:
    """`hybrid(3) holds 232.83 GiB more`; empty if none does."""
    return f"{show(mixed.layout)} holds {binary_size(mixed.more_bytes)} more" if mixed.layout is not None else ""


def _disks_words(mixed: MixedSizes) -> str:
    sizes = " or ".join(decimal_size(size) for size in sorted({disk.size_bytes for disk in mixed.idle}))
    return f"{counted(len(mixed.idle), 'disk')} of {sizes}"


# What there is to say about a design.


def _chunk_advice(outcome: DesignOutcome) -> Sequence[Finding]:
    """A note where another chunk suits the use of the file system."""
    from raidtui.predict.design import MEASURE, advised_chunk  # after the first picture

    design, purpose = outcome.decision.design, outcome.decision.purpose
    advice = advised_chunk(purpose)
    if not outcome.prediction.true_sunit_bytes or design.chunk_bytes == advice.chunk_bytes:
        return ()
    advised = exact_binary(advice.chunk_bytes)
    return (
        note(
            "chunk-advice", f"Chunk {advised} is advised for {PURPOSE_WORDS[purpose]}: {advice.reason}.", MEASURE
        ),
    )  # fmt: skip


def _mixed_sizes(outcome: DesignOutcome) -> Sequence[Finding]:
    """A note where the design does not use all of disks of several sizes."""
    mixed = mixed_sizes(outcome)
    if mixed is None:
        return ()
    idle, gain = idle_words(mixed), gain_words(mixed)
    why = f"{idle}: the design's disks have another size." if idle else "The disks have several sizes."
    way_out = f"{gain}; Compare offers it" if gain else "Compare also offers layouts for mixed sizes"
    return (note("disks-of-several-sizes", why, way_out, subject(mixed.idle)),)


def findings(outcome: DesignOutcome) -> Sequence[Finding]:
    """All findings, most severe first: sizes, placement, then deviations of md from the simple rule."""
    placed = outcome.placement.findings if outcome.placement else ()
    noted = outcome.throughput.notes if outcome.throughput else ()
    notes = (Finding(severity="note", code="throughput", message=words, way_out="") for words in noted)
    found = (*_mixed_sizes(outcome), *_chunk_advice(outcome), *outcome.prediction.findings, *placed, *notes)
    return gravest_first(found)


def taken(candidate: Candidate, decision: Decision) -> Decision:
    """`decision` with the layout of `candidate` and its assumed placement; chunk and all else stay."""
    layout = candidate.layout.layout
    ppl = decision.design.ppl and layout.level == "raid5" and layout.hybrid is None
    journal = decision.design.journal if layout.parity and layout.hybrid is None else None
    return replace(decision, design=replace(decision.design, layout=layout, ppl=ppl, journal=journal), spread=True)
