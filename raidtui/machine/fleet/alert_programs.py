"""Programs that a plan from elsewhere may name as alert program: those that root listed on this host.

mdadm's monitor runs the program as root, so an order that could name any would give root to whoever may send orders.
"""

from __future__ import annotations

from pathlib import Path

from raidtui.machine.system.input_files import ALERT_PROGRAMS, read_own
from raidtui.machine.system.private_places import require_trusted
from raidtui.model.errors import Refused
from raidtui.model.plan import Plan

LIST = Path("/etc/raidtui/alert-programs")
"""one path in a line; # begins a comment"""


def require_listed(plan: Plan, simulated: Path | None) -> None:
    """Raises Refused for an alert program that is not listed; without a list none is.

    `simulated`: file of the inventory that stands in for this machine; the list is beside it, alert-programs.
    """
    if plan.alert is None or not plan.alert.program:
        return
    path = LIST if simulated is None else simulated.absolute().with_name(LIST.name)
    if plan.alert.program not in _listed(path, trusted=simulated is None):
        raise Refused(
            f"the order names {plan.alert.program} as alert program, which root has not listed on this host",
            hint=f"root writes its path as a line into {path} there; or plan with a mail address alone",
        )


def _listed(path: Path, *, trusted: bool) -> frozenset[str]:
    """Raises Refused if others than root may have written the list, MachineFailed or BadInput if it cannot be read."""
    if not path.exists():
        return frozenset()
    if trusted:
        require_trusted(path.parent)
    lines = read_own(path, ALERT_PROGRAMS).decode("utf-8", "surrogateescape").splitlines()
    return frozenset(line.strip() for line in lines if not line.lstrip().startswith("#"))
