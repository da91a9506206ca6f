"""fio that writes zeros to block devices (fio 3.33): to all of each, as a long run does."""

from __future__ import annotations

import json

from raidtui.machine.simulated.core.argv_parser import Failed, unknown
from raidtui.machine.simulated.core.devices import resolve
from raidtui.machine.simulated.core.state import State
from raidtui.machine.simulated.core.storage import below, zero

_PREFIX = "--filename="
_RATE = 100_000_000
"""bytes a second of each device"""


def fio(state: State, argv: tuple[str, ...], share: float = 1.0) -> str:
    """Writes zeros over `share` of each device, and reports a constant rate."""
    options = dict(word.removeprefix("--").partition("=")[::2] for word in argv[1:])
    if options.get("zero_buffers") != "1" or options.get("rw") not in ("write", "randwrite"):
        raise unknown(argv)
    paths = [word.removeprefix(_PREFIX).replace("\\:", ":") for word in argv if word.startswith(_PREFIX)]
    for path in paths:
        key = resolve(state, path)
        if key is None:
            raise Failed(f"fio: {path}: No such file or directory")
        zero(state, key, 0, int(share * below(state, key)[2]) // 512 * 512)
    seconds = int(options["runtime"])
    written = {"io_bytes": _RATE * seconds * len(paths), "total_ios": seconds, "runtime": seconds * 1000}
    idle = {"io_bytes": 0, "total_ios": 0, "runtime": 0}
    job = {"jobname": "zeros", "error": 0, "read": idle, "write": written}
    return json.dumps({"fio version": "fio-3.33", "jobs": [job]}) + "\n"
