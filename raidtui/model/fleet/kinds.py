"""Kinds of requests to a host and the names of their formats; apart from the values, which cost every start 40 ms."""

from __future__ import annotations

from typing import Literal

RequestKind = Literal["look", "check", "build", "status", "resume", "undo-look", "undo"]
"""what a host is asked for: `look` is its inventory and versions; `check` is whether it could build a plan now;
`undo-look` counts what an undo would lose"""
RUN_KINDS: tuple[RequestKind, ...] = ("build", "status", "resume", "undo-look", "undo")
"""what concerns a run"""
REQUEST_SCHEMA = "raidtui/host-request/1"
ANSWER_SCHEMA = "raidtui/host-answer/1"
