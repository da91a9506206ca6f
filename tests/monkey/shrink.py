"""Makes a short session of one that fails: without acts, then without keys, that its fault does not need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from tests.monkey.acts import Act, Session

T = TypeVar("T")
MOST_TRIES = 80


def shrunk(session: Session, fails: Callable[[Session], bool], *, tries: int = MOST_TRIES) -> Session:
    """A session that still fails, after at most `tries` plays."""
    left = [tries]

    def holds(acts: Sequence[Act]) -> bool:
        if left[0] <= 0:
            return False
        left[0] -= 1
        return fails(replace(session, acts=tuple(acts)))

    acts = _fewer(list(session.acts), holds)
    for at in range(len(acts)):
        acts = _typing_less(acts, at, holds)
    return replace(session, acts=tuple(acts))


def _typing_less(acts: list[Act], at: int, holds: Callable[[list[Act]], bool]) -> list[Act]:
    """`acts` with less typed in number `at`."""
    kind, value = acts[at]
    if not isinstance(value, bytes):
        return acts

    def other(keys: Sequence[int]) -> list[Act]:
        return [*acts[:at], (kind, bytes(keys)), *acts[at + 1 :]]

    return other(_fewer(list(value), lambda keys: holds(other(keys))))


def _fewer(items: list[T], holds: Callable[[list[T]], bool]) -> list[T]:
    """The least of `items` that is found by leaving out ever smaller parts."""
    size = max(len(items) // 2, 1)
    while items:
        for rest in _without(items, size):
            if holds(rest):
                items = rest
                break
        else:
            if size == 1:
                break
            size //= 2
    return items


def _without(items: list[T], size: int) -> Iterator[list[T]]:
    for at in range(0, len(items), size):
        yield items[:at] + items[at + size :]
