"""Every --help at 80 columns."""

from __future__ import annotations

import argparse
import io
import shlex
from collections.abc import Iterator

import pytest

from raidtui.cli.options.parser import complete_parser
from raidtui.cli.options.shared import VerbParser


def nested(name: str, verb: VerbParser) -> Iterator[tuple[str, VerbParser]]:
    """The verb and the verbs in it."""
    verb.complete()
    yield name, verb
    for action in verb._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner, parser in action.choices.items():
                yield from nested(f"{name} {inner}", parser)


def asked(verb: VerbParser) -> str:
    """What its --help prints."""
    written = io.StringIO()
    verb.print_help(written)
    return written.getvalue()


TOP, VERBS = complete_parser()
PAGES: dict[str, argparse.ArgumentParser] = {"": TOP} | {
    name: verb for first, each in VERBS.items() for name, verb in nested(first, each)
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_80_columns_and_breaks_no_word(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = PAGES[name].format_help()
    lines = page.splitlines()
    assert max(map(len, lines)) <= 79, max(lines, key=len)
    assert not [line for line in lines if line.endswith("-")]
    assert page.isascii()
    usage, _, rest = page.partition("\n\n")
    assert usage.startswith(f"usage: raidtui {name}".rstrip())
    assert rest.split("\n\n")[0].endswith("."), "what the verb does, in a sentence"


@pytest.mark.parametrize("name", VERBS)
def test_the_help_of_a_verb_fits_two_screens_and_names_every_option(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = asked(VERBS[name])
    lines = page.splitlines()
    assert len(lines) <= 48
    assert max(map(len, lines)) <= 79, max(lines, key=len)
    for action in VERBS[name]._actions:
        if action.help != argparse.SUPPRESS:
            assert all(option in page for option in action.option_strings[:1]), action.option_strings
    if "describes exit codes" in page:
        assert f"\nraidtui help {name} describes exit codes, and these too:\n" in page


@pytest.mark.parametrize("name", VERBS)
def test_the_help_of_a_verb_begins_with_two_examples_that_it_takes(name: str) -> None:
    examples = asked(VERBS[name]).partition("\nexamples:\n")[2].splitlines()[:2]
    for line in examples:
        command, _, purpose = line.removeprefix("  ").partition("#")
        words = shlex.split(command.partition(" > ")[0])
        assert " ".join(words).startswith((f"raidtui {name}", f"raidtui help {name}"))
        assert purpose
        TOP.parse_args(words[1:])  # ends the process for a word that it does not know


def test_a_code_stands_beside_its_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert (
        PAGES["status"]
        .format_help()
        .endswith(
            "\n\nexit codes: 0 done, 1 refused for a reason you can change, 2 wrong usage,\n"
            "3 the machine failed, 4 the plan no longer fits, 5 another run holds the lock,\n"
            "130 interrupted\n"
        )
    )
