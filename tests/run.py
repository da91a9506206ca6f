"""Sets up everything by itself on a fresh machine with Python 3.11 and git, then does one of:

    python3 tests/run.py                   quick checks and all tests that need neither root nor a virtual machine
    python3 tests/run.py tests [WORDS]     these tests; WORDS go to pytest
    python3 tests/run.py rest              what `all` has besides: types, dead code, import walls, the virtual machines
    python3 tests/run.py all               both
    python3 tests/run.py long              what a release runs: hours
    python3 tests/run.py checks            formatting, lint, types, dead code, import walls
    python3 tests/run.py app [ARGUMENTS]   open raidtui (a simulated chassis where no spare disks are)

Only the standard library is used here: this file runs before anything is installed.
Everything is installed into `.venv` beside the project, never into the system's Python.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCK = ROOT / "requirements.lock"
STAMP = VENV / "installed"
_LONGEST = "--durations=12"
_WORKERS = ("-n", str(os.cpu_count() or 1), "--no-loadscope-reorder")
"""a worker a core, each of which takes the next test when it is free; tests that share a virtual machine go together"""


def main(arguments: list[str]) -> int:
    """Exit code of what was asked for; 2 when nothing known was."""
    commands = {"checks": checks, "rest": rest, "all": everything, "long": long}
    match arguments:
        case ["app", *words]:
            install()
            return os.execv(PYTHON, [str(PYTHON), "-m", "raidtui", *words])
        case []:
            install()
            return first([quick_checks, tests])
        case ["tests", *words]:
            install()
            return tests(*words)
        case [command] if command in commands:
            install()
            return commands[command]()
        case _:
            print(__doc__, file=sys.stderr)
            return 2


def first(parts: list[Callable[[], int]]) -> int:
    """Runs all parts; the first exit code but 0, or 0."""
    return next((code for code in [part() for part in parts] if code), 0)


def quick_checks() -> int:
    """Formatting and lint."""
    return run("-m", "ruff", "format", "--check", "raidtui", "tests") or run("-m", "ruff", "check", "raidtui", "tests")


def slow_checks() -> int:
    """Types, dead code, import walls."""
    return (
        run("-m", "mypy")
        or run("-m", "vulture")
        or run("-c", "from importlinter.cli import lint_imports_command as lint; lint()")
    )


def checks() -> int:
    """All checks."""
    return quick_checks() or slow_checks()


def tests(*words: str) -> int:
    """All tests that need neither root nor a virtual machine."""
    return pytest("tests", _LONGEST, *_WORKERS, *words)


def rest() -> int:
    """What `all` has besides `tests`; those that measure run alone, after the others."""
    return first([slow_checks, lambda: pytest("rest", _LONGEST, *_WORKERS, "-m", "not steady"), lambda: steady("rest")])


def everything() -> int:
    """The second command of README, then the rest."""
    return first([quick_checks, tests, rest])


def long() -> int:
    """All checks and every test there is."""
    return first([checks, lambda: pytest("long", _LONGEST, *_WORKERS, "-m", "not steady"), lambda: steady("long")])


def steady(suite: str) -> int:
    """The tests that measure speed."""
    return pytest(suite, "-m", "steady")


def pytest(suite: str, *words: str) -> int:
    """Exit code of pytest for that suite (tests/suite.py)."""
    os.environ["RAIDTUI_SUITE"] = suite
    return run("-m", "pytest", *words)


def run(*arguments: str) -> int:
    """Exit code of the virtual environment's Python with `arguments`, shown before it starts."""
    print("+ python", *arguments, flush=True)
    return subprocess.run([str(PYTHON), *arguments], cwd=ROOT, check=False).returncode


def install() -> None:
    """Makes `.venv` with what the lock file names; does nothing when it is there already."""
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python starts this file too
        raise SystemExit("raidtui needs Python 3.11 or later; this is " + sys.version.split()[0])
    wanted = hashlib.sha256(LOCK.read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    print("raidtui: installing into .venv, once", file=sys.stderr, flush=True)
    make_venv()
    pip("install", "--require-hashes", "-r", str(LOCK))
    pip("install", "--no-deps", "--no-build-isolation", "-e", str(ROOT))
    STAMP.write_text(wanted)


def make_venv() -> None:
    """A virtual environment with pip, also where Debian split ensurepip out of Python."""
    shutil.rmtree(VENV, ignore_errors=True)
    if subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, check=False).returncode == 0:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    root = [] if os.geteuid() == 0 else ["sudo"]
    if not shutil.which("apt-get") or (root and not shutil.which("sudo")):
        raise SystemExit(
            "python3 -m venv does not work here; install your distribution's python3-venv and run this again"
        )
    print("raidtui: python3-venv is missing, installing it", file=sys.stderr, flush=True)
    subprocess.run([*root, "apt-get", "update", "-qq"], check=True)
    subprocess.run([*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "python3-venv"], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)


def pip(*arguments: str) -> None:
    """Runs the virtual environment's own pip; its failure ends the program with its own words above."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit("pip could not install what raidtui needs; the reason stands above")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
