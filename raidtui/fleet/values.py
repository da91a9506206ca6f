"""What the hosts of a sheet say before anything is built: each checks its own plan on its own disks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from raidtui.fleet.sheet import Sheet
from raidtui.values.codec_rules import Value
from raidtui.values.findings import Finding
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.run import RunStatus

CheckVerdict = Literal["ready", "refused", "stale", "begun", "no answer"]
"""refused: for a reason that can be changed there; stale: only a new plan helps; begun: a build of this plan was
started there"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCheck(Value):
    """What one host found."""

    schema: Literal["raidtui/host-check/1"] = "raidtui/host-check/1"
    """format of this document"""
    findings: tuple[Finding, ...] = ()
    """of the checks that a build makes before it writes anything, the gravest first"""
    begun: bool = False
    """True: a build of this plan was started there, so nothing was checked"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedHost(Value):
    """One host of the sheet."""

    host: str
    """name"""
    verdict: CheckVerdict
    """whether it is ready to build its plan"""
    sentence: str = ""
    """why it is not; empty when it is ready"""
    hint: str = ""
    """what to do then"""
    findings: tuple[Finding, ...] = ()
    """everything that it found, warnings and notes too"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCheck(Value):
    """The answers of all hosts that were asked."""

    schema: Literal["raidtui/fleet-check/1"] = "raidtui/fleet-check/1"
    """format of this document"""
    sheet_digest: str
    """of the sheet whose plans were checked"""
    hosts: tuple[CheckedHost, ...]
    """each host once, in the order of the sheet"""

    @property
    def ready(self) -> bool:
        """True if every host is."""
        return all(host.verdict == "ready" for host in self.hosts)


# What is known about each host that was asked, and the inventories of all of them.


HostState = Literal[
    "answered", "refused", "unreachable", "key-changed", "timed-out", "half", "too-large", "garbage", "other-host",
    "other-version", "absent", "failed", "other-machine", "claimed",
]  # fmt: skip
"""`answered`: in full and in time. `refused`: access or request, see the problem. `half`: the answer ends in the
middle. `garbage`: it is no answer of raidtui. `other-host`: the answer to another request. `absent`: raidtui is not
installed there. `failed`: the program there ended without an answer. `other-machine`: not the
machine that the plan is for. `claimed`: another control host follows the run"""

HostEffect = Literal["none", "part"]
"""`none`: the host has done nothing; `part`: it began, and something broke"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProblem(Value):
    """Why a host gave no answer that can be used."""

    state: HostState
    """never `answered`"""
    sentence: str
    """what happened; may quote raw text of the host"""
    hint: str = ""
    """what to do"""
    effect: HostEffect | None = None
    """what the request did there; None: not known"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLook(Value):
    """One host as it was looked at."""

    host: str
    """name by which the control host reaches it"""
    asked_at: str
    """when the look at all hosts began, as 2026-01-31T12:00:00Z, by the control host's clock"""
    answered_in_s: float
    """seconds until the answer was complete, or the attempt ended"""
    problem: HostProblem | None = None
    """why there is no inventory; None when it answered"""
    inventory: Inventory | None = None
    """its disks and versions; None when it did not answer"""
    raidtui: str | None = None
    """version of raidtui that answered"""
    carried: bool = False
    """raidtui was carried over for this look and removed again"""
    clock_ahead_s: float | None = None
    """seconds by which the host's clock is at least ahead of the control host's, negative where behind; 0 where both
    may agree; None when it did not answer"""

    @property
    def state(self) -> HostState:
        """How it ended."""
        return self.problem.state if self.problem is not None else "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetInventory(Value):
    """Every host that was asked, with its disks or the reason why there are none."""

    schema: Literal["raidtui/fleet-inventory/1"] = "raidtui/fleet-inventory/1"
    """format of this document"""
    taken_at: str
    """when the last answer was complete, as 2026-01-31T12:00:00Z"""
    hosts: tuple[HostLook, ...]
    """in the order of the node set, each host once"""

    @property
    def inventories(self) -> Mapping[str, Inventory]:
        """Inventory of each host that answered."""
        return {look.host: look.inventory for look in self.hosts if look.inventory is not None}

    @property
    def free_disks(self) -> Mapping[str, tuple[int, int]]:
        """Disks that are free, and all disks, of each host that answered."""
        return {host: (len(found.free), len(found.disks)) for host, found in self.inventories.items()}

    @property
    def problems(self) -> tuple[HostLook, ...]:
        """Hosts that did not answer."""
        return tuple(look for look in self.hosts if look.problem is not None)


# Hosts folded to distinct machines, what differs between them, and what changed since the last look.


