"""Runs `iostat -x -p ALL` and keeps, byte for byte, what it read of /proc at each of its samples.

    unshare --mount python -m tests.machine.gauges.beside_iostat 8

In a mount namespace of its own, pipes lie over /proc/diskstats and /proc/uptime. Whenever iostat opens one, the real
file is read at that moment, handed over and kept. Prints one JSON object: iostat's report, and what it was made from.
Without `-p ALL` iostat reads the same counters out of /sys/block/NAME/stat, one file after the other.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

READ = ("diskstats", "uptime")


def main(samples: int) -> None:
    """Prints what iostat said in `samples` samples a second apart, and what it had read."""
    with tempfile.TemporaryDirectory() as folder:
        kept: dict[str, list[str]] = {}
        for name in READ:
            real = os.open(f"/proc/{name}", os.O_RDONLY)
            pipe = Path(folder) / name
            os.mkfifo(pipe)
            subprocess.run(["mount", "--bind", pipe, f"/proc/{name}"], check=True)
            kept[name] = []
            threading.Thread(target=_hand_over, args=(pipe, real, kept[name]), daemon=True).start()
        argv = ["iostat", "-x", "-p", "ALL", "-o", "JSON", "1", str(samples)]
        report = subprocess.run(argv, env={**os.environ, "LC_ALL": "C"}, capture_output=True, check=True).stdout
        statistics = json.loads(report)["sysstat"]["hosts"][0]["statistics"]
        print(json.dumps({"statistics": statistics, **{name: kept[name][-samples:] for name in READ}}))


def _hand_over(pipe: Path, real: int, kept: list[str]) -> None:
    """Gives each reader of `pipe` the real file as it is when the reader comes."""
    while True:
        writer = os.open(pipe, os.O_WRONLY)  # waits for a reader
        data = b""
        while part := os.pread(real, 1 << 16, len(data)):
            data += part
        kept.append(data.decode())
        os.write(writer, data)
        os.close(writer)
        while _reader_there(pipe):
            time.sleep(0.002)


def _reader_there(pipe: Path) -> bool:
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as problem:
        if problem.errno == errno.ENXIO:
            return False
        raise
    return True


if __name__ == "__main__":
    main(int(sys.argv[1]))
