"""Hostile text of disks never leaves the place that a format gives it; what is no single word is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.installers.nixos import nix, nix_string
from raidtui.installers.plan_view import word
from raidtui.installers.render import export
from raidtui.values.choices import EXPORT_FORMATS
from raidtui.values.errors import Refused
from tests.planner.export.installers.nix_reader import read_nix
from tests.planner.export.installers.reference import MIRROR, PLANS, reference_plan
from tests.planner.export.installers.test_parsers import read
from tests.planner.plans import disk, plan_of
from tests.properties.test_hostile import harmless, hostile
from tests.suite import examples

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(st.recursive(st.one_of(TEXT, st.integers(0), st.booleans()), lambda inner: st.lists(inner) |
                    st.dictionaries(TEXT, inner)))  # fmt: skip
@examples(50)
def test_nix_reads_what_was_written(value: object) -> None:
    assert read_nix(nix(value)) == value  # type: ignore[arg-type]


def test_no_nix_string_interpolates_or_ends_early() -> None:
    assert nix_string('${builtins.abort "x"}') == '"\\${builtins.abort \\"x\\"}"'
    assert nix_string("$${a}") == '"\\$\\${a}"'
    assert nix_string("a\\") == '"a\\\\"'
    with pytest.raises(ValueError, match="NUL"):
        nix_string("\0")


def test_hostile_serial_numbers_and_models_are_refused_or_stay_out() -> None:
    refused = 0
    for words in hostile(5, 15):
        plan = plan_of(MIRROR, (disk(1, serial=words, model=words, vendor=words), disk(2)))
        for name in EXPORT_FORMATS:
            try:
                made = export(plan, name, "native", None)
            except Refused:
                refused += 1
                continue
            assert all(harmless(file.text) for file in made.files)
            read(made)
    assert refused  # autoinstall names disks by serial number


@pytest.mark.parametrize("text", ["", "a b", "a;b", "$(a)", "a\nb", "-rf", 'a"b', "a'b", "a\\b", "a#b", "*", "é", "%a"])
def test_a_word_is_one_word_to_every_shell_and_parser(text: str) -> None:
    with pytest.raises(Refused, match="characters that installers would not take literally"):
        word(text, "name")


@pytest.mark.parametrize("field", ["name", "host", "device", "mount_point"])
def test_a_plan_that_somebody_wrote_by_hand_is_not_believed(field: str) -> None:
    for name in EXPORT_FORMATS:
        plan = reference_plan(PLANS[name])
        evil = '"; reboot; $(reboot) ${x}\n%end\n'
        match field:
            case "name":
                plan = replace(plan, name=evil)
            case "host":
                plan = replace(plan, host=evil)
            case "device":
                plan = replace(plan, arrays=(replace(plan.arrays[0], device=evil), *plan.arrays[1:]))
            case _:
                plan = replace(plan, filesystems=(replace(plan.filesystems[0], mount_point=evil),))
        if field == "host":  # shown in a comment alone
            text = export(plan, name, "native", None).files[0].text
            assert all(line.startswith("#") for line in text.splitlines() if "reboot" in line)
            assert text.splitlines().count("%end") == (name == "kickstart")
            continue
        with pytest.raises(Refused, match="not take literally"):
            export(plan, name, "native", None)


def test_json_of_formats_is_ascii() -> None:
    for name in ("autoinstall", "butane", "ignition", "linux-system-roles"):
        text = export(reference_plan(PLANS[name]), name, "native", None).files[0].text
        assert text.isascii()
        json.loads("".join(line for line in text.splitlines() if not line.startswith("#")))
