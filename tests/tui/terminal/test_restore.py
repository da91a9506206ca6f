"""However the app ends, the terminal is as it was: modes, screen, mouse."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator

import pytest

APP = """
import os, signal, sys, termios, time, tty
from raidtui.tui.terminal.restore import guarded
def app():
    tty.setraw(0)
    os.write(1, b"\\x1b[?1049h\\x1b[?1000hREADY %d\\r\\n" % os.getpid())
    for _ in range(600):  # a signal right before one long sleep would wait for its end
        time.sleep(0.1)
    return 0
sys.exit(guarded(app))
"""
pytestmark = pytest.mark.process


@contextlib.contextmanager
def started() -> Iterator[tuple[subprocess.Popen[bytes], int, int, list[object]]]:
    near, far = pty.openpty()
    before: list[object] = termios.tcgetattr(far)
    process = subprocess.Popen([sys.executable, "-c", APP], stdin=far, stdout=far, stderr=far, start_new_session=True)
    try:
        yield process, near, far, before
    finally:
        process.kill()
        process.wait()
        os.close(near)
        os.close(far)


def read_until(descriptor: int, wanted: bytes) -> bytes:
    seen, end = b"", time.monotonic() + 20
    while wanted not in seen and time.monotonic() < end:
        if select.select([descriptor], [], [], 0.1)[0]:
            seen += os.read(descriptor, 4096)
    assert wanted in seen
    return seen


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_the_terminal_comes_back_after_a_signal(ending: signal.Signals) -> None:
    with started() as (process, near, far, before):
        child = int(read_until(near, b"\r\n").split(b"READY ")[1].split()[0])
        assert termios.tcgetattr(far)[3] & termios.ECHO == 0
        os.kill(child if ending is signal.SIGKILL else process.pid, ending)
        left = read_until(near, b"\x1b[?1049l")
        assert process.wait(20) == 128 + ending
        assert b"\x1b[?1000l" in left
        assert termios.tcgetattr(far) == before
