"""Zeroes in place of a first sync are refused where the kernel would write every byte, and where nothing is synced."""

from __future__ import annotations

from dataclasses import replace

from raidtui.predict.design import predict
from raidtui.values.design import Design
from raidtui.values.findings import Finding
from raidtui.values.inventory import Disk
from raidtui.values.notation import parse
from tests.planner.plans import disks

ABLE = disks(4, rotational=False, write_zeroes_max_bytes=2**31)
RESYNC = "leave out --first-sync zeroes: md then syncs the arrays (resync)"


def found(layout: str, *on: Disk) -> list[Finding]:
    design = Design(layout=parse(layout), first_sync="zeroes", fs="none")
    return [finding for finding in predict(design, on).findings if "zeroes" in finding.code]


def test_a_member_without_write_zeroes_is_named() -> None:
    (finding,) = found("(3+1)", *ABLE[:3], replace(ABLE[3], write_zeroes_max_bytes=0))
    assert (finding.severity, finding.code, finding.way_out) == ("error", "no-write-zeroes", RESYNC)
    assert finding.message == "No Write Zeroes on sd4: the kernel would write every byte of it."


def test_a_spare_needs_none() -> None:
    assert found("(2+1)+1", *ABLE[:3], replace(ABLE[3], write_zeroes_max_bytes=0)) == []


def test_what_is_not_known_is_looked_at_by_the_build() -> None:
    (finding,) = found("(3+1)", replace(ABLE[0], write_zeroes_max_bytes=None), *ABLE[1:])
    assert (finding.severity, finding.code) == ("warning", "write-zeroes-unknown")
    assert finding.message == (
        "Not known whether there is Write Zeroes on sd1: the build looks before it writes, and refuses without."
    )


def test_nothing_is_synced_without_redundancy() -> None:
    (finding,) = found("raid0(4)", *ABLE)
    assert (finding.severity, finding.code, finding.way_out) == ("error", "zeroes-of-nothing", RESYNC)
