"""What a host sends is hostile until it is read: each wrong answer is one clear line with a way out."""

import json
import random
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from raidtui import __version__
from raidtui.fleet.answers import read_answer
from raidtui.fleet.engine import End, Output
from raidtui.fleet.look import HostReply, new_request
from raidtui.fleet.values import HostAnswer, HostProblem, HostRequest, HostState
from raidtui.machine.inventory import shipped
from raidtui.values.codec import to_json
from tests.cli.test_fuzz import broken
from tests.suite import examples

REQUEST = HostRequest(kind="look", host="n1", nonce="5" * 32)
ANSWER = HostAnswer(
    kind="look", host="n1", nonce=REQUEST.nonce, raidtui=__version__, time_s=1.0, inventory=shipped.load("nas4")
)
GOOD = to_json(ANSWER, indent=None).encode() + b"\n"


def output(stdout: bytes, *, stderr: bytes = b"", code: int | None = 0, end: End = "exited") -> Output:
    return Output(host="n1", stdout=stdout, stderr=stderr, end=end, exit=code, started_s=0.0, seconds=3.0)


def read(stdout: bytes, *, stderr: bytes = b"", code: int | None = 0, end: End = "exited") -> HostAnswer | HostProblem:
    return read_answer(output(stdout, stderr=stderr, code=code, end=end), REQUEST, most_output=1 << 20, timeout_s=3)


def edited(**fields: object) -> bytes:
    return json.dumps({**json.loads(GOOD), **fields}).encode() + b"\n"


def test_a_good_answer_is_read_whatever_the_exit_code() -> None:
    assert read(GOOD) == read(GOOD, code=255) == ANSWER


