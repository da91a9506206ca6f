"""Recorded ticks: JSON lines, the first one the scene, every further one a tick (`raidtui/recording/1`)."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from raidtui.machine.ports.ticks import Ticks
from raidtui.machine.system.durable_files import new_file
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import RECORDING, open_named
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import BadInput
from raidtui.model.gauges import Recording, Scene, Tick
from raidtui.planner.gauges.json_lines import tick_json

LONGEST = 16 * 1024 * 1024
"""bytes of one line; 1,000 disks take a quarter of a MiB"""
_SLOWEST = 60.0
"""longest wait of a replay between two ticks, seconds: a recording may have been paused"""


class GaugeRecorder:
    """Writes a recording; never overwrites a file."""

    def __init__(self, path: Path, scene: Scene) -> None:
        """Raises as `write_new`."""
        self._path = path
        with new_file(path, 0o644) as handle:
            self._file = os.fdopen(os.dup(handle), "w", encoding="ascii")
        self._write(to_json(Recording(scene=scene), indent=None))

    def write(self, tick: Tick) -> None:
        """Appends a tick. Raises MachineFailed when there is no room."""
        self._write(tick_json(tick))

    def close(self) -> None:
        """Ends the recording."""
        self._file.close()

    def _write(self, line: str) -> None:
        with failures(self._path, "make room"):
            self._file.write(f"{line}\n")
            self._file.flush()


class Recorded:
    """Ticks of another source, recorded as they are taken. See `machine.ports.ticks.Ticks`."""

    def __init__(self, ticks: Ticks, recorder: GaugeRecorder) -> None:
        self.scene = ticks.scene
        self._ticks, self._recorder = ticks, recorder

    def take(self) -> Tick | None:
        """See Ticks. Raises MachineFailed when there is no room for it."""
        tick = self._ticks.take()
        if tick is not None:
            self._recorder.write(tick)
        return tick


class Replay:
    """Ticks out of a recording, paced by their own times. See `machine.ticks.Ticks`."""

    def __init__(
        self,
        path: Path,
        *,
        speed: float = 1.0,
        torn_end: bool = False,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """`speed`: factor, 0 without waiting. `torn_end`: accepts a truncated last line.

        Raises BadInput, here and later, with the number of an invalid line.
        """
        self._path = path
        self._speed, self._clock, self._wait = speed, clock, wait
        self._torn_end = torn_end
        self._due: float | None = None
        self._file = os.fdopen(open_named(path, RECORDING), "rb")
        first = _line(self._file, path, 1)
        if first is None:
            raise BadInput(f"{path}, line 1: empty", hint=_RECORDED)
        self.scene = from_json(Recording, first, source=f"{path}, line 1", hint=_RECORDED).scene
        self._ticks = self._read()

    def take(self) -> Tick | None:
        """See Ticks. Returns when the tick is due: at its recorded distance from the previous one."""
        tick = next(self._ticks, None)
        if tick is None or not self._speed:
            return tick
        now = self._clock()
        if self._due is None:
            self._due = now
        self._due += min(tick.seconds, _SLOWEST) / self._speed
        if self._due > now:
            self._wait(self._due - now)
        else:
            self._due = now
        return tick

    def all(self) -> list[Tick]:
        """Every remaining tick, without waiting."""
        return list(self._ticks)

    def _read(self) -> Iterator[Tick]:
        with self._file as file:
            number, then = 1, -math.inf
            while (line := _line(file, self._path, number := number + 1)) is not None:
                if self._torn_end and not line.endswith(b"\n"):
                    return
                tick = _tick(line, f"{self._path}, line {number}")
                if tick.time < then:
                    raise BadInput(f"{self._path}, line {number}: earlier than the line before", hint=_NOT_EDITED)
                then = tick.time
                yield tick


_RECORDED = "name a recording of raidtui watch --record"
_NOT_EDITED = "recordings are written by raidtui and not edited"


def _line(file: BinaryIO, path: Path, number: int) -> bytes | None:
    """The next line with its end; None after the last."""
    with failures(path, "read another copy"):
        line = file.readline(LONGEST + 1)
    if len(line) > LONGEST:
        raise BadInput(f"{path}, line {number}: longer than {LONGEST} bytes", hint=_NOT_EDITED)
    return line or None


def _tick(line: bytes, source: str) -> Tick:
    if not line.endswith(b"\n"):
        raise BadInput(f"{source}: truncated", hint="remove the line to replay the rest")
    tick = from_json(Tick, line, source=source)
    figures = [tick.time, tick.seconds, tick.busy_share]
    gauges = [*tick.disks.values(), *(array.gauge for array in tick.arrays.values())]
    figures += [figure for gauge in gauges for figure in gauge.figures]
    figures += [f for array in tick.arrays.values() for f in (array.sync_bytes_per_s, array.thread_share)]
    figures += [array.sync_done for array in tick.arrays.values() if array.sync_done is not None]
    if not all(map(math.isfinite, figures)) or min(figures) < 0 or tick.seconds == 0:
        raise BadInput(f"{source}: value out of range", hint=_NOT_EDITED)
    return tick
