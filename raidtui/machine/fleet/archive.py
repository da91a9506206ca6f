"""The archive that is carried to a host without raidtui: the modules a look needs, for plain Python 3.11 and later."""

from __future__ import annotations

import ast
import io
import zipfile
from collections.abc import Iterator
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

from raidtui.machine.fleet.carrier import Carrier
from raidtui.model.errors import MachineFailed

_MAIN = "raidtui.machine.fleet.carried_main"
_DATE = (2020, 1, 1, 0, 0, 0)
"""of every file in the archive, so that the same raidtui makes the same bytes"""


def look_carrier() -> Carrier:
    """All of raidtui that a look may load, some 170 KB; no package from elsewhere."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in sorted(_sources().items()):
            archive.writestr(zipfile.ZipInfo(name, _DATE), source, compress_type=zipfile.ZIP_DEFLATED)
    return Carrier(content=content.getvalue())


def _sources() -> dict[str, str]:
    """File in the archive to source, of the main module and all that it imports, at its top or inside functions."""
    found: dict[str, str] = {}
    todo = [_MAIN]
    done: set[str] = set()
    while todo:
        name = todo.pop()
        spec = _spec(name) if name not in done else None
        done.add(name)
        if spec is None:
            continue
        source = _source(spec)
        path = name.replace(".", "/")
        package = spec.submodule_search_locations is not None
        found["__main__.py" if name == _MAIN else f"{path}/__init__.py" if package else f"{path}.py"] = source
        todo += _imported(source)
        todo.append(name.rpartition(".")[0])
    return found


def _spec(name: str) -> ModuleSpec | None:
    """Of a module; None for a name in one, which an import statement does not tell from a module in a package."""
    parent = name.rpartition(".")[0]
    if not name or (parent and (found := find_spec(parent)) is not None and found.submodule_search_locations is None):
        return None
    return find_spec(name)


def _source(spec: ModuleSpec) -> str:
    loader = spec.loader
    if not isinstance(loader, InspectLoader):
        raise MachineFailed(f"the source of {spec.name} cannot be read", hint="install raidtui from its wheel")
    return loader.get_source(spec.name) or ""


def _imported(source: str) -> Iterator[str]:
    """Names that `source` imports from raidtui: modules, and names in modules."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("raidtui"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("raidtui"):
            yield str(node.module)
            yield from (f"{node.module}.{each.name}" for each in node.names)
