"""The host's side of a benchmark: starts it in its own unit, once, and answers how far it is and what it measured.

A benchmark has the id that its order gives it, so a control host that lost its answer, or another one, may ask again.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from raidtui.machine.bench import store
from raidtui.machine.fleet.bench.process import REQUEST, bench_request, read_progress
from raidtui.machine.fleet.bench.target import HostPlaces, checked_order, machine_time, prepared
from raidtui.machine.fleet.host_side import AnswerDocument
from raidtui.machine.fleet.one_request import one_request
from raidtui.machine.run import requests
from raidtui.machine.run.launch import await_start, launch
from raidtui.machine.run.site import SPEED_UP
from raidtui.machine.run.work_folder import BENCHES, is_alive, is_id, is_prefix, readable
from raidtui.machine.system.documents import save_document
from raidtui.machine.system.input_files import RESULT_FILE, read_named
from raidtui.model.bench import BenchResult
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import BadInput, Locked, MachineFailed, RaidtuiError, Refused
from raidtui.model.finding import errors, first_of
from raidtui.model.fleet.bench_order import (
    MOST_OUTPUT,
    MOST_OUTPUTS,
    BenchOutlook,
    BenchRequest,
    FleetBenchOrder,
    HostBench,
    HostBenchResult,
    RawOutput,
    bench_id,
)
from raidtui.model.fleet.kinds import RequestKind
from raidtui.model.units import MIB

MOST_RAW = 24 * MIB
"""bytes of compressed output of fio in one answer; the output of one repeat has some 10 KiB before compression"""
_PATIENCE = 60.0
"""seconds to wait until the process of a benchmark runs"""


def answer_bench(kind: RequestKind, simulated: Path | None, request: AnswerDocument) -> AnswerDocument:
    """Answers a request about a benchmark. `simulated`: file of the inventory that stands in for this machine."""
    try:
        asked = from_json(BenchRequest, str(request.get("content", "")), source="the request of the control host")
        return {"content": to_json(serve_bench(kind, asked, HostPlaces.of(simulated)), indent=None)}
    except MachineFailed as problem:
        return {"refused": str(problem), "hint": problem.hint, "refusal": "failed"}
    except RaidtuiError as problem:
        return {"refused": str(problem), "hint": problem.hint}


def serve_bench(
    kind: RequestKind, request: BenchRequest, places: HostPlaces
) -> BenchOutlook | HostBench | HostBenchResult:
    """Does what is asked. Raises RaidtuiError when it is refused; then nothing was started, or it is MachineFailed."""
    return _KINDS[kind](request, places)


def _look(request: BenchRequest, places: HostPlaces) -> BenchOutlook:
    found = prepared(request, places)
    return BenchOutlook(bench=found.bench, findings=found.findings, seconds=found.seconds, bytes_used=found.bytes_used)


def _begin(request: BenchRequest, places: HostPlaces) -> HostBench:
    order, _ = checked_order(request)
    with one_request(places.benches) as root:
        folder = root / order.bench_id(request.host, request.round)
        if not (folder / REQUEST).exists():
            _require_idle(root)
            request = replace(request, begin_s=machine_time(request, places))
            found = prepared(request, places, sweep=True)
            if wrong := errors(found.findings):
                raise Refused(first_of(wrong), hint=wrong[0].way_out)
            store.create_at(folder, replace(found.bench, id=folder.name))
            _start(folder, save_document(folder / REQUEST, request), order)
    return _state(folder)


def _require_idle(root: Path) -> None:
    """Raises Locked while another benchmark of the same user runs on this host: both would be wrong."""
    for folder in BENCHES.folders(root):
        if is_alive(folder):
            raise Locked(f"benchmark {folder.name[:8]} is running there", hint="wait for its end, or stop it")


def _start(folder: Path, text: str, order: FleetBenchOrder) -> None:
    """Starts the process and waits until it runs. Raises MachineFailed if it ends before."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    speed_up = SPEED_UP if order.speed_up is None else order.speed_up
    launched = launch(folder, "bench", digest, simulated=order.simulated, speed_up=speed_up)

    def has_begun() -> bool:
        return is_alive(folder) or store.load(folder).outcome not in ("running", "interrupted")

    await_start(launched, folder, has_begun, _PATIENCE, "")


def _status(request: BenchRequest, places: HostPlaces) -> HostBench:
    folder = _folder(request, places)
    return HostBench() if folder is None else _state(folder)


