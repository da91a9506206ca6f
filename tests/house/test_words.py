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
LONGEST = 20
"""words of a sentence on screens, in answers and hints; what a placeholder stands for counts as one"""
LONGEST_ON_PAGES = 30
"""words of a sentence of README and help: they are read at leisure, and explain how things hang together"""
CODE = re.compile(r"\$\(|2>/dev/null|^is\(\)|<!DOCTYPE|^---$|^- name: ", re.MULTILINE)
"""texts that no person reads as sentences: scripts, the frame of a page, the YAML that ansible-doc makes pages of"""


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Strings of a module with blanks or in capitals, as of a column, without docstrings; `…` where a value is put."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        id(line.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for line in node.body
        if isinstance(line, ast.Expr)
    }
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs | parts:
            text = node.value
        else:
            continue
        if " " in text.strip() or text.isupper():
            yield node.lineno, text


def sentences(text: str) -> Iterator[str]:
    """Each sentence of a text; of a fix, which begins in lower case, each of its steps, which stand between `;`."""
    for part in re.split(r"(?<=[.!?])\s+|\n\s*\n|\n(?=[ -])", text):
        yield from [part] if part.lstrip()[:1].isupper() else part.split("; ")


def page_sentences(text: str) -> Iterator[str]:
    """Each sentence of a page, without its code, headings and links' targets; a colon ends one, as a cell does."""
    prose = re.sub(r"```.*?```", "\n\n", text, flags=re.DOTALL)
    for block in re.split(r"\n\s*\n|\n(?=[#*-] ?|\d+\. )|\|", re.sub(r"\]\([^)]*\)|<[^>]*>", "", prose)):
        yield from re.split(r"(?<=[.!?:;])\s+", block)


def long_ones(found: Iterator[str], most: int) -> list[str]:
    return [" ".join(sentence.split()) for sentence in found if len(sentence.split()) > most]


def old_words(text: str) -> list[str]:
    return [f"{match.group()} ({new})" for old, new in OLD.items() for match in re.finditer(old, text, re.IGNORECASE)]


def test_sentences_have_the_words_of_the_field() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in sorted(PRODUCT.rglob("*.py"))
        if any(re.search(old, text := path.read_text("utf-8"), re.IGNORECASE) for old in OLD)
        for line, sentence in texts(ast.parse(text))
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
    assert [(line, old_words(text)) for line, text in texts(tree)] == [(2, ["bay (slot)"])]


def lost_values(tree: ast.Module) -> list[str]:
    """Values that stand as `{name}` in a text that is no f-string, and that nothing formats."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    formatted = {key.arg for node in calls if getattr(node.func, "attr", "") == "format" for key in node.keywords}
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        match[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value and id(node) not in docs
        for match in re.finditer(r"(?<![\w$])\{([A-Za-z_]\w*)(?:[.:!\[][^{}]*)?\}", node.value)
        if match[1] in names - formatted
    ]


def test_no_value_is_left_in_braces() -> None:
    found = {
        str(path.relative_to(ROOT)): lost
        for path in sorted(PRODUCT.rglob("*.py"))
        if (lost := lost_values(ast.parse(path.read_text("utf-8"))))
    }
    assert found == {}
    tree = ast.parse(
        "disk = 1\nprint(f'the disk ' '{disk} failed', f'as {disk}', 'no {word}', 'at {a:g}'.format(a=disk))"
    )
    assert lost_values(tree) == ["{disk}"]


def test_a_sentence_that_is_shown_is_short() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {sentence}"
        for path in sorted(PRODUCT.rglob("*.py"))
        for line, text in texts(ast.parse(path.read_text("utf-8")))
        if not CODE.search(text)
        for sentence in long_ones(sentences(text), LONGEST)
    ]
    assert found == []


def test_a_sentence_of_a_page_is_not_long() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {sentence}"
        for pattern in PAGES
        for path in sorted(ROOT.glob(pattern))
        for sentence in long_ones(page_sentences(path.read_text("utf-8")), LONGEST_ON_PAGES)
    ]
    assert found == []


def test_a_long_sentence_is_found_with_its_values() -> None:
    long, short = " ".join(["word"] * LONGEST), "Disk {disk} failed."
    ((_, text),) = texts(ast.parse(f'print(f"{long} {{number}}. {short}")'))
    assert long_ones(sentences(text), LONGEST) == [f"{long} …."]
    assert long_ones(sentences(f"{long}; {long}"), LONGEST) == []
    assert long_ones(sentences(f"A {long}; then"), LONGEST) == [f"A {long}; then"]
