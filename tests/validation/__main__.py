"""`python -m tests.validation` writes REPORT.md and FIELD.md."""

from __future__ import annotations

from tests.validation.field_reports import FIELD, page
from tests.validation.report import REPORT, report

for path, text in ((REPORT, report), (FIELD, page)):
    path.write_text(text(), encoding="utf-8")
    print(f"{path} written")
