"""One request to a host and its answer: one JSON document each, on the standard streams of `raidtui fleet-host`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.inventory import Inventory

Refusal = Literal["refused", "other-machine", "claimed", "failed"]
"""`failed`: it began and something broke; in all other cases nothing was started.
`other-machine`: not the machine that the plan is for; `claimed`: another control host follows the run"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRequest(Value):
    """What the control host asks of one host."""

    schema: Literal["raidtui/host-request/1"] = "raidtui/host-request/1"
    """format of this document"""
    kind: RequestKind
    """what is asked for"""
    host: str
    """name by which the control host reaches it"""
    nonce: str
    """random text that the answer repeats, so that no other answer is taken for it"""
    content: str = ""
    """a document of the kind: the plan for `check`, a build order for `build`, a run
    order for the others, nothing for `look`; JSON"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAnswer(Value):
    """What a host answers to one request."""

    schema: Literal["raidtui/host-answer/1"] = "raidtui/host-answer/1"
    """format of this document"""
    kind: RequestKind
    """the request's"""
    host: str
    """the request's"""
    nonce: str
    """the request's"""
    raidtui: str
    """version of raidtui that answers"""
    time_s: float
    """the host's clock when it answers, seconds since 1970-01-01 00:00 UTC"""
    refused: str | None = None
    """why the host does not do it; None when it did"""
    refusal: Refusal = "refused"
    """which refusal it is"""
    hint: str | None = None
    """what to do then"""
    inventory: Inventory | None = None
    """its disks and versions, for `look`"""
    content: str = ""
    """a document of the kind: a host check for `check`, of the run for all others but `look`; JSON"""
    started_s: float | None = None
    """the host's clock when the program that answers was started; None where the host does not know"""
