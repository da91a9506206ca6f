"""Reads what a host sent: hostile bytes become a typed answer, or the problem in words."""

from __future__ import annotations

import math

from raidtui import __version__
from raidtui.fleet.archive import CUT_OFF, NO_DIRECTORY, NO_PYTHON
from raidtui.fleet.engine import Output
from raidtui.fleet.ssh import OWN_FAILURE, SshFailure, ssh_failure, sudo_failure
from raidtui.fleet.values import ANSWER_SCHEMA, HostAnswer, HostProblem, HostRequest, HostState, RequestKind
from raidtui.machine.inventory.shipped import require_inventory_ranges
from raidtui.values.codec import from_json, parsed
from raidtui.values.errors import BadInput, Exit
from raidtui.values.safe import safe
from raidtui.values.units import exact_binary

_LONGEST = 200
"""characters of a host's own text in a sentence"""
_MOST_VALUES = 100_000
"""commas in an answer: a disk has some forty. pydantic keeps a thousand bytes for each value that is wrong"""
_NOT_FOUND = 127
"""exit code of a shell whose command is not installed"""
_LATEST_S = 253402300799.0
"""the last second of the year 9999"""
_FAILURES: dict[SshFailure, tuple[HostState, str]] = {
    "key-changed": (
        "key-changed", "the host was installed anew, or another machine answers: compare the key, then ssh-keygen -R",
    ),
    "key-unknown": ("key-changed", "its key is not known: compare it, then connect once by hand"),
    "refused": ("refused", "check user and key with: ssh -o BatchMode=yes HOST true"),
    "unreachable": ("unreachable", "check that it runs, its name, and the jump host in ~/.ssh/config"),
    "no-sudo": (
        "refused",
        "allow it there without a password: USER ALL=(root) NOPASSWD: /usr/bin/raidtui fleet-host; that user then "
        "controls every free disk there",
    ),
    "not-installed": ("absent", "install raidtui there"),
}  # fmt: skip


def read_answer(
    output: Output, request: HostRequest, *, most_output: int, timeout_s: float
) -> HostAnswer | HostProblem:
    """The answer to `request` in `output`, validated; otherwise why there is none."""
    problem = _ended_early(output, most_output, timeout_s)
    if problem is not None:
        return problem
    if not output.stdout:
        return _silent(output, request.kind)
    if not output.stdout.endswith(b"\n"):
        return _half(output, f"its answer ends in the middle, after {len(output.stdout)} bytes")
    if output.stdout.count(b",") > _MOST_VALUES:
        return HostProblem(
            state="too-large", sentence=f"its answer has more than {_MOST_VALUES} values",
            hint="look what it sends: raidtui disks --json there",
        )  # fmt: skip
    return _document(output.stdout, request)


def _document(stdout: bytes, request: HostRequest) -> HostAnswer | HostProblem:
    try:
        answer = from_json(HostAnswer, stdout, source="its answer")
        if answer.inventory is not None:
            require_inventory_ranges(answer.inventory, "its answer")
    except BadInput as problem:
        return _unreadable(stdout, str(problem))
    if (answer.nonce, answer.host, answer.kind) != (request.nonce, request.host, request.kind):
        return HostProblem(
            state="other-host",
            sentence=f"it sent an answer to another request, of host {safe(answer.host, longest=60)}",
            hint="something on the way stores or mixes up answers",
        )
    for name, value in (("time_s", answer.time_s), ("started_s", answer.started_s or 0.0)):
        if not (math.isfinite(value) and 0 <= value <= _LATEST_S):
            return HostProblem(state="garbage", sentence=f"its answer: {name}: out of range", hint="set its clock")
    if answer.refused is not None:
        return HostProblem(
            state=answer.refusal,
            sentence=safe(answer.refused, longest=_LONGEST),
            hint=safe(answer.hint or "", longest=_LONGEST),
            effect="part" if answer.refusal == "failed" else "none",
        )
    return answer


