"""The matrix of the fleet: what goes wrong at which request of node02, and what each verb must come to.

Every expectation is written by hand. A host without an order is sound; node01 is always.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Verb = Literal["disks", "plan", "check", "build", "resume", "status", "undo"]
End = Literal["built", "first built", "blank", "undone", "first undone"]
"""of the disks: `first ...`: only those of node01; the others are blank, or built where node01 is undone"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How node02 fails at requests of a kind."""

    fault: str
    """as `fleet_host` knows it"""
    kind: str
    """of the request"""
    skip: int = 0
    """such requests that are answered before"""
    times: int = 1
    """such requests that fail"""
    detail: str = ""
    """for `full`: what cannot be written; for `kill-executor`: in place of which record"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Do:
    """One command of a control host."""

    verb: Verb
    orders: tuple[Order, ...] = ()
    """while it runs"""
    exit: int = 0
    """its exit code"""
    stage: str = ""
    """of node02 at its end; empty where the verb shows none"""
    says: tuple[str, ...] = ()
    """parts of what it prints: the reason, and the way out"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of the matrix."""

    id: str
    """B-07"""
    what: str
    """in words"""
    do: tuple[Do, ...]
    end: End = "blank"
    dies: bool = False
    """True where an executor ends in the middle of an action, which a resume may begin again"""


_THERE = "ssh HOST true"
REASONS: dict[str, tuple[str, str]] = {
    "refused": ("Permission denied (publickey)", "check user and key with: ssh -o BatchMode=yes HOST true"),
    "banner": ("Permission denied (publickey)", "check user and key"),
    "key-changed": ("Host key verification failed", "compare the key, then ssh-keygen -R"),
    "key-unknown": ("Host key verification failed", "connect once by hand"),
    "unresolved": ("Could not resolve hostname node02", "check that it runs, its name"),
    "no-route": ("No route to host", "check that it runs, its name"),
    "down": ("Connection refused", "check that it runs, its name"),
    "overdue": ("Connection timed out", "check that it runs, its name"),
    "jump": ("Connection closed by UNKNOWN port 65535", "check user and key"),
    "absent": ("raidtui is not installed there", "install it there"),
    "no-sudo": ("a password is required", "NOPASSWD: /usr/bin/raidtui fleet-host"),
    "old": ("raidtui there does not know this request", "install raidtui 0"),
    "crash": ("the program there exited with 1 and no answer: MemoryError", "run it there by hand: raidtui disks"),
    "killed": ("the program there exited with 137 and no answer", "run it there by hand: raidtui disks"),
    "silent": ("the program there exited with 0 and no answer", "run it there by hand: raidtui disks"),
    "hang-before": ("no answer within 15 s", "more time with --timeout"),
    "cut": ("client_loop: send disconnect: Broken pipe", "ask it again"),
    "reset": ("client_loop: send disconnect: Broken pipe", "ask it again"),
    "closed": ("Connection to node02 closed by remote host", "ask it again"),
    "overdue-later": ("Timeout, server node02 not responding", "ask it again"),
    "quiet": ("ssh failed", "ssh -v HOST true"),
    "hang": ("no answer within 15 s", "more time with --timeout"),
    "stuck": ("it sent 40 bytes, then nothing for the rest of 15 s", "ask it again"),
    "half": ("its answer ends in the middle", "ask it again"),
    "endless": ("it sent more than 64 MiB and was cut off", _THERE),
    "line": ("it sent more than 64 MiB and was cut off", _THERE),
    "noisy": ("it sent more than 64 MiB and was cut off", _THERE),
    "deep": ("recursion limit exceeded", "install the same version on all hosts"),
    "wide": ("its answer has more than 100000 values", "raidtui disks --json there"),
    "twice": ("trailing characters", "install the same version on all hosts"),
    "greeting": ("it sent 'Welcome to \\e[31mnode02\\x07' in place of an answer", _THERE),
    "binary": ("in place of an answer", _THERE),
    "other-host": ("it sent an answer to another request, of host node01", "stores or mixes up answers"),
    "replayed": ("it sent an answer to another request, of host node02", "stores or mixes up answers"),
    "later": ("raidtui 99.0 there", "install the same version on all hosts"),
    "later-schema": ("raidtui 99.0 there", "install the same version on all hosts"),
    "endless-time": ("its answer: ", "install the same version"),
    "kind-unknown": ("does not know the request 'weigh'", "install the same version on all hosts"),
    "lies-claimed": ("no\\e[2J\\e]0;owned\\x07", "\\e[2J"),
    "lies-other-machine": ("no\\e[2J\\e]0;owned\\x07", "\\e[2J"),
    "lies-failed": ("no\\e[2J\\e]0;owned\\x07", "\\e[2J"),
}
"""fault to the reason that is shown and the way out"""
_UNREACHED = (
    "refused", "banner", "key-changed", "key-unknown", "unresolved", "no-route", "down", "overdue", "jump", "absent",
    "no-sudo", "old", "kind-unknown",
)  # fmt: skip
"""the host has certainly done nothing"""
_UNKNOWN = ("silent", "hang-before", "crash", "killed")
"""the host has done nothing, but the control host cannot know"""
_LOST = (
    "cut", "reset", "closed", "overdue-later", "quiet", "hang", "stuck", "half", "endless", "line", "noisy", "deep",
    "wide", "twice", "greeting", "binary", "other-host", "replayed", "later", "later-schema", "endless-time",
)  # fmt: skip
"""the host has done it, and its answer does not arrive"""
_LIES = ("lies-claimed", "lies-other-machine", "lies-failed")
_KILLED = Order(fault="kill-executor", kind="build", detail="8")
"""its executor is killed in place of its eighth record"""
_BUILT = Do(verb="resume", stage="built")


