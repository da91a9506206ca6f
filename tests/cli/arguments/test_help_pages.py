"""Every --help at 80 columns."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from raidtui.cli.options.parser import complete_parser
from raidtui.cli.options.verb_parser import SafeParser, VerbParser


def nested(name: str, verb: VerbParser) -> Iterator[tuple[str, VerbParser]]:
    """The verb and the verbs in it."""
    verb.complete()
    yield name, verb
    for inner, parser in (verb.verbs.parsers if verb.verbs else {}).items():
        yield from nested(f"{name} {inner}", parser)


def asked(verb: VerbParser) -> str:
    """What its --help prints."""
    written = io.StringIO()
    verb.print_help(written)
    return written.getvalue()


TOP, VERBS = complete_parser()
PAGES: dict[str, SafeParser] = {"": TOP} | {
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
