"""The control host's files of a benchmark: its order, what each host measured with fio's raw output, the document.

STATE/fleet/benches/ID/           0700
    order.json                    before the first host is asked to begin
    turns/HOST/, at-once/HOST/    as on the host: bench.json, result.json, fio/003-2.json
    fleet-bench.json              the document of all hosts
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from pathlib import Path

from raidtui.machine.bench import store
from raidtui.machine.fleet.store import fleet_root
from raidtui.machine.run.work_folder import FLEET_BENCHES, OnSkipped, readable
from raidtui.machine.system.documents import read_document, save_document
from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.file_errors import failures, whatever_is_wrong
from raidtui.machine.system.input_files import FLEET_RESULT, RESULT_FILE, read_own
from raidtui.machine.system.private_places import private_directory
from raidtui.model.bench import BenchResult
from raidtui.model.codec import from_json
from raidtui.model.errors import BadInput
from raidtui.model.fleet.bench_order import MOST_OUTPUT, MOST_OUTPUTS, FleetBenchOrder, HostBenchResult, Round
from raidtui.model.fleet.bench_result import FleetBench
from raidtui.model.units import exact_binary
from raidtui.tools.nodeset import host_name

DOCUMENT = "fleet-bench.json"
_ORDER = "order.json"
_ROOM = "make room, or make it writable"
_GARBLED = "fetch it again: raidtui fleet bench --resume"


def fleet_benches_root(*, simulated: bool) -> Path:
    """Directory of the benchmarks of many hosts that this control host has ordered."""
    return fleet_root(simulated=simulated) / "benches"


def _folder(order: FleetBenchOrder) -> Path:
    return fleet_benches_root(simulated=order.simulated) / order.id


def keep_order(order: FleetBenchOrder) -> Path:
    """Stores the order and returns its folder. Raises MachineFailed, Refused."""
    folder = _folder(order)
    private_directory(folder)
    save_document(folder / _ORDER, order)
    return folder


def kept_orders(*, simulated: bool, on_skipped: OnSkipped = lambda _: None) -> tuple[FleetBenchOrder, ...]:
    """Every order that is stored and reads, the last one made first; the others are told of."""
    folders = FLEET_BENCHES.all_folders((fleet_benches_root(simulated=simulated),), on_skipped)
    found = [order for _, order in readable(folders, _order, on_skipped)]
    return tuple(sorted(found, key=lambda order: order.made, reverse=True))


def kept_order(prefix: str, *, simulated: bool) -> FleetBenchOrder | None:
    """The order whose id begins with `prefix`; None if none is stored. Raises BadInput for several or no id."""
    folder = FLEET_BENCHES.find_any((fleet_benches_root(simulated=simulated),), prefix)
    return _order(folder) if folder is not None else None


def _order(folder: Path) -> FleetBenchOrder:
    with whatever_is_wrong(folder):
        return read_document(FleetBenchOrder, folder / _ORDER, RESULT_FILE)


def keep_result(order: FleetBenchOrder, host: str, of: Round, found: HostBenchResult) -> BenchResult:
    """Stores what a host measured, and returns it. Raises BadInput for what is not the benchmark that was ordered."""
    source = f"the benchmark of {host}"
    result = store.checked(found.result, Path(source))
    if result.bench.id != order.bench_id(host, of):
        raise BadInput(f"{source} is another one", hint=_GARBLED)
    outputs = _outputs(found, source)
    folder = host_folder(order, host, of)
    if not (folder / store.BENCH).exists():
        private_directory(folder)
        store.create_at(folder, result.bench)
    for name, content in outputs.items():
        with failures(folder / name, _ROOM):
            write_durably(folder / name, content, mode=0o600)
    store.save(folder, result)
    return result


def _outputs(found: HostBenchResult, source: str) -> dict[str, str]:
    """File to fio's output, each as the host has it. Raises BadInput."""
    known = {
        store.raw_name(figure.task, number)
        for figure in found.result.figures
        for number, repeat in enumerate(figure.repeats, start=1)
        if repeat.fio
    }
    outputs: dict[str, str] = {}
    left = MOST_OUTPUTS
    for raw in found.raw:
        name = store.raw_name(raw.task, raw.repeat)
        if name not in known or name in outputs:
            raise BadInput(f"{source}: {name} is not the output of a repeat", hint=_GARBLED)
        try:
            packed = base64.b64decode(raw.content, validate=True)
            content = zlib.decompressobj().decompress(packed, min(MOST_OUTPUT, left) + 1)
            text = content.decode("utf-8")
        except (binascii.Error, zlib.error, ValueError) as problem:
            raise BadInput(f"{source}: {name}: {problem}", hint=_GARBLED) from problem
        if len(content) > min(MOST_OUTPUT, left):
            most = f"{exact_binary(MOST_OUTPUT)}, all {exact_binary(MOST_OUTPUTS)}"
            raise BadInput(f"{source}: {name} is too large: an output has at most {most}", hint=_GARBLED)
        if len(content) != raw.size_bytes or hashlib.sha256(content).hexdigest() != raw.sha256:
            raise BadInput(f"{source}: {name} is not the output of a repeat", hint=_GARBLED)
        left -= len(content)
        outputs[name] = text
    return outputs


def host_folder(order: FleetBenchOrder, host: str, of: Round) -> Path:
    """Folder of what a host measured in a round. Raises BadInput for a name that is none."""
    return _folder(order) / of / host_name(host)


def kept_result(order: FleetBenchOrder, host: str, of: Round) -> BenchResult | None:
    """What was fetched of a host; None if nothing was."""
    folder = host_folder(order, host, of)
    return store.load(folder) if (folder / store.RESULT).is_file() else None


def keep_document(found: FleetBench) -> Path:
    """Stores the document of all hosts and returns its path. Raises MachineFailed."""
    path = _folder(found.order) / DOCUMENT
    save_document(path, found)
    return path


def kept_document(order: FleetBenchOrder) -> FleetBench | None:
    """The document of all hosts; None before the benchmark has ended. Raises BadInput for a damaged file."""
    path = _folder(order) / DOCUMENT
    return from_json(FleetBench, read_own(path, FLEET_RESULT), source=str(path)) if path.is_file() else None
