"""An audit as blocks for terminal and app, and as metrics for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from raidtui.advice.arrays import words
from raidtui.answers.findings import TONES
from raidtui.values.arrays import ArrayState, Audit, AuditFinding, ObservedArray, ObservedArrays
from raidtui.values.blocks import Block, Heading, Item, Items, Paragraph
from raidtui.values.codec import by_key
from raidtui.values.findings import Severity, some
from raidtui.values.safe import safe
from raidtui.values.units import counted

_NOTHING = "No rule found anything here."


def summary(found: Audit) -> str:
    """`host: 2 arrays, 1 error, 3 warnings, 2 notes; 40 rules, 5 not checked`."""
    counts = [
        counted(number, severity)
        for severity in get_args(Severity)
        if (number := sum(each.severity == severity for each in found.findings))
    ]
    parts = ", ".join([counted(found.arrays, "array"), *(counts or ["nothing found"])])
    known = f", {found.known} of the baseline left out" if found.known else ""
    return f"{safe(found.host)}: {parts}{known}; {len(found.rules)} rules, {len(found.unchecked)} not checked"


def audit_blocks(found: Audit) -> tuple[Block, ...]:
    """What was found, gravest first, then what could not be checked."""
    blocks: list[Block] = [Heading(text=summary(found)), *_items(found.findings)]
    if not found.findings and not found.unchecked:
        blocks.append(Paragraph(text="Every rule was applied, and none found anything."))
    if reasons := by_key(((each.code, safe(each.why)), safe(each.subject)) for each in found.unchecked):
        lines = tuple(Item(mark=code, text=f"{some(subjects)}: {why}") for (code, why), subjects in reasons.items())
        blocks += [Heading(text="Not checked"), Items(items=lines)]
    return tuple(blocks)


def audit_of(found: Audit, array: ObservedArray) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """What was found about one array, its members, what is mounted on it and the machine: errors, and all else."""
    about = {words.name(array), found.host, *(point for each in array.stands_on_it for point in each.mount_points)}
    about |= {safe(name) for member in array.members for name in (member.device, member.disk) if name}
    ours = [each for each in found.findings if each.subject in about or each.subject.split(" ")[0] in about]
    errors = _items([each for each in ours if each.severity == "error"])
    others = _items([each for each in ours if each.severity != "error"])
    left = len({each.code for each in found.unchecked})
    unchecked = (Paragraph(text=f"{counted(left, 'rule')} not checked: raidtui audit shows why."),) if left else ()
    return errors, (*(others if ours else (Paragraph(text=_NOTHING),)), *unchecked)


def _items(findings: Sequence[AuditFinding]) -> tuple[Block, ...]:
    return (Items(items=tuple(map(_item, findings))),) if findings else ()


def _item(each: AuditFinding) -> Item:
    return Item(
        mark=each.severity, text=f"{each.evidence} {each.consequence} [{each.code}]", more=each.way_out,
        tone=TONES[each.severity],
    )  # fmt: skip


def metrics(found: Audit, seen: ObservedArrays) -> str:
    """For the text file collector of Prometheus' node exporter; labels are escaped as its format wants."""
    return "\n".join([*_metrics(found, seen), ""])


def _metrics(found: Audit, seen: ObservedArrays) -> Iterator[str]:
    yield "# HELP raidtui_audit_findings Findings of raidtui audit by severity."
    yield "# TYPE raidtui_audit_findings gauge"
    for severity in get_args(Severity):
        number = sum(each.severity == severity for each in found.findings)
        yield f'raidtui_audit_findings{{severity="{severity}"}} {number}'
    yield "# HELP raidtui_audit_unchecked Rules that could not be applied."
    yield "# TYPE raidtui_audit_unchecked gauge"
    yield f"raidtui_audit_unchecked {len(found.unchecked)}"
    yield "# HELP raidtui_audit_finding 1 for each finding."
    yield "# TYPE raidtui_audit_finding gauge"
    for each in found.findings:
        labels = f'code="{each.code}",severity="{each.severity}",subject="{_label(each.subject)}"'
        yield f"raidtui_audit_finding{{{labels}}} 1"
    yield "# HELP raidtui_array_state 1 for the gravest state of each array."
    yield "# TYPE raidtui_array_state gauge"
    for array in seen.arrays:
        for state in get_args(ArrayState):
            labels = f'array="{_label(array.shown_name)}",state="{state}"'
            yield f"raidtui_array_state{{{labels}}} {int(state == array.state)}"
    yield "# HELP raidtui_array_members_missing Missing members of an array."
    yield "# TYPE raidtui_array_members_missing gauge"
    for array in seen.arrays:
        if array.lacks is not None:
            yield f'raidtui_array_members_missing{{array="{_label(array.shown_name)}"}} {array.lacks}'


def _label(text: str) -> str:
    return safe(text, longest=120).replace("\\", "\\\\").replace('"', '\\"')
