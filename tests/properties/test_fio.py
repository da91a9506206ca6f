"""fio's parser on damaged and invented documents: a result with sane figures, or a refusal in words; never a crash."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.programs.fio import FioResult, filling, in_files, parse
from raidtui.values.bench import Job
from raidtui.values.errors import MachineFailed

RECORDED = sorted((Path(__file__).parent.parent / "tools" / "fio").glob("*.json"))
TEXTS = {path.name: path.read_text() for path in RECORDED}
NUMBERS = st.one_of(st.integers(-(10**400), 10**400), st.floats(), st.booleans(), st.none(), st.text(max_size=5))
PART = st.dictionaries(
    st.sampled_from(["io_bytes", "runtime", "total_ios", "clat_ns", "lat_ns", "iops"]),
    st.one_of(NUMBERS, st.dictionaries(st.sampled_from(["mean", "max", "percentile"]), NUMBERS)),
)
JOB = st.one_of(
    NUMBERS,
    st.dictionaries(
        st.sampled_from(["jobname", "error", "total_err", "read", "write"]),
        st.one_of(NUMBERS, PART),
    ),
)


def sane(result: FioResult) -> bool:
    flows = [result.read, result.write]
    figures = [figure for flow in flows for figure in (flow.bytes, flow.ios, flow.seconds)]
    if result.latency is not None:
        latency = result.latency
        figures += [latency.mean_ms, latency.p50_ms, latency.p99_ms, latency.max_ms]
    return all(figure >= 0 and math.isfinite(float(figure)) for figure in figures) and result.errors >= 0


@pytest.mark.parametrize("name", sorted(TEXTS))
@given(data=st.data())
def test_damaged_recordings(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    start, end = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    damaged = text[:start] + data.draw(st.text(max_size=20)) + text[end:]
    try:
        result = parse(damaged)
    except MachineFailed as problem:
        assert str(problem) in (
            "the output of fio contains no result",
            "the result of fio contains no measurement",
            "the result of fio contains no measurement of any host",
        )
    else:
        assert sane(result)


@given(jobs=st.lists(JOB, max_size=4))
def test_invented_documents(jobs: list[object]) -> None:
    try:
        result = parse(json.dumps({"fio version": "fio-3.99", "jobs": jobs}))
    except MachineFailed:
        assert not any(isinstance(job, dict) for job in jobs) or not all(isinstance(job, dict) for job in jobs)
    else:
        assert sane(result)


@given(
    streams=st.integers(1, 64), size=st.integers(1, 10**6), apart=st.booleans(), depth=st.integers(1, 64),
    pattern=st.sampled_from(["read", "write", "randread", "randwrite", "randrw"]),
)  # fmt: skip
def test_what_is_filled_is_what_is_worked_on(streams: int, size: int, apart: bool, depth: int, pattern: str) -> None:
    """The last section of both commands, which says where the streams work, is the same; reading jobs cannot write."""
    job = Job(
        name="x", title="", target="files", pattern=pattern, block_bytes=4096, depth=depth, streams=streams,  # type: ignore[arg-type]
        regions=1 if apart else streams,
    )  # fmt: skip
    workload, before = in_files(job, size * 4096), filling(job, size * 4096)
    assert workload.sections[0][1] == before.sections[0][1]
    assert workload.read_only == (pattern in ("read", "randread"))
    assert ("allow_file_create", "0") in workload.common or "write" in pattern or pattern == "randrw"
