"""Findings about bands over disks of mixed size."""

from __future__ import annotations

from typing import Any

import pytest

from raidtui.predict.design import predict
from raidtui.predict.stated_disks import purchase
from raidtui.values.design import Design, Partitions
from raidtui.values.findings import Finding
from raidtui.values.layout import Band, HybridDisks, Layout
from raidtui.values.notation import parse
from raidtui.values.units import MIB


def findings(layout: str, disks: str, **design: Any) -> dict[str, Finding]:
    return {each.code: each for each in predict(Design(layout=parse(layout), **design), purchase(disks).disks).findings}


@pytest.mark.parametrize(
    ("layout", "disks", "design", "code"),
    [
        ("hybrid(3)", "3x1TB", {"stack": "md"}, "band-stack"),
        ("hybrid(3)", "3x1TB", {"partitions": Partitions(size_bytes=MIB)}, "band-partition-size"),
        ("hybrid(3)", "3x1TB", {"metadata": "0.90"}, "partition-metadata"),
        ("hybrid(3)", "1x1TB,2x2TB", {"ppl": True}, "ppl-needs-raid5"),
        ("hybrid(2)+1", "2x2TB,1x1TB", {}, "band-spare-too-small"),
        ("hybrid(2)", "1x1MiB,1x1TB", {}, "band-too-small"),
        ("hybrid(4)", "3x1TB", {}, "not-enough-disks"),
    ],
)
def test_what_cannot_be(layout: str, disks: str, design: dict[str, Any], code: str) -> None:
    found = findings(layout, disks, **design)[code]
    assert found.severity == "error"
    assert found.way_out


def test_room_without_partners_is_named() -> None:
    found = findings("hybrid(3)", "2x1TB,1x4TB")
    assert found["band-unused"].message.startswith(
        "2.728 TiB behind the last band stay unused, most of it on purchase-03"
    )
    assert "one-band" not in found
    assert "band-unused" not in findings("hybrid(4)", "2x1TB,2x4TB")


def test_disks_of_one_size_have_one_array() -> None:
    found = findings("hybrid(3)", "3x1TB")
    assert found["one-band"].way_out == "use raid5 on whole disks unless larger disks may follow"


def test_bands_that_do_not_fit_the_disks_are_refused() -> None:
    """A plan whose bands were changed by hand."""
    disks = purchase("3x1TB").disks
    for start, size in ((MIB, 2 * 10**12 // MIB * MIB), (2 * MIB, 100 * MIB), (MIB, 100 * MIB + 512)):
        layout = Layout.over(HybridDisks(disks=3, bands=(Band(members=(0, 1, 2), start_bytes=start, size_bytes=size),)))
        found = {each.code: each for each in predict(Design(layout=layout), disks).findings}
        assert found["band-place"].severity == "error"
