"""Builds the guest once and keeps it: Debian 12 with systemd, udev, mdadm, LVM, fio.

The image is a root disk (qcow2), a /boot disk (raw, so that the host can take the initramfs out
of it at every start, as a boot loader would) and the kernel. Its key is a digest of the package
list and of the builder's source: a change of either builds anew. Builders are serialised by a
lock, and an image appears under its name only when it is complete. Root is needed to build
(debootstrap, chroot), not to use. About four minutes the first time.

    python3 -m tests.lab.image        build if need be, print the directory
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.lab import guest_files
from tests.lab.host import LabError, cache_dir, require_host_tools, run_host

SUITE = "bookworm"
PACKAGES = (
    "systemd-sysv",
    "udev",
    "dbus",
    "kmod",
    "mdadm",
    "lvm2",
    "xfsprogs",
    "e2fsprogs",
    "fio",
    "smartmontools",
    "nvme-cli",
    "python3",
    "iproute2",
    "procps",
    "initramfs-tools",
    "linux-image-amd64",
    "util-linux",
    "fdisk",
    "cryptsetup-bin",
    "btrfs-progs",
    "zstd",
    "openssh-server",
    "libpam-systemd",
    "sudo",
    "multipath-tools-boot",
)
_USER_MODE_LINUX = "user-mode-linux"
_SOURCES = ("image.py", "guest_files.py", "guest_agent.py")
_ROOT_SIZE = "4G"
_BOOT_SIZE = "256M"


@dataclass(frozen=True)
class Image:
    """A built guest: read-only files in the cache directory."""

    directory: Path

    @property
    def key(self) -> str:
        """The digest that names the image."""
        return self.directory.name

    @property
    def root(self) -> Path:
        """The root disk, raw ext4; only ever used below an overlay."""
        return self.directory / "root.raw"

    @property
    def boot(self) -> Path:
        """The /boot disk, raw ext4; every machine works on a copy."""
        return self.directory / "boot.img"

    @property
    def kernel(self) -> Path:
        """The kernel, booted directly."""
        return self.directory / "vmlinuz"

    @property
    def user_mode_kernel(self) -> Path:
        """The kernel that is a program of this host; the root disk has its modules too."""
        return self.directory / "linux.uml"


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold the cache's lock `name`; other processes wait."""
    with (cache_dir() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def tree_key() -> str:
    """Names the bootstrapped tree: a digest of suite and packages."""
    return hashlib.sha256(" ".join((SUITE, *PACKAGES)).encode()).hexdigest()[:16]


def image_key() -> str:
    """Names the image: the tree's digest and the source of what is made of it."""
    digest = hashlib.sha256(tree_key().encode())
    for name in _SOURCES:
        digest.update(Path(__file__).with_name(name).read_bytes())
    return f"image-{digest.hexdigest()[:16]}"


def image() -> Image:
    """The guest image, built now if the cache has none. LabError when that is impossible."""
    require_host_tools()
    built = Image(cache_dir() / image_key())
    with locked("build"):
        if not built.directory.exists():
            _build(built.directory)
            _prune()
        built.directory.touch()
    return built


def _prune(keep: int = 3) -> None:
    """Forget all images but the last used."""
    images = [path for path in cache_dir().glob("image-*") if path.is_dir()]
    for old in sorted(images, key=lambda path: path.stat().st_mtime, reverse=True)[keep:]:
        shutil.rmtree(old, ignore_errors=True)


def _build(target: Path) -> None:
    if os.geteuid() != 0:
        raise LabError("building the lab's image needs root (debootstrap, chroot)")
    packed = _bootstrapped_tree()
    work = cache_dir() / f"{target.name}.building"
    shutil.rmtree(work, ignore_errors=True)
    tree = work / "tree"
    boot = work / "boot"
    tree.mkdir(parents=True)
    try:
        tar = ["tar", "-C", str(tree), "--xattrs", "--numeric-owner", "-xf", str(packed)]
        run_host(tar, deadline=300)
        guest_files.prepare_tree(tree)
        _add_user_mode_kernel(tree, work)
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
        work.rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _bootstrapped_tree() -> Path:
    packed = cache_dir() / f"debian-{tree_key()}.tar"
    if packed.exists():
        return packed
    tree = cache_dir() / f"debian-{tree_key()}.building"
    shutil.rmtree(tree, ignore_errors=True)
    try:
        argv = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(tree)]
        mirror = os.environ.get("RAIDTUI_LAB_MIRROR")
        run_host([*argv, mirror] if mirror else argv, deadline=2400)
        for unneeded in ("var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/man"):
            shutil.rmtree(tree / unneeded, ignore_errors=True)
        partial = packed.with_suffix(".partial")
        run_host(["tar", "-C", str(tree), "--xattrs", "--numeric-owner", "-cf", str(partial), "."], deadline=600)
        partial.rename(packed)
    finally:
        shutil.rmtree(tree, ignore_errors=True)
    return packed


def _add_user_mode_kernel(tree: Path, work: Path) -> None:
    """Adds the kernel of this host's own release of Debian, whose C library it needs, and its modules for the guest."""
    package = work / "user-mode-linux"
    package.mkdir()
    fetch = f"apt-get download {_USER_MODE_LINUX}"
    script = f'cd "$1" && {{ {fetch} || {{ apt-get update && {fetch}; }}; }} && dpkg -x *.deb .'
    run_host(["bash", "-c", script, "fetch", str(package)], deadline=600)
    (modules,) = (package / "usr/lib/uml/modules").iterdir()
    shutil.copytree(modules, tree / "usr/lib/modules" / modules.name)
    shutil.move(package / "usr/bin/linux.uml", work / "linux.uml")
    shutil.rmtree(package)


def make_filesystem(directory: Path, file: Path, size: str, *, uuid: str | None = None) -> None:
    """Make a raw ext4 image of a host directory without mounting anything."""
    argv = ["mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", "-d", str(directory)]
    argv += ["-U", uuid] if uuid else []
    run_host([*argv, str(file), size], deadline=600)


if __name__ == "__main__":
    print(image().directory)
