"""`python -m tests.validation` writes REPORT.md, FIELD.md and POOLS.md."""

from __future__ import annotations

from tests.validation import field_reports, pools
from tests.validation.report import REPORT, report

for path, text in ((REPORT, report), (field_reports.FIELD, field_reports.page), (pools.PAGE, pools.page)):
    path.write_text(text(), encoding="utf-8")
    print(f"{path} written")
