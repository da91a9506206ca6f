"""An option is the same on every surface: name, range, default and sentence, wherever it can be stated."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.cli.inputs import decided
from raidtui.cli.options.parser import complete_parser
from raidtui.cli.options.verb_parser import SafeParser, VerbParser
from raidtui.cli.verbs.help import explanation
from raidtui.fleet.recipe import Recipe, decision_of, read_recipe
from raidtui.predict.options import UNDECIDED, value_of
from raidtui.session.fields.all_fields import fields
from raidtui.session.fields.field import Field
from raidtui.tui.palette import Palette, found
from raidtui.tui.screens.compare.constraints import HELP, read
from raidtui.values.codec import schema
from raidtui.values.decision import Decision
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.notation import Share, parse
from raidtui.values.options import CONSTRAINTS, COUNT, FLAG, NUMBER, OPTIONS, ROW, WORD, Option
from raidtui.values.proposal import Constraints
from tests.release.completions import completions
from tests.release.manual import pages, roff
from tests.suite import examples
from tests.tui.robot import robot

NAMES = {
    "metadata", "bitmap", "bitmap_chunk", "stripe_cache", "sync_min", "data_offset", "consistency_policy", "members",
    "partition_size", "leave", "member_size", "chunk", "stack", "fs", "mkfs", "mount_options", "benchmark_follows",
    "encrypt", "key_file", "passphrase", "name", "mount", "mail", "alert_program", "read_ahead", "io_scheduler",
    "queue_depth", "first_sync", "spread", "host", "initramfs", "kernel", "mdadm", "xfsprogs", "e2fsprogs",
    "disk_speed",
    "disk_write_speed", "disk_iops", "link_ceiling", "memory", "md_write", "cipher_rate", "parity_threads", "monitor",
    "afr", "ure", "restock_days", "rebuild_share", "sync_max", "enclosure_afr", "enclosure_loss", "correlation",
    "mission_years", "journal",
}  # fmt: skip
VERBS = ("model", "plan", "script", "export", "propose", "tune", "fleet recipe")
OF_ONE_HOST = {"passphrase", "host", "kernel", "mdadm", "xfsprogs", "e2fsprogs"}
"""a recipe has none of these: each host has its own"""
LAYOUT_TEXT = "2x(3+1)"
LAYOUT = parse(LAYOUT_TEXT)
BESIDE_PLAN = {
    "help", "color", "json", "out", "ask", "only", "exclude", "inventory", "disks", "rotational", "ssd", "nvme",
    "no_measured", "lun", "bind_by_path", "sector",
}  # fmt: skip
"""options that are about disks, or about the output"""
BESIDE_RECIPE = {"schema", "layout", "differs", "measured", "lun", "constraints", "disks", "assumptions"}
BESIDE_DESIGN = {"layout", "level", "arrays", "width", "parity", "spares", "purpose", "options", "assumptions", "ask"}
"""fields of the layout, and lines that open a page"""
DIFFERENT = {("tune", "fs"), ("tune", "first_sync")}
"""a verb whose option of this name is another one: a list, a flag"""
EACH = pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)


@cache
def verbs() -> dict[str, VerbParser]:
    return complete_parser()[1]


@cache
def helped(verb: str) -> str:
    """What `raidtui help` says of a verb, in one line."""
    return " ".join(explanation(verb).split())


@cache
def recipe_properties() -> dict[str, Any]:
    """What the schema says of each key, those of the table of assumptions too."""
    recipe = schema("recipe", Recipe)
    return {**recipe["properties"], **recipe["$defs"]["Stated"]["properties"]}


def actions(option: Option) -> dict[str, argparse.Action]:
    """The option in each verb that has it."""
    each = ((verb, action) for verb in VERBS for action in verbs()[verb].actions)
    found = {verb: action for verb, action in each if option.flag in action.option_strings}
    return {verb: action for verb, action in found.items() if (verb, option.key) not in DIFFERENT}


def field_of(option: Option) -> Field:
    """The field of Design; a partial parity log is a value of the bitmap."""
    key = "bitmap" if option.key == "consistency_policy" else option.key
    decision = Decision(design=Design(layout=LAYOUT, fs="ext4"))
    return next(field for field in fields(decision, 8) if field.key == key)


def toml(option: Option, text: str) -> bytes:
    table = "[assumptions]\n" if option.field.startswith("assumptions.") else ""
    said = text if option.kind in (COUNT, NUMBER) else f'"{text}"'
    return f'layout = "{LAYOUT_TEXT}"\n{table}{option.key} = {said}\n'.encode()


def test_all_surfaces_have_the_same_names() -> None:
    assert {option.key for option in OPTIONS} == NAMES
    flags = {word[2:].replace("-", "_") for verb in ("plan", "model") for word in words_of(verbs()[verb])}
    assert flags - BESIDE_PLAN == NAMES | {"no_benchmark_follows", "no_passphrase", "no_spread", "no_monitor"}
    recipe = set(recipe_properties())
    assert recipe - BESIDE_RECIPE == NAMES - OF_ONE_HOST
    design = {field.key for field in fields(UNDECIDED, 8)}
    assert design - BESIDE_DESIGN == NAMES - {"consistency_policy"}


def words_of(parser: SafeParser) -> set[str]:
    return {word for word in parser.names if word.startswith("--")}


@EACH
def test_all_surfaces_have_the_same_sentence(option: Option) -> None:
    sentence = re.escape(option.meaning)
    on_verbs = actions(option)
    assert on_verbs
    for verb, action in on_verbs.items():
        assert re.search(sentence, (action.help or "").replace("%%", "%")), verb
        assert re.search(sentence, helped(verb)), verb
    field = field_of(option)
    about = field.about
    if option.key != "consistency_policy":
        assert field.title == option.title
        assert about.startswith(f"{option.meaning[0].upper()}{option.meaning[1:]}.")
    if option.key not in OF_ONE_HOST:
        assert recipe_properties()[option.key]["description"].startswith(f"{option.meaning}; left out: ")


def test_man_pages_and_completions_have_every_option() -> None:
    manual, shells = pages(0), completions()
    for option in OPTIONS:
        for verb in actions(option):
            page = manual[f"raidtui-{verb.replace(' ', '-')}.1"]
            assert roff(option.flag) in page and roff(option.meaning) in page, (option.key, verb)
        assert all(option.flag.removeprefix("--") in text for text in shells.values()), option.key


async def test_the_palette_finds_every_option_by_its_name() -> None:
    async with robot() as user:
        entries = [each for each in Palette(user.app, user.app.page).entries if each.hint.startswith("Design: ")]
    for option in OPTIONS:
        if option.key != "consistency_policy":
            for name in (option.key, option.flag.removeprefix("--")):
                titles = [entry.title for entry in entries if found(name, entry)]
                assert [title for title in titles if title.startswith(f"{option.title}: ")], name


@EACH
def test_all_surfaces_have_the_same_default(option: Option) -> None:
    default = value_of(option, UNDECIDED)
    if default not in (None, "", "/srv/data") and option.kind is not FLAG:
        assert option.read(option.usual) == default
    if option.kind is FLAG:
        assert option.choices[default] == option.usual
    for verb, action in actions(option).items():
        assert action.default is None, verb
        expected = "debian" if (verb, option.key) == ("fleet recipe", "initramfs") else option.otherwise
        assert (action.help or "").replace("%%", "%").endswith(f" (default: {expected})"), verb
    recipe = read_recipe(f'layout = "{LAYOUT_TEXT}"'.encode(), source="x")
    if option.key != "initramfs":  # a recipe knows no host, so it has debian
        assert value_of(option, decision_of(recipe, LAYOUT)) == default
    assert f"Default: {option.otherwise}." in field_of(option).about or option.key == "consistency_policy"


RANGED = [option for option in OPTIONS if option.range]


def by_command_line(option: Option, text: str) -> Any:
    return value_of(option, decided(argparse.Namespace(**{option.key: text}), (option,)))


def by_design(option: Option, text: str) -> Any:
    read = field_of(option).read
    assert read is not None
    return value_of(option, read(text))


def by_recipe(option: Option, text: str) -> Any:
    return value_of(option, decision_of(read_recipe(toml(option, text), source="x"), LAYOUT))


def answer(surface: Callable[[Option, str], Any], option: Option, text: str) -> Any:
    """The value, or that it is out of range."""
    try:
        return surface(option, text)
    except (BadInput, ValueError) as problem:
        told = re.search(r"\S+ is out of range: \S+ to \S+$", str(problem))
        return told[0] if told else "refused"


@examples(200)
@given(st.sampled_from(RANGED), st.floats(0, 1), st.sampled_from([0.5, 1, 1, 1, 2]))
def test_all_surfaces_have_the_same_range(option: Option, place: float, factor: float) -> None:
    assert option.range is not None
    least, most = option.range
    text = text_of(option, (least + place * (most - least)) * factor)
    said = [answer(surface, option, text) for surface in (by_command_line, by_design, by_recipe)]
    assert said[0] == said[1] == said[2]


@pytest.mark.parametrize("option", RANGED, ids=lambda option: option.key)
def test_the_ends_of_a_range_are_inside(option: Option) -> None:
    assert option.range is not None
    for surface in (by_command_line, by_design, by_recipe):
        assert [surface(option, text_of(option, end)) for end in option.range] == list(option.range)


def text_of(option: Option, value: float) -> str:
    """As an admin writes it."""
    kind = option.kind.in_recipe
    return json.dumps(value) if kind is float else str(kind(value if kind is Share else round(value)))


@pytest.mark.parametrize("option", [each for each in OPTIONS if each.kind is WORD], ids=lambda option: option.key)
def test_all_surfaces_have_the_same_words(option: Option) -> None:
    assert {tuple(action.choices or ()) for action in actions(option).values()} == {option.choices}
    assert set(option.choices) <= set(field_of(option).choices)
    text = json.dumps(recipe_properties()[option.key])
    assert all(f'"{word}"' in text for word in option.choices)


def test_constraints_are_the_same_for_propose_recipes_and_compare() -> None:
    wanted = schema("recipe", Recipe)["$defs"]["RecipeConstraints"]["properties"]
    assert set(wanted) - {"pick"} == {option.key for option in CONSTRAINTS if option.in_recipes}
    flags = words_of(verbs()["propose"])
    assert {option.flag for option in CONSTRAINTS} - flags == {"--levels"}, "--level may be repeated instead"
    own = "layouts of your own beside the others, also by the name of a saved design"
    assert [text for _, text in HELP] == [own, *(option.sentence for option in CONSTRAINTS)]
    for option in CONSTRAINTS:
        assert option.sentence in helped("propose"), option.key
        assert not option.in_recipes or wanted[option.key]["description"] == option.schema_text


@pytest.mark.parametrize(
    ("key", "word", "text"),
    [
        ("survive", "survive", "4097"), ("survive", "survive", "-1"), ("survive", "survive", "4096"),
        ("spares", "spares", "4097"), ("max_width", "width", "0"), ("max_width", "width", "4097"),
        ("max_width", "width", "1"), ("price", "price", "1e13"),
    ],
)  # fmt: skip
def test_constraints_have_the_same_range(key: str, word: str, text: str) -> None:
    """As `answer`, of the command line, Compare and, but for the price, a recipe."""
    option: Option = getattr(ROW, key)
    start = replace(UNDECIDED, constraints=Constraints())

    def by_propose(option: Option, text: str) -> Any:
        return value_of(option, decided(argparse.Namespace(**{key: text}), (option,), start))

    def by_compare(option: Option, text: str) -> Any:
        return value_of(option, replace(UNDECIDED, constraints=read(f"{word} {text}", Constraints())))

    def by_recipe(option: Option, text: str) -> Any:
        recipe = read_recipe(f"[constraints]\n{key} = {text}".encode(), source="x")
        return value_of(option, decision_of(recipe, LAYOUT))

    said = answer(by_propose, option, text)
    assert said == answer(by_compare, option, text)
    assert key == "price" or said == answer(by_recipe, option, text)
    assert str(said).startswith(text if text in ("4096", "1") else f"{text.replace('1e13', '1e+13')} is out of range")
