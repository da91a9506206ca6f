"""`python -m tests.validation` writes REPORT.md."""

from __future__ import annotations

from tests.validation.report import REPORT, report

REPORT.write_text(report(), encoding="utf-8")
print(f"{REPORT} written")