def _ended_early(output: Output, most_output: int, timeout_s: float) -> HostProblem | None:
    if output.end == "too-large":
        return HostProblem(
            state="too-large",
            sentence=f"it sent more than {exact_binary(most_output)} and was cut off",
            hint="look what its login shell prints: ssh HOST true",
        )
    if output.end == "exited":
        return None
    if output.stdout:
        return _half(output, f"it sent {len(output.stdout)} bytes, then nothing for the rest of {output.seconds:.0f} s")
    return HostProblem(
        state="timed-out",
        sentence=f"no answer within {timeout_s:g} s{_last_line(output)}",
        hint="look there: a disk that hangs holds up every look; or give more time with --timeout, "
        "or ask fewer at once with --fanout",
    )


def _half(output: Output, sentence: str) -> HostProblem:
    return HostProblem(state="half", sentence=f"{sentence}{_last_line(output)}", hint="ask it again")


def _silent(output: Output, kind: RequestKind) -> HostProblem:
    """Why a process exited without an answer."""
    stderr = output.stderr.decode("utf-8", "replace")
    failure = ssh_failure(stderr) if output.exit == OWN_FAILURE else sudo_failure(stderr)
    if failure == "cut-off":
        return _half(output, "the connection ended before its answer")
    if failure is not None:
        state, hint = _FAILURES[failure]
        return HostProblem(state=state, sentence=_stderr(output) or failure, hint=hint, effect="none")
    last, here = _last_line(output), "install it there"
    if kind == "look":
        here = "install it there, or let it be carried: --carry missing"
    known: dict[int | None, HostProblem] = {
        OWN_FAILURE: HostProblem(state="unreachable", sentence=f"ssh failed{last}", hint="ssh -v HOST true"),
        _NOT_FOUND: HostProblem(state="absent", sentence="raidtui is not installed there", hint=here, effect="none"),
        Exit.USAGE: HostProblem(
            state="other-version", sentence=f"raidtui there does not know this request{last}",
            hint=f"install raidtui {__version__} there", effect="none",
        ),
        NO_PYTHON: HostProblem(
            state="absent", sentence="neither raidtui nor Python 3.11 is installed there",
            hint="install raidtui, or Python 3.11 or later, there",
        ),
        NO_DIRECTORY: HostProblem(
            state="failed", sentence=f"no temporary directory there{last}", hint="make room in /tmp"
        ),
        CUT_OFF: HostProblem(state="half", sentence=f"the file did not arrive whole{last}", hint="make room in /tmp"),
    }  # fmt: skip
    return known.get(output.exit) or HostProblem(
        state="failed", sentence=f"the program there exited with {output.exit} and no answer{last}",
        hint="run it there by hand: raidtui disks",
    )  # fmt: skip


def _unreadable(stdout: bytes, why: str) -> HostProblem:
    """A complete output that is no valid answer: of another version, or no answer at all."""
    version = _version(stdout)
    if version is not None and version != __version__:
        return HostProblem(
            state="other-version",
            sentence=f"raidtui {safe(version, longest=40)} there, {__version__} here: {safe(why, longest=_LONGEST)}",
            hint="install the same version on all hosts",
        )
    hint = "install the same version on all hosts, then raidtui disks --json there"
    if stdout.lstrip()[:1] != b"{":
        hint = "its login shell must print nothing: ssh HOST true"
        first = stdout.split(b"\n", 1)[0].decode("utf-8", "replace")
        why = f"it sent '{safe(first, longest=60)}' in place of an answer"
    return HostProblem(state="garbage", sentence=safe(why, longest=_LONGEST), hint=hint)


def _version(stdout: bytes) -> str | None:
    """Version of raidtui that wrote the document; None where it is no answer."""
    if ANSWER_SCHEMA.rpartition("/")[0].encode() not in stdout[:200]:
        return None
    try:
        document = parsed(stdout)
    except ValueError:
        return None
    version = document.get("raidtui") if isinstance(document, dict) else None
    return version if isinstance(version, str) else None


def _stderr(output: Output) -> str:
    """The last line of its standard error that is not empty."""
    lines = [line for line in output.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return safe(lines[-1].strip(), longest=_LONGEST) if lines else ""


def _last_line(output: Output) -> str:
    line = _stderr(output)
    return f": {line}" if line else ""
