"""`python -m tests.regenerate_benches DIRECTORY` makes the result folders in tests/machine/benches/ anew.

`measured` is a real run of fio on DIRECTORY, 3 s a figure; host, machine id, kernel and path are replaced afterwards by
neutral ones, the figures are not. `simulated` is what the model makes of the shipped chassis e2660.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

from raidtui.bench import prepare, store
from raidtui.bench.plan import BenchOptions
from raidtui.bench.targets import place_of
from raidtui.machine.inventory import shipped
from raidtui.machine.inventory.probe import probe
from raidtui.machine.system.host import SystemHost
from raidtui.predict.design import assess, predict
from raidtui.values.assumptions import defaults_for
from raidtui.values.bench import Profile
from raidtui.values.codec import from_json
from raidtui.values.design import Design
from raidtui.values.notation import parse

FOLDER = Path(__file__).parent / "machine" / "benches"
MIB = 1024 * 1024
_REAL_SIZE, _SECONDS = 64 * MIB, 3.0
PLACE = "/srv/data"


def profile(stream_bytes: int, *extra: dict[str, object]) -> Profile:
    """Five kinds of load on files, `extra` before them, 3 s each."""
    files: dict[str, object] = {"target": "files", "streams": 4, "stream_bytes": stream_bytes}
    sequential = files | {"block_bytes": MIB, "depth": 4, "repeats": 2}
    jobs = [
        *extra,
        sequential | {"name": "read", "title": "sequential read", "pattern": "read", "predicted": "seq_read"},
        sequential | {"name": "write", "title": "sequential write", "pattern": "write", "predicted": "seq_write"},
        files | {"name": "random-read", "title": "4 KiB random read", "pattern": "randread", "block_bytes": 4096,
                 "depth": 16, "predicted": "rand_read"},
        files | {"name": "mixed", "title": "64 KiB, 70 % reads", "pattern": "randrw", "block_bytes": 65536,
                 "depth": 2, "read_share": 0.7},
        files | {"name": "small-files", "title": "small files", "pattern": "small-files", "block_bytes": 5734,
                 "streams": 2, "files": 3000, "direct": False, "stream_bytes": 0, "warm_up_seconds": 0.0},
    ]  # fmt: skip
    always = {"seconds": _SECONDS, "warm_up_seconds": 1.0, "repeats": 1}
    document = {"name": "sample", "title": "A sample", "purpose": "Small results for tests."}
    return from_json(Profile, json.dumps(document | {"jobs": [always | job for job in jobs]}), source="sample")


def measured(directory: Path) -> Path:
    """Runs fio on `directory`."""
    prepared = prepare.prepare((place_of(directory),), probe(SystemHost()), profile(_REAL_SIZE), BenchOptions())
    folder = store.create_at(FOLDER / "measured", prepared.bench)
    prepare.begun(prepared.bench, prepared.order, folder).run()
    _neutral(folder, directory)
    return folder


def simulated() -> Path:
    """Plays the chassis e2660 with the layout of the field report."""
    inventory = shipped.load("e2660")
    design = Design(layout=parse("4x(12+2)+4"), chunk_bytes=256 * 1024)
    disks = inventory.disks
    prediction = assess(design, disks, predict(design, disks), inventory, defaults_for(disks), spread=False)
    raw: list[dict[str, object]] = [
        {"name": kind, "title": title, "target": kind, "pattern": "read", "block_bytes": MIB, "depth": depth,
         "predicted": predicted}
        for kind, title, depth, predicted in (
            ("disks", "all disks at once: sequential read", 4, "disk"),
            ("array", "each array: sequential read", 32, "seq_read"),
            ("volume", "the volume: sequential read", 64, "seq_read"),
        )
    ]  # fmt: skip
    prepared = prepare.prepare_simulated(
        inventory, design, disks, prediction, profile(512 * MIB, *raw), BenchOptions(),
        start=1_800_000_000.0, bench_id="5" * 32,
    )  # fmt: skip
    folder = store.create_at(FOLDER / "simulated", prepared.bench)
    prepare.begun(prepared.bench, prepared.order, folder).run()
    return folder


def _neutral(folder: Path, directory: Path) -> None:
    bench = json.loads((folder / store.BENCH).read_text())
    words = {
        bench["host"]: "testhost",
        bench["machine_id"] or "none": "0" * 32,
        bench["conditions"]["kernel"]: re.split(r"-", bench["conditions"]["kernel"])[0],
        os.path.realpath(directory): PLACE,
        "at /": "at /srv",
    }
    for path in (folder / store.BENCH, folder / store.RESULT, folder / store.GAUGES):
        text = path.read_text()
        for old, new in words.items():
            text = text.replace(f'"{old}"', f'"{new}"').replace(f'"{old} file', f'"{new} file')
        path.write_text(text)


if __name__ == "__main__":
    for name in ("measured", "simulated"):
        if (FOLDER / name).exists():
            shutil.rmtree(FOLDER / name)
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(simulated())
    print(measured(Path(sys.argv[1])))
