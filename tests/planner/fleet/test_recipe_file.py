"""Recipes as files: what an admin writes, how errors name it, and that what is written is read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.fleet.recipe import (
    DiskRule,
    Recipe,
    RecipeConstraints,
    Stated,
    assumptions_of,
    constraints_of,
    decision_of,
    read_recipe,
    recipe_toml,
)
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput
from raidtui.values.notation import BinarySize, ByteRate, DecimalSize, LayoutText, Share
from raidtui.values.safe import safe
from raidtui.values.units import MIB
from tests.properties.layouts import any_layouts

FULL = b"""\
# sixty bays of 2 TB
layout = "4x(12+2)+4"
differs = "fit"
chunk = "256K"
mkfs = "rmapbt=1"
mount_options = "pquota,largeio"
name = "scratch"
mail = "storage@example.org"
read_ahead = "24M"
io_scheduler = "mq-deadline"

[constraints]
survive = 2
usable = "80TB"
max_loss = "1 in 10 000"
prefer = ["capacity", "risk"]

[disks]
rotational = true
at_least = "1.9TB"
model = "SIM2000*"

[assumptions]
afr = "2%"
restock_days = 14
"""


def test_what_an_admin_writes() -> None:
    recipe = read_recipe(FULL, source="rack.toml")
    assert recipe.layout is not None
    design = decision_of(recipe, recipe.layout.layout).design
    assert (design.chunk_bytes, design.read_ahead_bytes, design.io_scheduler) == (262_144, 25_165_824, "mq-deadline")
    assert design.options.xfs.rmapbt
    assert [option.text for option in design.options.mount] == ["pquota", "largeio"]
    constraints = constraints_of(recipe)
    assert constraints is not None
    assert (constraints.survive, constraints.usable_bytes, constraints.max_annual_loss) == (2, 80 * 10**12, 0.0001)
    assert (constraints.chunk_bytes, constraints.wishes) == (262_144, ("capacity", "risk"))
    said = assumptions_of(recipe, ())
    assert (said.afr, said.restock_days, said.ure_per_bit) == (0.02, 14, 1e-15)


def test_json_says_the_same() -> None:
    recipe = read_recipe(FULL, source="rack.toml")
    assert read_recipe(to_json(recipe).encode(), source="rack.json") == recipe


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('layout = "4x(12+2)+4"\nchunk = "256Q"', "rack.toml: line 2: chunk: invalid size '256Q'"),
        ('layout = "4x(12+2"', "rack.toml: line 1: layout: layout '4x(12+2', column 8: expected ')'"),
        ('layout = "raid0(4)"\n\n[disks]\nslots = 3', "rack.toml: line 4: disks.slots: unknown key"),
        ('layout = "raid0(4)"\nlevel = "raid6"', "rack.toml: line 2: level: unknown key"),
        ('layout = "raid0(4)"\n[constraints]\nsurvive = 1', "line 2: constraints: the layout is given already"),
        ("[constraints]\nsurvive = -1", "line 2: constraints.survive: -1 is out of range"),
        ('layout = "raid0(4)"\nfs = "ext4"\nmkfs = "rmapbt=1"', "line 3: mkfs: unknown option 'rmapbt' of mkfs.ext4"),
        ('layout = "raid0(4)"\nmount_options = "fast"', "line 2: mount_options: "),
        ('layout = "raid0(4)"\nfs = "none"\nmkfs = "x"', "line 3: mkfs: fs none has no file system"),
        ('layout = "raid0(4)"\nname = "A B"', "line 2: name: 'A B' is not a valid name"),
        ('layout = "raid0(4)"\nmount = "/usr/data"', "line 2: mount: '/usr/data' belongs to the system"),
        ('layout = "raid0(4)"\nmail = ""', "line 2: mail: empty"),
        ('layout = "raid0(4)"\nmail = "a b"', "line 2: mail: 'a b' is not a mail address"),
        ('layout = "raid0(4)"\nlun = "sdb=12+2,256K"', "line 2: lun: "),
        ('layout = "raid0(4)"\npartition_size = "1TB"\nmembers = "disks"', "line 2: partition_size: needs partitions"),
        ('layout = "raid0(4)"\nleave = "2GiB"\nmembers = "disks"', "line 2: leave: needs partitions"),
        ('layout = "raid0(4)"\n[disks]\nat_least = "2TB"\nat_most = "1TB"', "line 3: disks.at_least: 2TB is more than"),
        ('layout = "raid0(4)"\n[assumptions]\nafr = "99%"', "line 3: assumptions.afr: 0.99 is out of range"),
        ('layout = "raid0(4)"\n[assumptions]\nrestock_days = nan', "line 3: assumptions.restock_days: "),
        ('layout = "raid0(4)"\nqueue_depth = 0', "line 2: queue_depth: 0 is out of range"),
        ('schema = "raidtui/recipe/2"\nlayout = "raid0(4)"', "line 1: schema: Input should be 'raidtui/recipe/1'"),
        ("", "rack.toml: layout: neither a layout nor constraints"),
        ("layout = ", "rack.toml: not valid TOML: Invalid value (at end of document)"),
        ('layout = "raid0(4)"\nlayout = "raid0(4)"', "not valid TOML: Cannot overwrite a value (at end of document)"),
        ("{", "rack.toml: not valid JSON: Expecting property name"),
        ('{"layout": "raid0(4)",\n "depth": 3}', "rack.toml: line 2: depth: unknown key"),
        ("a = " + "[" * 10_000, "rack.toml: not valid TOML: too deeply nested"),
        ("date = 2026-01-01", "rack.toml: Object of type date"),
    ],
)  # fmt: skip
def test_an_error_names_file_line_key_and_way_out(text: str, said: str) -> None:
    with pytest.raises(BadInput) as problem:
        read_recipe(text.encode(), source="rack.toml")
    assert said in str(problem.value)
    assert problem.value.hint


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(BadInput, match=r"rack\.toml: byte 3 is not UTF-8"):
        read_recipe(b"a\n\xff", source="rack.toml")


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_file_is_a_recipe_or_an_error(text: bytes) -> None:
    try:
        read_recipe(text, source="x")
    except BadInput as problem:
        assert safe(str(problem)).isprintable()


SIZES = st.integers(1, 10**15)
RECIPES = st.builds(
    Recipe,
    layout=any_layouts().map(LayoutText),
    differs=st.just("fit"),
    chunk=st.none() | SIZES.map(BinarySize),
    partition_size=st.none() | SIZES.map(DecimalSize),
    leave=st.none() | st.integers(MIB, 10**13).map(BinarySize),
    member_size=st.none() | SIZES.map(DecimalSize),
    stack=st.sampled_from(("lvm", "md", "separate")),
    benchmark_follows=st.booleans(),
    read_ahead=st.none() | SIZES.map(BinarySize),
    queue_depth=st.none() | st.integers(1, 32),
    first_sync=st.none() | st.sampled_from(("resync", "zeroes")),
    constraints=st.none()
    | st.builds(
        RecipeConstraints,
        survive=st.integers(0, 4),
        usable=st.none() | st.integers(10**6, 10**18).map(DecimalSize),
        max_loss=st.none() | st.floats(0, 1).map(Share),
        levels=st.lists(st.sampled_from(("raid5", "raid6")), max_size=2).map(tuple),
    ),
    disks=st.none() | st.builds(DiskRule, rotational=st.none() | st.booleans(), model=st.none() | st.text(max_size=20)),
    assumptions=st.none()
    | st.builds(Stated, memory=st.none() | st.integers(10**8, 10**14).map(ByteRate), monitor=st.booleans()),
)


@given(RECIPES)
def test_what_is_written_is_read_back(recipe: Recipe) -> None:
    text = recipe_toml(recipe)
    assert text.isascii()
    assert "\x1b" not in text
    assert read_recipe(text.encode(), source="x") == recipe
    assert read_recipe(to_json(recipe).encode(), source="x") == recipe
