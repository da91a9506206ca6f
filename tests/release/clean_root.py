"""Fresh roots of Debian releases: made once by mmdebstrap, kept in the lab's cache, unpacked for each test."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.lab.host import cache_dir, require_programs, run_host, scratch_root, seconds, tool
from tests.lab.image import locked
from tests.release.debian import Release

_PACKAGES = ("python3", "man-db", "bash-completion", "zsh", "fish", "lintian", "pipx", "less")
_EMULATOR = "qemu-aarch64-static"
_OWN_TEXTUAL = ("python3-textual", "python3-rich", "python3-pydantic")


SURROUNDINGS = {
    "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "TERM": "xterm-256color",
}
"""the whole environment of what runs in a root"""


class CleanRoot:
    """An unpacked root of a Debian release."""

    def __init__(self, path: Path, emulator: Sequence[str] = ()) -> None:
        """`emulator`: command in the root that runs programs of another architecture."""
        self.path = path
        self._emulator = emulator

    def _enter(self) -> tuple[str, ...]:
        """Command before what runs in the root: with a /proc of its own, and nothing of it is left when it ends."""
        proc = f"--mount-proc={self.path}/proc"
        return ("unshare", "--pid", "--fork", "--kill-child", proc, "chroot", str(self.path), *self._emulator)

    def run(self, *argv: str) -> str:
        """Runs a program in the root and returns its stdout. AssertionError with all output where it fails."""
        done = subprocess.run(
            [*self._enter(), *argv], env=SURROUNDINGS, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=seconds(900 if self._emulator else 300), check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{argv}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def seconds(self, *argv: str) -> float:
        """How long a program takes to its end."""
        start = time.perf_counter()
        self.run(*argv)
        return time.perf_counter() - start

    def shown(self, argv: Sequence[str], keys: str, text: str) -> float:
        """Types `keys` into a program on a terminal of 80x24. Seconds until it shows `text`; it is killed then."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        start = time.perf_counter()
        with subprocess.Popen(
            ["setsid", "--ctty", *self._enter(), *argv], env=SURROUNDINGS, stdin=theirs, stdout=theirs, stderr=theirs
        ) as process:
            os.close(theirs)
            os.write(ours, keys.encode())
            seen, until = b"", start + seconds(60)
            try:
                while text.encode() not in seen:
                    assert select.select([ours], [], [], max(0, until - time.perf_counter()))[0], seen
                    seen += os.read(ours, 65536)
                return time.perf_counter() - start
            finally:
                process.kill()
                os.close(ours)

    def copy(self, *files: Path) -> tuple[str, ...]:
        """Copies files to /srv in the root; returns their paths there."""
        for file in files:
            shutil.copy(file, self.path / "srv")
        return tuple(f"/srv/{file.name}" for file in files)

    def files(self) -> set[str]:
        """Every path but those that dpkg, apt, man and the tests keep for themselves."""
        skipped = ("var/lib/dpkg", "var/cache", "var/log", "srv", "tmp", "root", "proc", "dev", "etc/ld.so.cache")
        found = (str(path.relative_to(self.path)) for path in self.path.rglob("*"))
        return {name for name in found if not name.startswith(skipped)}


@contextmanager
def clean_root(release: Release) -> Iterator[CleanRoot]:
    """A root of `release`, removed afterwards. About four minutes the first time, some seconds after that."""
    with tempfile.TemporaryDirectory(prefix="raidtui-root-", dir=scratch_root()) as place:
        run_host(["tar", "-C", place, "--numeric-owner", "-xf", str(_packed(release))], deadline=300)
        yield CleanRoot(Path(place))


@contextmanager
def emulated_root(release: Release, package: Path) -> Iterator[CleanRoot]:
    """A root of another architecture in which `package` was unpacked; nothing is configured, qemu-user runs programs.

    A program there can start no other one: the kernel knows no programs of the architecture.
    """
    require_programs({_EMULATOR: "qemu-user-static"})
    with tempfile.TemporaryDirectory(prefix="raidtui-root-", dir=scratch_root()) as place:
        run_host(["tar", "-C", place, "--numeric-owner", "-xf", str(_packed(release))], deadline=300)
        run_host(["dpkg-deb", "--extract", str(package), place])
        shutil.copy(tool(_EMULATOR), place)
        for name in ("proc", "srv"):
            (Path(place) / name).mkdir(exist_ok=True)
        yield CleanRoot(Path(place), (f"/{_EMULATOR}",))


def _packed(release: Release) -> Path:
    packages = _packages(release)
    emulated = release.architecture == "arm64"
    name = f"root-{release.suite}{'-arm64' if emulated else ''}"
    packed = cache_dir() / f"{name}-{len(packages)}.tar"
    with locked(name):
        if not packed.exists():
            require_programs({"mmdebstrap": "mmdebstrap"})
            partial = packed.with_suffix(".partial.tar")
            # a mirror that is a copy of some day says that its testing has expired
            apt = '--aptopt=Acquire::Check-Valid-Until "false"'
            argv = [
                "mmdebstrap",
                *(("--variant=extract", "--architectures=arm64") if emulated else ("--variant=minbase",)),
                apt,
                f"--include={','.join(packages)}",
                release.suite,
                str(partial),
            ]
            mirror = os.environ.get("RAIDTUI_LAB_MIRROR")
            run_host([*argv, mirror] if mirror else argv, deadline=2400)
            partial.rename(packed)
    return packed


def _packages(release: Release) -> Sequence[str]:
    if release.architecture == "arm64":
        return ("python3", "base-files")
    return _PACKAGES if release.python else (*_PACKAGES, *_OWN_TEXTUAL)
