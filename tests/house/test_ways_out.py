"""Every finding about an array whose way out holds a command is in the table of ways out that the lab types."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import raidtui
from tests.lab.way_rows import NOT_TYPED, WAYS

_ROOT = Path(raidtui.__file__).parent
_ROOMS = ("planner/arrays", "steps")
_SAYS = ("found", "error", "warning", "note")
_COMMAND = re.compile(
    r"\bmdadm (--?[a-z]|\{|/)|\braidtui (replace|extend) (\{|[A-Z])|\becho (\w|\{\})+ >|\bblockdev --|\btune2fs\b|\bmount -o"
)
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
_DEEP = 4


class _Module:
    """A module with what its names stand for."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text())
        self.named = {each.name: each for each in ast.walk(self.tree) if isinstance(each, ast.FunctionDef)}

    def texts(self, node: ast.AST, inside: ast.FunctionDef, depth: int = 0) -> Iterator[str]:
        """Texts of an expression; those of the functions that it calls and the variables that it names too."""
        if depth > _DEEP:
            return
        for each in ast.walk(node):
            if isinstance(each, ast.JoinedStr):
                yield "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in each.values)
            elif isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield each.value
            elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in self.named:
                called = self.named[each.func.id]
                if called is not inside:
                    yield from self.texts(ast.Module(called.body, []), called, depth + 1)
            elif isinstance(each, ast.Name):
                before = [
                    stated
                    for stated in ast.walk(inside)
                    if isinstance(stated, ast.Assign) and each.id in _names(stated.targets)
                    if stated.lineno < each.lineno
                ]
                for stated in sorted(before, key=lambda stated: stated.lineno)[-1:]:
                    yield from self.texts(stated.value, inside, depth + 1)


def _names(targets: list[ast.expr]) -> set[str]:
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


@cache
def codes_with_commands() -> frozenset[str]:
    """Codes of findings about arrays whose message or way out holds a command for one."""
    found = set()
    for path in (path for room in _ROOMS for path in (_ROOT / room).rglob("*.py")):
        module = _Module(path)
        for function in module.named.values():
            for call in (each for each in ast.walk(function) if isinstance(each, ast.Call)):
                if not isinstance(call.func, ast.Name | ast.IfExp) or _said(call) not in _SAYS:
                    continue
                code = next((text for each in call.args if (text := _constant(each)) and _CODE.fullmatch(text)), "")
                if code and any(_COMMAND.search(text) for each in call.args for text in module.texts(each, function)):
                    found.add(code)
    return frozenset(found)


def _said(call: ast.Call) -> str:
    func = call.func.body if isinstance(call.func, ast.IfExp) else call.func
    return func.id if isinstance(func, ast.Name) else ""


def _constant(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_commands_are_found_where_they_are_known_to_be() -> None:
    """In the call itself, in a function that it calls, in a variable."""
    assert {"member-faulty", "array-degraded", "journal-lost", "no-bitmap", "array-limited", "reshape-halted",
            "array-incomplete", "member-dropped"} <= codes_with_commands()  # fmt: skip
    assert "raid5-large" not in codes_with_commands()


def test_every_way_out_with_a_command_is_typed_in_the_lab() -> None:
    typed = {code for way in WAYS for code in (way.code, *way.also)}
    assert codes_with_commands() - typed == set(NOT_TYPED) - typed
    assert not set(NOT_TYPED) & typed
    assert set(NOT_TYPED) <= codes_with_commands()


def test_a_row_of_the_table_has_a_name_of_its_own() -> None:
    names = [way.name for way in WAYS]
    assert sorted(names) == sorted(set(names))
