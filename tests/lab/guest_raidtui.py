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
_GUEST_PYTHON = (3, 11)
_FINDS_IT = "/usr/local/lib/python3.11/dist-packages/raidtui-lab.pth"
_COMMAND = '#!/bin/sh\nexec /usr/bin/python3 -I -m raidtui "$@"\n'


def install(vm: Guest, *more: Path, app: bool = False) -> None:
    """Makes `raidtui` a command of the guest, now and after reboots; `more` are single modules beside it.

    `app`: with Textual, and the robot user of the tests.
    """
    with tempfile.TemporaryDirectory(prefix="raidtui-lab-") as folder:
        stage = Path(folder)
        shutil.copytree(_libraries((*NEEDED, *_FOR_APP) if app else NEEDED), stage, dirs_exist_ok=True)
        if app:
            for name in _ROBOT:
                (stage / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(_ROOT / name, stage / name)
        shutil.copytree(Path(raidtui.__file__).parent, stage / "raidtui", ignore=shutil.ignore_patterns("__pycache__"))
        for module in more:
            shutil.copy2(module, stage / module.name)
        _compile(stage)
        vm.share(stage, PLACE)
    vm.put(_FINDS_IT, f"{PLACE}\n".encode())
    vm.put("/usr/local/bin/raidtui", _COMMAND.encode(), 0o755)


def _libraries(names: Sequence[str]) -> Path:
    """A directory with distributions for the guest's Python, fetched once by pip in the versions installed here."""
    wanted = [f"{name}=={importlib.metadata.version(name)}" for name in names]
    place = cache_dir() / f"guest-{hashlib.sha256(' '.join(wanted).encode()).hexdigest()[:16]}"
    with locked("libraries"):
        if not place.exists():
            partial = place.with_name(f"{place.name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            argv = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"]
            argv += ["--python-version=3.11", "--platform=manylinux_2_17_x86_64", f"--target={partial}", *wanted]
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LabError(f"pip did not fetch what raidtui needs in the guest: {done.stderr}")
            partial.rename(place)
    return place


def _compile(stage: Path) -> None:
    """Saves the guest minutes of compiling in emulation, where this Python writes what that one reads."""
    if sys.version_info[:2] == _GUEST_PYTHON:
        compileall.compile_dir(stage, quiet=2, workers=1)
