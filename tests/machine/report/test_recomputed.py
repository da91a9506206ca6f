"""Every figure that a report shows, computed anew from what fio printed: by the raw fields, by nothing of ours."""

from __future__ import annotations

import json
import re
import statistics
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib.font_manager  # noqa: F401  its first import asks fc-list, which tests may not
import pytest

from raidtui import __version__
from raidtui.session.report import Places, material, put_together, texts
from raidtui.values.report import Report

MEASURED = Path(__file__).parents[1] / "benches" / "measured"
WORTH = {"G": 1e9, "M": 1e6, "k": 1e3, "": 1.0}
DIGITS = 0.006
"""three significant digits are shown"""


def made() -> Report:
    found = material(str(MEASURED), Places(runs=(), benches=()))
    return put_together((found,), made="2026-12-22T14:00:00Z", version=__version__)


def computed(task: dict[str, Any], raw: dict[str, Any]) -> float:
    """What one fio document comes to, in the unit of the pattern; small files are not fio's but have their times."""
    if task["job"]["pattern"] == "small-files":
        spent = [raw[name] for name in ("create", "sync", "read", "delete", "delete_sync")]
        return float(raw["files"] / sum(spent))
    directions = [job[way] for job in raw["jobs"] for way in ("read", "write")]
    if task["job"]["pattern"].startswith("rand"):
        return float(sum(way["iops"] for way in directions))
    return float(sum(way["bw_bytes"] for way in directions))


def expected() -> dict[int, list[float]]:
    """Task to the value of each repeat, from the files in fio/ and what was asked."""
    asked = json.loads((MEASURED / "bench.json").read_text())
    found: dict[int, list[float]] = {}
    for task in asked["tasks"]:
        files = sorted((MEASURED / "fio").glob(f"{task['number']:03d}-*.json"))
        found[task["number"]] = [computed(task, json.loads(path.read_text())) for path in files]
    return found


class Tables(HTMLParser):
    """Rows of cells, each with the heading of its column."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[dict[str, str]] = []
        self._cell = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append({})
        self._cell = (dict(attrs).get("data-label") or "") if tag == "td" else self._cell

    def handle_data(self, data: str) -> None:
        if self._cell:
            self.rows[-1][self._cell] = self.rows[-1].get(self._cell, "") + data

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            self._cell = ""


def number(text: str) -> float:
    """`1.23k IOPS` as a number."""
    value, scale = re.fullmatch(r"([\d.]+) ?([GMk]?)(?:B/s| IOPS|IOPS| files/s)", text.strip()).groups()  # type: ignore[union-attr]
    return float(value) * WORTH[scale]


def test_the_values_are_those_of_the_raw_files() -> None:
    wanted = expected()
    figures = made().benches[0].result.figures
    assert sorted(wanted) == [figure.task for figure in figures] == [1, 2, 3, 4, 5]
    for figure in figures:
        values = [repeat.value for repeat in figure.repeats]
        assert values == pytest.approx(wanted[figure.task], rel=1e-3), figure.task
        middle = statistics.median(wanted[figure.task])
        assert figure.median == pytest.approx(middle, rel=1e-3)
        spread = (max(wanted[figure.task]) - min(wanted[figure.task])) / middle
        assert figure.spread == pytest.approx(spread, abs=1e-3)


def test_the_page_shows_them() -> None:
    """Read back from the HTML: the median and the spread of each test, and every repeat."""
    wanted = expected()
    rows = [row for row in Tables(texts(made(), ("html",))["report.html"]).rows if row]
    medians = [row for row in rows if "measured" in row and row["#"].isdigit()]
    repeats = [row for row in rows if "repeats" in row and row["#"].isdigit()]
    assert [int(row["#"]) for row in medians] == [int(row["#"]) for row in repeats] == sorted(wanted)
    counted = 0
    for row in medians:
        values = wanted[int(row["#"])]
        assert number(row["measured"]) == pytest.approx(statistics.median(values), rel=DIGITS)
        if len(values) > 1:
            spread = (max(values) - min(values)) / statistics.median(values)
            assert float(row["spread"].removesuffix(" %")) / 100 == pytest.approx(spread, abs=0.006)
    for row in repeats:
        shown = [number(re.split(r"[(\[]", part)[0]) for part in row["repeats"].split(";")]
        assert shown == pytest.approx(wanted[int(row["#"])], rel=DIGITS)
        counted += len(shown)
    assert counted == sum(map(len, wanted.values())) == 7


def test_the_latency_is_that_of_fio() -> None:
    for figure in made().benches[0].result.figures:
        for repeat in figure.repeats:
            if not repeat.fio or repeat.latency is None:
                continue
            (job,) = json.loads((MEASURED / repeat.fio).read_text())["jobs"]
            ways = [job[way]["clat_ns"] for way in ("read", "write") if job[way]["total_ios"]]
            assert repeat.latency.max_ms == pytest.approx(max(way["max"] for way in ways) / 1e6, rel=1e-6)
            if len(ways) == 1:
                assert repeat.latency.p99_ms == pytest.approx(ways[0]["percentile"]["99.000000"] / 1e6, rel=1e-6)
                assert repeat.latency.mean_ms == pytest.approx(ways[0]["mean"] / 1e6, rel=1e-6)


def test_the_history_is_that_of_the_recording() -> None:
    """Bytes of the disks of the benchmark over the whole recording, summed from the raw lines."""
    lines = [json.loads(line) for line in (MEASURED / "gauges.jsonl").read_text().splitlines()]
    names = {disk["name"] for disk in json.loads((MEASURED / "bench.json").read_text())["disks"]}
    assert names == {"vda"}
    total = 0.0
    for tick in lines[1:]:
        for name in names & set(tick["disks"]):
            disk = tick["disks"][name]
            total += (disk["read_bytes_per_s"] + disk["write_bytes_per_s"]) * tick["seconds"]
    history = made().benches[0].history
    assert history is not None
    assert history.ticks == len(lines) - 1
    pairs = zip(history.read_bytes_per_s, history.write_bytes_per_s, strict=True)
    shown = sum((read or 0) + (write or 0) for read, write in pairs) * history.seconds
    assert shown == pytest.approx(total, rel=0.05)
