"""Runs in the guest as root: executes the host's requests from a serial port.

One JSON object a line in both directions; bytes travel as base64. A request has an `id` that
its answer repeats, and an `op`: ping, wake, run, put, get, disks. Requests run at the same time, so a
long command does not hold up the next one. Standard library only; this file is copied into the
image as it stands.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import signal
import struct
import subprocess
import tempfile
import threading
import time
import traceback
import tty
from pathlib import Path
from typing import Any

PORT = "/dev/virtio-ports/raidtui.lab"
USER_MODE = "raidtui.lab.quick"
"""a word on the command line of a kernel under user-mode Linux"""
EXCHANGE = Path("/run/exchange")
"""there: a directory of the host, which long messages go through as files; the line does not take them"""
SHORT = 1024
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "USER": "root",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
}
_RNDADDENTROPY = 0x40085203
_RNDRESEEDCRNG = 0x5207


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def ping(_request: dict[str, Any]) -> dict[str, Any]:
    """Say that the agent lives, and which boot this is."""
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return {"boot_id": boot_id, "uptime": time.monotonic()}


def wake(request: dict[str, Any]) -> dict[str, Any]:
    """Set the clock and stir the random pool: a restored machine remembers old ones."""
    time.clock_settime(time.CLOCK_REALTIME, float(request["time"]))
    seed = base64.b64decode(request["seed"])
    pool = struct.pack("ii", len(seed) * 8, len(seed)) + seed
    with Path("/dev/urandom").open("wb", buffering=0) as device:
        fcntl.ioctl(device, _RNDADDENTROPY, pool)
        fcntl.ioctl(device, _RNDRESEEDCRNG)
    return {}


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Run an argv; its output goes through files, so that a daemon it leaves cannot block us."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin.write(base64.b64decode(request.get("stdin", "")))
        stdin.seek(0)
        child = subprocess.Popen(
            request["argv"],
            stdin=stdin,
            stdout=out,
            stderr=err,
            env={**ENVIRONMENT, **request.get("env", {})},
            cwd=request.get("cwd", "/root"),
            start_new_session=True,
        )
        timed_out = False
        try:
            code = child.wait(request.get("timeout"))
        except subprocess.TimeoutExpired:
            timed_out = True
            os.killpg(child.pid, signal.SIGKILL)
            try:
                code = child.wait(10)
            except subprocess.TimeoutExpired:  # in uninterruptible sleep: answer without it
                code = -signal.SIGKILL
        out.seek(0)
        err.seek(0)
        return {
            "exit": code,
            "timed_out": timed_out,
            "stdout": _encode(out.read()),
            "stderr": _encode(err.read()),
        }


def put(request: dict[str, Any]) -> dict[str, Any]:
    """Write a file, making its directories."""
    path = Path(request["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(request["data"]))
    path.chmod(request["mode"])
    return {}


def get(request: dict[str, Any]) -> dict[str, Any]:
    """Read a file whole."""
    return {"data": _encode(Path(request["path"]).read_bytes())}


def _first_line(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _udev(block: Path) -> dict[str, str]:
    """What udev says of a disk that has no identity of its own: all disks of the storage daemon are alike."""
    if "/virtio-uml" not in str(block.resolve()):
        return {}
    lines = (Path("/run/udev/data") / f"b{_first_line(block / 'dev')}").read_text().splitlines()
    return dict(line[2:].split("=", 1) for line in lines if line.startswith("E:"))


def _serial(block: Path) -> str:
    try:
        page = (block / "device/vpd_pg80").read_bytes()
    except OSError:
        return _first_line(block / "device/serial") or _first_line(block / "serial")
    return page[4:].decode("ascii", "replace").strip()


def disks(_request: dict[str, Any]) -> dict[str, Any]:
    """Every whole disk with what the kernel says of it, and udev's by-id links to it."""
    links: dict[str, list[str]] = {}
    by_id = Path("/dev/disk/by-id")
    for link in sorted(by_id.iterdir()) if by_id.is_dir() else ():
        links.setdefault(link.resolve().name, []).append(str(link))
    found = []
    for block in sorted(Path("/sys/block").iterdir()):
        if not (block / "device").exists():
            continue
        said = _udev(block)
        found.append(
            {
                "name": block.name,
                "serial": said.get("ID_SERIAL_SHORT") or _serial(block),
                "vendor": said.get("ID_VENDOR") or _first_line(block / "device/vendor"),
                "model": said.get("ID_MODEL") or _first_line(block / "device/model"),
                "bytes": int(_first_line(block / "size") or 0) * 512,
                "by_id": links.get(block.name, []),
            }
        )
    return {"disks": found}


OPERATIONS = {"ping": ping, "wake": wake, "run": run, "put": put, "get": get, "disks": disks}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request; an error of the operation is part of the answer."""
    try:
        return {"id": request["id"], **OPERATIONS[request["op"]](request)}
    except Exception as error:
        return {"id": request.get("id"), "error": f"{error!r}", "trace": traceback.format_exc()}


def opened() -> tuple[int, bool]:
    """The line to the host, and whether what is long goes through files: so on the tty of user-mode Linux."""
    if USER_MODE in Path("/proc/cmdline").read_text():
        EXCHANGE.mkdir(exist_ok=True)
        mount = f"mount -t hostfs -o {EXCHANGE.name} none {EXCHANGE}"
        newer = mount.replace("-o ", "-o hostfs=")  # from Linux 6.12 on, for mount of util-linux 2.39 and later
        subprocess.run(["sh", "-c", f"{mount} 2> /dev/null || {newer}"], check=True)
        line = os.open("/dev/ttyS0", os.O_RDWR | os.O_NOCTTY)
        tty.setraw(line)
        return line, True
    while not Path(PORT).exists():
        time.sleep(0.1)
    return os.open(PORT, os.O_RDWR), False


def main() -> None:
    """Serve for ever."""
    port, exchange = opened()
    writing = threading.Lock()

    def serve(line: bytes) -> None:
        request = json.loads(line)
        if "file" in request:
            request = json.loads((EXCHANGE / request["file"]).read_bytes())
            (EXCHANGE / f"request-{request['id']}").unlink()
        reply = json.dumps(answer(request)).encode()
        if exchange and len(reply) > SHORT:
            name = f"answer-{request['id']}"
            with (EXCHANGE / name).open("wb") as file:
                file.write(reply)
                file.flush()
                os.fsync(file.fileno())
            reply = json.dumps({"file": name}).encode()
        reply += b"\n"
        with writing:
            while reply:
                reply = reply[os.write(port, reply[:32768]) :]

    pending = b""
    while True:
        data = os.read(port, 65536)
        if not data:  # the host has hung up; it may come back
            pending = b""
            time.sleep(0.05)
            continue
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            if line.strip():
                threading.Thread(target=serve, args=(line,), daemon=True).start()


if __name__ == "__main__":
    main()
