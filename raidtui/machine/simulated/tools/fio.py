"""fio on block devices (fio 3.33): writes zeros, to all of each as a long run does, or reads."""

from __future__ import annotations

import json

from raidtui.machine.simulated.core.argv_parser import ProgramFailed, unknown
from raidtui.machine.simulated.core.devices import resolve
from raidtui.machine.simulated.core.state import State
from raidtui.machine.simulated.core.storage import below, zero

_PREFIX = "--filename="
_RATE = 100_000_000
"""bytes a second of each device"""


def fio(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:
    """Writes zeros over `share` of each device or reads it, and reports a constant rate."""
    options = dict(word.removeprefix("--").partition("=")[::2] for word in argv[1:])
    reads = options.get("rw") in ("read", "randread") and "readonly" in options
    writes = options.get("rw") in ("write", "randwrite") and options.get("zero_buffers") == "1"
    if not reads and not writes:
        raise unknown(argv)
    paths = [word.removeprefix(_PREFIX).replace("\\:", ":") for word in argv if word.startswith(_PREFIX)]
    for path in paths:
        key = resolve(state, path)
        if key is None:
            raise ProgramFailed(f"fio: {path}: No such file or directory")
        if writes:
            size = int(share * int(options.get("size", below(state, key)[2]))) // 512 * 512
            for stream in range(int(options.get("numjobs", 1))):
                zero(state, key, stream * int(options.get("offset_increment", 0)), size)
    seconds = int(options["runtime"])
    requests = _RATE * seconds // int(options["bs"])
    moved = {"io_bytes": _RATE * seconds * len(paths), "total_ios": requests * len(paths), "runtime": seconds * 1000}
    idle = {"io_bytes": 0, "total_ios": 0, "runtime": 0}
    job = {"jobname": "zeros", "error": 0, "read": moved if reads else idle, "write": moved if writes else idle}
    return json.dumps({"fio version": "fio-3.33", "jobs": [job]}) + "\n"
