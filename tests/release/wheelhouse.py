"""The wheels that raidtui needs at run time, as requirements.lock pins them, from the index that pip is set up for."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from tests.release.source import ROOT

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""versions of Python that the one file serves; a version more is a wheel of pydantic-core more"""
PLATFORMS = ("manylinux_2_17_x86_64", "manylinux2014_x86_64")
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==\S+ \\\n(?:    --hash=\S+(?: \\)?\n?)+", re.MULTILINE)


def requirements() -> list[Requirement]:
    """What pyproject.toml says that raidtui needs at run time."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [Requirement(text) for text in project["dependencies"]]


def locked_requirements() -> str:
    """The lines of requirements.lock, with hashes, of all that `requirements` leads to."""
    lock = (ROOT / "requirements.lock").read_text()
    pins = {canonicalize_name(found[1]): found[0] for found in _PINNED.finditer(lock)}
    return "".join(f"{pins[name].rstrip()}\n" for name in sorted(_closure(requirements())))


def download(target: Path, pythons: Iterable[str] = PYTHONS) -> None:
    """Gets the wheels for these versions of Python on x86-64 into `target`, with the hashes of requirements.lock."""
    target.mkdir(parents=True, exist_ok=True)
    wanted = target / "requirements.txt"
    wanted.write_text(locked_requirements())
    argv = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download", "--require-hashes"]
    argv += ["--no-deps", "--only-binary=:all:", "--dest", str(target), "--requirement", str(wanted)]
    argv += [f"--platform={platform}" for platform in PLATFORMS]
    for version in pythons:
        subprocess.run([*argv, f"--python-version={version}"], check=True)
    wanted.unlink()


def _closure(wanted: Iterable[Requirement]) -> set[NormalizedName]:
    """Names of `wanted` and of all that they need, by what the installed distributions state."""
    found: dict[NormalizedName, set[str]] = {}
    waiting = [(canonicalize_name(each.name), {"", *each.extras}) for each in wanted]
    while waiting:
        name, extras = waiting.pop()
        if extras <= found.setdefault(name, set()):
            continue
        found[name] |= extras
        for text in metadata.requires(name) or ():
            need = Requirement(text)
            if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in found[name]):
                waiting.append((canonicalize_name(need.name), {"", *need.extras}))
    return set(found)
