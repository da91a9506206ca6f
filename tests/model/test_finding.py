"""The one order of severities, and what follows from it."""

from __future__ import annotations

from raidtui.values.findings import Finding, Severity, errors, gravest_first, refused, warnings


def finding(severity: Severity, code: str) -> Finding:
    return Finding(severity=severity, code=code, message="", way_out="")


NOTE, WARNING, ERROR, OTHER = (
    finding("note", "a"), finding("warning", "b"), finding("error", "c"), finding("error", "d")
)  # fmt: skip


def test_errors_come_before_warnings_and_notes_and_keep_their_order_among_themselves() -> None:
    assert gravest_first([NOTE, ERROR, WARNING, OTHER]) == (ERROR, OTHER, WARNING, NOTE)


def test_only_errors_forbid_going_on() -> None:
    assert errors([NOTE, ERROR, WARNING, OTHER]) == (ERROR, OTHER)
    assert warnings([NOTE, ERROR, WARNING]) == (WARNING,)
    assert refused((NOTE, WARNING)) is False
    assert refused((NOTE, ERROR)) is True
