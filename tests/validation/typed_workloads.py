"""A hundred workloads as administrators type them, each asked of the command line and judged as a textbook would.

`typed_workloads.csv` holds who asks, the words after `raidtui model`, and the words after `--ask`. The judge knows no
rule of the model but the rates of one disk, which the answer states.
"""

from __future__ import annotations

import csv
import io
import shlex
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from pathlib import Path
from statistics import median

from raidtui.answers.speed import is_predicted, width_driver_of
from raidtui.cli.main import main
from raidtui.values.amounts import amount, amounts
from raidtui.values.codec import from_json
from raidtui.values.layout import Layout
from raidtui.values.notation import parse
from raidtui.values.prediction import Prediction
from raidtui.values.speed import AskedRate, DiskSpeed, WorkloadQuestion, ask_words, parse_ask
from raidtui.values.units import GIB, KIB
from tests.validation.figures import p90, table

TYPED = Path(__file__).with_name("typed_workloads.csv")
ROUNDING = 1.01
"""an answer is rounded to whole requests"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A workload, its answer, and why an expert would laugh at it."""

    who: str
    array: str
    answer: AskedRate
    laughed: tuple[str, ...]
    stated: AskedRate
    """the answer if what one disk does by itself is stated"""

    @property
    def width(self) -> float:
        """Upper over lower end of the band."""
        return width(self.answer)


def width(answer: AskedRate) -> float:
    """Upper over lower end of its band."""
    return answer.high / max(answer.low, 1)


@cache
def typed_workloads() -> tuple[Typed, ...]:
    """The rows of the table with their answers."""
    with TYPED.open(encoding="utf-8", newline="") as rows:
        return tuple(_asked(**row) for row in csv.DictReader(rows))


def _asked(who: str, array: str, ask: str) -> Typed:
    own = parse_ask(ask)
    better = {text: question for text, question in _better(own).items() if question != own}
    prediction = _model(array, own, *better.values())
    assert prediction.throughput is not None and prediction.asked is not None
    found, *others = prediction.asked
    layout = parse(shlex.split(array)[0])
    most = textbook(layout, prediction.throughput.disk, own)
    laughed = [f"{rate_text(found)} where the textbook has {most / 1e6:.3g} MB/s"] * (found.bytes_per_s > ceil(most))
    laughed += [
        f"{rate_text(found)}, above its limit {limit.name} of {limit.rate / 1e6:.3g} MB/s"
        for limit in found.ceilings
        if found.bytes_per_s > ROUNDING * limit.rate
    ]
    laughed += [
        f"{rate_text(found)}, with {text} {rate_text(other)}"
        for text, other in zip(better, others, strict=True)
        if ROUNDING * other.bytes_per_s < found.bytes_per_s
    ]
    if own.random is False and own.depth is not None:
        scattered = _answer(array, replace(own, random=True))
        if ROUNDING * found.bytes_per_s < scattered.bytes_per_s:
            laughed.append(f"{rate_text(found)}, the same at random {rate_text(scattered)}")
    if own.kind == "read" and layout.member_disks > 1:
        alone = _answer(shlex.join(["disk", *shlex.split(array)[1:]]), own)
        if ROUNDING * found.bytes_per_s < alone.bytes_per_s:
            laughed.append(f"{rate_text(found)}, one of its disks {rate_text(alone)}")
    disk = prediction.throughput.disk
    words = ["--disk-speed", str(disk.read_bytes_per_s), "--disk-write-speed", str(disk.write_bytes_per_s)]
    words += ["--disk-iops", str(disk.read_iops if own.kind == "read" else disk.write_iops)]
    stated = _answer(shlex.join([*shlex.split(array), *words]), own)
    return Typed(who=who, array=array, answer=found, laughed=tuple(laughed), stated=stated)


def _model(array: str, *asks: WorkloadQuestion) -> Prediction:
    printed = io.StringIO()
    words = [word for ask in asks for word in ("--ask", ask_words(ask))]
    with redirect_stdout(printed):
        assert main(["model", *shlex.split(array), *words, "--json"]) == 0, array
    return from_json(Prediction, printed.getvalue(), source=array)


def _answer(array: str, ask: WorkloadQuestion) -> AskedRate:
    (found,) = _model(array, ask).asked or ()
    return found


