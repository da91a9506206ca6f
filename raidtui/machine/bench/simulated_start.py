"""When a simulated benchmark begins: in the time of its machine, which is ahead of ours after a build."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from raidtui.machine.bench import store
from raidtui.machine.run import journal
from raidtui.model.errors import RaidtuiError
from raidtui.model.plan import Plan


def begins_after(run: Path, benches: Path, plan: Plan) -> float:
    """Seconds since 1970: now, but not before the end of the run in `run` or of a benchmark of `plan` in `benches`."""
    return max([time.time(), *(datetime.fromisoformat(end).timestamp() for end in _ends(run, benches, plan))])


def _ends(run: Path, benches: Path, plan: Plan) -> Iterator[str]:
    """Times of the last record of the run, and of the ends of the plan's readable benchmarks."""
    with contextlib.suppress(RaidtuiError):
        if journal.is_begun(run):
            yield from (record.time for record in journal.records(run)[-1:])
    with contextlib.suppress(RaidtuiError):
        for folder in store.folders(benches):
            with contextlib.suppress(RaidtuiError):
                result = store.load(folder)
                if result.bench.plan_digest == plan.digest and result.ended:
                    yield result.ended
