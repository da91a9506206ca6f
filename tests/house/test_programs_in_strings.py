"""Tests hand programs to other interpreters as text: mypy does not see what these import."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
_IMPORT = re.compile(r"\bfrom (raidtui(?:\.\w+)*) import (\w+(?:, \w+)*)")


def imported(source: str) -> Iterator[tuple[str, str]]:
    """(module, name) of each import that stands in a text of `source`, a Python file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for module, names in _IMPORT.findall(node.value):
                yield from ((module, name) for name in names.split(", "))


def exists(module: str, name: str) -> bool:
    """True if `module` has `name`, or is a package with a module of that name."""
    try:
        if hasattr(importlib.import_module(module), name):
            return True
        importlib.import_module(f"{module}.{name}")
    except ImportError:
        return False
    return True


def test_what_is_imported_in_a_text_is_found() -> None:
    source = 'import raidtui.low\nRUN = """import sys\nfrom raidtui.low import a, b; main()\n"""\n'
    assert list(imported(source)) == [("raidtui.low", "a"), ("raidtui.low", "b")]
    assert exists("raidtui.cli", "main")
    assert exists("raidtui", "engine")
    assert not exists("raidtui.machine.run", "journal")
    assert not exists("raidtui.engine", "no_such_module")


def test_programs_in_texts_import_what_there_is() -> None:
    files = sorted(file for file in TESTS.rglob("*.py") if "house" not in file.parts)
    found = [(file, *each) for file in files for each in imported(file.read_text("utf-8"))]
    assert len(found) > 10
    assert [f"{file}: {module}.{name}" for file, module, name in found if not exists(module, name)] == []
