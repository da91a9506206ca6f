"""Whatever is pressed, the design stays one that fits the disks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.programs.names import names
from raidtui.session.decision import sensible_layout
from raidtui.session.fields.all_fields import fields
from raidtui.session.fields.field import Field, stepped
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.layout import least_members
from raidtui.values.notation import parse, show


def field(key: str, layout: str = "4x(12+2)+4", disks: int = 60) -> Field:
    decision = Decision(design=Design(layout=parse(layout)))
    return next(found for found in fields(decision, disks) if found.key == key)


def typed(key: str, text: str, layout: str = "4x(12+2)+4", disks: int = 60) -> Decision:
    read = field(key, layout, disks).read
    assert read is not None
    return read(text)


@given(st.integers(2, 200), st.lists(st.tuples(st.integers(0, 19), st.sampled_from([-1, 1])), max_size=40))
def test_no_sequence_of_arrows_leads_to_a_layout_that_does_not_fit(disks: int, keys: list[tuple[int, int]]) -> None:
    decision = Decision(design=Design(layout=sensible_layout(disks)))
    for place, by in keys:
        form = fields(decision, disks)
        decision = stepped(form[place % len(form)], by) or decision
        layout = decision.design.layout
        assert layout.disks <= disks
        assert layout.first.members >= least_members(layout.level, layout.first.copies)
        assert layout.spares >= 0
        assert parse(show(layout)) == layout
        assert not decision.design.ppl or layout.level == "raid5"


@given(st.integers(2, 200), st.integers(0, 19))
def test_a_step_forward_and_back_changes_nothing_but_the_level(disks: int, place: int) -> None:
    decision = Decision(design=Design(layout=sensible_layout(disks)))
    form = fields(decision, disks)
    index = place % len(form)
    there = stepped(form[index], 1)
    if there is not None and form[index].key != "level":
        key = form[index].key
        again = next(found for found in fields(there, disks) if found.key == key)
        assert stepped(again, -1) == decision


def test_limits_are_shown_and_what_stops_is_said() -> None:
    assert field("arrays").aside == "1-4"
    assert field("arrays").stop == "one more array needs 74 disks, there are 60"
    assert field("width").aside == "2-12"
    assert field("spares").aside == "0-4"
    assert field("spares", "3x(12+2)").aside == "0-18"


def test_fields_that_have_no_meaning_say_so() -> None:
    assert field("parity").fixed
    assert field("stack", "(12+2)").shown == "none"
    assert field("chunk", "raid1(2)").shown == "none"
    assert field("bitmap", "raid0(4)").shown == "none"
    assert field("bitmap", "(3+1)").choices == ("auto", "internal", "none", "ppl")


def test_partial_parity_log_takes_the_bitmaps_place_and_goes_with_raid5() -> None:
    log = typed("bitmap", "PPL", "(3+1)")
    assert log.design.ppl
    assert log.design.bitmap == "none"
    level = next(found for found in fields(log, 60) if found.key == "level")
    assert level.read is not None
    assert not level.read("raid6").design.ppl


def test_a_stripe_set_has_no_spares() -> None:
    assert typed("level", "raid0").design.layout.spares == 0


@pytest.mark.parametrize(
    ("key", "text", "reason"),
    [
        ("arrays", "5", "Arrays 5: expected 1 to 4"),
        ("arrays", "many", "'many' is not a whole number"),
        ("width", "13", "Data 13: expected 2 to 12"),
        ("level", "raid9", "Level: expected one of raid0, raid1, raid4, raid5, raid6, raid10, disk"),
        ("chunk", "96K", "chunk 96K: expected a power of two from 4 KiB to 1 GiB"),
        ("chunk", "big", "invalid size 'big': write for example 64K, 2G or 65536"),
        ("layout", "5x(12+2)+4", "5x(12+2)+4 needs 74 disks, there are 60"),
    ],
)
def test_what_cannot_be_typed_is_refused_with_the_reason(key: str, text: str, reason: str) -> None:
    with pytest.raises((ValueError, BadInput)) as caught:
        typed(key, text)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("data", True), ("t", True), ("tank-2_b", True), ("a123456789012345", True), ("a1234567890123456", False),
        ("Data", False), ("2tank", False), ("tank-", False), ("", False), ("a b", False), ("a/b", False),
        ("x\x1b", False), ("md0", False), ("mapper", False), ("sda", False), ("ö", False),
    ],
)  # fmt: skip
def test_design_and_plan_take_the_same_names(name: str, valid: bool) -> None:
    assert (is_read("name", name), is_planned(name=name)) == (valid, valid)


@pytest.mark.parametrize(
    ("path", "valid"),
    [
        ("/srv/data", True), ("/data", True), ("/mnt/a.b_c+d-1", True), ("srv", False), ("", False), ("/", False),
        ("/a/../b", False), ("/a\nb", False), ("/a b", False), ("/usr/data", False), ("/srv", False), ("/home", False),
        ("/home/data", True), ("/var/lib/raidtui/x", False), ("/tmp/x", False), ("/ä", False), (f"/{'x' * 200}", False),
    ],
)  # fmt: skip
def test_design_and_plan_take_the_same_mount_points(path: str, valid: bool) -> None:
    assert (is_read("mount", path), is_planned(mount_point=path)) == (valid, valid)


def is_read(key: str, text: str) -> bool:
    try:
        typed(key, text)
    except (ValueError, BadInput):
        return False
    return True


def is_planned(*, name: str = "data", mount_point: str = "/srv/data") -> bool:
    try:
        names(Design(layout=parse("4x(12+2)+4")), run_id="0" * 32, name=name, mount_point=mount_point, host="stor01")
    except BadInput:
        return False
    return True


def test_a_name_that_is_refused_is_told_from_one_that_the_system_has() -> None:
    with pytest.raises(BadInput) as caught:
        typed("name", "Tank")
    assert str(caught.value) == (
        "'Tank' is not a valid name: expected 1 to 16 of a-z, 0-9, - and _; a letter first, no - or _ last"
    )
    with pytest.raises(BadInput, match="'md0' is a name that the system uses in /dev"):
        typed("name", "md0")


def test_the_mount_point_follows_the_name_until_it_is_set_by_hand() -> None:
    named = typed("name", "tank")
    assert named.mount_point == "/srv/tank"
    mounted = typed("mount", "/backup/")
    assert mounted.mount_point == "/backup"
    rename = next(found for found in fields(mounted, 60) if found.key == "name").read
    assert rename is not None
    assert rename("tank").mount_point == "/backup"


def test_what_the_models_take_for_granted_is_shown_with_its_source_and_can_be_changed() -> None:
    assert field("assumptions").shown == "defaults"
    assert field("afr").shown == "1.5 %"
    assert "Backblaze" in field("afr").about
    assert "Gray and van Ingen" in field("ure").about
    assert typed("afr", "4%").assumptions.afr == 0.04
    assert typed("ure", "3e-16").assumptions.ure_per_bit == 3e-16
    assert typed("restock_days", "10 days").assumptions.restock_days == 10
    assert typed("restock_days", "7d").assumptions.restock_days == 7
    assert typed("rebuild_share", "100%").assumptions.rebuild_share == 1
    assert typed("disk_speed", "94MB/s").assumptions.disk_bytes_per_s == 94_000_000
    changed = fields(replace(typed("afr", "4%"), spread=True), 60)
    assert next(found for found in changed if found.key == "assumptions").shown == "1 changed"


def test_arrows_step_through_usual_assumptions() -> None:
    def next_of(key: str, by: int) -> Decision:
        found = stepped(field(key), by)
        assert found is not None
        return found

    assert next_of("afr", 1).assumptions.afr == 0.02
    assert next_of("restock_days", -1).assumptions.restock_days == 14
    assert next_of("ure", 1).assumptions.ure_per_bit == 1e-14
    assert next_of("rebuild_share", 1).assumptions.rebuild_share == 0.75
    assert not next_of("spread", -1).spread


@pytest.mark.parametrize(
    ("key", "text", "reason"),
    [
        ("afr", "90%", "0.9 is out of range: 0.0001 to 0.5"),
        ("afr", "often", "invalid share 'often': write for example 1.5%, 0.015, 1e-15 or 1 in 10 000"),
        ("restock_days", "soon", "'soon' is not a number"),
        ("restock_days", "nan", "nan is out of range: 0.04 to 3650"),
        ("rebuild_share", "0", "0.0 is out of range: 0.01 to 1"),
        ("disk_speed", "1B/s", "1/s is out of range: 100kB/s to 100GB/s"),
        ("spread", "anywhere", "Placement: expected one of in order, spread"),
    ],
)
def test_assumptions_outside_what_the_models_are_good_for_are_refused(key: str, text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        typed(key, text)
    assert str(caught.value) == reason
