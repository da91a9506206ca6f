"""One word means one thing: a class or a type has a name that no other one has."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import raidtui

ROOT = Path(raidtui.__file__).parent
APART = "ansible/"
"""a collection of its own, which Ansible loads without the package"""


def types_of(tree: ast.Module) -> Iterator[str]:
    """Public classes of a module, and the names that it gives to other types."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() | ast.BinOp(op=ast.BitOr())):
                yield name
            case _:
                pass


def several(sources: dict[str, str]) -> dict[str, list[str]]:
    """Public names of types that more than one module defines, with the modules."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, text in sources.items():
        for name in types_of(ast.parse(text)):
            if name[0].isupper() and not name.isupper():
                found[name].append(module)
    return {name: modules for name, modules in found.items() if len(modules) > 1}


def test_a_name_of_a_type_is_given_once() -> None:
    sources = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in sorted(ROOT.rglob("*.py"))}
    assert several({name: text for name, text in sources.items() if not name.startswith(APART)}) == {}


def test_a_second_one_is_found() -> None:
    one, other = "class Band:\n    pass\n", 'Band = Literal["low", "high"]\nMOST = 3 | 4\n'
    assert several({"a.py": one, "b.py": other}) == {"Band": ["a.py", "b.py"]}
    assert several({"a.py": "class _Row:\n    pass\n", "b.py": "class _Row:\n    pass\nRow = found[0]\n"}) == {}


KIND_ASKED = re.compile(r"isinstance\([^()]+, \(?[^()]*\bLayout\b")


def test_there_is_one_class_of_layouts_and_nobody_asks_for_its_kind() -> None:
    values = [path.read_text("utf-8") for path in (ROOT / "values").glob("*.py")]
    kinds = [name for text in values for name in types_of(ast.parse(text)) if name.endswith("Layout")]
    assert kinds == ["Layout"]
    assert [path.name for path in ROOT.rglob("*.py") if KIND_ASKED.search(path.read_text("utf-8"))] == []
