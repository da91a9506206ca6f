"""Values survive the trip through JSON; what does not fit is named with its place."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.values.bench import Conditions
from raidtui.values.codec import canonical_json, document_digest, from_json, plain, to_json
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Disk, Inventory, Place, Use
from raidtui.values.notation import BinarySize
from raidtui.values.plan import Plan
from raidtui.values.speed import CeilingSource, SpeedSource

DISK = Disk(
    id="wwn-0x5000c500aaaa0001",
    size_bytes=2_000_398_934_016,
    serial="\x1b[2J",
    place=Place(slot="A01"),
    uses=(Use(kind="file-system", where="ext4", active=False),),
    state="content",
)
INVENTORY = Inventory(origin="machine", name="stor01", disks=(DISK,))


def test_round_trip_through_pure_ascii() -> None:
    text = to_json(INVENTORY)
    assert text.isascii()
    assert "\x1b" not in text
    assert from_json(Inventory, text, source="x") == INVENTORY


OLD_PLAN = Path(__file__).with_name("plan_2026-11.json.gz")
"""2x(4+2)+1 on pod45 as `raidtui plan --json` wrote it on 2026-11-24, when Python's json indented it"""


def test_a_stored_plan_keeps_its_digest_and_its_values() -> None:
    text = gzip.decompress(OLD_PLAN.read_bytes()).decode()
    plan = from_json(Plan, text, source="x")
    assert plan.digest == "9bd02bf65c59c78976eb30be4237f852b3a341d3ff267db6009a025584de12a5"
    assert document_digest(plan) == plan.digest
    assert plain(plan) == json.loads(text) | {"schema": "raidtui/plan/3"}
    assert from_json(Plan, to_json(plan), source="x") == plan


_TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)
"""with lone surrogates, control characters and characters beyond 16 bits"""


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXTS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
        max_leaves=12,
    )
)
def test_indented_and_compact_documents_say_the_same_in_ascii(value: object) -> None:
    indented, compact = to_json(value), to_json(value, indent=None)
    assert json.loads(indented) == json.loads(compact) == value
    assert all(" " <= character <= "~" or character == "\n" for character in indented + compact)


def test_an_indented_document_has_a_line_for_each_value_of_four_levels() -> None:
    document = {"name": "\x7f\udcff", "list": [1, 1.5], "empty": [], "none": {}, "a": [{"b": [{"c": {"d": [{}]}}]}]}
    assert to_json(document).splitlines() == [
        "{",
        '  "name": "\\u007f\\udcff",',
        '  "list": [1, 1.5],',
        '  "empty": [],',
        '  "none": {},',
        '  "a": [',
        "    {",
        '      "b": [',
        '        {"c": {"d": [{}]}}',
        "      ]",
        "    }",
        "  ]",
        "}",
    ]
    assert to_json({"name": "\x7f\u00fc"}) == '{\n  "name": "\\u007f\\u00fc"\n}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """One of everything that documents hold."""

    zulu: tuple[object, ...]
    alpha: dict[str, object]
    size: BinarySize
    under: Conditions
    nothing: None = None
    digest: str = ""


KINDS = Kinds(
    zulu=(1, True, 1e-07, None, (), {}, "\x7f\u20ac\udc80", (Place(slot="A01"),)),
    alpha={"b": [2.0], "a": 0},
    size=BinarySize(262144),
    under=Conditions(usable_bytes=7, settings={"chunk": "256K"}),
)


def test_one_line_of_every_kind_of_value() -> None:
    assert to_json(KINDS, indent=None) == (
        r'{"zulu": [1, true, 1e-07, null, [], {}, "\u007f\u20ac\udc80", [{"slot": "A01"}]], '
        r'"alpha": {"b": [2.0], "a": 0}, "size": "256KiB", '
        r'"under": {"chunk": "256K", "usable_bytes": "7"}, "digest": ""}'
    )
    assert plain(KINDS) == {
        "zulu": [1, True, 1e-07, None, [], {}, "\x7f\u20ac\udc80", [{"slot": "A01"}]],
        "alpha": {"b": [2.0], "a": 0},
        "size": "256KiB",
        "under": {"chunk": "256K", "usable_bytes": "7"},
        "digest": "",
    }


def test_what_digests_are_made_of() -> None:
    assert canonical_json(KINDS) == (
        r'{"alpha":{"a":0,"b":[2.0]},"digest":"","size":"256KiB","under":{"chunk":"256K","usable_bytes":"7"},'
        r'"zulu":[1,true,1e-07,null,[],{},"\u007f\u20ac\udc80",[{"slot":"A01"}]]}'
    )
    assert document_digest(KINDS) == "daee3ce2981991f476661b42f0bf97a0832fad266f761f0dd30c8af11ccdbce8"


def test_what_is_not_known_is_absent() -> None:
    assert "firmware" not in to_json(INVENTORY)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "lab.json: the document: Invalid JSON"),
        ('{"origin": "machine"}', "lab.json: name: Field required"),
        ('{"origin": "moon", "name": "x"}', "lab.json: origin: Input should be 'machine', 'chassis' or 'purchase'"),
        ('{"origin": "machine", "name": "x", "colour": 1}', "lab.json: colour: unknown key"),
        ('{"origin": "machine", "name": "x", "disks": [{"id": "a"}]}', "lab.json: disks.0.size_bytes: Field required"),
    ],
)
def test_the_place_of_what_does_not_fit(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said.replace(".", r"\.")):
        from_json(Inventory, text, source="lab.json")


def test_a_rate_keeps_the_words_for_its_source_that_stored_documents_have() -> None:
    assert get_args(SpeedSource) == ("said", "measured", "inventory", "family", "class")
    assert get_args(CeilingSource) == ("said", "measured", "sysfs", "table", "guess")
