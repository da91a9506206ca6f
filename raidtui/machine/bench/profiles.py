"""Profiles of benchmarks: those shipped with raidtui, and files of the user (`raidtui schema profile`)."""

from __future__ import annotations

import lzma
import zlib
from pathlib import Path
from tarfile import TarError

from raidtui.machine.bench import small_files
from raidtui.machine.system.input_files import PROFILE, read_named
from raidtui.model.bench import Job, Profile
from raidtui.model.codec import from_json
from raidtui.model.counted import counted
from raidtui.model.errors import BadInput
from raidtui.model.safe import safe
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


def of_tree(source: Path) -> tuple[Profile, tuple[str, ...]]:
    """A profile that unpacks or copies `source`, and what of it is skipped, by name. Raises BadInput."""
    found, skipped = [], []
    try:
        for name, size, why, _ in small_files.members(str(source.absolute())):
            if why:
                skipped.append(f"{safe(name, longest=200)}: {why}")
            else:
                found.append(size)
    except (OSError, EOFError, ValueError, TarError, zlib.error, lzma.LZMAError) as problem:
        why = safe(str(getattr(problem, "strerror", "") or problem), longest=200)
        raise BadInput(f"--tree {safe(str(source))}: {why}", hint="name a tar file or a directory") from problem
    sizes = [size for size in found if size is not None]
    if not sizes:
        raise BadInput(f"--tree {safe(str(source))} has no regular file", hint="name a tar file or a directory")
    folders = len(found) - len(sizes)
    title = f"tree of {counted(len(sizes), 'file')} in {folders} {'directory' if folders == 1 else 'directories'}"
    job = Job(
        name="tree", title=title, target="files", pattern="small-files", direct=False,
        block_bytes=max(1, -(-sum(sizes) // len(sizes))), files=len(sizes), warm_up_seconds=0.0,
        tree=str(source.absolute()),
    )  # fmt: skip
    purpose = "Unpacks or copies a tree, writes it out, lists it, reads it back and deletes it."
    return Profile(name="tree", title=title, purpose=purpose, jobs=(job,)), tuple(skipped)


def _read(path: Path) -> Profile:
    profile = from_json(Profile, read_named(path, PROFILE), source=str(path))
    if wrong := profile_problem(profile):
        raise BadInput(f"{path}: {wrong}", hint="raidtui schema profile prints its format")
    return profile
