"""One QEMU process: its command line, its monitor, its console, its end.

The hardware is the same for every machine, so that one saved state fits all: a root and a /boot
disk on virtio-blk, four virtio-scsi HBAs, PCIe ports for NVMe disks and for shared directories,
and the agent's serial port. QEMU dies with the process that started it. A reset of the guest
ends QEMU too (`-no-reboot`); whoever wants a reboot starts it again.
"""

from __future__ import annotations

import fcntl
import json
import socket
import subprocess
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab.agent import Agent
from tests.lab.guest_files import ROOT_UUID
from tests.lab.host import QEMU, seconds, tool
from tests.lab.process import GuestProcess, die_with_parent
from tests.lab.qmp import Qmp

HBAS = 4
NVME_PORTS = 12
SHARE_PORTS = 4
AGENT_PORT = "raidtui.lab"
_EMULATED_CPU = "Nehalem"
"""has what Debian needs and no vector units, whose emulation is slow: a fifth quicker than `max`"""
_APPEND = (
    f"root=UUID={ROOT_UUID} rootfstype=ext4 rw console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off "
    "nowatchdog norandmaps init_on_alloc=0 rcupdate.rcu_cpu_stall_suppress=1 random.trust_cpu=on net.ifnames=0 audit=0 "
    "systemd.show_status=no"
)
"""norandmaps: programs are not translated anew at each start, which takes half the time then; init_on_alloc: a tenth"""


@dataclass(frozen=True)
class Hardware:
    """What of a machine is in the key of a saved state."""

    memory_mib: int = 2048
    cpus: int = 2
    accel: str = "tcg"


@dataclass(frozen=True)
class Attachment:
    """A disk as QEMU wants it: objects (throttle groups), one block node, its devices."""

    node: dict[str, Any]
    devices: tuple[dict[str, Any], ...]
    objects: tuple[dict[str, Any], ...] = ()


def node_options(extra: dict[str, Any]) -> dict[str, Any]:
    """A block node that discards, and leaves flushing to the host."""
    return {"discard": "unmap", "cache": {"direct": False, "no-flush": True}, **extra}


