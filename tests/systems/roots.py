"""Images of Debian's releases for a quick machine, and the kernels that each of them runs on.

A kernel of user-mode Linux is a program of its release, whose C library may be newer than this machine's: it then gets
the loader and the libraries of its release. Every image has the modules of all kernels. Debian 11 has Python
3.9, which raidtui does not support: its image has Debian 12's Python in /opt.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.lab import guest_agent, guest_files
from tests.lab.guest_raidtui import GuestPython
from tests.lab.host import cache_dir, require_host_tools, require_programs, run_host
from tests.lab.image import Image, locked, make_filesystem

SUITES = {"bullseye": "Debian 11", "bookworm": "Debian 12", "trixie": "Debian 13", "sid": "Debian sid"}
"""oldest first"""
_PACKAGES = (
    "systemd-sysv", "udev", "dbus", "kmod", "mdadm", "lvm2", "xfsprogs", "e2fsprogs", "python3", "iproute2", "procps",
    "linux-image-amd64", "util-linux", "fdisk", "zstd", "psmisc", "cryptsetup-bin",
)  # fmt: skip
_INITRAMFS = {"sid": "dracut"}
"""what makes the initramfs where it is not initramfs-tools: the default of its release"""
_ROOT_SIZE = "4G"
_BOOT_SIZE = "256M"
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_BESIDE = "opt/python3.11"
"""where Debian 11 has Debian 12's Python"""
_SOURCES = (Path(__file__), Path(guest_files.__file__), Path(guest_agent.__file__))


@dataclass(frozen=True)
class System(Image):
    """The image of a release that boots with the kernel of the same release or of another."""

    program: Path
    """the kernel"""
    python: GuestPython
    """the Python that raidtui runs on there"""

    @property
    def user_mode_kernel(self) -> Path:
        """The kernel that is a program of this host."""
        return self.program


def system(suite: str, kernel: str) -> System:
    """`suite` with the kernel of `kernel`; both are made now if need be: ten minutes the first time, root."""
    require_host_tools()
    require_programs({"patchelf": "patchelf"})
    digest = hashlib.sha256(b"".join([repr(_PACKAGES).encode(), *(source.read_bytes() for source in _SOURCES)]))
    place = cache_dir() / f"system-{suite}-{digest.hexdigest()[:12]}"
    with locked(f"system-{suite}"):
        if not place.exists():
            _build(suite, place)
            for old in cache_dir().glob(f"system-{suite}-*"):
                if old != place:
                    shutil.rmtree(old)
    version = (place / "python").read_text().strip()
    python = GuestPython(f"/{_BESIDE}/usr/bin/python3.11" if suite == "bullseye" else "/usr/bin/python3", version)
    return System(place, kernel_of(kernel) / "linux.uml", python)


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
                _fetch(suite, package, partial)
            (partial / "usr/lib/uml/modules").rename(partial / "modules")
            (partial / "usr/bin/linux.uml").rename(partial / "linux.uml")
            libraries = next(partial.rglob("libc.so.6")).parent.relative_to(partial)
            if subprocess.run([partial / "linux.uml", "--version"], capture_output=True, check=False).returncode:
                _give_libraries(partial / "linux.uml", place / libraries)
            partial.rename(place)
    return place


def _give_libraries(program: Path, libraries: Path) -> None:
    """Makes a program start with the loader and the libraries in `libraries`."""
    loader = f"--set-interpreter={libraries}/ld-linux-x86-64.so.2"
    run_host(["patchelf", *loader.split("="), "--force-rpath", "--set-rpath", str(libraries), str(program)])


def _fetch(suite: str, package: str, target: Path) -> None:
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


def _build(suite: str, place: Path) -> None:
    work = place.with_name(f"{place.name}.building")
    shutil.rmtree(work, ignore_errors=True)
    tree, boot = work / "tree", work / "boot"
    tree.mkdir(parents=True)
    try:
        _unpack(suite, tree)
        if suite == "bullseye":
            (tree / _BESIDE).mkdir(parents=True)
            _unpack("bookworm", tree / _BESIDE, "usr/bin/python3.11", "usr/lib/python3.11", _LIBRARIES)
            _give_libraries(tree / _BESIDE / "usr/bin/python3.11", Path("/") / _BESIDE / _LIBRARIES)
        if suite in _INITRAMFS:
            (tree / "etc/initramfs-tools").mkdir(exist_ok=True)
            (tree / "etc/initramfs-tools/modules").touch()
        for name in guest_files.MULTIPATH_HOOKS:  # of a package that these releases are without
            (tree / name).parent.mkdir(exist_ok=True)
            (tree / name).touch()
        guest_files.prepare_tree(tree)
        for name in guest_files.MULTIPATH_HOOKS:
            (tree / name).unlink()
        for each in SUITES:
            (modules,) = (kernel_of(each) / "modules").iterdir()
            shutil.copytree(modules, tree / "usr/lib/modules" / modules.name)
        (python,) = (tree / _BESIDE if suite == "bullseye" else tree).glob("usr/bin/python3.[0-9]*[0-9]")
        (work / "python").write_text(python.name.removeprefix("python"))
        (tree / "boot").rename(boot)
        (tree / "boot").mkdir()
        kernel = next(boot.glob("vmlinuz-*"))
        shutil.copyfile(kernel, work / "vmlinuz")
        (boot / "vmlinuz").symlink_to(kernel.name)
        (boot / "initrd.img").symlink_to(kernel.name.replace("vmlinuz", "initrd.img"))
        make_filesystem(tree, work / "root.raw", _ROOT_SIZE, uuid=guest_files.ROOT_UUID)
        make_filesystem(boot, work / "boot.img", _BOOT_SIZE, uuid=guest_files.BOOT_UUID)
        for leftover in (tree, boot):
            shutil.rmtree(leftover)
        work.rename(place)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _unpack(suite: str, target: Path, *parts: str) -> None:
    """Unpacks a release, or parts of it, as debootstrap made it the first time."""
    packed = (
        cache_dir() / f"system-{suite}.{hashlib.sha256(repr((_PACKAGES, _INITRAMFS)).encode()).hexdigest()[:12]}.tar"
    )
    with locked(f"tree-{suite}"):
        if not packed.exists():
            tree = packed.with_suffix(".building")
            shutil.rmtree(tree, ignore_errors=True)
            packages = ",".join((*_PACKAGES, _INITRAMFS.get(suite, "initramfs-tools")))
            argv = ["debootstrap", "--variant=minbase", f"--include={packages}", suite, str(tree)]
            mirror = os.environ.get("RAIDTUI_LAB_MIRROR")
            run_host([*argv, mirror] if mirror else argv, deadline=2400)
            for unneeded in ("var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/man"):
                shutil.rmtree(tree / unneeded, ignore_errors=True)
            partial = packed.with_suffix(".partial")
            run_host(["tar", "-C", str(tree), "--xattrs", "--numeric-owner", "-cf", str(partial), "."], deadline=600)
            partial.rename(packed)
            shutil.rmtree(tree)
    tar = ["tar", "-C", str(target), "--xattrs", "--numeric-owner", "-xf", str(packed)]
    run_host([*tar, *(f"./{part}" for part in parts)], deadline=300)
