"""The model's terms for streams and queues, put together for a survey of groups whose own figures were measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from raidtui.predict.speed.in_flight import queue_ceiling, stream_share_read, stream_share_write


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRates:
    """What is known of a group of disks by one measurement of it; bytes per second."""

    per_outstanding: float
    """that each outstanding byte brings"""
    group: float
    """of one group with one stream and a full queue"""
    slope: float
    """what each further stream on a group adds to the time"""


def survey_rate(
    kind: Literal["read", "write"],
    terms: GroupRates,
    *,
    groups: int,
    regions: int,
    outstanding_bytes: int,
    others: Mapping[str, float],
    members: str = "members",
) -> tuple[float, str]:
    """Expected rate of one line and what binds it: `members` after seeks, one of `others`, or `queue`.

    `groups` devices with a group of disks each share `regions`; `others` are the ceilings beside the members.
    """
    share = stream_share_read if kind == "read" else stream_share_write
    ceilings = {members: groups * terms.group * share(regions / groups, terms.slope), **others}
    name, most = min(ceilings.items(), key=lambda item: item[1])
    short = outstanding_bytes * terms.per_outstanding < most
    return queue_ceiling(outstanding_bytes, terms.per_outstanding, most), "queue" if short else name
