"""Packages that the rooms do not import: whoever composes the program names them, and they are loaded when needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_packages: dict[str, str] = {}


def provide(name: str, package: str) -> None:
    """From now on the satellite `name` is in `package`."""
    _packages[name] = package


def part(name: str, module: str) -> Any:
    """A module of the satellite `name`; what it is typed as is said by the port that asks."""
    return import_module(f"{_packages[name]}.{module}")