def _find(request: BenchRequest, places: HostPlaces) -> HostBench:
    """The order whose id begins with the digits of the request. Raises BadInput where none or several do."""
    prefix = request.fleet_id
    if not is_prefix(prefix):
        raise BadInput(f"'{prefix}' is not the id of a benchmark of the fleet", hint="write its first 8 digits")
    kept = readable(BENCHES.all_folders((places.benches,)), _order)
    orders = {order.id: order for _, order in kept if order is not None and order.id.startswith(prefix)}
    if len(orders) != 1:
        many = f"{len(orders)} benchmarks of the fleet begin" if orders else "no benchmark of the fleet begins"
        raise BadInput(f"{many} with '{prefix}' on this host", hint="write all digits of its id")
    return HostBench(order=next(iter(orders.values())))


def _order(folder: Path) -> FleetBenchOrder | None:
    """The order of the benchmark in a folder; None where it belongs to none."""
    return bench_request(folder).order if (folder / REQUEST).exists() else None


def _result(request: BenchRequest, places: HostPlaces) -> HostBenchResult:
    folder = _required(request, places)
    result = store.load(folder)
    raw, left_out = _raw(folder, result)
    return HostBenchResult(result=result, begin_s=bench_request(folder).begin_s, raw=raw, left_out=left_out)


def _raw(folder: Path, result: BenchResult) -> tuple[tuple[RawOutput, ...], int]:
    """fio's outputs in the order of the repeats, as many as fit, and how many do not."""
    found: list[RawOutput] = []
    left_out = size = unpacked = 0
    for figure in result.figures:
        for number, repeat in enumerate(figure.repeats, start=1):
            if not repeat.fio:
                continue
            content = read_named(folder / store.raw_name(figure.task, number), RESULT_FILE)
            packed = base64.b64encode(zlib.compress(content)).decode("ascii")
            too_large = len(content) > MOST_OUTPUT or unpacked + len(content) > MOST_OUTPUTS
            if too_large or size + len(packed) > MOST_RAW:
                left_out += 1
                continue
            size += len(packed)
            unpacked += len(content)
            digest = hashlib.sha256(content).hexdigest()
            found.append(
                RawOutput(task=figure.task, repeat=number, size_bytes=len(content), sha256=digest, content=packed)
            )
    return tuple(found), left_out


def _stop(request: BenchRequest, places: HostPlaces) -> HostBench:
    folder = _required(request, places)
    requests.write(folder, requests.ControlRequest(stop=True))
    return _state(folder)


def _required(request: BenchRequest, places: HostPlaces) -> Path:
    folder = _folder(request, places)
    if folder is None:
        raise BadInput("this benchmark did not begin here", hint="raidtui fleet bench --resume goes on with it")
    return folder


def _folder(request: BenchRequest, places: HostPlaces) -> Path | None:
    """The folder of the benchmark; None where it did not begin. Raises BadInput for an id that is none."""
    if not is_id(request.fleet_id):
        raise BadInput(f"'{request.fleet_id}' is not the id of a benchmark of the fleet", hint="write all its digits")
    folder = places.benches / bench_id(request.fleet_id, request.host, request.round)
    return folder if (folder / REQUEST).exists() else None


def _state(folder: Path) -> HostBench:
    result = store.load(folder)
    progress, request = read_progress(folder), bench_request(folder)
    tasks = result.bench.tasks
    repeats = {figure.task: len(figure.repeats) for figure in result.figures}
    whole = sum(task.seconds for task in tasks)
    done = sum(task.seconds * min(1.0, repeats.get(task.number, 0) / task.job.repeats) for task in tasks)
    live = result.outcome == "running"
    return HostBench(
        outcome=result.outcome,
        reason=result.reason,
        begin_s=request.begin_s,
        clock_ahead_s=request.clock_ahead_s,
        clock_error_s=request.clock_error_s,
        task=progress.task,
        tasks=len(tasks),
        phase=progress.phase if live else "",
        share=1.0 if result.outcome == "finished" else done / whole if whole else 0.0,
        read_bytes_per_s=progress.read_bytes_per_s if live else 0.0,
        write_bytes_per_s=progress.write_bytes_per_s if live else 0.0,
    )


_KINDS: Mapping[RequestKind, Callable[[BenchRequest, HostPlaces], BenchOutlook | HostBench | HostBenchResult]] = {
    "bench-look": _look, "bench": _begin, "bench-status": _status, "bench-find": _find, "bench-result": _result,
    "bench-stop": _stop,
}  # fmt: skip
