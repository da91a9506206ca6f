"""The archive that is carried to a host without raidtui: the modules a look needs, for plain Python 3.11 and later."""

from __future__ import annotations

import ast
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

from raidtui.values.errors import MachineFailed

# What is carried to a host without raidtui: one file on standard input, run from a private directory, then removed.


NO_PYTHON, NO_DIRECTORY, CUT_OFF = 96, 97, 98
"""exit codes of the script: no Python 3.11 or later; no temporary directory; the file did not arrive whole"""
_SCRIPT = (
    "umask 077; "
    "for p in python3 python3.14 python3.13 python3.12 python3.11 none; do "
    "test $p = none && exit {no_python}; "
    '$p -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && break; done; '
    'd=$(mktemp -d) || exit {no_directory}; trap "rm -rf \\"\\$d\\"" EXIT; trap "exit 129" HUP INT PIPE TERM; '
    'head -c {size} > "$d/raidtui"; test "$(wc -c < "$d/raidtui")" -eq {size} || exit {cut_off}; '
    '$p -I -S -B "$d/raidtui"'
)
"""POSIX sh; no single quote in it, so that every login shell hands it to sh as one word"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """One file that Python runs, with raidtui in it."""

    content: bytes

    @property
    def argv(self) -> tuple[str, ...]:
        """Command on the host; it reads the file, then the request, from standard input."""
        return ("sh", "-c", _SCRIPT.format(
            size=len(self.content), no_python=NO_PYTHON, no_directory=NO_DIRECTORY, cut_off=CUT_OFF
        ))  # fmt: skip


_MAIN = "raidtui.fleet.carried_main"
_DATE = (2020, 1, 1, 0, 0, 0)
"""of every file in the archive, so that the same raidtui makes the same bytes"""


def look_carrier() -> Carrier:
    """All of raidtui that a look may load, some 240 KB; no package from elsewhere."""
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
