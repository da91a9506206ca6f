"""Kernels of user-mode Linux, by the release of Debian that they are from; which of them starts on this processor."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.lab.host import cache_dir, require_programs, run_host
from tests.lab.image import Image, locked


@dataclass(frozen=True)
class OtherKernel(Image):
    """An image that boots with a kernel of which it has no modules."""

    program: Path
    """the kernel"""
    modules: Path
    """of it; the guest gets them as a directory"""

    @property
    def user_mode_kernel(self) -> Path:
        """The kernel that is a program of this host."""
        return self.program


def bootable(image: Image) -> Image:
    """`image`, with the kernel of sid where its own, of Debian 12, does not start on this processor.

    A process on a processor with AMX has 11 KiB of registers, and ptrace sets them as a whole or not at all
    (arch/x86/kernel/fpu/regset.c); the kernel of Debian 12 keeps less, and its first process ends.
    """
    if type(image) is not Image or "amx_tile" not in Path("/proc/cpuinfo").read_text("utf-8"):
        return image
    kernel = kernel_of("sid")
    (modules,) = (kernel / "modules").iterdir()
    return OtherKernel(image.directory, kernel / "linux.uml", modules)


def kernel_of(suite: str) -> Path:
    """A directory with the kernel `linux.uml`, which runs on this machine, and its `modules`."""
    place = cache_dir() / f"kernel-{suite}"
    with locked(f"kernel-{suite}"):
        if not place.exists():
            require_programs({"patchelf": "patchelf"})
            partial = place.with_name(f"{place.name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            for package in ("user-mode-linux", "libc6"):
                fetch(suite, package, partial)
            (partial / "usr/lib/uml/modules").rename(partial / "modules")
            (partial / "usr/bin/linux.uml").rename(partial / "linux.uml")
            libraries = next(partial.rglob("libc.so.6")).parent.relative_to(partial)
            if subprocess.run([partial / "linux.uml", "--version"], capture_output=True, check=False).returncode:
                give_libraries(partial / "linux.uml", place / libraries)
            partial.rename(place)
    return place


def give_libraries(program: Path, libraries: Path) -> None:
    """Makes a program start with the loader and the libraries in `libraries`."""
    loader = f"--set-interpreter={libraries}/ld-linux-x86-64.so.2"
    run_host(["patchelf", *loader.split("="), "--force-rpath", "--set-rpath", str(libraries), str(program)])


def fetch(suite: str, package: str, target: Path) -> None:
    """Unpacks a package of a release, whose lists are kept apart from this machine's own."""
    state = cache_dir() / f"apt-{suite}"
    (state / "lists/partial").mkdir(parents=True, exist_ok=True)
    mirror = os.environ.get("RAIDTUI_LAB_MIRROR", "http://deb.debian.org/debian")
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (state / "sources.list").write_text(f"deb [signed-by={keys}] {mirror} {suite} main\n")
    options = {"Dir::Etc::sourcelist": state / "sources.list", "Dir::Etc::sourceparts": "/dev/null",
               "Dir::State::lists": state / "lists", "Dir::State::status": "/dev/null", "Dir::Cache": state,
               "APT::Sandbox::User": "root"}  # fmt: skip
    apt = ["apt-get", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    run_host([*apt, "update"], deadline=300)
    script = 'cd "$1"; shift; "$@"; dpkg -x *.deb .; rm *.deb'
    run_host(["bash", "-ec", script, "fetch", str(target), *apt, "download", package], deadline=600)
