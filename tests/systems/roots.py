"""Images of Debian's releases for a quick machine, and the kernels that each of them runs on.

A kernel of user-mode Linux is a program of its release, whose C library may be newer than this machine's: it then gets
the loader and the libraries of its release. Every image has the modules of all kernels. Debian 11 has Python
3.9, which raidtui does not support: its image has Debian 12's Python in /opt.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.lab import guest_agent, guest_files
from tests.lab.guest_raidtui import GuestPython
from tests.lab.host import cache_dir, require_host_tools, require_programs, run_host
from tests.lab.image import Image, locked, make_filesystem
from tests.lab.kernels import give_libraries, kernel_of

SUITES = {"bullseye": "Debian 11", "bookworm": "Debian 12", "trixie": "Debian 13", "sid": "Debian sid"}
"""oldest first"""
_PACKAGES = (
    "systemd-sysv", "udev", "dbus", "kmod", "mdadm", "lvm2", "xfsprogs", "e2fsprogs", "python3", "iproute2", "procps",
    "linux-image-amd64", "util-linux", "fdisk", "zstd", "psmisc",
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
            give_libraries(tree / _BESIDE / "usr/bin/python3.11", Path("/") / _BESIDE / _LIBRARIES)
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
