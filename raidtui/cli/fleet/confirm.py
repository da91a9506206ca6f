"""One confirmation for many hosts: a phrase typed on a terminal, or --yes with --confirm and the sheet's digest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from raidtui.cli.confirm import confirmed_by_options
from raidtui.cli.output import show
from raidtui.model.errors import Refused
from raidtui.model.fleet.sheet import Sheet
from raidtui.planner.fleet.rollout_text import RolloutWord, fleet_phrase


def confirm_fleet(
    page: Sequence[str],
    word: RolloutWord,
    sheet: Sheet,
    hosts: Sequence[str],
    options: argparse.Namespace,
    *,
    nothing: str,
) -> None:
    """Shows the page and returns when it is confirmed; `nothing` ends the message of a refusal.

    Raises Refused when not confirmed, BadInput for options that do not go together.
    """
    out = sys.stderr if options.json else sys.stdout
    show(page, out, simulated=sheet.sums.simulated > 0)
    if confirmed_by_options(
        options, sheet.digest, what="sheet", shown="the page shows the digest", right="read the page above",
        nothing=nothing,
    ):  # fmt: skip
        return
    if not sys.stdin.isatty():
        raise Refused(
            f"confirmation needs a terminal; {nothing}",
            hint=f"read the page above, then add --yes --confirm {sheet.digest}",
        )
    words = fleet_phrase(word, sheet, hosts)
    question = f"Type '{words}' to begin, anything else to cancel: "
    show((question,), out, simulated=sheet.sums.simulated > 0, last_open=True)
    if sys.stdin.readline().rstrip("\r\n") != words:
        raise Refused(f"not confirmed; {nothing}", hint="type the phrase exactly as shown")
