"""Fields of the model assumptions: disk speed, failure rates, replacement time, rebuild load."""

from __future__ import annotations

from dataclasses import replace

from raidtui.model.ask import ask_words, parse_ask
from raidtui.model.decision import Decision
from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.speed import DiskSpeed
from raidtui.planner.amounts import known_rate
from raidtui.planner.design.options import UNDECIDED, value_of
from raidtui.tui.fields.field import Field
from raidtui.tui.fields.option_field import option_field


def assumption_fields(decision: Decision, speed: DiskSpeed | None) -> tuple[Field, ...]:
    """A workload to ask for, then every assumption; `speed` is the known speed of the slowest disk."""
    known = f"{known_rate(speed.read_bytes_per_s)} {speed.source}" if speed else "unknown"
    here = f"Here: {speed.basis}." if speed else ""
    return (
        _workload(decision),
        *(
            option_field(decision, option, otherwise=known, here=here)
            if option.key == "disk_speed"
            else option_field(decision, option)
            for option in ASSUMPTIONS
        ),
    )


def assumptions_line(decision: Decision) -> Field:
    """The line that opens the page of the assumptions."""
    changed = sum(value_of(option, decision) != value_of(option, UNDECIDED) for option in ASSUMPTIONS)
    return Field(
        key="assumptions", title="Assumptions", shown=f"{changed} changed" if changed else "defaults",
        opens="assumptions",
        about="What the speed and risk models use, and a workload whose rate is asked. Right or Enter opens them.",
    )  # fmt: skip


def _workload(decision: Decision) -> Field:
    ask = decision.ask

    def read(text: str) -> Decision:
        return replace(decision, ask=parse_ask(text.strip()) if text.strip() else None)

    return Field(
        key="ask", title="Workload", shown=str(ask) if ask else "none asked", typed=ask_words(ask) if ask else "",
        read=read,
        about="A workload whose rate is shown first among the results: read,streams=8,size=128K,depth=1, or write, "
        "random. Empty: none.",
    )  # fmt: skip
