"""Improves a placement by swapping disks: for overlapping kinds of domain, which assignment cannot always satisfy.

Slots and disks are numbers. A slot lies in the sets whose loss counts: its array, or the runs of RAID10 copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_TRIALS = 8
"""total swaps tried per slot; bounds the time for a thousand disks"""


@dataclass(frozen=True, slots=True)
class DomainMembership:
    """One kind of failure domain: the domain of each disk, and the domains that must be survived."""

    domain: Sequence[int]
    """domain number of each disk; -1 if none"""
    watched: frozenset[int]
    """domains whose loss the arrays could survive"""


class SwapRepair:
    """Local search over the disks in slots, counting the disks of each domain in every set."""

    def __init__(
        self,
        slots: list[int],
        sets: Sequence[Sequence[int]],
        most: int,
        kinds: Sequence[DomainMembership],
        fits: Sequence[frozenset[int]],
        sizes: Sequence[int],
    ) -> None:
        self.slots = slots
        """the disk in each slot"""
        self.sets = sets
        """the slots in each set"""
        self.most = most
        """disks of one domain that a set may lose"""
        self.kinds = kinds
        """the gravest first"""
        self.fits = fits
        """for each slot the classes of size it takes"""
        self.sizes = sizes
        """the class of size of each disk"""
        self.trials = _TRIALS * len(slots)
        self.sets_of: list[list[int]] = [[] for _ in slots]
        for number, inside in enumerate(sets):
            for slot in inside:
                self.sets_of[slot].append(number)
        self.held = [[self._count(kind, inside) for inside in sets] for kind in kinds]

    def repair(self) -> None:
        """Swaps while that improves a kind and worsens no graver one, within a fixed number of trials."""
        better = True
        while better:
            better = False
            for at in self._trouble():
                while self._improve(*at):
                    better = True

    def _count(self, kind: DomainMembership, inside: Sequence[int]) -> dict[int, int]:
        held: dict[int, int] = {}
        for slot in inside:
            domain = kind.domain[self.slots[slot]]
            if domain in kind.watched:
                held[domain] = held.get(domain, 0) + 1
        return held

    def _trouble(self) -> Iterator[tuple[int, int, int]]:
        """(kind, set, domain) for every set that holds too many disks of a domain."""
        for rank, counts in enumerate(self.held):
            for number, held in enumerate(counts):
                for domain in [domain for domain, count in held.items() if count > self.most]:
                    yield rank, number, domain

    def _improve(self, rank: int, number: int, domain: int) -> bool:
        """True if an improving swap was found and made."""
        kind, held = self.kinds[rank].domain, self.held[rank][number]
        for here in self.sets[number]:
            if held[domain] <= self.most or self.trials <= 0:
                return False
            if kind[self.slots[here]] != domain:
                continue
            for there in range(len(self.slots)):
                if kind[self.slots[there]] == domain or not self._may(here, there):
                    continue
                self.trials -= 1
                if self._gain(here, there) < 0:
                    self._swap(here, there)
                    return True
                if self.trials <= 0:
                    return False
        return False

    def _may(self, here: int, there: int) -> bool:
        return self.sizes[self.slots[there]] in self.fits[here] and self.sizes[self.slots[here]] in self.fits[there]

    def _gain(self, here: int, there: int) -> int:
        """Change of the gravest kind affected by the swap (positive is worse); 0 if none is."""
        for kind, held in zip(self.kinds, self.held, strict=True):
            one, other = kind.domain[self.slots[here]], kind.domain[self.slots[there]]
            change = 0
            if one != other:
                for number in self.sets_of[here]:
                    if number not in self.sets_of[there]:
                        change += self._change(held[number], kind, one, other)
                for number in self.sets_of[there]:
                    if number not in self.sets_of[here]:
                        change += self._change(held[number], kind, other, one)
            if change:
                return change
        return 0

    def _change(self, held: dict[int, int], kind: DomainMembership, out: int, into: int) -> int:
        less = out in kind.watched and held[out] > self.most
        more = into in kind.watched and held.get(into, 0) >= self.most
        return more - less

    def _swap(self, here: int, there: int) -> None:
        for kind, held in zip(self.kinds, self.held, strict=True):
            one, other = kind.domain[self.slots[here]], kind.domain[self.slots[there]]
            for slot, out, into in ((here, one, other), (there, other, one)):
                for number in self.sets_of[slot]:
                    if out in kind.watched:
                        held[number][out] -= 1
                    if into in kind.watched:
                        held[number][into] = held[number].get(into, 0) + 1
        self.slots[here], self.slots[there] = self.slots[there], self.slots[here]
