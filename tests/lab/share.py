"""Host directories for the guest: an ext4 image made without mounting, read-only."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.lab.host import run_host
from tests.lab.qemu import Attachment


@dataclass(frozen=True)
class Share:
    """A directory's image, attached and mounted in the guest."""

    serial: str
    mount_point: str
    attachment: Attachment

    def mount_script(self) -> str:
        """Waits for the disk, mounts it."""
        device = f"/dev/disk/by-id/virtio-{self.serial}"
        point = shlex.quote(self.mount_point)
        return (
            f"for _ in $(seq 200); do [ -e {device} ] && break; sleep 0.1; done; "
            f"mkdir -p {point} && mount -o ro,noload {device} {point}"
        )


def directory_image(directory: Path, file: Path) -> Path:
    """Make an ext4 image that holds a copy of a directory."""
    entries = [path for path in directory.rglob("*") if not path.is_symlink()]
    blocks = sum(path.stat().st_size // 4096 + 2 for path in entries)
    size_kib = blocks * 4 + len(entries) + 16384
    argv = ["mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-m", "0", "-O", "^has_journal"]
    argv += ["-N", str(len(entries) * 2 + 1024), "-d", str(directory), str(file), f"{size_kib}k"]
    run_host(argv, deadline=300)
    return file
