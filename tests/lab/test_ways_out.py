"""Every way out of the table on real md, typed as it is printed."""

from __future__ import annotations

import pytest

from tests.lab.image import Image
from tests.lab.way_rows import WAYS
from tests.lab.ways_out import Typist, machine

pytestmark = [pytest.mark.lab, pytest.mark.long]


def test_what_is_printed_for_a_state_ends_it(lab_image: Image) -> None:
    with machine(lab_image) as vm:
        typist = Typist(vm)
        found = [typist.type_out(way) for way in WAYS]
    assert {each.name: (*each.wrong, each.log) for each in found if each.wrong} == {}
