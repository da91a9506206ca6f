"""Pareto front: the layouts that no other dominates. Every objective is maximised.

Computed with bit sets: every layout is one bit, and those at least as good in one objective are a prefix of the layouts
sorted by it. The intersection of the prefixes of all objectives holds the layouts at least as good in everything. That
takes n * n / 64 word operations on long integers, faster than pairwise comparison by a tree at these sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

Vector = tuple[float, ...]
_BLOCK = 1024
"""layouts compared with each other at once; more are first thinned block by block"""


def pareto_front(best: Sequence[Vector], worst: Sequence[Vector] | None = None) -> list[int]:
    """Indices, ascending, of the layouts that no other certainly dominates.

    One layout dominates another if it is at least as good in every objective and better in one. If objectives are known
    within bounds, `best` and `worst` give them: an scored is out only when the worst of another beats its best.
    Equal layouts do not beat each other. What is beaten in its block is beaten in the whole, and beating is
    transitive, so that the blocks' losers need not be compared again.
    """
    known = best if worst is None else worst
    left = list(range(len(best)))
    while True:
        blocks = -(-len(left) // _BLOCK)
        kept = sorted(index for first in range(blocks) for index in _unbeaten(left[first::blocks], best, known))
        if blocks < 2:
            return kept
        if len(kept) > len(left) * 3 // 4:
            return _unbeaten(kept, best, known)
        left = kept


def _unbeaten(block: Sequence[int], best: Sequence[Vector], known: Sequence[Vector]) -> list[int]:
    """Those of the layouts `block` that no other of the block beats."""
    offered = sorted({known[index] for index in block}, reverse=True)
    bit_of = {vector: bit for bit, vector in enumerate(offered)}
    asked = [best[index] for index in block]
    kept = []
    for index, bits in zip(block, _at_least(offered, asked), strict=True):
        own = bit_of.get(best[index])
        if not bits or (own is not None and bits == 1 << own):
            kept.append(index)
    return kept


def _descending(values: Sequence[float]) -> list[int]:
    return sorted(range(len(values)), key=values.__getitem__, reverse=True)


def _at_least(offered: Sequence[Vector], asked: Sequence[Vector]) -> list[int]:
    """For each vector asked about, the bits of the layouts that are at least as good in every figure."""
    found = [-1] * len(asked)
    for figure in range(len(offered[0])):
        order = _descending([vector[figure] for vector in offered])
        bits = bytearray(len(offered) // 8 + 1)
        at = 0
        for index in _descending([vector[figure] for vector in asked]):
            level = asked[index][figure]
            while at < len(order) and offered[order[at]][figure] >= level:
                bits[order[at] >> 3] |= 1 << (order[at] & 7)
                at += 1
            if found[index]:
                found[index] &= int.from_bytes(bits, "little")
    return found
