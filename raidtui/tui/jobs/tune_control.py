"""Trials of chunks from the screen Bench: `raidtui tune` with its defaults, on the disks of the design."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidtui.answers.findings import finding_items
from raidtui.answers.trials import tuning_blocks
from raidtui.bench import prepare, trials, tuning
from raidtui.engine.folders import TUNINGS
from raidtui.engine.process import checked
from raidtui.engine.site import Site, holder_of
from raidtui.machine.system.places import run_roots
from raidtui.session.jobs import Launch, S, Started, at_work, begin_job
from raidtui.session.session import Session
from raidtui.steps.trials import TrialRequest, seconds_of
from raidtui.tui.jobs.session_app import SessionApp
from raidtui.tui.widgets.confirm_dialog import plan_dialog
from raidtui.values.bench import Profile
from raidtui.values.choices import MADE_FILE_SYSTEMS
from raidtui.values.errors import RaidtuiError, Refused
from raidtui.values.findings import Finding, errors
from raidtui.values.plan import Plan
from raidtui.values.trials import Tuning


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyTuning:
    """Trials that are ready to be confirmed."""

    made: Tuning
    plans: Sequence[Plan]
    site: Site
    profile: Profile
    seconds: float
    """estimated duration in total"""
    findings: Sequence[Finding]
    """of the preflight of the first trial"""


def request_of(session: Session) -> TrialRequest:
    """What `raidtui tune LAYOUT` asks for without options, with the design's file system."""
    design = session.outcome.design
    own = tuple(fs for fs in MADE_FILE_SYSTEMS if fs == design.fs)
    return TrialRequest(design=design, file_systems=own) if own else TrialRequest(design=design)


def prepared(session: Session) -> ReadyTuning:
    """The trials of the present design, after a fresh probe. May take seconds. Raises RaidtuiError."""
    outcome = session.outcome
    if not outcome.prediction.arrays:
        raise Refused("the design is invalid", hint="change it on Design (2)")
    ask = request_of(session)
    profile = trials.files_only(prepare.load(ask.profile))
    made, plans, site = tuning.unused(ask, session.inventory, outcome.disks)
    findings = checked(plans[0], site, holder_of(site), during_sync=False)
    return ReadyTuning(
        made=made, plans=plans, site=site, profile=profile, seconds=seconds_of(profile, ask), findings=findings
    )


def begin(ready: ReadyTuning, launch: Launch[S]) -> tuple[Path, S]:
    """Starts the confirmed trials. Raises RaidtuiError."""

    def made() -> Path:
        return tuning.create(ready.made, ready.plans, ready.site, ready.profile)

    return begin_job(made, "tune", ready.made.digest, launch, free=ready.site, simulated=ready.site.simulated)


async def tune(app: SessionApp, show: Callable[[Path, Started | None], object]) -> None:
    """Passes the trials at work to `show`; without any, prepares some, asks for the phrase, begins and shows them."""
    if (folder := await asyncio.to_thread(lambda: next(at_work(TUNINGS, tuning.roots(run_roots())), None))) is not None:
        show(folder, None)
        return
    app.page.say("preparing the trials ...")
    try:
        ready = await asyncio.to_thread(prepared, app.session)
    except RaidtuiError as error:
        app.page.say(error.with_hint, "bad")
        return
    if problems := errors(ready.findings):
        app.run_follower.refuse(problems)
        return
    if not app.run_follower.may_write(ready.plans[0], f"raidtui tune '{ready.made.asked_layout}'"):
        return
    app.page.say("")
    blocks = (*tuning_blocks(ready.made, ready.seconds), *finding_items(ready.findings, coded=False))

    async def shown(folder: Path, started: Started) -> None:
        show(folder, started)

    plan = replace(ready.plans[0], digest=ready.made.digest)
    dialog = plan_dialog(plan, app.glyphs, notes=blocks)
    await app.run_follower.ask_and_start(dialog, lambda: begin(ready, app.run_follower.launch), shown)
