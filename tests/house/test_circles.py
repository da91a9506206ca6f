"""Imports go one way."""

from functools import cache
from pathlib import Path

import pytest

from tests.house.imports import Import, Level, circles, imports, modules, of_folders, of_modules

KNOWN = modules()
FLOORS = tuple(
    f"raidtui.{room}"
    for room in ("values", "programs", "sizes", "predict", "advice", "steps", "machine", "engine", "bench", "answers",
                 "scripts", "session", "cli", "tui", "fleet", "installers", "simulated")
)  # fmt: skip
"""packages that are free of circles and explain their imports inside functions"""


@cache
def product() -> list[Import]:
    """Every import of the product; read when the first test asks."""
    return imports(KNOWN)


@pytest.mark.parametrize("floor", FLOORS)
def test_no_circle_of_modules(floor: str) -> None:
    assert circles(of_modules(product(), Level.FUNCTION), floor) == []


@pytest.mark.parametrize("floor", FLOORS)
def test_no_circle_of_folders(floor: str) -> None:
    assert circles(of_folders(of_modules(product(), Level.FUNCTION), KNOWN), floor) == []


@pytest.mark.parametrize("floor", FLOORS)
def test_an_import_inside_a_function_has_its_reason_beside_it(floor: str) -> None:
    bare = [
        f"{each.file.name}:{each.line}"
        for each in product()
        if each.level == Level.FUNCTION and not each.explained and each.source.startswith(f"{floor}.")
    ]
    assert bare == []


def test_circles_of_each_level_are_found(tmp_path: Path) -> None:
    product = tmp_path / "raidtui"
    for name, text in {
        "__init__": "", "low/__init__": "", "high/__init__": "",
        "low/a": "from raidtui.low import b\n",
        "low/b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from raidtui.low.a import A\n",
        "high/c": "import raidtui.low.b\n\n\ndef f() -> None:\n    # start-up\n    from raidtui.high import d\n",
        "high/d": "class D:\n    def f(self) -> None:\n        import raidtui.high.c\n",
        "low/e": "def f() -> None:\n    from raidtui.high import c\n",
    }.items():  # fmt: skip
        (product / name).parent.mkdir(parents=True, exist_ok=True)
        (product / f"{name}.py").write_text(text)
    known = modules(product)
    found = imports(known)
    rings = [circles(of_modules(found, level)) for level in Level]
    assert rings[0] == []
    assert rings[1] == [("raidtui.low.a", "raidtui.low.b")]
    assert rings[2] == [("raidtui.high.c", "raidtui.high.d"), ("raidtui.low.a", "raidtui.low.b")]
    folders = of_folders(of_modules(found, Level.FUNCTION), known)
    assert circles(folders) == [("raidtui.high", "raidtui.low")]
    assert circles(folders, "raidtui.low") == []
    assert [each.explained for each in found if each.level == Level.FUNCTION] == [True, False, False]
