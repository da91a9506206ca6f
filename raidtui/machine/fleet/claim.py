"""The claim beside a run on its host: which control host follows it."""

from __future__ import annotations

from pathlib import Path

from raidtui.machine.system.documents import kept_document, save_document
from raidtui.machine.system.input_files import RUN_FILE
from raidtui.model.errors import RaidtuiError
from raidtui.model.fleet.orders import Claim

_FILE = "fleet-claim.json"


class Claimed(RaidtuiError):
    """Another control host follows the run."""


def read(folder: Path) -> Claim | None:
    """The claim of the run in `folder`; None if none was made."""
    return kept_document(Claim, folder / _FILE, RUN_FILE)


def take(folder: Path, claim: Claim, *, take_over: bool) -> None:
    """Makes `claim` the run's. Raises Claimed if another control host has it and `take_over` is False."""
    present = read(folder)
    if present == claim:
        return
    if present is not None and present.token != claim.token and not take_over:
        raise Claimed(
            f"control host {present.control} follows this run since {present.since}",
            hint="leave it to that control host, or take over: raidtui fleet resume",
        )
    save_document(folder / _FILE, claim, way_out="make it writable for root")
