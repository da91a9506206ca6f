"""A booted machine, saved: tests start from it in a second or two in place of a boot.

Kept next to the image, one for every QEMU version, hardware and source of the lab's boot. It
holds the memory image (QEMU's migration stream) and the disks as they were at that moment; a
machine runs on an overlay and a copy of these. A restored guest gets the right clock and fresh
randomness from the agent's `wake`; its modules for md, LVM, XFS are already loaded.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.lab.host import LabError, qemu_version, run_host, scratch_root, seconds
from tests.lab.image import Image, locked
from tests.lab.qemu import Hardware, Qemu

_WARM = """
set -e
modprobe -a md_mod raid0 raid1 raid10 raid456 linear dm_mod dm_mirror xfs ext4 sd_mod nvme
mdadm --version; lvm version; mkfs.xfs -V; fio --version; lsblk -V; wipefs -V; udevadm --version
for tool in mdadm lvm mkfs.xfs mkfs.ext4 blkid lsblk smartctl fio python3 bash systemctl udevadm; do
    cat "$(command -v $tool)" > /dev/null
done
systemctl is-system-running --wait || true
sync
"""


@dataclass(frozen=True)
class SavedState:
    """A machine's memory and disks, read-only."""

    directory: Path

    @property
    def memory(self) -> Path:
        """QEMU's migration stream."""
        return self.directory / "memory"

    @property
    def root(self) -> Path:
        """The root disk at that moment, qcow2 on top of the image's."""
        return self.directory / "root.qcow2"

    @property
    def boot(self) -> Path:
        """The /boot disk at that moment."""
        return self.directory / "boot.img"


def overlay(base: Path, file: Path) -> None:
    """Make an empty qcow2 overlay on a raw file or on another overlay."""
    below = "qcow2" if base.suffix == ".qcow2" else "raw"
    run_host(["qemu-img", "create", "-q", "-f", "qcow2", "-F", below, "-b", str(base.resolve()), str(file)])


def copy_sparse(source: Path, file: Path) -> None:
    """Copy a file, its holes as holes."""
    run_host(["cp", "--sparse=always", "--reflink=auto", str(source), str(file)])


def extract_initrd(boot: Path, work: Path) -> Path:
    """Take the initramfs out of a /boot disk as a boot loader would, journal replayed."""
    copy, initrd = work / "boot.copy", work / "initrd"
    copy_sparse(boot, copy)
    try:
        run_host(["bash", "-c", 'e2fsck -fy "$1" >&2; [ $? -le 2 ]', "e2fsck", str(copy)])
        listing = run_host(["debugfs", "-R", "ls -p /", str(copy)])
        names = [line.split("/")[5] for line in listing.splitlines() if line.count("/") > 5]
        kept = sorted(n for n in names if n.startswith("initrd.img-") and not n.endswith((".new", ".bak", ".dpkg-bak")))
        if not kept:
            raise LabError(f"no initramfs on the guest's /boot: {names}")
        initrd.unlink(missing_ok=True)
        run_host(["debugfs", "-R", f"dump /{kept[-1]} {initrd}", str(copy)])
        return initrd
    finally:
        copy.unlink(missing_ok=True)


def saved_state(image: Image, hardware: Hardware) -> SavedState:
    """The saved state for this image, QEMU and hardware; made now if there is none."""
    digest = hashlib.sha256(f"{qemu_version()} {hardware}".encode())
    for name in ("state.py", "qemu.py"):
        digest.update(Path(__file__).with_name(name).read_bytes())
    state = SavedState(image.directory / f"state-{digest.hexdigest()[:16]}")
    with locked(f"{image.key}-state"):
        if not state.directory.exists():
            _save(image, hardware, state.directory)
    return state


def _save(image: Image, hardware: Hardware, target: Path) -> None:
    partial = target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    try:
        with tempfile.TemporaryDirectory(prefix="raidtui-lab-", dir=scratch_root()) as scratch:
            work = Path(scratch)
            root, boot = partial / "root.qcow2", partial / "boot.img"
            overlay(image.root, root)
            copy_sparse(image.boot, boot)
            initrd = extract_initrd(boot, work)
            qemu = Qemu(work, hardware, root=root, boot=boot, kernel=image.kernel, initrd=initrd)
            try:
                qemu.wait_agent(300)
                warmed = qemu.agent.start(_WARM, timeout=300).wait()
                if warmed.exit != 0:
                    raise LabError(f"the guest could not be warmed up\n{warmed}")
                _migrate(qemu, partial / "memory")
            finally:
                qemu.kill()
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _migrate(qemu: Qemu, memory: Path) -> None:
    qemu.qmp.call("stop")
    qemu.qmp.call("migrate-set-parameters", {"max-bandwidth": 4 << 30})
    qemu.qmp.call("migrate", {"uri": f"exec:cat > {memory}"})
    until = time.monotonic() + seconds(120)
    while (status := qemu.qmp.call("query-migrate").get("status")) != "completed":
        if status in ("failed", "cancelled"):
            raise LabError(f"saving the machine: {status}\n{qemu.log_tail()}")
        qemu.watch(f"saving the machine: {status}", time.monotonic() > until)
        time.sleep(0.1)
    qemu.qmp.call("quit")
    qemu.wait_end(30)
