"""The product uses public names of libraries alone: another minor release of them changes nothing here."""

from __future__ import annotations

import argparse
import ast
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

import textual

HERE = Path(__file__).parents[2]
TEXTUAL = Path(textual.__file__).parent
DOCUMENTED = frozenset({"_replace", "_asdict", "_fields", "_make", "_exit"})
"""names with an underscore that Python's documentation has"""
DEFS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
INHERITED = [TEXTUAL / f"{each}.py" for each in (
    "app", "screen", "widget", "dom", "message_pump", "driver", "drivers/linux_driver", "filter", "message",
    "containers", "widgets/_input",
)]  # fmt: skip
"""modules of Textual whose classes ours are made of"""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED


def given(tree: ast.AST) -> Iterator[str]:
    """Names that a module gives to something."""
    for node in ast.walk(tree):
        if isinstance(node, DEFS):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def taken(tree: ast.AST) -> Iterator[str]:
    """Private names that a module takes from objects and from other packages."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield from [node.attr] if is_private(node.attr) else []
        elif isinstance(node, ast.ImportFrom) and not (node.module or "raidtui").startswith("raidtui"):
            paths = [f"{node.module}.{each.name}" for each in node.names]
            yield from (path for path in paths if any(map(is_private, path.split("."))))
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names if any(map(is_private, each.name.split("."))))


def on_classes(tree: ast.AST) -> Iterator[str]:
    """Private names of methods, and of attributes of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from (each.name for each in node.body if isinstance(each, DEFS) and is_private(each.name))
            yield from (
                each.target.id
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and is_private(each.target.id)
            )
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_private(node.attr):
            yield node.attr


def foreign(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """By path: private names that it takes and that no source gives to anything."""
    trees = {path: ast.parse(text) for path, text in sources.items()}
    ours = {name for tree in trees.values() for name in given(tree)}
    found = {path: {name for name in taken(tree) if name not in ours} for path, tree in trees.items()}
    return {path: names for path, names in found.items() if names}


def by_chance(sources: Mapping[str, str], modules: Iterable[Path]) -> dict[str, set[str]]:
    """By path: private names of the classes of `modules` that ours give to something of their own."""
    theirs = {name for each in modules for name in on_classes(ast.parse(each.read_text("utf-8")))}
    found = {path: theirs.intersection(on_classes(ast.parse(text))) for path, text in sources.items()}
    return {path: names for path, names in found.items() if names}


def product(below: Path) -> dict[str, str]:
    return {str(path.relative_to(HERE / "raidtui")): path.read_text("utf-8") for path in sorted(below.rglob("*.py"))}


def test_no_private_name_of_a_library_is_used() -> None:
    assert foreign(product(HERE / "raidtui")) == {}


def test_none_is_taken_by_chance() -> None:
    assert by_chance(product(HERE / "raidtui" / "tui"), INHERITED) == {}
    assert by_chance(product(HERE / "raidtui" / "cli"), [Path(argparse.__file__)]) == {}


def test_a_planted_one_is_found() -> None:
    planted = {
        "import.py": "from textual._compositor import ChopsUpdate",
        "use.py": "def show(app):\n    app._display(app.screen, None)",
        "ours.py": "class A:\n    def _own(self):\n        return self._own()",
    }
    assert foreign(planted) == {"import.py": {"textual._compositor.ChopsUpdate"}, "use.py": {"_display"}}
    override = "class Ours(App):\n    def _display(self, screen, picture):\n        self._driver = picture"
    assert by_chance({"override.py": override}, INHERITED) == {"override.py": {"_display", "_driver"}}


def test_textual_may_be_any_release_up_to_the_next_major_one() -> None:
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    assert "textual>=8.2.7,<9" in project["dependencies"]
    assert f"\ntextual=={version('textual')} " in (HERE / "requirements.lock").read_text("ascii")
