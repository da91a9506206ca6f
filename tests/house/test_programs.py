"""One module starts programs."""

import ast
import re
from pathlib import Path

import pytest

PRODUCT = Path(__file__).parents[2] / "raidtui"
ALLOWED = {
    "raidtui/machine/system/programs.py": {"subprocess", "os.fork"},
    # run by path with `python -I -S`, in a process that raidtui started: becomes the program itself
    "raidtui/machine/system/die_with_parent.py": {"os.execv"},
    # run by path with `python -I -S`: copies itself, starts nothing
    "raidtui/bench/small_files.py": {"os.fork"},
}
"""file to the means that it may use, with the reason"""
MODULES = {"subprocess", "pty", "multiprocessing", "_posixsubprocess", "concurrent.futures.process"}
CALLS = ("exec", "spawn", "posix_spawn", "fork", "system", "popen")
"""beginnings of names in `os`, and of asyncio's create_subprocess"""


WORDS = re.compile(r"\bos\b|create_subprocess|" + "|".join(name.partition(".")[0] for name in MODULES))
"""one of these is in the text of every module that starts a program: the others need not be parsed"""


def means(source: str) -> set[str]:
    """How `source` could start a program: modules that it imports, functions of os and asyncio that it names."""
    found: set[str] = set()
    if not WORDS.search(source):
        return found
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found |= {each.name for each in names} & MODULES
            case ast.ImportFrom(module="os", names=names):
                found |= {f"os.{each.name}" for each in names if each.name.startswith(CALLS)}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {module, *(f"{module}.{each.name}" for each in names)} & MODULES
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name.startswith(CALLS):
                found.add(f"os.{name}")
            case ast.Attribute(attr=name) if name.startswith("create_subprocess"):
                found.add(name)
    return found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import subprocess as s", {"subprocess"}),
        ("from subprocess import run", {"subprocess"}),
        ("def f():\n    import pty", {"pty"}),
        ("os.execv('/bin/true', ['true'])", {"os.execv"}),
        ("from os import posix_spawn", {"os.posix_spawn"}),
        ("await asyncio.create_subprocess_exec('ls')", {"create_subprocess_exec"}),
        ("platform.system(); os.path.exists('/'); host.system()", set()),
    ],
)
def test_ways_to_start_a_program_are_seen(source: str, found: set[str]) -> None:
    assert means(source) == found


def test_one_module_starts_programs() -> None:
    files = {str(path.relative_to(PRODUCT.parent)): means(path.read_text()) for path in sorted(PRODUCT.rglob("*.py"))}
    assert {name: found for name, found in files.items() if found} == ALLOWED
