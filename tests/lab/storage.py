"""The disks of a quick machine: one QEMU storage daemon, which serves each of them over a vhost-user socket."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.lab.disk import Disk
from tests.lab.host import LabError, seconds, tool
from tests.lab.process import die_with_parent
from tests.lab.qemu import Attachment

DAEMON = "qemu-storage-daemon"


class Storage:
    """A running daemon in a machine's directory; the disk with the place N in the machine is the socket `diskN`."""

    def __init__(self, work: Path, disks: Sequence[tuple[Disk, Attachment]]) -> None:
        """Start it, wait until every socket is there."""
        self._log = (work / "storage.log").open("ab")
        sockets = [work / f"disk{place}" for place in range(len(disks))]
        argv = [tool(DAEMON)]
        for socket, (disk, attachment) in zip(sockets, disks, strict=True):
            socket.unlink(missing_ok=True)
            for item in attachment.objects:
                argv += ["--object", json.dumps(item)]
            argv += ["--blockdev", json.dumps(attachment.node)]
            argv += ["--export", json.dumps({
                "type": "vhost-user-blk", "id": socket.name, "node-name": attachment.node["node-name"],
                "addr": {"type": "unix", "path": str(socket)}, "writable": True,
                "logical-block-size": disk.logical_block,
            })]  # fmt: skip
        self._process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT, preexec_fn=die_with_parent
        )
        try:
            self._wait(sockets, work / "storage.log")
        except BaseException:
            self.kill()
            raise

    def _wait(self, sockets: Sequence[Path], log: Path) -> None:
        until = time.monotonic() + seconds(30)
        while not all(socket.exists() for socket in sockets):
            if self._process.poll() is not None or time.monotonic() > until:
                raise LabError(f"{DAEMON} does not serve the disks\n{log.read_text(errors='replace')[-6000:]}")
            time.sleep(0.01)

    def kill(self) -> None:
        """End it; the files have what the guest wrote."""
        self._process.kill()
        self._process.wait()
        self._log.close()
