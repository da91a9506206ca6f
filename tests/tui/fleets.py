"""Fleets as the Fleet screen gets them: made of a shipped chassis, with states as the hosts would answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Generic, TypeVar

from textual.app import App
from textual.pilot import Pilot

from raidtui.fleet.apply import plan_fleet
from raidtui.fleet.look import fleet_look
from raidtui.fleet.recipe import read_recipe
from raidtui.fleet.sheet import Sheet
from raidtui.fleet.survey import FleetSurvey
from raidtui.fleet.texts import run_detail
from raidtui.fleet.tui.app import FleetApp
from raidtui.fleet.values import (
    CheckedHost,
    FleetCheck,
    FleetInventory,
    FleetOverview,
    FleetRun,
    FleetRunHost,
    HostLook,
    HostProblem,
    HostStage,
)
from raidtui.tui.terminal.profile import Tier
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.run import Record, RunOutcome, RunStatus, StepProgress
from tests.planner.fleet.hosts import Change, rack, with_kernel, without_disk
from tests.tui.robot import profile_of

STEPS = 15
AT = "2026-11-23T12:00:00Z"


def silent(host: str) -> HostProblem:
    return HostProblem(
        state="unreachable", sentence=f"ssh: connect to host {host} port 22: No route to host",
        hint="check that it runs, its name, and the jump host in ~/.ssh/config",
    )  # fmt: skip


def other_firmware(host: Inventory) -> Inventory:
    return replace(host, disks=tuple(replace(disk, firmware="0002") for disk in host.disks))


DIFFERENT: Mapping[str, Change] = {"node58": without_disk(18), "node59": other_firmware, "node60": other_firmware}


def named(number: int, count: int) -> str:
    """`node07`: as many digits as the last one has."""
    return f"node{number:0{len(str(count))}}"


def machines(count: int, chassis: str = "e2660", changed: Mapping[str, Change] = DIFFERENT) -> dict[str, Inventory]:
    made = rack(count, chassis, changed)
    return {named(number, count): host for number, host in enumerate(made.values(), start=1)}


def looked(hosts: Mapping[str, Inventory], lost: Mapping[str, HostProblem] = {}) -> FleetOverview:
    """What is known after a look."""
    looks = tuple(
        HostLook(host=name, asked_at=AT, answered_in_s=1.8, problem=lost[name])
        if name in lost
        else HostLook(host=name, asked_at=AT, answered_in_s=1.8, inventory=host, raidtui="0.1.0", clock_ahead_s=0.0)
        for name, host in hosts.items()
    )
    found = FleetInventory(taken_at=AT, hosts=looks)
    return FleetOverview(hosts=tuple(hosts), look=fleet_look(found, {}), simulated=True)


RECIPE = 'layout = "4x(12+2)+3"\nchunk = "256K"\nmail = "root"\ndiffers = "skip"\n'


def sheet_of(hosts: Mapping[str, Inventory], recipe: str = RECIPE) -> tuple[Sheet, dict[str, Plan]]:
    plans: dict[str, Plan] = {}
    keep = lambda host, plan: plans.update({host: plan})  # noqa: E731
    return plan_fleet(read_recipe(recipe.encode(), source="recipe"), hosts, mint="5" * 32, keep=keep), plans


def status(done: int, outcome: RunOutcome = "running", reason: str = "", steps: int = STEPS) -> RunStatus:
    states = tuple(
        StepProgress(
            number=number, seconds=3.0 * (number <= done + 1),
            state="done" if number <= done else ("failed" if outcome == "failed" else "running")
            if number == done + 1 and outcome != "finished" else "waiting",
        )
        for number in range(1, steps + 1)
    )  # fmt: skip
    last = Record(
        sequence=done, kind="failed" if outcome == "failed" else "intent", time=AT, boot="b", step=min(done + 1, steps),
        argv=("mkfs.xfs", "-f", "/dev/vg/data"), text=reason,
    )  # fmt: skip
    return RunStatus(
        run_id="0" * 32, plan="data", host="h", digest="d", simulated=True, folder="/var/lib/raidtui/runs/0",
        purpose="build", outcome=outcome, reason=reason, anything_done=True, steps_done=done, steps=states, last=last,
    )  # fmt: skip


def run_of(sheet: Sheet, stages: Mapping[str, tuple[HostStage, RunStatus | None]]) -> FleetRun:
    """Hosts that are not named wait."""
    hosts = [host.host for host in sheet.hosts if host.state == "planned"]
    found = [(host, *stages.get(host, ("waiting", None))) for host in hosts]
    return FleetRun(
        sheet_digest=sheet.digest,
        hosts=tuple(
            FleetRunHost(host=host, stage=stage, run=run, reason=run_detail(run), control="admin@control")
            for host, stage, run in found
        ),
    )


def checked(sheet: Sheet, stale: Mapping[str, str] = {}) -> FleetCheck:
    hosts = [host.host for host in sheet.hosts if host.state == "planned"]
    return FleetCheck(
        sheet_digest=sheet.digest,
        hosts=tuple(
            CheckedHost(host=host, verdict="stale", sentence=stale[host], hint="plan the fleet again")
            if host in stale
            else CheckedHost(host=host, verdict="ready")
            for host in hosts
        ),
    )


@cache
def alike() -> FleetOverview:
    """Sixty hosts, three of which differ."""
    return looked(machines(60))


@cache
def building() -> tuple[FleetOverview, dict[str, Plan]]:
    """Sixty hosts with a sheet, of which the third wave builds; one failed, one does not answer."""
    hosts = machines(60)
    sheet, plans = sheet_of(hosts)
    finished = status(STEPS, "finished")
    stages: dict[str, tuple[HostStage, RunStatus | None]] = {
        **{named(number, 60): ("built", finished) for number in range(1, 18)},
        **{named(number, 60): ("building", status(number - 15)) for number in range(18, 26)},
        "node17": ("failed", status(11, "failed", "mkfs.xfs exited with 1: No space left on device")),
    }
    overview = looked(hosts, {"node44": silent("node44")})
    check = checked(sheet)
    return replace(overview, sheet=sheet, check=check, run=run_of(sheet, stages)), plans


@cache
def thousand() -> FleetOverview:
    """A thousand hosts of four disks: seven are another machine, two do not answer, one has another kernel."""
    changed = {
        "node112": with_kernel("5.14.0"), "node401": without_disk(1),
        **{f"node{number}": other_firmware for number in range(730, 736)},
    }  # fmt: skip
    lost = {name: silent(name) for name in (named(77, 1000), named(805, 1000))}
    return looked(machines(1000, "nas4", changed), lost)


A = TypeVar("A", bound=App[int])


@dataclass
class FleetRobot(Generic[A]):
    """What a test has in hand."""

    app: A
    pilot: Pilot[int]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    def sees(self, text: str) -> bool:
        return text in "\n".join(self.lines())


class Kept(FleetSurvey):
    """Plans from memory."""

    def __init__(self, overview: FleetOverview, plans: Mapping[str, Plan]) -> None:
        super().__init__(overview=overview)
        self.plans = plans

    def plan(self, host: str) -> Plan | None:
        return self.plans.get(host)


@asynccontextmanager
async def fleet_robot(
    overview: FleetOverview, plans: Mapping[str, Plan] = {}, *, width: int = 80, height: int = 24,
    tier: Tier = "unicode", theme: str = "raidtui",
) -> AsyncIterator[FleetRobot[FleetApp]]:  # fmt: skip
    """The app over stored answers."""
    app = FleetApp(Kept(overview, plans), profile_of(tier, theme), interval=10.0)
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        yield FleetRobot(app, pilot)
