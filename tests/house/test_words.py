"""One word for one thing, in every sentence that is shown to a person."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import raidtui

PRODUCT = Path(raidtui.__file__).parent
ROOT = PRODUCT.parent
OLD = {
    r"\bbays?\b": "slot",
    r"\bverbs?\b": "command",
    r"\black(s|ing|ed)?\b": "missing",
    r"\bway out\b": "fix",
    r"\b(q|Enter alone|until you) leaves?\b": "quit",
    r"\blimit members?\b": "limited by one member",
    r"\bnobody\b": "say what does not happen",
    r"\bwhoever\b": "name who",
    r"\b(hears|heard|heed)\b": "reports, receives",
    r"\bwhat an? (cut|interruption) leaves\b": "what remains after an interruption",
    r"(?<!there )\bis no array\b": "is not an array",
    r"\bdoes not prevent the start\b": "does not stop the boot",
}
"""words that people stumbled over, and what is written instead"""
PAGES = ("README.md", "raidtui/topics/*.md")


def sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The strings of a module that have blanks or are capitals of a column, without docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        id(line.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for line in node.body
        if isinstance(line, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            text = node.value
            if " " in text.strip() or text.isupper():
                yield node.lineno, text


def old_words(text: str) -> list[str]:
    return [f"{match.group()} ({new})" for old, new in OLD.items() for match in re.finditer(old, text, re.IGNORECASE)]


def test_sentences_have_the_words_of_the_field() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in sorted(PRODUCT.rglob("*.py"))
        if any(re.search(old, text := path.read_text("utf-8"), re.IGNORECASE) for old in OLD)
        for line, sentence in sentences(ast.parse(text))
        for word in old_words(sentence)
    ]
    assert found == []


def test_pages_have_them_too() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {word}"
        for pattern in PAGES
        for path in sorted(ROOT.glob(pattern))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        for word in old_words(re.sub(r"`[^`]*`|\]\([^)]*\)", "", line))
    ]
    assert found == []


def test_an_old_word_is_found() -> None:
    tree = ast.parse('"""A bay."""\nprint("the light of its bay")\nx = {"bay": 1}\n')
    assert [(line, old_words(text)) for line, text in sentences(tree)] == [(2, ["bay (slot)"])]