def _looks() -> Iterator[Case]:
    """At a look: the other host is shown, this one with its reason."""
    for fault in (*_UNREACHED, *_UNKNOWN, *_LOST, *_LIES):
        yield _case(f"look: {fault}", Do(verb="disks", orders=(_at("look", fault),), exit=3, says=REASONS[fault]))
    for fault, says in (("ahead", "60 min ahead"), ("behind", "60 min behind")):
        looked = Do(verb="disks", orders=(_at("look", fault),), says=(f"The clock of node02 is {says}", "set it"))
        yield _case(f"look: clock {fault}", looked)
    yield _case("look: escape sequences", Do(verb="disks", orders=(_at("look", "hostile"),), says=("\\e[2J",)))


def _plans() -> Iterator[Case]:
    """At the look of a plan: no sheet is written; a clock that is off and a hostile model change nothing."""
    for fault in ("refused", "key-changed", "half", "later", "endless", "hang"):
        planned = Do(verb="plan", orders=(_at("look", fault),), exit=1, says=(REASONS[fault][0], "nothing was written"))
        yield _case(f"plan: {fault}", planned)
    for fault in ("ahead", "behind"):
        yield _case(f"plan: clock {fault}", Do(verb="plan", orders=(_at("look", fault),)))


def _checks() -> Iterator[Case]:
    for fault in (*_UNREACHED, *_UNKNOWN, *_LOST):
        code = 1 if fault in ("refused", "banner", "jump", "no-sudo", "kind-unknown") else 3
        yield _case(
            f"check: {fault}",
            Do(verb="check", orders=(_at("check", fault),), exit=code, says=(*REASONS[fault], "nothing was written")),
        )
    for fault in ("ahead", "behind"):
        yield _case(f"check: clock {fault}", Do(verb="check", orders=(_at("check", fault),), says=("2 ready",)))
    later = (_at("check", "compiler"),)
    says = ("The plan differs from a new plan of its design", "plan again")
    yield _case("check: another compiler there", Do(verb="check", orders=later, exit=4, says=says))
    later = (_at("check", "later-content"),)
    yield _case("check: later content", Do(verb="check", orders=later, exit=3, says=("colour: unknown key",)))


