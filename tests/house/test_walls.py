"""Each floor is imported in a fresh interpreter: what it drags in is looked at, not believed."""

import json
import subprocess
import sys

import pytest

ABOVE_PLANNER = ("raidtui.machine", "raidtui.tui", "subprocess")
LOADED = "import json, sys; import {module}; print(json.dumps(sorted(sys.modules)))"


def modules_of(module: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", LOADED.format(module=module)], capture_output=True, check=True)
    names: list[str] = json.loads(done.stdout)
    return names


def loaded_by(module: str) -> set[str]:
    names = modules_of(module)
    return {name.split(".")[0] if not name.startswith("raidtui.") else ".".join(name.split(".")[:2]) for name in names}


@pytest.mark.process
@pytest.mark.parametrize(
    ("module", "never"),
    [
        ("raidtui.cli", {"textual", "rich", "pydantic", "raidtui.planner", "raidtui.machine", "raidtui.tui"}),
        ("raidtui.model.plan", {"textual", "rich", "pydantic", "raidtui.tools", "raidtui.planner", "raidtui.machine"}),
        ("raidtui.planner.design.predict", {"textual", "rich", "pydantic", *ABOVE_PLANNER}),
        ("raidtui.planner.compile.plan", {"textual", "rich", "pydantic", *ABOVE_PLANNER}),
        ("raidtui.machine.inventory.probe", {"textual", "rich", "pydantic", "raidtui.tui"}),
    ],
)
def test_what_a_floor_never_loads(module: str, never: set[str]) -> None:
    assert loaded_by(module) & never == set()


@pytest.mark.process
def test_the_parser_loads_no_verb_and_no_dataclass() -> None:
    names = modules_of("raidtui.cli")
    assert [name for name in names if name.startswith("raidtui.")] == [
        "raidtui.cli",
        "raidtui.cli.arguments",
        "raidtui.cli.arguments.design",
        "raidtui.cli.arguments.fleet",
        "raidtui.cli.arguments.measure",
        "raidtui.cli.arguments.numbers",
        "raidtui.cli.arguments.parser",
        "raidtui.cli.arguments.run",
        "raidtui.cli.arguments.shared",
        "raidtui.cli.main",
        "raidtui.model",
        "raidtui.model.choices",
        "raidtui.model.counted",
        "raidtui.model.errors",
        "raidtui.model.ranges",
        "raidtui.model.safe",
    ]
    assert "dataclasses" not in names