@pytest.mark.parametrize(
    ("stdout", "state", "sentence"),
    [
        (GOOD[:-40], "half", f"its answer ends in the middle, after {len(GOOD) - 40} bytes"),
        (GOOD[:-1], "half", f"its answer ends in the middle, after {len(GOOD) - 1} bytes"),
        (b"Welcome to \x1b[31mn1\x07\n" + GOOD, "garbage", "it sent 'Welcome to \\e[31mn1\\x07' in place of an answer"),
        (b"\xff\xfe\x00\n", "garbage", "it sent '\ufffd\ufffd\\x00' in place of an answer"),
        (b"null\n", "garbage", "it sent 'null' in place of an answer"),
        (GOOD + GOOD, "garbage", "its answer: the document: Invalid JSON: trailing characters at line 2 column 1"),
        (b'{"a":' * 100_000 + b"\n", "garbage",
         "its answer: the document: Invalid JSON: recursion limit exceeded at line 1 column 1006"),
        (edited(host="n2"), "other-host", "it sent an answer to another request, of host n2"),
        (edited(nonce="6" * 32), "other-host", "it sent an answer to another request, of host n1"),
        (edited(host="\x1b]0;x\x07"), "other-host", "it sent an answer to another request, of host \\e]0;x\\x07"),
        (edited(schema="raidtui/host-answer/2", raidtui="9.0"), "other-version",
         f"raidtui 9.0 there, {__version__} here: its answer: schema: Input should be 'raidtui/host-answer/1'"),
        (edited(raidtui="9.\x1b[2J", more=1), "other-version",
         f"raidtui 9.\\e[2J there, {__version__} here: its answer: more: unknown key"),
        (edited(**{"\x1b[2J" * 100: 1}), "garbage", "its answer: " + "\\e[2J" * 37 + "\\e~"),
        (edited(time_s=1e300), "garbage", "its answer: time_s: out of range"),
        (GOOD.replace(b'"time_s": 1.0', b'"time_s": NaN'), "garbage", "its answer: time_s: out of range"),
        (GOOD.replace(b'"size_bytes": ', b'"size_bytes": -'), "garbage",
         "its answer: disks.0.size_bytes: out of range: 0 to 1152921504606846976"),
        (b'{"schema":"raidtui/host-answer/1","inventory":{"disks":[' + b"{}," * 100_001 + b"{}]}}\n", "too-large",
         "its answer has more than 100000 values"),
        (edited(refused="the lock is held\x1b[31m", hint="wait"), "refused", "the lock is held\\e[31m"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_answer(stdout: bytes, state: HostState, sentence: str) -> None:
    found = read(stdout)
    assert isinstance(found, HostProblem)
    assert (found.state, found.sentence) == (state, sentence)


@pytest.mark.parametrize(
    ("given", "state", "sentence"),
    [
        (output(b"", end="too-large", code=None), "too-large", "it sent more than 1 MiB and was cut off"),
        (output(b"", end="timed-out", code=None), "timed-out", "no answer within 3 s"),
        (output(b"{", end="timed-out", code=None), "half", "it sent 1 bytes, then nothing for the rest of 3 s"),
        (output(b"", code=255, stderr=b"\x1b[31mHost key verification failed.\r\n"), "key-changed",
         "\\e[31mHost key verification failed."),
        (output(b"", code=255, stderr=b"boom"), "unreachable", "ssh failed: boom"),
        (output(b"", code=255, stderr=b"client_loop: send disconnect: Broken pipe\r\n"), "half",
         "the connection ended before its answer: client_loop: send disconnect: Broken pipe"),
        (output(b"", code=1, stderr=b"sudo: a password is required\n"), "refused", "sudo: a password is required"),
        (output(b"", code=127), "absent", "raidtui is not installed there"),
        (output(b"", code=137), "failed", "the program there exited with 137 and no answer"),
    ],
)  # fmt: skip
def test_why_there_is_no_answer(given: Output, state: HostState, sentence: str) -> None:
    found = read_answer(given, REQUEST, most_output=1 << 20, timeout_s=3)
    assert isinstance(found, HostProblem)
    assert (found.state, found.sentence) == (state, sentence)
    assert found.hint


@pytest.mark.parametrize(
    ("given", "effect"),
    [
        (output(b"", code=255, stderr=b"ssh: connect to host n1 port 22: Connection refused\n"), "none"),
        (output(b"", code=255, stderr=b"n1: Permission denied (publickey).\n"), "none"),
        (output(b"", code=127, stderr=b"bash: raidtui: command not found\n"), "none"),
        (output(b"", code=2, stderr=b"raidtui: error: invalid choice: 'fleet-host'\n"), "none"),
        (output(edited(refused="the lock is held", hint="wait")), "none"),
        (output(edited(refused="no room", hint="make room", refusal="failed")), "part"),
        (output(b"", code=255, stderr=b"Permission denied\nclient_loop: send disconnect: Broken pipe\r\n"), None),
        (output(b"", code=255, stderr=b"Connection to n1 closed by remote host.\n"), None),
        (output(b"", code=255), None),
        (output(b"", code=137), None),
        (output(b"", code=None, end="timed-out"), None),
        (output(edited(raidtui="9.0", more=1)), None),
    ],
)
def test_what_a_request_without_an_answer_did_is_known_only_where_it_certainly_is(
    given: Output, effect: str | None
) -> None:
    """A connection that ends later, or an answer of a later version, may follow a build that was started."""
    found = read_answer(given, REQUEST, most_output=1 << 20, timeout_s=3)
    assert isinstance(found, HostProblem)
    assert found.effect == effect


def clear(found: HostAnswer | HostProblem) -> bool:
    """A valid answer to the request, or one printable line and a way out."""
    if isinstance(found, HostAnswer):
        return (found.host, found.nonce) == (REQUEST.host, REQUEST.nonce)
    return found.sentence.isprintable() and 0 < len(found.sentence) < 400 and found.hint.isprintable()


@examples(300)
@given(stdout=st.binary(max_size=300), stderr=st.binary(max_size=100), code=st.sampled_from([0, 1, 2, 96, 127, 255]))
@example(stdout=b"\n", stderr=b"", code=0)
@example(stdout=b"{}\n", stderr=b"\n\n", code=0)
def test_any_bytes_are_read(stdout: bytes, stderr: bytes, code: int) -> None:
    assert clear(read(stdout, stderr=stderr, code=code))
    assert clear(read(stdout + b"\n", stderr=stderr, code=code))


@examples(300)
@given(seed=st.integers(0, 2**32), cut=st.integers(0, len(GOOD)), noise=st.binary(max_size=5))
def test_a_damaged_answer_is_read(seed: int, cut: int, noise: bytes) -> None:
    """Values of other types and ranges, and bytes changed, missing or more anywhere."""
    document = broken(json.loads(GOOD), random.Random(seed))
    assert clear(read(json.dumps(document).encode("utf-8", "surrogatepass") + b"\n"))
    assert clear(read(GOOD[:cut] + noise + GOOD[cut + len(noise) :]))


def test_every_request_has_a_nonce_of_its_own() -> None:
    assert new_request("look", "n1").nonce != new_request("look", "n1").nonce


@pytest.mark.parametrize(
    ("host_s", "ahead"), [(1000.0, 0.0), (1003.0, 0.0), (4603.0, 3600.0), (-2600.0, -3600.0), (1001.5, 0.0)]
)
def test_a_clock_is_off_only_as_far_as_the_answer_proves(host_s: float, ahead: float) -> None:
    """Asked at 1000 s, answered at 1003 s: every time between may be right."""
    reply = HostReply(host="n1", answer=replace(ANSWER, time_s=host_s), started_s=1000.0, seconds=3.0)
    assert reply.clock_ahead_s == ahead
