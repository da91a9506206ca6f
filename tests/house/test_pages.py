"""README is one page, topics hold the rest: their size, links, tables and commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.cli.options.parser import complete_parser
from tests.cli.commands import answer

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
TOPICS = sorted((ROOT / "raidtui" / "topics").glob("*.md"))
PAGES = [README, *TOPICS]
LINK = re.compile(r"(?:\]\(|src=\")([^)#\"\s]+)")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LISTINGS = [text for kind, text in BLOCK.findall(README.read_text("utf-8")) if kind == "console"]
OTHERS = {"python3", "pipx", "uv", "pip", ".", "clush"}
"""programs of a page that are not raidtui"""


def calls(page: Path) -> list[list[str]]:
    """Arguments of each call of raidtui in the blocks of `page`."""
    found = []
    for kind, text in BLOCK.findall(page.read_text("utf-8")):
        for line in text.splitlines():
            if kind == "sh" or (kind == "console" and line.startswith("$ ")):
                program, *words = shlex.split(line.removeprefix("$ "), comments=True)
                assert program in {"raidtui", *OTHERS}, line
                if program == "clush":
                    program, words = "raidtui", words[words.index("raidtui") + 1 :]
                found += [words] if program == "raidtui" else []
    return found


def test_readme_is_one_page() -> None:
    text = README.read_text("utf-8")
    assert text.count("\n") <= 160
    assert len(text.encode()) <= 12_288


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_and_its_tables_have_equal_columns(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    assert len(lines) <= 200 or page.stem == "keys"
    for number, line in enumerate(lines, 1):
        assert len(line) <= 120 or line.startswith(("|", "!", "<img")), number
        before = lines[number - 2] if number > 1 else ""
        if line.startswith("|") and before.startswith("|"):
            assert line.count("|") == before.count("|"), number


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_links_to_exists(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text("utf-8")) if "://" not in link]
    for link in links:
        assert (page.parent / link).exists(), link
    if page == README:
        assert {topic.relative_to(ROOT).as_posix() for topic in TOPICS} <= set(links)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_call_of_a_page_is_one_that_raidtui_takes(page: Path) -> None:
    """A word that no parser knows raises BadInput."""
    top, _ = complete_parser()
    for words in calls(page):
        top.parse_args(words)


@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: " ".join(listing.split()[:3]))
def test_readme_prints_what_raidtui_prints(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Line by line in this order; `...` stands for lines that are left out."""
    call, *expected = listing.splitlines()
    printed = iter(answer(capsys, *shlex.split(call)[2:]).splitlines())
    for line in expected:
        assert line == "..." or line in printed, line


def test_the_walk_of_readme_writes_the_four_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (plan,) = (words for words in calls(README) if words[0] == "plan")
    assert main(plan) == 0
    assert {path.name for path in (tmp_path / "try").iterdir()} == {"build.sh", "undo.sh", "runbook.md", "plan.json"}
