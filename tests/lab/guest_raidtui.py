"""raidtui itself in the guest, as an admin has it installed: `raidtui VERB ...` for its own Python, isolated.

The guest has no pip and no network: a read-only share holds the package and what it needs at run time without the
app, a .pth file makes Python find it also with -I.
"""

from __future__ import annotations

import compileall
import hashlib
import importlib.metadata
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import raidtui
from tests.lab.guest import Guest
from tests.lab.host import LabError, cache_dir
from tests.lab.image import locked

NEEDED = ("pydantic", "pydantic-core", "annotated-types", "typing-extensions", "typing-inspection")
"""distributions that reading and writing plans takes"""
_FOR_APP = (
    "textual", "rich", "markdown-it-py", "mdit-py-plugins", "linkify-it-py", "mdurl", "platformdirs",
    "pygments",
)  # fmt: skip
"""distributions that the app takes beside them"""
PLACE = "/opt/raidtui"
_ROOT = Path(raidtui.__file__).parent.parent
_ROBOT = (
    "tests/__init__.py",
    "tests/tui/__init__.py",
    "tests/tui/robot.py",
    "tests/lab/__init__.py",
    "tests/lab/guest_pilot.py",
)


@dataclass(frozen=True)
class GuestPython:
    """The Python of a guest that raidtui runs on."""

    program: str = "/usr/bin/python3"
    version: str = "3.11"

    @property
    def finds_it(self) -> str:
        """The file that says where its modules are; a Python below /opt has its own."""
        prefix = self.program.removesuffix("/bin/python3.11") if self.program.startswith("/opt") else "/usr/local"
        return f"{prefix}/lib/python{self.version}/dist-packages/raidtui-lab.pth"


def install(
    vm: Guest, *more: Path, app: bool = False, tests: Sequence[str] = (), python: GuestPython = GuestPython()
) -> None:
    """Makes `raidtui` a command of the guest, now and after reboots; `more` are single modules beside it.

    `app`: with Textual, and the robot user of the tests. `tests`: other files of the tests, by their place.
    `python`: what the guest has; by default Debian 12's.
    """
    with tempfile.TemporaryDirectory(prefix="raidtui-lab-") as folder:
        stage = Path(folder)
        shutil.copytree(_libraries((*NEEDED, *_FOR_APP) if app else NEEDED, python.version), stage, dirs_exist_ok=True)
        for name in (*(_ROBOT if app else ()), *tests):
            (stage / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(_ROOT / name, stage / name)
        shutil.copytree(Path(raidtui.__file__).parent, stage / "raidtui", ignore=shutil.ignore_patterns("__pycache__"))
        for module in more:
            shutil.copy2(module, stage / module.name)
        ours = python.version == f"{sys.version_info.major}.{sys.version_info.minor}"
        if ours:  # saves the guest minutes of compiling in emulation
            compileall.compile_dir(stage, quiet=2, workers=1)
        vm.share(stage, PLACE)
    vm.put(python.finds_it, f"{PLACE}\n".encode())
    cache = "" if ours else " -X pycache_prefix=/var/cache/raidtui"
    command = f'#!/bin/sh\nexec {python.program} -I{cache} -m raidtui "$@"\n'
    vm.put("/usr/local/bin/raidtui", command.encode(), 0o755)


def _libraries(names: Sequence[str], version: str) -> Path:
    """A directory with distributions for the guest's Python, fetched once by pip in the versions installed here."""
    wanted = [f"{name}=={importlib.metadata.version(name)}" for name in names]
    place = cache_dir() / f"guest-{hashlib.sha256(' '.join([*wanted, version]).encode()).hexdigest()[:16]}"
    with locked("libraries"):
        if not place.exists():
            partial = place.with_name(f"{place.name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            argv = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"]
            argv += [f"--python-version={version}", "--platform=manylinux_2_17_x86_64", f"--target={partial}", *wanted]
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LabError(f"pip did not fetch what raidtui needs in the guest: {done.stderr}")
            partial.rename(place)
    return place