DifferenceKind = Literal["missing", "added", "disk", "controller", "link"]
"""`missing`: a bay that is empty here; `added`: a disk where most machines have none; `disk`, `controller`, `link`: one
property of it differs, or the whole of it is missing or added"""
LOOK_SCHEMA = "raidtui/fleet-look/1"
ChangeKind = Literal["disk-gone", "disk-new", "disk-moved", "disk", "content", "version"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskGroup(Value):
    """Disks of one machine that are alike."""

    count: int
    """how many"""
    size_bytes: int
    """capacity of one"""
    model: str | None = None
    """model string, raw"""
    firmware: str | None = None
    """firmware revision, raw"""
    transport: str | None = None
    """sas, sata, nvme, ..."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDifference(Value):
    """One edit that makes the most common machine this one."""

    kind: DifferenceKind
    """what is edited"""
    places: tuple[str, ...] = ()
    """bays, controllers or links where it is so, raw text of the machine; empty where every disk is meant"""
    property: str | None = None
    """what differs there, such as firmware; None where the whole is missing or added"""
    value: str | None = None
    """its value here; the disk that is added or missing"""
    usual: str | None = None
    """its value on the most common machine"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineGroup(Value):
    """Hosts that are alike in all but serial numbers, content and versions."""

    hosts: tuple[str, ...]
    """in the order of the node set"""
    disks: tuple[DiskGroup, ...]
    """what one of them has, most first"""
    differences: tuple[HostDifference, ...] = ()
    """smallest edit from the most common machine; empty for that one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Value):
    """One thing that is not as it was at the last look, on one or more hosts, of one or more disks."""

    hosts: tuple[str, ...]
    """where it is so"""
    since: str
    """time of the last look at them, as 2026-01-31T12:00:00Z"""
    kind: ChangeKind
    """what changed"""
    places: tuple[str, ...] = ()
    """bays of the disks on each of these hosts, raw; empty for a version"""
    disks: tuple[str, ...] = ()
    """identities of the disks, of all hosts in turn; empty for a version"""
    property: str | None = None
    """what changed of it, or the program whose version changed; None for a whole disk"""
    before: str | None = None
    """value at the last look; None where there was none"""
    after: str | None = None
    """value now; None where there is none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetLook(Value):
    """What `raidtui fleet disks` found."""

    schema: Literal["raidtui/fleet-look/1"] = "raidtui/fleet-look/1"
    """format of this document"""
    inventory: FleetInventory
    """every host that was asked"""
    machines: tuple[MachineGroup, ...]
    """distinct machines, the most common first"""
    changes: tuple[Change, ...] = ()
    """compared with the last look at each host"""
    compared: tuple[str, ...] = ()
    """hosts that were looked at before"""
    findings: tuple[Finding, ...] = ()
    """versions and clocks that differ, disks that two hosts see, what could not be read"""


# Kinds of requests to a host and the names of their formats; apart from the values, which cost every start 40 ms.


RequestKind = Literal["look", "check", "build", "status", "resume", "undo-look", "undo"]
"""what a host is asked for: `look` is its inventory and versions; `check` is whether it could build a plan now;
`undo-look` counts what an undo would lose"""
RUN_KINDS: tuple[RequestKind, ...] = ("build", "status", "resume", "undo-look", "undo")
"""what concerns a run"""
REQUEST_SCHEMA = "raidtui/host-request/1"
ANSWER_SCHEMA = "raidtui/host-answer/1"


# One request to a host and its answer: one JSON document each, on the standard streams of `raidtui fleet-host`.


Refusal = Literal["refused", "other-machine", "claimed", "failed"]
"""`failed`: it began and something broke; in all other cases nothing was started.
`other-machine`: not the machine that the plan is for; `claimed`: another control host follows the run"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRequest(Value):
    """What the control host asks of one host."""

    schema: Literal["raidtui/host-request/1"] = "raidtui/host-request/1"
    """format of this document"""
    kind: RequestKind
    """what is asked for"""
    host: str
    """name by which the control host reaches it"""
    nonce: str
    """random text that the answer repeats, so that no other answer is taken for it"""
    content: str = ""
    """a document of the kind: the plan for `check`, a build order for `build`, a run
    order for the others, nothing for `look`; JSON"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAnswer(Value):
    """What a host answers to one request."""

    schema: Literal["raidtui/host-answer/1"] = "raidtui/host-answer/1"
    """format of this document"""
    kind: RequestKind
    """the request's"""
    host: str
    """the request's"""
    nonce: str
    """the request's"""
    raidtui: str
    """version of raidtui that answers"""
    time_s: float
    """the host's clock when it answers, seconds since 1970-01-01 00:00 UTC"""
    refused: str | None = None
    """why the host does not do it; None when it did"""
    refusal: Refusal = "refused"
    """which refusal it is"""
    hint: str | None = None
    """what to do then"""
    inventory: Inventory | None = None
    """its disks and versions, for `look`"""
    content: str = ""
    """a document of the kind: a host check for `check`, of the run for all others but `look`; JSON"""
    started_s: float | None = None
    """the host's clock when the program that answers was started; None where the host does not know"""


# A build of many hosts: in which order they start, when it stops, and how far each host is.


HostStage = Literal[
    "waiting", "building", "built", "stopped", "interrupted", "failed", "refused", "other-machine", "lost", "undoing",
    "undone",
]  # fmt: skip
"""`waiting`: not started. `stopped`: an admin's request ended it. `interrupted`: its executor is gone in the middle.
`refused`: the host started nothing. `other-machine`: it is not the machine that its plan is for. `lost`: started, and
it has not answered since; what it does there goes on"""
ENDED_BADLY: frozenset[HostStage] = frozenset({"stopped", "interrupted", "failed", "refused", "other-machine", "lost"})
"""what counts towards the stop rule"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout(Value):
    """The order of a build and its stop rule, confirmed together with the sheet."""

    schema: Literal["raidtui/rollout/1"] = "raidtui/rollout/1"
    """format of this document"""
    sheet_digest: str
    """of the sheet that was confirmed"""
    hosts: tuple[str, ...]
    """every host of the sheet that has a plan, each once"""
    canary: str
    """the host that is built first and alone"""
    wave_size: int
    """hosts that build at a time after the canary, at least 1"""
    stop_after: int
    """hosts that end badly before no further host is started, at least 1; the canary stops it alone"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutDecision(Value):
    """What the control host does next."""

    kind: Literal["start", "wait", "stop", "done"]
    """`stop`: no further host is started; those that build go on"""
    hosts: tuple[str, ...] = ()
    """which hosts to start, to wait for, or which are the reason to stop"""
    reason: str = ""
    """of a stop, a sentence"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetRunHost(Value):
    """How far one host is."""

    host: str
    """name by which it is reached"""
    stage: HostStage
    """how far it is"""
    reason: str = ""
    """steps done, and why it ended badly"""
    run: RunStatus | None = None
    """state of its run; None where it did not begin or does not answer"""
    control: str | None = None
    """control host that follows it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetRun(Value):
    """How far every host of a sheet is."""

    schema: Literal["raidtui/fleet-run/1"] = "raidtui/fleet-run/1"
    """format of this document"""
    sheet_digest: str
    """of the sheet"""
    hosts: tuple[FleetRunHost, ...]
    """in the order of the sheet"""


# The content of requests to build, resume or undo, and of the answers about a run.


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Value):
    """Which control host follows a run; kept by the host beside the run, so that another can take over."""

    control: str
    """name of the control host, for people"""
    token: str
    """32 random hex digits that tell control hosts apart"""
    since: str
    """when it began or took over, as 2026-01-31T12:00:00Z, by the control host's clock"""
    rollout: Rollout
    """the order of the whole build"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOrder(Value):
    """Build this plan. Told again about a run that has begun, the host starts nothing and answers how far it is."""

    schema: Literal["raidtui/build-order/1"] = "raidtui/build-order/1"
    """format of this document"""
    plan: Plan
    """the confirmed plan of this host"""
    claim: Claim
    """who follows it"""
    take_over: bool = False
    """replace the claim of another control host"""
    accept_content: tuple[str, ...] = ()
    """serial numbers and kinds of content that are given up"""
    during_sync: bool = False
    """build although other arrays sync, and make the file systems of RAID4 and RAID5 during their first sync"""
    wait_for_sync: bool = False
    """make file systems only when the first sync has ended"""
    speed_up: float | None = None
    """simulated hosts: factor of time"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder(Value):
    """Answer how far this run is, resume it, or undo it."""

    schema: Literal["raidtui/run-order/1"] = "raidtui/run-order/1"
    """format of this document"""
    run_id: str
    """of its plan"""
    digest: str
    """of its plan, which the host compares"""
    claim: Claim | None = None
    """who follows it from now on; None: only asks"""
    take_over: bool = False
    """replace the claim of another control host"""
    lose_files: str = "0"
    """undo: how many files on the arrays are given up, as the host counted them"""
    speed_up: float | None = None
    """simulated hosts: factor of time"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRun(Value):
    """How far a host is with the run that it was asked about."""

    schema: Literal["raidtui/host-run/1"] = "raidtui/host-run/1"
    """format of this document"""
    run: RunStatus | None = None
    """None: it did not begin there"""
    claim: Claim | None = None
    """who follows it"""
    files: str | None = None
    """`undo-look`: files that an undo would lose, `12` or `at least 1000`; None for none"""


# Everything that is known of the hosts of a fleet at one moment.


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetOverview:
    """What `fleet disks`, `plan`, `check` and `status` answer about the same hosts."""

    hosts: tuple[str, ...]
    """each host once, in the order of the node set or of the sheet"""
    look: FleetLook | None = None
    """disks of the hosts that were asked so far; None before the first answer"""
    sheet: Sheet | None = None
    """None where no sheet is named"""
    check: FleetCheck | None = None
    """None before the hosts were asked"""
    run: FleetRun | None = None
    """how far the build is; None before the hosts were asked"""
    simulated: bool = False
    """True if local processes stand in for the hosts, or their disks are simulated"""
