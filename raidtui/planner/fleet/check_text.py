"""The answers of a check, folded: hosts that say the same stand in one line."""

from __future__ import annotations

from collections import Counter

from raidtui.model.counted import counted
from raidtui.model.finding import warnings
from raidtui.model.fleet.check import FleetCheck
from raidtui.model.safe import safe
from raidtui.planner.fleet.sheet_text import folded

_LONGEST = 300


def check_text(check: FleetCheck) -> str:
    """A line for each answer with the hosts that gave it, ready ones first, the way out below it, then the counts."""
    answers: dict[tuple[bool, str, str], list[str]] = {}
    for host in check.hosts:
        codes = sorted({finding.code for finding in warnings(host.findings)})
        ready = "ready" + (f", with warnings: {', '.join(codes)}" if codes else "")
        said = ready if host.verdict == "ready" else f"{host.verdict}: {host.sentence}"
        answers.setdefault((host.verdict != "ready", said, host.hint), []).append(host.host)
    lines = []
    for (wrong, said, hint), hosts in sorted(answers.items(), key=lambda each: each[0][0]):
        lines.append(f"{folded(hosts)}: {safe(said, longest=_LONGEST)}")
        if wrong and hint:
            lines.append(f"    {safe(hint, longest=_LONGEST)}")
    counts = Counter(host.verdict for host in check.hosts)
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    hosts_text = counted(len(check.hosts), "host")
    return "\n".join([*lines, f"sheet {check.sheet_digest[:12]}, {hosts_text}: {words}; nothing was written"])