class Qemu(GuestProcess):
    """A running machine. LabError, with the end of its console, when it or its guest fails."""

    engine = "QEMU"

    def __init__(
        self,
        work: Path,
        hardware: Hardware,
        *,
        root: Path,
        boot: Path,
        kernel: Path,
        initrd: Path,
        attachments: Sequence[Attachment] = (),
        incoming: Path | None = None,
    ) -> None:
        """Start QEMU in `work`; with `incoming` from that saved state, its guest stopped."""
        self.console = work / "console.log"
        self.logs = (work / "qemu.log", self.console)
        self._boots = (work / "qemu.log").open("ab")
        monitor, agent = work / "monitor", work / "agent"
        argv = [tool(QEMU), *_fixed_hardware(hardware, root, boot)]
        argv += ["-kernel", str(kernel), "-initrd", str(initrd), "-append", _APPEND]
        self._keyboard = work / "keyboard"
        logged = f"logfile={self.console},logappend=on"
        argv += ["-chardev", f"socket,id=console,path={self._keyboard},server=on,wait=off,{logged}"]
        argv += ["-serial", "chardev:console"]
        argv += ["-chardev", f"socket,id=agent,path={agent},server=on,wait=off"]
        argv += ["-device", f"virtserialport,chardev=agent,name={AGENT_PORT}"]
        argv += ["-qmp", f"unix:{monitor},server=on,wait=off"]
        for attachment in attachments:
            for item in attachment.objects:
                argv += ["-object", json.dumps(item)]
            argv += ["-blockdev", json.dumps(attachment.node)]
            for device in attachment.devices:
                argv += ["-device", json.dumps(device)]
        if incoming is not None:
            argv += ["-S", "-incoming", f"exec:cat {incoming}"]
        for stale in (monitor, agent, self._keyboard):
            stale.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=self._boots,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,
            start_new_session=True,
        )
        try:
            self.qmp = self._connect(monitor)
            line = socket.socket(socket.AF_UNIX)
            line.connect(str(agent))
            self.agent = Agent(line, self.watch)
        except BaseException:
            self.kill()
            raise

    def _connect(self, monitor: Path) -> Qmp:
        until = time.monotonic() + seconds(30)
        while True:
            try:
                return Qmp(monitor)
            except OSError:
                self.watch("waiting for QEMU's monitor", time.monotonic() > until)
                time.sleep(0.02)

    def type(self, text: str) -> None:
        """Type on the guest's console; returns once it has all of it, some bytes at a time."""
        until = time.monotonic() + seconds(60)
        with socket.socket(socket.AF_UNIX) as keyboard:
            keyboard.connect(str(self._keyboard))
            keyboard.sendall(text.encode())
            while any(fcntl.ioctl(keyboard, termios.TIOCOUTQ, bytes(4))):  # QEMU drops the rest when this end closes
                self.watch("typing on the console", time.monotonic() > until)
                time.sleep(0.02)

    def resume(self) -> None:
        """Let a restored guest run, once its state is loaded."""
        until = time.monotonic() + seconds(60)
        while self.qmp.call("query-status")["status"] == "inmigrate":
            self.watch("loading the saved state", time.monotonic() > until)
            time.sleep(0.02)
        self.qmp.call("cont")

    def attach(self, attachment: Attachment) -> None:
        """Hot-plug a disk."""
        for item in attachment.objects:
            self.qmp.call("object-add", item)
        self.qmp.call("blockdev-add", attachment.node)
        for device in attachment.devices:
            self.qmp.call("device_add", device)

    def detach(self, attachment: Attachment) -> None:
        """Pull a disk, wait until it is gone, forget its nodes."""
        for device in attachment.devices:
            self.qmp.call("device_del", {"id": device["id"]})
            self.qmp.wait_event("DEVICE_DELETED", device=device["id"])
        self.qmp.call("blockdev-del", {"node-name": attachment.node["node-name"]})
        for item in attachment.objects:
            self.qmp.call("object-del", {"id": item["id"]})

    def throttle(self, attachment: Attachment, bytes_per_s: int, requests_per_s: int) -> None:
        """Hold a disk that is attached to so much (0: no limit)."""
        limits = {"bps": bytes_per_s, "bps_rd": 0, "bps_wr": 0, "iops": requests_per_s, "iops_rd": 0, "iops_wr": 0}
        for device in attachment.devices:
            self.qmp.call("block_set_io_throttle", {"id": device["id"], **limits})

    def resize(self, attachment: Attachment, size: int) -> None:
        """Give a disk that is attached another size in bytes."""
        self.qmp.call("block_resize", {"node-name": attachment.node["node-name"], "size": size})

    def inject(self, attachment: Attachment, rules: Sequence[dict[str, Any]]) -> None:
        """Let requests to a disk that is attached fail by blkdebug's rules; with none it is whole again."""
        name = attachment.node["node-name"]
        file, bad = f"{name}-file", f"{name}-bad"
        if rules:
            self.qmp.call(
                "blockdev-add", {"driver": "blkdebug", "node-name": bad, "image": file, "inject-error": rules}
            )
        self.qmp.call("blockdev-reopen", {"options": [{**attachment.node, "file": bad if rules else file}]})
        if not rules:
            self.qmp.call("blockdev-del", {"node-name": bad})

    def heal(self, attachment: Attachment, size: int) -> None:
        """Undo all three of them."""
        self.throttle(attachment, 0, 0)
        self.resize(attachment, size)
        if any(node["node-name"] == f"{attachment.node['node-name']}-bad" for node in self._nodes()):
            self.inject(attachment, ())

    def _nodes(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.qmp.call("query-named-block-nodes", {"flat": True})
        return found

    def kill(self) -> None:
        """End QEMU at once (SIGKILL): for the guest a power cut."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for name in ("qmp", "agent"):
            if hasattr(self, name):
                getattr(self, name).close()
        self._boots.close()


def _fixed_hardware(hardware: Hardware, root: Path, boot: Path) -> list[str]:
    accel = "kvm" if hardware.accel == "kvm" else "tcg,thread=multi"
    cpu = "host,migratable=on" if hardware.accel == "kvm" else _EMULATED_CPU
    argv = ["-nodefaults", "-no-user-config", "-display", "none", "-accel", accel]
    argv += ["-machine", "q35,sata=off,smbus=off,vmport=off"]
    argv += ["-cpu", cpu, "-smp", str(hardware.cpus), "-m", str(hardware.memory_mib), "-no-reboot"]
    argv += ["-rtc", "base=utc", "-device", "vmgenid,guid=auto"]
    for name, driver, path in (("root", "qcow2", root), ("boot", "raw", boot)):
        file = node_options({"driver": "file", "filename": str(path)})
        node = node_options({"driver": driver, "node-name": name, "file": file})
        argv += ["-blockdev", json.dumps(node), "-device", f"virtio-blk-pci,drive={name},serial=lab-{name}"]
    argv += ["-device", "virtio-serial-pci"]
    for number in range(HBAS):
        argv += ["-device", f"virtio-scsi-pci,id=hba{number}"]
    for number in range(NVME_PORTS + SHARE_PORTS):
        where = f"bus=pcie.0,addr=0x{0x10 + number // 8:x}.0x{number % 8:x},multifunction=on"
        argv += ["-device", f"pcie-root-port,id=port{number},chassis={number + 1},io-reserve=0,{where}"]
    return argv
