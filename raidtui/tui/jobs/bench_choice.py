"""Choice of a benchmark: profiles, targets, and the cost of running one on the other. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raidtui.model.bench import Bench, Profile, Task
from raidtui.tui.jobs.bench_player import Player


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A benchmark that is ready to start."""

    bench: Bench
    seconds: float
    """estimated duration in total"""
    bytes_used: int
    """maximum space used"""
    begin: Callable[[], Player]
    """creates its directory and its player; raises RaidtuiError"""
    notes: Sequence[str] = ()
    """warnings before the start"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchTarget:
    """A place where a benchmark can run."""

    title: str
    about: str
    """which files and devices it uses, in a sentence"""
    simulated: bool
    prepare: Callable[[Profile], Ready]
    """reads the machine's state, which may take seconds; raises RaidtuiError if the benchmark cannot run there"""


@dataclass(slots=True)
class BenchChoice:
    """The profile and the target chosen so far."""

    profiles: tuple[Profile, ...] = ()
    targets: tuple[BenchTarget, ...] = ()
    profile_at: int = 0
    target_at: int = 0
    ready: Ready | None = None
    """benchmark of the chosen profile and target; None while it is prepared and if it is refused"""
    refusal: str = ""
    """reason of the refusal"""

    @property
    def profile(self) -> Profile | None:
        """The chosen one."""
        return self.profiles[self.profile_at] if self.profiles else None

    @property
    def target(self) -> BenchTarget | None:
        """The chosen one."""
        return self.targets[self.target_at] if self.targets else None

    @property
    def tasks(self) -> Sequence[Task]:
        """The tasks that would run."""
        return self.ready.bench.tasks if self.ready is not None else ()
