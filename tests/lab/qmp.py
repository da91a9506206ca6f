"""A QEMU Machine Protocol client: one command, one answer; events are kept until asked for."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.lab.host import LabError, seconds


class Qmp:
    """A connection to one QEMU's monitor socket."""

    def __init__(self, path: Path) -> None:
        """Connect and leave capability negotiation; OSError while the socket is not there."""
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(seconds(60))
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._pending = b""
        self._events: list[dict[str, Any]] = []
        self._read(seconds(60))
        self.call("qmp_capabilities")

    def call(self, command: str, arguments: Mapping[str, Any] | None = None, *, deadline: float = 60) -> Any:
        """Execute a command and return its `return`; LabError when QEMU refuses."""
        request: dict[str, Any] = {"execute": command}
        if arguments:
            request["arguments"] = arguments
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        until = time.monotonic() + seconds(deadline)
        while True:
            message = self._read(until - time.monotonic())
            if "error" in message:
                raise LabError(f"QEMU refused {json.dumps(request)}: {message['error'].get('desc')}")
            if "return" in message:
                return message["return"]
            self._events.append(message)

    def wait_event(self, name: str, *, deadline: float = 60, **data: Any) -> dict[str, Any]:
        """Wait for an event whose data holds `data`; LabError when it does not come."""
        until = time.monotonic() + seconds(deadline)
        while True:
            for event in self._events:
                details = event.get("data", {})
                if event.get("event") == name and all(details.get(k) == v for k, v in data.items()):
                    self._events.remove(event)
                    return event
            message = self._read(until - time.monotonic())
            if "event" in message:
                self._events.append(message)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _read(self, wait: float) -> dict[str, Any]:
        while b"\n" not in self._pending:
            self._socket.settimeout(max(wait, 0.01))
            try:
                data = self._socket.recv(65536)
            except OSError as error:
                raise LabError(f"QEMU's monitor does not answer: {error}") from error
            if not data:
                raise LabError("QEMU closed its monitor")
            self._pending += data
        line, self._pending = self._pending.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message
