"""A network card for a guest: QEMU's user network, closed but for one port of this host's loopback."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from tests.lab.qmp import Qmp

_ADDRESS = "10.0.2.15"
_INTERFACE = "eth0"


def free_port() -> int:
    """A TCP port of the loopback that nothing listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@dataclass(frozen=True)
class Network:
    """The card, and the port of this host that leads to a port of the guest."""

    host_port: int
    guest_port: int
    pcie_port: int

    @classmethod
    def new(cls, guest_port: int, pcie_port: int) -> Network:
        """With a free port of this host."""
        return cls(free_port(), guest_port, pcie_port)

    def attach(self, qmp: Qmp) -> None:
        """Hot-plug the card."""
        forward = f"tcp:127.0.0.1:{self.host_port}-{_ADDRESS}:{self.guest_port}"
        qmp.call("netdev_add", {
            "type": "user", "id": "net", "restrict": True, "ipv6": False, "hostfwd": [{"str": forward}]
        })  # fmt: skip
        qmp.call("device_add", {
            "driver": "virtio-net-pci", "id": "card", "netdev": "net", "bus": f"port{self.pcie_port}", "romfile": ""
        })  # fmt: skip

    def guest_script(self) -> str:
        """Waits for the card, gives it the address that QEMU expects."""
        return (
            f"modprobe virtio_net; for _ in $(seq 200); do [ -e /sys/class/net/{_INTERFACE} ] && break; sleep 0.1; "
            f"done; ip link set {_INTERFACE} up && ip address replace {_ADDRESS}/24 dev {_INTERFACE}"
        )
