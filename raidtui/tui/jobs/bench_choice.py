"""What may be benchmarked: profiles, places to run them, and what one on the other will take. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raidtui.model.bench import Bench, Profile, Task
from raidtui.tui.jobs.bench_player import Player


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A benchmark that could begin now."""

    bench: Bench
    seconds: float
    """estimated, all of it"""
    bytes_used: int
    """space taken at its fullest"""
    begin: Callable[[], Player]
    """makes its folder and what runs it; raises RaidtuiError"""
    notes: Sequence[str] = ()
    """what to know before the start"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchTarget:
    """Where a benchmark may run."""

    title: str
    about: str
    """what it touches, a sentence"""
    simulated: bool
    prepare: Callable[[Profile], Ready]
    """looks at the machine and may take seconds; raises RaidtuiError where it cannot be"""


@dataclass(slots=True)
class Choice:
    """What is chosen so far."""

    profiles: tuple[Profile, ...] = ()
    targets: tuple[BenchTarget, ...] = ()
    profile_at: int = 0
    target_at: int = 0
    ready: Ready | None = None
    """of that profile and target; None while it is being looked at, or where it cannot be"""
    refusal: str = ""
    """why it cannot be"""

    @property
    def profile(self) -> Profile | None:
        """The one chosen."""
        return self.profiles[self.profile_at] if self.profiles else None

    @property
    def target(self) -> BenchTarget | None:
        """The one chosen."""
        return self.targets[self.target_at] if self.targets else None

    @property
    def tasks(self) -> Sequence[Task]:
        """What would run."""
        return self.ready.bench.tasks if self.ready is not None else ()
