"""What Textual keeps to itself is used in one package, so that another release of it changes nothing elsewhere."""

import ast
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import textual

HERE = Path(__file__).parents[2]
TUI = HERE / "raidtui" / "tui"
TEXTUAL = Path(textual.__file__).parent


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def attributes(tree: ast.AST) -> Iterator[str]:
    """Private names that a module gives to objects or takes from them: attributes and methods."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            yield node.attr
        elif isinstance(node, ast.ClassDef):
            yield from (each.name for each in node.body if isinstance(each, DEFS) and is_private(each.name))


DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)


def private_imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{each.name}" for each in node.names]
        else:
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name.startswith(("textual.", "rich.")) and any(is_private(part) for part in name.split(".")):
                yield name


def parsed(path: Path) -> ast.AST:
    return ast.parse(path.read_text("utf-8"))


MODULES = ("app", "screen", "widget", "dom", "message_pump")
THEIRS = {name for module in MODULES for name in attributes(parsed(TEXTUAL / f"{module}.py"))}


def test_only_the_terminal_package_uses_what_textual_keeps_to_itself() -> None:
    """Nor does any other take such a name by chance."""
    found = {}
    for path in sorted(TUI.rglob("*.py")):
        if path.parent != TUI / "terminal":
            tree = parsed(path)
            found[str(path.relative_to(TUI))] = THEIRS.intersection(attributes(tree)).union(private_imports(tree))
    assert {"_display", "_batch_count"} <= THEIRS
    assert {name: names for name, names in found.items() if names} == {}


def test_textual_is_pinned_to_the_minor_release_whose_private_parts_are_used() -> None:
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    assert "textual>=8.2,<8.3" in project["dependencies"]
    assert version("textual").startswith("8.2.")
    assert "\ntextual==8.2." in (HERE / "requirements.lock").read_text("ascii")
