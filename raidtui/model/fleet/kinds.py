"""Kinds of requests to a host and the names of their formats; apart from the values, which cost every start 40 ms."""

from __future__ import annotations

from typing import Literal

RequestKind = Literal[
    "look", "gauges", "check", "build", "status", "resume", "undo-look", "undo", "bench-look", "bench", "bench-status",
    "bench-find", "bench-result", "bench-stop",
]  # fmt: skip
"""what a host is asked for: `look` is its inventory and versions; `gauges` are the counters of its disks; `check` is
whether it could build a plan now; `undo-look` counts what an undo would lose; `bench-look` is what a benchmark would
be; `bench-find` is the order of a benchmark whose first digits are known"""
RUN_KINDS: tuple[RequestKind, ...] = ("build", "status", "resume", "undo-look", "undo")
"""what concerns a run"""
BENCH_KINDS: tuple[RequestKind, ...] = (
    "bench-look", "bench", "bench-status", "bench-find", "bench-result", "bench-stop",
)  # fmt: skip
"""what concerns a benchmark"""
REQUEST_SCHEMA = "raidtui/host-request/1"
ANSWER_SCHEMA = "raidtui/host-answer/1"
COUNTERS_SCHEMA = "raidtui/host-counters/1"