def _first_questions() -> Iterator[Case]:
    """At the question before the confirmation: nothing is started on any host."""
    for fault in (*_UNREACHED, *_UNKNOWN, *_LOST):
        says = (REASONS[fault][0], "nothing was started", "repair it, or name the other hosts with -w")
        asked = Do(verb="build", orders=(_at("status", fault),), exit=1, says=says)
        yield _case(f"first question: {fault}", asked)


def _builds() -> Iterator[Case]:
    """At the order to build."""
    for fault in _UNREACHED:
        yield _case(
            f"order: {fault}",
            Do(verb="build", orders=(_at("build", fault),), exit=3, stage="refused", says=REASONS[fault]),
            _BUILT, end="built",
        )  # fmt: skip
    for fault in _UNKNOWN:  # asked how far it is, it has not begun, and gets the order again
        yield _case(f"order: {fault}", Do(verb="build", orders=(_at("build", fault),), stage="built"), end="built")
    for fault in _LOST:  # asked how far it is, it builds
        yield _case(f"order: {fault}", Do(verb="build", orders=(_at("build", fault),), stage="built"), end="built")
    for fault in ("ahead", "behind", "hostile"):
        yield _case(f"order: {fault}", Do(verb="build", orders=(_at("build", fault),), stage="built"), end="built")
    for fault in ("later-content", "no-content"):
        yield _case(f"order: {fault}", Do(verb="build", orders=(_at("build", fault),), stage="built"), end="built")
    says = ("colour: unknown key", "install the same version")
    ordered = Do(verb="build", orders=(_at("build", "later-order"),), exit=3, stage="refused", says=says)
    yield _case("order: of a later control host", ordered, _BUILT, end="built")
    says = ("The plan differs from a new plan of its design", "plan again")
    ordered = Do(verb="build", orders=(_at("build", "compiler"),), exit=3, stage="refused", says=says)
    yield _case("order: another compiler there", ordered, _BUILT, end="built")
    for fault, stage in (
        ("lies-claimed", "refused"),
        ("lies-other-machine", "other-machine"),
        ("lies-failed", "failed"),
    ):
        ordered = Do(verb="build", orders=(_at("build", fault),), exit=3, stage=stage, says=REASONS[fault][:1])
        yield _case(f"order: {fault}", ordered, _BUILT, end="built")


def _follows() -> Iterator[Case]:
    """While it builds: twice without an answer, the build goes on and is seen."""
    for fault in (*_UNREACHED, *_UNKNOWN, *_LOST):
        asked = Order(fault=fault, kind="status", skip=1, times=2)
        lost = Order(fault="cut", kind="build")  # so that the build is asked for at all
        yield _case(f"question: {fault}", Do(verb="build", orders=(asked, lost), stage="built"), end="built")
    for fault in ("ahead", "behind", "hostile", "later-content", "no-content"):
        asked = Order(fault=fault, kind="status", skip=1, times=2)
        yield _case(
            f"question: {fault}", Do(verb="build", orders=(asked, _at("build", "cut")), stage="built"), end="built"
        )
    ended = Do(
        verb="build", orders=(_KILLED,), exit=3, stage="interrupted",
        says=("node02: interrupted",),
    )  # fmt: skip
    yield _case("its executor is killed", ended, _BUILT, end="built", dies=True)


def _resumes() -> Iterator[Case]:
    """At the order to resume a build whose executor was killed."""
    killed = Do(verb="build", orders=(_KILLED,), exit=3, stage="interrupted")
    for fault in ("refused", "down", "old", "absent"):
        resumed = Do(verb="resume", orders=(_at("resume", fault),), exit=3, stage="refused", says=REASONS[fault])
        yield _case(f"resume: {fault}", killed, resumed, _BUILT, end="built", dies=True)
    for fault in ("cut", "hang", "half", "endless", "twice", "replayed", "later"):
        resumed = Do(verb="resume", orders=(_at("resume", fault),), exit=3, stage="lost", says=REASONS[fault])
        yield _case(f"resume: {fault}", killed, resumed, _BUILT, end="built", dies=True)


