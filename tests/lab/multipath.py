"""multipath-tools in the guest: unmasked and started, as a Debian server with two paths to each disk has it."""

from __future__ import annotations

from tests.lab.guest import Guest
from tests.lab.guest_files import MULTIPATH_HOOKS, MULTIPATH_MASKS

CONF = "defaults {\n find_multipaths yes\n user_friendly_names yes\n}\n"
_UNITS = ("multipathd.service", "multipathd.socket")


def start(vm: Guest, conf: str = CONF, *, in_initramfs: bool = True) -> None:
    """Starts multipathd, now and at boot, and waits until it has made its maps.

    `in_initramfs`: as with the package multipath-tools-boot; the image is not rebuilt.
    """
    masks = " ".join((*(f"/{name}" for name in MULTIPATH_MASKS), *(f"/etc/systemd/system/{unit}" for unit in _UNITS)))
    vm.check(f"rm -f {masks}; systemctl daemon-reload; udevadm control --reload")
    if in_initramfs:
        into_initramfs(vm)
    vm.put("/etc/multipath.conf", conf.encode())
    vm.check(
        "modprobe -a dm-multipath dm-service-time dm-round-robin; udevadm trigger --settle --subsystem-match=block"
    )
    vm.check(f"systemctl enable --quiet --now {' '.join(_UNITS)}; multipath -r; udevadm settle", timeout=600)


def into_initramfs(vm: Guest) -> None:
    """The next initramfs has multipath, as with the package multipath-tools-boot."""
    vm.check(f"chmod 755 {' '.join(f'/{name}' for name in MULTIPATH_HOOKS)}")
