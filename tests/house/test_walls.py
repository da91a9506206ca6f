"""Each floor is imported in a fresh interpreter: what it drags in is looked at, not believed."""

import json
import subprocess
import sys

import pytest

ABOVE_PURE = ("raidtui.machine", "raidtui.engine", "raidtui.bench", "raidtui.session", "raidtui.tui", "subprocess")
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
        ("raidtui.cli", {"textual", "rich", "pydantic", "raidtui.predict", "raidtui.machine", "raidtui.tui"}),
        (
            "raidtui.values.plan",
            {"textual", "rich", "pydantic", "raidtui.programs", "raidtui.predict", "raidtui.machine"},
        ),
        ("raidtui.predict.design", {"textual", "rich", "pydantic", *ABOVE_PURE}),
        ("raidtui.steps.build", {"textual", "rich", "pydantic", *ABOVE_PURE}),
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
        "raidtui.cli.main",
        "raidtui.cli.options",
        "raidtui.cli.options.design",
        "raidtui.cli.options.fleet",
        "raidtui.cli.options.page",
        "raidtui.cli.options.parser",
        "raidtui.cli.options.run",
        "raidtui.cli.options.shared",
        "raidtui.cli.options.verb_parser",
        "raidtui.values",
        "raidtui.values.choices",
        "raidtui.values.errors",
        "raidtui.values.safe",
        "raidtui.values.units",
    ]
    assert "dataclasses" not in names
