"""`__main__` of the one file: unpacks raidtui into a virtual environment of this interpreter and starts it there.

Arguments: path of the environment without the interpreter's tag, then those of raidtui. Root runs what is unpacked:
the directory of all environments belongs to its user alone, and no other user may change one above it.
"""

from __future__ import annotations

import compileall
import ctypes
import fcntl
import os
import shutil
import sys
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from raidtui.machine.system.places import private_directory, require_private, require_trusted
from raidtui.values.errors import MachineFailed, RaidtuiError, Refused

OUTSIDE = "share/"
"""what the archive holds beside site-packages: man pages, completions, schemas"""


def main() -> None:
    """Becomes raidtui; exits with an error where it cannot be unpacked."""
    archive, place, *arguments = sys.argv
    environment = Path(f"{place}-{sys.implementation.cache_tag}")
    try:
        provide(environment, Path(archive))
    except RaidtuiError as error:
        print(f"raidtui: {error}\n         {error.hint}", file=sys.stderr)
        raise SystemExit(error.exit_code) from error
    program = str(environment / "bin/python3")
    os.execv(program, [program, "-I", "-m", "raidtui", *arguments])


def provide(environment: Path, archive: Path) -> None:
    """Unpacks `archive` into `environment` where it does not exist yet, and sets this interpreter in it.

    Raises Refused where another user could change it, or where the archive has no modules for this interpreter;
    MachineFailed where it cannot be written.
    """
    cache = environment.parent
    private_directory(cache)
    require_private(cache)
    require_trusted(cache)
    try:
        with (cache / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not environment.exists():
                partial = cache / "partial"
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir(mode=0o700)
                if sys.stderr.isatty():
                    print(f"raidtui: unpacking into {cache}, once", file=sys.stderr)
                _unpack(archive, partial)
                partial.rename(environment)
            else:
                _set_interpreter(environment)
    except OSError as problem:
        raise MachineFailed(f"{cache}: {problem.strerror}", hint="raidtui unpacks itself there once") from problem


def make_environment(environment: Path, interpreter: Path, home: Path, version: str) -> Path:
    """Makes a virtual environment without pip; returns its site-packages.

    `interpreter`: what its python3 links to. `home`: directory of that program. `version`: `3.11`.
    """
    program = environment / "bin/python3"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.unlink(missing_ok=True)
    program.symlink_to(interpreter)
    settings = {"home": str(home), "include-system-site-packages": "false", "version": version}
    (environment / "pyvenv.cfg").write_text("".join(f"{name} = {text}\n" for name, text in settings.items()))
    return environment / f"lib/python{version}/site-packages"


def _set_interpreter(environment: Path) -> Path:
    """Links this interpreter into `environment`, also in place of one that was removed. Returns site-packages."""
    interpreter = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    return make_environment(environment, interpreter, interpreter.parent, "{}.{}".format(*sys.version_info))


def _unpack(archive: Path, environment: Path) -> None:
    """Unpacks what this version of Python needs, for every machine: several may share the user's home directory."""
    suffix = EXTENSION_SUFFIXES[0]  # .cpython-311-x86_64-linux-gnu.so
    python = "-".join(suffix.split("-")[:2])
    with zipfile.ZipFile(archive) as packed:
        names = [name for name in packed.namelist() if name != "__main__.py"]
        if not any(name.endswith(suffix) for name in names):
            carried = sorted({name.partition(".")[2].removesuffix(".so") for name in names if name.endswith(".so")})
            raise Refused(
                f"{archive.name} has no modules for {sys.executable} ({suffix[1:].removesuffix('.so')})",
                hint=f"run it with one of these Pythons as python3: {', '.join(carried)}; or install the wheel",
            )
        site = _set_interpreter(environment)
        for name in names:
            if not name.endswith(".so") or f"{python}-" in name:
                packed.extract(name, environment if name.startswith(OUTSIDE) else site)
    compileall.compile_dir(site, quiet=2)
    descriptor = os.open(environment, os.O_RDONLY | os.O_DIRECTORY)
    ctypes.CDLL(None).syncfs(descriptor)  # a power failure leaves the whole environment or none
    os.close(descriptor)


if __name__ == "__main__":
    main()
