"""Sets up everything by itself on a fresh machine with Python 3.11 and git, then does one of:

    python3 tests/run.py                   quick checks and all tests that need neither root nor a virtual machine
    python3 tests/run.py tests [WORDS]     these tests; WORDS go to pytest
    python3 tests/run.py rest              what `all` has besides: types, dead code, import walls, the virtual machines
    python3 tests/run.py all               both
    python3 tests/run.py long [DIR]        what a release runs: hours; it names its parts first, and fills the new DIR
    python3 tests/run.py checks            formatting, lint, types, dead code, import walls
    python3 tests/run.py slow-checks       of these: types, dead code, import walls
    python3 tests/run.py app [ARGUMENTS]   open raidtui (a simulated chassis where no spare disks are)

Only the standard library is used here: this file runs before anything is installed.
Everything is installed into `.venv` beside the project, never into the system's Python: for `app` what the app needs,
else all.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCK = ROOT / "requirements.lock"
_BESIDES = "# what the tests need besides\n"
STAMP = VENV / "installed"
COMPILED = VENV / "compiled"
_CORES = os.cpu_count() or 1
_WORKERS = ("-n", str(_CORES), "--no-loadscope-reorder")
"""a worker a core, each of which takes the next test when it is free; tests that share a virtual machine go together"""
_ONE_MORE = ("-n", str(_CORES + 1), "--no-loadscope-reorder")
"""one more than cores, for tests of which a third waits for a guest"""
_WAITING = ("-n", str(2 * _CORES), "--no-loadscope-reorder")
"""two workers a core, for tests without a virtual machine: slow ones wait, for a program or a screen; a further worker
would spend more on collecting all tests than it gains"""


def main(arguments: list[str]) -> int:
    """Exit code of what was asked for; 2 when nothing known was."""
    commands = {"checks": checks, "slow-checks": slow_checks, "rest": rest, "all": everything}
    match arguments:
        case ["app", *words]:
            install(tests_too=False)
            return os.execv(PYTHON, [str(PYTHON), "-m", "raidtui", *words])
        case []:
            install()
            return first([quick_checks, tests])
        case ["tests", *words]:
            install()
            return tests(*words)
        case ["long", *directory] if len(directory) < 2:
            install()
            return long(*directory)
        case [command] if command in commands:
            install()
            return commands[command]()
        case _:
            print(__doc__, file=sys.stderr)
            return 2


def first(parts: Sequence[Callable[[], int]]) -> int:
    """Runs all parts; the first exit code but 0, or 0."""
    return next((code for code in [part() for part in parts] if code), 0)


def quick_checks() -> int:
    """Formatting and lint."""
    heading("Formatting and lint")
    return run("-m", "ruff", "format", "--check", "raidtui", "tests") or run("-m", "ruff", "check", "raidtui", "tests")


def slow_checks() -> int:
    """Types, dead code, import walls."""
    heading("Types, dead code, import walls")
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
    heading("Tests that need neither root nor a virtual machine: seven minutes on two cores")
    compile_once()
    return pytest("tests", *_WAITING, *words)


def rest() -> int:
    """What `all` has besides `tests`; the slow checks run beside the tests."""
    with tempfile.TemporaryFile() as written:
        beside = subprocess.Popen([sys.executable, __file__, "slow-checks"], stdout=written, stderr=subprocess.STDOUT)
        code = rest_of_tests()
        checked = beside.wait()
        written.seek(0)
        sys.stdout.buffer.write(written.read())
    return first([lambda: code, lambda: checked])


def rest_of_tests() -> int:
    """The tests of `all` that `tests` leaves out."""
    heading("The other tests, in virtual machines too: twenty minutes, and once ten more to build their image")
    return pytest("rest", *_ONE_MORE)


def everything() -> int:
    """The second command of README, then the rest."""
    return first([quick_checks, tests, rest])


def long(directory: str = "") -> int:
    """What a release runs, after a table of its parts with the time that each takes on two cores."""
    release = directory or tempfile.mkdtemp(prefix="raidtui-release-")
    parts: list[tuple[str, str, Callable[[], int]]] = [
        ("3 minutes", "all checks", checks),
        ("2 hours", "every test, properties with new examples", lambda: pytest("long", *_WORKERS, "-m", "not steady")),
        ("10 minutes", "the tests that measure speed, alone", steady),
        ("30 minutes", "276 faults of a fleet", lambda: run("-m", "tests.faults.fleet_matrix")),
        ("hours", "every fault on real md", lambda: run("-m", "tests.faults", "--tier", "3")),
        ("30 minutes", f"the release of amd64 and arm64, in {release}", lambda: run("-m", "tests.release", release)),
    ]
    for time, what, _ in parts:
        print(f"{time:>12}  {what}", flush=True)
    return first([part for _, _, part in parts])


def steady() -> int:
    """The tests that measure speed."""
    heading("Tests that measure speed, one after the other")
    return pytest("long", "-m", "steady")


def pytest(suite: str, *words: str) -> int:
    """Exit code of pytest for that suite (tests/suite.py)."""
    os.environ["RAIDTUI_SUITE"] = suite
    return run("-m", "pytest", *words)


def compile_once() -> None:
    """Compiles the tests and what they import, a share on each core; at the first run each worker would compile all."""
    if (COMPILED / ROOT.relative_to("/") / "tests").exists():
        return
    print("compiling the tests, once", flush=True)
    files = sorted((ROOT / "tests").rglob("test_*.py"), key=lambda file: file.stat().st_size)
    command = [str(PYTHON), "-m", "pytest", "--collect-only", "--quiet", "--quiet"]
    shares = [
        subprocess.Popen([*command, *files[core::_CORES]], cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL)
        for core in range(_CORES)
    ]
    for share in shares:
        share.wait()  # an error is told by the run that follows


def heading(text: str) -> None:
    """Says what runs now."""
    print(f"\n== {text}", flush=True)


def run(*arguments: str) -> int:
    """Exit code of the virtual environment's Python with `arguments`, shown before it starts.

    What Python compiles is kept in `.venv`: the tests start it hundreds of times.
    """
    print("+ python", *arguments, flush=True)
    return subprocess.run([str(PYTHON), *arguments], cwd=ROOT, env=environment(), check=False).returncode


def environment() -> dict[str, str]:
    """This process's, with the place of what Python compiles."""
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(COMPILED)}