def _better(ask: WorkloadQuestion) -> dict[str, WorkloadQuestion]:
    """What never brings less data: a deeper queue, larger requests."""
    found = {}
    if ask.depth is not None:
        found["twice the depth"] = replace(ask, depth=2 * ask.depth)
    if ask.size_bytes is not None:
        found["requests of twice the size"] = replace(ask, size_bytes=min(GIB, 2 * ask.size_bytes))
    return found


def textbook(layout: Layout, disk: DiskSpeed, ask: WorkloadQuestion) -> float:
    """Bytes per second that no array of so many such disks exceeds, by the operations that every textbook counts."""
    if ask.kind == "mixed":
        share = (ask.read_percent or 0) / 100
        read, write = (textbook(layout, disk, replace(ask, kind=kind, read_percent=None)) for kind in ("read", "write"))
        return 1 / (share / read + (1 - share) / write)
    reads = ask.kind == "read"
    rate = disk.read_bytes_per_s if reads else disk.write_bytes_per_s
    shares: dict[str, int] = {} if reads else {"raid4": 4, "raid5": 4, "raid6": 6}
    total = 0.0
    for shape in layout.shapes:
        copies = 1 if reads else {"raid1": shape.members, "raid10": shape.copies}.get(shape.level, 1)
        whole = shape.members if reads else shape.data if shape.parity else shape.members / copies
        if ask.random:
            size = ask.size_bytes or 4 * KIB
            operations = size * (disk.read_iops if reads else disk.write_iops)
            small = shape.members * operations / shares.get(shape.level, copies)
            total += min(whole * rate, small) if size <= 64 * KIB else whole * rate
        else:
            total += whole * rate
    return total


def rate_text(answer: AskedRate) -> str:
    """`814 IOPS` of random work, `958 MB/s`."""
    if answer.ask.random and answer.size_bytes:
        return amount(answer.bytes_per_s / answer.size_bytes, "IOPS")
    return amount(answer.bytes_per_s, "B/s")


def typed_section() -> list[str]:
    """The hundred workloads, for the report."""
    every = typed_workloads()
    predicted = [each.width for each in every if is_predicted(each.answer)]
    widths, stated = [each.width for each in every], [width(each.stated) for each in every]
    missed = sum(not is_predicted(each.stated) for each in every)
    laughed = [f"* {each.who}: {'; '.join(each.laughed)}." for each in every if each.laughed]
    figures = [
        ["64 others, asked before", "x2.9", "x8.8", "", "5"],
        [f"these {len(every)}", f"x{median(widths):.1f}", f"x{p90(widths):.1f}", str(len(every) - len(predicted)),
         str(len(laughed))],
        [f"the {len(predicted)} of these that are predicted", f"x{median(predicted):.1f}", f"x{p90(predicted):.1f}",
         "0", ""],
        ["the same, speeds of one disk stated", f"x{median(stated):.1f}", f"x{p90(stated):.1f}", str(missed), ""],
    ]  # fmt: skip
    return [
        f"## {len(every)} workloads as administrators type them",
        "",
        "`typed_workloads.csv`, each asked with `raidtui model ARRAY --ask WORK`. A band wider than x10 is not a",
        "prediction: the answer says so, and to measure it with `raidtui bench`. An answer is laughed at when it lies",
        "above what a textbook counts for the disks (members, copies, four or six operations of a small parity",
        "write) or above a limit that it names (links, memory), when a deeper queue or larger requests bring less,",
        "when requests in order bring less than the same at random, or when an array reads slower than one of its",
        "disks.",
        "",
        *table(["workloads", "median width", "p90", "not predicted", "laughed at"], figures),
        *laughed,
        *([""] if laughed else []),
        *table(["who", "array", "asked", "answer", "width", "limit", "what makes it wide"],
               [_cells(each) for each in every]),
    ]  # fmt: skip


def _cells(each: Typed) -> list[str]:
    answer = each.answer
    random = answer.ask.random and answer.size_bytes
    unit = answer.size_bytes or 1 if random else 1
    ends = amounts((answer.low / unit, answer.high / unit), "IOPS" if random else "B/s", " to ")
    said = f"{rate_text(answer)} ({ends})"
    width = f"x{each.width:.1f}"
    if not is_predicted(answer):
        said, width = f"not predicted: measure with `raidtui bench`; {ends}", "-"
    cause = width_driver_of(answer.spread) if answer.spread is not None else ""
    return [each.who, f"`{each.array}`", str(answer.ask), said, width, str(answer.bottleneck), cause]
