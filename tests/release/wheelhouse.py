"""The wheels that raidtui needs at run time, as requirements.lock pins them, from the index that pip is set up for."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from itertools import product
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from tests.release.source import ROOT, project

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""versions of Python that the one file serves; a version more is two wheels of pydantic-core more"""
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
"""Debian's architectures that have packages of their own, and their names in wheels"""
_WITHOUT = "yaml/_yaml."
"""PyYAML's parser in C, without which it works too: nearly a megabyte for each Python and machine"""
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==\S+ \\\n(?:    --hash=\S+(?: \\)?\n?)+", re.MULTILINE)


@dataclass(frozen=True)
class Content:
    """The files of a wheel: names below site-packages, and names below the environment's share/, with their bytes."""

    site: dict[str, bytes]
    share: dict[str, bytes]


def content(wheel: Path) -> Content:
    """What `wheel` installs, but for configuration and programs."""
    found = Content({}, {})
    with zipfile.ZipFile(wheel) as packed:
        for name in packed.namelist():
            head, outside, tail = name.partition(".data/data/share/")
            if outside and "/" not in head:
                found.share[tail] = packed.read(name)
            elif not name.startswith(_WITHOUT) and not name.endswith("/") and ".data/" not in name:
                found.site[name] = packed.read(name)
    return found


def requirements() -> list[Requirement]:
    """What pyproject.toml says that raidtui needs at run time."""
    return [Requirement(text) for text in project()["dependencies"]]


def carried() -> list[Requirement]:
    """`requirements` and those of the extra `fleet`, which every environment carries that is made here."""
    return [*requirements(), *(Requirement(text) for text in project()["optional-dependencies"]["fleet"])]


def locked_requirements() -> str:
    """The lines of requirements.lock, with hashes, of all that `carried` leads to."""
    lock = (ROOT / "requirements.lock").read_text()
    pins = {canonicalize_name(found[1]): found[0] for found in _PINNED.finditer(lock)}
    return "".join(f"{pins[name].rstrip()}\n" for name in sorted(closure(carried())))


def download(target: Path) -> None:
    """Gets the wheels for all PYTHONS on all MACHINES into `target`, with the hashes of requirements.lock."""
    target.mkdir(parents=True, exist_ok=True)
    wanted = target / "requirements.txt"
    wanted.write_text(locked_requirements())
    argv = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download", "--require-hashes"]
    argv += ["--no-deps", "--only-binary=:all:", "--dest", str(target), "--requirement", str(wanted)]
    for machine, version in product(MACHINES.values(), PYTHONS):
        platforms = [f"--platform={glibc}_{machine}" for glibc in ("manylinux_2_17", "manylinux2014")]
        subprocess.run([*argv, *platforms, f"--python-version={version}"], check=True)
    wanted.unlink()


def closure(wanted: Iterable[Requirement]) -> set[NormalizedName]:
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
