"""Outside text in Markdown stays what it is: read back by a real parser."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from raidtui.values.safe import fence, inline, safe, table
from tests.planner.hostile import NASTY, texts

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def flat(tokens: list[Token]) -> list[Token]:
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


def words(tokens: list[Token]) -> str:
    return "".join(token.content for token in tokens if token.type in ("text", "text_special"))


def shown(text: str) -> str:
    """What a reader sees of it: blanks at the ends of a line do not count."""
    return safe(text).strip()


@given(texts)
@example("1. x")
@example("=")
@example("    code")
@example("  # x")
@example("-")
@example("---")
@example("+")
@example("1.")
@example("-")
def test_a_paragraph_is_its_text_and_nothing_else(text: str) -> None:
    tokens = PARSER.parse(inline(text))
    kinds = {token.type for token in flat(tokens)}
    assert kinds <= {"paragraph_open", "inline", "paragraph_close", "text", "text_special"}
    assert words(flat(tokens)) == shown(text)


@given(texts)
def test_so_is_a_list_item(text: str) -> None:
    tokens = PARSER.parse(f"- **open** {inline(text)}\n- next")
    assert [token.type for token in tokens].count("list_item_open") == 2
    assert {token.type for token in flat(tokens)} <= {
        "bullet_list_open", "list_item_open", "paragraph_open", "inline", "text", "text_special", "strong_open",
        "strong_close", "paragraph_close", "list_item_close", "bullet_list_close",
    }  # fmt: skip


@given(st.lists(st.tuples(texts, texts, texts), max_size=4))
def test_a_table_keeps_its_cells(rows: list[tuple[str, str, str]]) -> None:
    tokens = PARSER.parse(table(("a", "b", "c"), rows, frozenset({1})))
    cells = [tokens[number + 1] for number, token in enumerate(tokens) if token.type == "td_open"]
    assert [words(cell.children or []) for cell in cells] == [shown(cell) for row in rows for cell in row]
    assert [token.type for token in tokens].count("tr_open") == len(rows) + 1


@given(st.lists(texts, max_size=4))
def test_nothing_closes_a_fence(lines: list[str]) -> None:
    text = "\n".join(safe(line) for line in lines)
    (block,) = PARSER.parse(fence(text, "text"))
    assert (block.type, block.content) == ("fence", f"{text}\n" if text else "\n")


def test_no_address_becomes_a_link() -> None:
    assert (
        inline("see https://evil.example and www.evil.example") == "see https:\\//evil.example and www\\.evil.example"
    )


def test_a_table_is_aligned_where_nothing_renders_it() -> None:
    assert table(("disk", "rate"), [("sda", "1.06 GB/s"), ("a|b", "9 MB/s")], frozenset({1})).splitlines() == [
        "| disk |      rate |",
        "| ---- | --------: |",
        "| sda  | 1.06 GB/s |",
        "| a\\|b |    9 MB/s |",
    ]


def test_plain_words_stay_readable() -> None:
    text = "member 3 of data-0, 1.06 GB/s (12 % of 9), /srv/data: ok"
    assert inline(text) == text


def test_the_attempts_are_counted() -> None:
    assert len(set(NASTY)) == len(NASTY) == 56