def _undoes() -> Iterator[Case]:
    """At the count of files, and at the order to undo."""
    built = Do(verb="build", stage="built")
    undone = Do(verb="undo", stage="undone")
    for fault in ("refused", "cut", "half", "later"):
        says = (REASONS[fault][0], "nothing was removed")
        yield _case(
            f"count: {fault}", built, Do(verb="undo", orders=(_at("undo-look", fault),), exit=1, says=says), undone,
            end="undone",
        )  # fmt: skip
    for fault in ("refused", "down", "old"):
        failed = Do(verb="undo", orders=(_at("undo", fault),), exit=3, stage="refused", says=REASONS[fault])
        yield _case(f"undo: {fault}", built, failed, undone, end="undone")
    for fault in ("cut", "hang", "half", "endless", "twice", "later"):
        failed = Do(verb="undo", orders=(_at("undo", fault),), exit=3, stage="lost", says=REASONS[fault])
        shown = Do(verb="status", stage="undone")
        yield _case(f"undo: {fault}", built, failed, shown, end="undone")


def _no_room() -> Iterator[Case]:
    """The disk of the host's state directory is full at one write; room is made, and the build goes on."""
    for moment, name in (
        ("mkdir", "node02.runs"), ("create", "fleet-lock"), ("mkdir", ""), ("mkdir", "output"),
        ("create", "journal"), ("allocate", "journal"),
        ("create", "plan.json"), ("write", "plan.json"),
        ("create", "machine.json"), ("write", "machine.json"),
        ("create", "fleet-claim.json"), ("write", "fleet-claim.json"),
        ("create", "wish"), ("write", "wish"), ("create", "executor"),
    ):  # fmt: skip
        full = Order(fault="full", kind="build", detail=f"{moment}:{name}")
        failed = Do(verb="build", orders=(full,), exit=3, stage="failed", says=("No space left on device",))
        yield _case(f"no room: {moment} {name or 'run'}", failed, _BUILT, end="built")
    for record in (1, 2, 5, 12):
        full = Order(fault="full", kind="build", detail=f"record:{record}")
        stage = "failed" if record == 1 else "interrupted"
        failed = Do(verb="build", orders=(full,), exit=3, stage=stage)
        yield _case(f"no room: record {record}", failed, _BUILT, end="built", dies=True)
    full = Order(fault="full", kind="build", detail="create:0")
    failed = Do(verb="build", orders=(full,), exit=3, stage="failed", says=("No space left on device",))
    yield _case("no room: output of a command", failed, _BUILT, end="built", dies=True)


def _at(kind: str, fault: str) -> Order:
    return Order(fault=fault, kind=kind)


def _case(what: str, *do: Do, end: End = "blank", dies: bool = False) -> Case:
    return Case(id="", what=what, do=do, end=end, dies=dies)


_ROWS = {
    "L": _looks, "P": _plans, "C": _checks, "Q": _first_questions, "B": _builds, "F": _follows, "R": _resumes,
    "U": _undoes, "N": _no_room,
}  # fmt: skip
CASES: tuple[Case, ...] = tuple(
    Case(id=f"{letter}-{number:02}", what=case.what, do=case.do, end=case.end, dies=case.dies)
    for letter, rows in _ROWS.items()
    for number, case in enumerate(rows(), start=1)
)
NAMES: dict[str, str] = {
    "-oProxyCommand=touch x": "is not a host name",
    "node01 reboot": "is not a host name",
    "node01;reboot": "is not a host name",
    "$(reboot)": "is not a host name",
    "`reboot`": "is not a host name",
    "node01\nnode02": "is not a host name",
    "../../etc/passwd": "is not a host name",
    "\x1b[31mnode01": "'\\e[31mnode01' is not a host name",
    "n\u00f6de01": "is not a host name",
    "x" * 300: "is not a host name",
    "": "the value is empty",
    "admin@-oProxyCommand=x": "is not a host name",
    "::1": "give an IPv6 address a name in ~/.ssh/config",
    "[::1]": "give an IPv6 address a name in ~/.ssh/config",
    "admin@2001:db8::1": "give an IPv6 address a name in ~/.ssh/config",
    "fe80::1%eth0": "give an IPv6 address a name in ~/.ssh/config",
}
"""what is given as --host, and what is printed; no program is started for it"""
