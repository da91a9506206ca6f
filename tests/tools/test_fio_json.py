"""What four versions of fio printed, recorded: fio/VERSION-WHAT.json. 3.1, 3.16 and 3.42 were built from their sources
(3.42 is 135 commits after that tag); 3.33 is Debian 12's. `group`: 70 % random reads of 4 KiB by two jobs, reported
together; `each`: two readers reported apart; `full`: a file system of 8 MiB ran full; `ended`: SIGTERM; `clients`: two
fio servers on 127.0.0.1.
"""

from pathlib import Path

import pytest

from raidtui.programs.fio import FioResult, Flow, parse
from raidtui.values.bench import Latency
from raidtui.values.errors import MachineFailed

RECORDED = Path(__file__).parent / "fio"
NOTHING = Flow(bytes=0, ios=0, seconds=0.0, latency=None)


def recorded(name: str) -> FioResult:
    return parse((RECORDED / f"{name}.json").read_text())


@pytest.mark.parametrize(
    ("name", "read", "write", "rate", "iops"),
    [
        ("3.1-group", (75169792, 18352), (31596544, 7714), 106659676.32, 26039.96),
        ("3.16-group", (71278592, 17402), (29982720, 7320), 101160151.85, 24697.30),
        ("3.33-group", (89710592, 21897), (38133760, 9309), 127716635.36, 31174.83),
        ("3.42-group", (105934848, 25863), (44687360, 10910), 150471736.26, 36736.26),
    ],
)
def test_every_version(name: str, read: tuple[int, int], write: tuple[int, int], rate: float, iops: float) -> None:
    """Bytes and requests are what the file says after half a second of warm-up; both directions ran 1.001 s."""
    found = recorded(name)
    assert (found.errors, found.error) == (0, "")
    assert (found.read.bytes, found.read.ios, found.read.seconds) == (*read, 1.001)
    assert (found.write.bytes, found.write.ios, found.write.seconds) == (*write, 1.001)
    assert found.bytes_per_s == pytest.approx(rate, abs=0.01)
    assert found.iops == pytest.approx(iops, abs=0.01)


def test_latency_of_both_directions() -> None:
    """The mean by requests, else the worse of the two."""
    found = recorded("3.1-group")
    assert found.read.latency == Latency(mean_ms=0.07764941014599999, p50_ms=0.06272, p99_ms=0.280576, max_ms=14.770697)
    assert found.write.latency == Latency(mean_ms=0.072397619523, p50_ms=0.059136, p99_ms=0.183296, max_ms=28.681233)
    assert found.latency is not None
    assert found.latency.mean_ms == pytest.approx(0.0760953, abs=1e-6)
    assert (found.latency.p50_ms, found.latency.p99_ms, found.latency.max_ms) == (0.06272, 0.280576, 28.681233)


def test_jobs_reported_apart_are_summed() -> None:
    found = recorded("3.33-each")
    assert (found.read.bytes, found.read.ios, found.read.seconds, found.write) == (579731456, 8846, 1.001, NOTHING)


def test_a_full_file_system_is_an_error_in_words() -> None:
    found = recorded("3.33-full")
    assert (found.errors, found.error, found.write.bytes) == (1, "No space left on device", 7340032)


def test_a_result_cut_short_by_a_signal() -> None:
    """Its leading line is no JSON. 20 s were asked for."""
    found = recorded("3.33-ended")
    assert (found.errors, found.read.bytes, found.read.seconds) == (0, 531824640, 1.307)


HAND_MADE = '{"fio version": "fio-3.99", "jobs": [{"jobname": "a", "error": 0, "read": {"io_bytes": 4096, "total_ios": 1, "runtime": 500}}]}'  # fmt: skip # noqa: E501


@pytest.mark.parametrize(
    "text",
    [
        HAND_MADE,
        f"fio: a warning {{\n{HAND_MADE}\nand a last word }}",
        f'{{"other": 1}}\n{HAND_MADE}',
        f'{{"fio version": "fio-3.99", "jobs": [{{"read": {{"io_bytes": 1}}}}]}}\n{HAND_MADE}',
        f"{{ broken\n{HAND_MADE}",
    ],
)
def test_text_around_the_document(text: str) -> None:
    """Hand-made: no latency, no write section; the last document counts."""
    read = Flow(bytes=4096, ios=1, seconds=0.5, latency=None)
    assert parse(text) == FioResult(read=read, write=NOTHING, errors=0, error="")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "it printed nothing"),
        ("fio: engine libaio not loadable\n", "its output: fio: engine libaio not loadable"),
        ('{"fio version": "fio-3.33", "jobs": []}', "it printed nothing"),
        ('{"fio version": "fio-3.33", "jobs": [1]}', "it printed nothing"),
        ('{"jobs": [{"read": {"io_bytes": 40', "it printed nothing"),
    ],
)
def test_no_result(text: str, hint: str) -> None:
    with pytest.raises(MachineFailed) as caught:
        parse(text)
    assert caught.value.hint == hint


def test_errors_that_are_only_counted() -> None:
    """continue_on_error leaves `error` 0 and counts; hand-made."""
    text = '{"fio version": "x", "jobs": [{"error": 0, "total_err": 3, "first_error": 5, "read": {}}, {"error": 5}]}'
    found = parse(text)
    assert (found.errors, found.error) == (4, "Input/output error")
