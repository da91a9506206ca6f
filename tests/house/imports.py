"""Which module of raidtui imports which, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

HERE = Path(__file__).parents[2]
Graph = Mapping[str, frozenset[str]]
"""module or package to those that it imports"""


class Level(IntEnum):
    """Where an import stands."""

    MODULE = 0
    TYPE_CHECKING = 1
    FUNCTION = 2


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement of a module of raidtui in another one."""

    source: str
    """module that it stands in"""
    targets: tuple[str, ...]
    """modules that it names"""
    level: Level
    file: Path
    line: int
    explained: bool
    """a comment stands on its line or above its block of imports"""


def modules(package: Path = HERE / "raidtui") -> dict[str, Path]:
    """Every module by its dotted name; a package is its `__init__`."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(known: Mapping[str, Path]) -> list[Import]:
    """Every import among the modules `known`."""
    found = []
    for name, path in known.items():
        text = path.read_text("utf-8")
        lines = text.splitlines()
        for node, level in _statements(ast.parse(text), Level.MODULE):
            if targets := tuple(dict.fromkeys(_targets(node, known))):
                found.append(Import(name, targets, level, path, node.lineno, _explained(lines, node)))
    return found


def of_modules(found: Iterable[Import], level: Level) -> Graph:
    """Imports of modules up to `level`."""
    graph: dict[str, set[str]] = {}
    for each in found:
        if each.level <= level:
            graph.setdefault(each.source, set()).update(set(each.targets) - {each.source})
    return {name: frozenset(targets) for name, targets in graph.items()}


def of_folders(graph: Graph, known: Mapping[str, Path]) -> Graph:
    """The same between the folders that the modules stand in."""

    def folder(module: str) -> str:
        return module if known[module].name in ("__init__.py", "__main__.py") else module.rpartition(".")[0]

    folders: dict[str, set[str]] = {}
    for source, targets in graph.items():
        own = folder(source)
        folders.setdefault(own, set()).update({folder(target) for target in targets} - {own})
    return {name: frozenset(targets) for name, targets in folders.items()}


def circles(graph: Graph, within: str = "raidtui") -> list[tuple[str, ...]]:
    """Sets of names that lead to each other, below `within` (Tarjan's strongly connected components)."""
    inside = {name for name in graph if f"{name}.".startswith(f"{within}.")}
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(name: str) -> None:
        index[name] = lowest[name] = len(index)
        stack.append(name)
        for target in sorted(graph[name] & inside):
            if target not in index:
                visit(target)
                lowest[name] = min(lowest[name], lowest[target])
            elif target in stack:
                lowest[name] = min(lowest[name], index[target])
        if lowest[name] == index[name]:
            circle = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(circle) > 1:
                found.append(tuple(sorted(circle)))

    for name in sorted(inside):
        if name not in index:
            visit(name)
    return sorted(found)


def _statements(node: ast.AST, level: Level) -> Iterator[tuple[ast.Import | ast.ImportFrom, Level]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # no statement is inside an expression
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child, level
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _statements(child, Level.FUNCTION)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from _statements(child, max(level, Level.TYPE_CHECKING))
        else:
            yield from _statements(child, level)


def _targets(node: ast.Import | ast.ImportFrom, known: Mapping[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names if each.name in known)
    elif node.module is not None:
        for each in node.names:
            name = f"{node.module}.{each.name}"
            if name in known:
                yield name
            elif node.module in known:
                yield node.module


def _explained(lines: list[str], node: ast.Import | ast.ImportFrom) -> bool:
    if any("#" in line for line in lines[node.lineno - 1 : node.end_lineno]):
        return True
    above = (line.lstrip() for line in reversed(lines[: node.lineno - 1]))
    return next((line for line in above if not line.startswith(("from ", "import "))), "").startswith("#")
