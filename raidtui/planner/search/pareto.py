"""Pareto front: the layouts that no other dominates. Every objective is maximised."""

from __future__ import annotations

from collections.abc import Sequence

Vector = tuple[float, ...]


def pareto_front(vectors: Sequence[Vector]) -> list[int]:
    """Indices, ascending, of the layouts that no other dominates.

    One layout dominates another if it is at least as good in every objective and better in one: equal layouts do not
    dominate each other.
    """
    return [index for index, own in enumerate(vectors) if not any(dominates(other, own) for other in vectors)]


def dominates(one: Vector, other: Vector) -> bool:
    """True if `one` is at least as good in every objective and better in one."""
    return one != other and all(ours >= theirs for ours, theirs in zip(one, other, strict=True))