def install(*, tests_too: bool = True) -> None:
    """Makes `.venv` with what the lock file names; does nothing when it is there already.

    Its first part is what the app needs, a quarter of the packages; below the line `_BESIDES` is what tests need.
    """
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python starts this file too
        raise SystemExit("raidtui needs Python 3.11 or later; this is " + sys.version.split()[0])
    lock = LOCK.read_text()
    wanted = hashlib.sha256(lock.encode() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    there = STAMP.read_text().split() if STAMP.exists() else []
    if there[:1] == [wanted] and (there[1:] == ["tests"] or not tests_too):
        return
    say("installing into .venv, once: half a minute where packages are cached, else as long as the network takes")
    if there[:1] != [wanted]:
        make_venv()
    asked = lock if tests_too else lock.partition(_BESIDES)[0]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write(asked)
        names.flush()
        pip(asked.count("=="), "install", "--no-compile", "--require-hashes", "-r", names.name)
    pip(1, "install", "--no-deps", "--no-build-isolation", "-e", str(ROOT))
    STAMP.write_text(f"{wanted} {'tests' if tests_too else 'app'}")
    say("installed; `. .venv/bin/activate` puts `raidtui` on the PATH of your shell, `raidtui help` explains")


def say(words: str, end: str = "\n") -> None:
    """What goes on, beside the results of what was asked for."""
    print(f"raidtui: {words}", end=end, file=sys.stderr, flush=True)


def make_venv() -> None:
    """A virtual environment with pip, also where Debian split ensurepip out of Python."""
    python = os.path.realpath(sys.executable)  # not the one that is made anew
    shutil.rmtree(VENV, ignore_errors=True)
    if subprocess.run([python, "-m", "venv", str(VENV)], capture_output=True, check=False).returncode == 0:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    root = [] if os.geteuid() == 0 else ["sudo"]
    if not shutil.which("apt-get") or (root and not shutil.which("sudo")):
        raise SystemExit(
            "python3 -m venv does not work here; install your distribution's python3-venv and run this again\n"
            "(Debian and Ubuntu, as root: apt-get update && apt-get install python3-venv)"
        )
    say("python3-venv is missing, installing it")
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "python3-venv"]):
        if subprocess.run([*root, "apt-get", *words], check=False).returncode:
            raise SystemExit("python3-venv could not be installed, for the reason above; install it and run this again")
    subprocess.run([python, "-m", "venv", str(VENV)], check=True)


def pip(packages: int, *arguments: str) -> None:
    """Runs the virtual environment's own pip and counts to `packages`; ends the program where it fails."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", *arguments]
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    live = sys.stderr.isatty()
    found = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=unbuffered, text=True, errors="replace") as installing:
        for line in installing.stdout or ():
            word, _, rest = line.partition(" ")
            if word in ("Collecting", "Obtaining"):
                found += 1
                words = f"package {found} of {packages}: {rest.partition('==')[0].split()[0]}"
                if live and packages > 1:
                    say(f"{words:<60}", end="\r")
                elif packages > 1 and found in (1, packages // 2):
                    say(words)
            elif word == "Installing" and packages > 1:
                say(f"{'writing them into .venv':<60}")
    if installing.returncode:
        raise SystemExit("pip could not install what raidtui needs; the reason stands above")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
