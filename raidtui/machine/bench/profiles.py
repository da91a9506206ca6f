"""Profiles of benchmarks: those shipped with raidtui, and files of the user (schemas/profile.json)."""

from __future__ import annotations

from pathlib import Path

from raidtui.machine.system.input_files import PROFILE, read_named
from raidtui.model.bench import Profile
from raidtui.model.codec import from_json
from raidtui.model.errors import BadInput
from raidtui.planner.measurement.bench_plan import profile_problem

_SHIPPED = Path(__file__).parents[2] / "profiles"
_ORDER = ("quick", "ladder", "streams", "survey", "raw", "survey-raw", "random", "mixed", "small-files", "dd-like")


def names() -> tuple[str, ...]:
    """Names of the shipped profiles, the default first."""
    found = sorted(path.stem for path in _SHIPPED.glob("*.json"))
    return tuple(sorted(found, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER)))


def load(name: str) -> Profile:
    """The shipped profile `name`, else the one in the file `name`. Raises BadInput if there is none."""
    if name in names():
        return _read(_SHIPPED / f"{name}.json")
    path = Path(name)
    if "/" not in name and not name.endswith(".json"):
        raise BadInput(f"there is no profile '{name}'", hint=f"shipped profiles: {', '.join(names())}; or name a file")
    return _read(path)


def _read(path: Path) -> Profile:
    profile = from_json(Profile, read_named(path, PROFILE), source=str(path))
    if wrong := profile_problem(profile):
        raise BadInput(f"{path}: {wrong}", hint="raidtui schema profile prints its format")
    return profile
