"""Every finding about an array whose way out holds a command is in the table of ways out that the lab types."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import raidtui
from tests.lab.way_rows import NOT_TYPED, WAYS

_ROOT = Path(raidtui.__file__).parent
_ROOMS = ("advice/arrays", "advice/audit", "steps")
_SAYS = ("found", "error", "warning", "note")
_COMMAND = re.compile(
    r"\bmdadm (--?[a-z]|\{|/)|\braidtui (replace|extend) (\{|[A-Z])|\becho (\w|\{\})+ >|\bblockdev --|\btune2fs\b"
    r"|\bmount -o"
)
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
_SHARED = ("assembled_anew", "sync_way_out")
"""functions of other modules that return commands"""


class _Module:
    """A module with what its names stand for."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text())
        self.assigned: dict[ast.FunctionDef, list[ast.Assign]] = {}
        self.named = {each.name: each for each in ast.walk(self.tree) if isinstance(each, ast.FunctionDef)}

    def holds_command(self, node: ast.AST, inside: ast.FunctionDef, seen: set[int]) -> bool:
        """True for an expression with a text that is a command; what it calls and names in this module counts too."""
        if id(node) in seen:
            return False
        seen.add(id(node))
        for each in ast.walk(node):
            if isinstance(each, ast.JoinedStr):
                text = "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in each.values)
                if _COMMAND.search(text):
                    return True
            elif isinstance(each, ast.Constant) and isinstance(each.value, str) and _COMMAND.search(each.value):
                return True
            elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in self.named:
                called = self.named[each.func.id]
                if called is not inside and self.holds_command(called, called, seen):
                    return True
            elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in _SHARED:
                return True
            elif isinstance(each, ast.Name):
                last = self._stated(each, inside)
                if last is not None and self.holds_command(last, inside, seen):
                    return True
        return False

    def _stated(self, name: ast.Name, inside: ast.FunctionDef) -> ast.expr | None:
        """What the name was given last before."""
        if inside not in self.assigned:
            self.assigned[inside] = [each for each in ast.walk(inside) if isinstance(each, ast.Assign)]
        mine = [each for each in self.assigned[inside] if name.id in _names(each.targets) and each.lineno < name.lineno]
        return max(mine, key=lambda each: each.lineno).value if mine else None


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
                if code and any(module.holds_command(each, function, set()) for each in call.args):
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
            "array-incomplete", "member-dropped", "name-twice", "metadata-old"} <= codes_with_commands()  # fmt: skip
    assert "raid5-large" not in codes_with_commands()


def test_every_way_out_with_a_command_is_typed_in_the_lab() -> None:
    typed = {code for way in WAYS for code in (way.code, *way.also)}
    assert codes_with_commands() - typed == set(NOT_TYPED) - typed
    assert not set(NOT_TYPED) & typed
    assert set(NOT_TYPED) <= codes_with_commands()


def test_a_row_of_the_table_has_a_name_of_its_own() -> None:
    names = [way.name for way in WAYS]
    assert sorted(names) == sorted(set(names))
