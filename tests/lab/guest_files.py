"""What the lab changes in a plain Debian tree to make it a quick, quiet guest.

mdadm, LVM, udev, initramfs-tools and their hooks stay as Debian ships them. What is slow at
boot or wakes up by itself is masked. So is multipath-tools, with sg3-utils' and kpartx' udev rules,
which a plain server has not, and which cost half a second a disk here: two paths to one disk are
two sd devices until `multipath.start` unmasks it. sshd has no host keys and does not start: a
machine that needs it gets both (see `sshd.py`).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.lab.host import host_path

ROOT_UUID = "5ab00000-0000-4000-8000-000000000001"
BOOT_UUID = "5ab00000-0000-4000-8000-000000000002"

_MASKED_UNITS = (
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "console-getty.service",
    "dpkg-db-backup.timer",
    "e2scrub_all.timer",
    "e2scrub_reap.service",
    "fstrim.timer",
    "getty-static.service",
    "man-db.timer",
    "mdcheck_continue.timer",
    "mdcheck_start.timer",
    "mdmonitor-oneshot.timer",
    "modprobe@configfs.service",
    "modprobe@drm.service",
    "modprobe@fuse.service",
    "modprobe@loop.service",
    "motd-news.timer",
    "multipathd.service",
    "multipathd.socket",
    "nvmefc-boot-connections.service",
    "nvmf-autoconnect.service",
    "nvmf-connect.target",
    "smartmontools.service",
    "systemd-binfmt.service",
    "systemd-pstore.service",
    "systemd-tmpfiles-clean.timer",
)
_MASKED_PATHS = ("etc/systemd/system-generators/systemd-getty-generator",)
MULTIPATH_MASKS = (
    "etc/modules-load.d/multipath.conf",
    "etc/udev/rules.d/55-scsi-sg3_id.rules",
    "etc/udev/rules.d/56-dm-mpath.rules",
    "etc/udev/rules.d/56-dm-parts.rules",
    "etc/udev/rules.d/58-scsi-sg3_symlink.rules",
    "etc/udev/rules.d/60-kpartx.rules",
    "etc/udev/rules.d/60-multipath.rules",
    "etc/udev/rules.d/68-del-part-nodes.rules",
)
"""links to /dev/null that keep multipath-tools and its neighbours quiet"""
MULTIPATH_HOOKS = (
    "usr/share/initramfs-tools/hooks/multipath",
    "usr/share/initramfs-tools/hooks/sg3-utils",
    "usr/share/initramfs-tools/scripts/init-top/multipath",
    "usr/share/initramfs-tools/scripts/local-top/multipath",
)
"""what puts multipath into an initramfs, not executable here"""
_NOT_LOADED = ("kvm", "kvm_amd", "kvm_intel", "powernow_k8", "pcspkr", "psmouse", "iTCO_wdt", "lpc_ich", "button")
_INITRAMFS_MODULES = (
    "virtio_pci",
    "virtio_blk",
    "virtio_scsi",
    "virtio_console",
    "sd_mod",
    "nvme",
    "ext4",
    "xfs",
    "md_mod",
    "linear",
    "raid0",
    "raid1",
    "raid10",
    "raid456",
    "dm_mod",
)
_FILES = {
    "etc/hostname": "raidlab\n",
    "etc/hosts": "127.0.0.1 localhost raidlab\n",
    "etc/machine-id": "5ab05ab05ab05ab05ab05ab05ab05ab0\n",
    "etc/fstab": (
        "# <file system> <mount point> <type> <options> <dump> <pass>\n"
        f"UUID={ROOT_UUID} / ext4 errors=remount-ro 0 0\n"
        f"UUID={BOOT_UUID} /boot ext4 defaults 0 0\n"
    ),
    "etc/initramfs-tools/conf.d/lab": "MODULES=list\nCOMPRESS=zstd\nCOMPRESSLEVEL=1\n",
    "etc/systemd/system/raidtui-lab.service": (
        "[Unit]\nDescription=Executes what the lab's host asks for\nAfter=multi-user.target\n\n"
        "[Service]\nExecStart=/usr/bin/python3 -u /usr/local/lib/raidtui-lab-agent.py\n"
        "Restart=always\nRestartSec=1\nKillMode=process\nStandardOutput=journal+console\n"
        "OOMScoreAdjust=-1000\nTasksMax=infinity\n\n[Install]\nWantedBy=multi-user.target\n"
    ),
    "etc/modprobe.d/lab.conf": "".join(f"blacklist {name}\n" for name in _NOT_LOADED),
    "etc/systemd/journald.conf.d/lab.conf": "[Journal]\nStorage=volatile\n",
    "etc/systemd/system.conf.d/lab.conf": "[Manager]\nDefaultTimeoutStopSec=30s\n",
}


def prepare_tree(root: Path) -> None:
    """Turn a freshly bootstrapped tree into the lab's guest; rebuilds its initramfs."""
    for name, text in _FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    agent = Path(__file__).with_name("guest_agent.py").read_text()
    (root / "usr/local/lib/raidtui-lab-agent.py").write_text(agent)
    for unit in _MASKED_UNITS:
        _link(root / "etc/systemd/system" / unit, "/dev/null")
    for name in (*_MASKED_PATHS, *MULTIPATH_MASKS):
        _link(root / name, "/dev/null")
    for name in MULTIPATH_HOOKS:
        (root / name).chmod(0o644)
    wanted = root / "etc/systemd/system/multi-user.target.wants"
    _link(wanted / "raidtui-lab.service", "/etc/systemd/system/raidtui-lab.service")
    modules = root / "etc/initramfs-tools/modules"
    modules.write_text(modules.read_text() + "\n".join(_INITRAMFS_MODULES) + "\n")
    for unwanted in (root / "etc/resolv.conf", wanted / "ssh.service", *root.glob("etc/ssh/ssh_host_*")):
        unwanted.unlink(missing_ok=True)
    _chroot(root, "update-initramfs", "-u", "-k", "all")


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def _chroot(root: Path, *argv: str) -> None:
    env = {"PATH": host_path(), "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    full = ["chroot", str(root), *argv]
    subprocess.run(full, check=True, stdin=subprocess.DEVNULL, capture_output=True, env=env)
