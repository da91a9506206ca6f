"""Recorded ticks: JSON lines, the first one the scene, every further one a tick (`raidtui/recording/1`)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from raidtui.machine.system.durable_files import new_file
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import RECORDING, open_named
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import BadInput
from raidtui.model.gauges import Recording, Scene, Tick
from raidtui.planner.gauges.json_lines import tick_json

LONGEST = 16 * 1024 * 1024
"""bytes of one line; 1,000 disks take a quarter of a MiB"""


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


def read_recording(path: Path) -> tuple[Scene, Iterator[Tick]]:
    """The disks of a recording, and its ticks; a last line that is cut off is left out.

    Raises BadInput, here and with a tick, with the number of an invalid line.
    """
    file = os.fdopen(open_named(path, RECORDING), "rb")
    first = _line(file, path, 1)
    if first is None:
        raise BadInput(f"{path}, line 1: empty", hint=_RECORDED)
    scene = from_json(Recording, first, source=f"{path}, line 1", hint=_RECORDED).scene
    return scene, _ticks(file, path)


def _ticks(file: BinaryIO, path: Path) -> Iterator[Tick]:
    with file:
        number, then = 1, -math.inf
        while (line := _line(file, path, number := number + 1)) is not None and line.endswith(b"\n"):
            tick = _tick(line, f"{path}, line {number}")
            if tick.time < then:
                raise BadInput(f"{path}, line {number}: earlier than the line before", hint=_NOT_EDITED)
            then = tick.time
            yield tick


_RECORDED = "name the gauges.jsonl of a benchmark"
_NOT_EDITED = "recordings are written by raidtui and not edited"


def _line(file: BinaryIO, path: Path, number: int) -> bytes | None:
    """The next line with its end; None after the last."""
    with failures(path, "read another copy"):
        line = file.readline(LONGEST + 1)
    if len(line) > LONGEST:
        raise BadInput(f"{path}, line {number}: longer than {LONGEST} bytes", hint=_NOT_EDITED)
    return line or None


def _tick(line: bytes, source: str) -> Tick:
    tick = from_json(Tick, line, source=source)
    figures = [tick.time, tick.seconds, tick.busy_share]
    gauges = [*tick.disks.values(), *(array.gauge for array in tick.arrays.values())]
    figures += [figure for gauge in gauges for figure in gauge.figures]
    figures += [f for array in tick.arrays.values() for f in (array.sync_bytes_per_s, array.thread_share)]
    figures += [array.sync_done for array in tick.arrays.values() if array.sync_done is not None]
    if not all(map(math.isfinite, figures)) or min(figures) < 0 or tick.seconds == 0:
        raise BadInput(f"{source}: value out of range", hint=_NOT_EDITED)
    return tick
