"""Writes `screenshots/report.png`: `python -m tests.regenerate_report`.

The report is that of the hand-made benchmark of tests/planner/reports.py, drawn by a headless chromium.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from raidtui.answers import html
from raidtui.answers.report.document import document
from raidtui.answers.report.plots import plots_of
from raidtui.session.report_plots import drawn
from tests.lab.host import require_programs, run_host
from tests.planner.reports import report, result

PICTURE = Path(__file__).resolve().parent.parent / "screenshots" / "report.png"
MOST = 300_000
"""bytes of the picture"""
EXAMPLE = "EXAMPLE: the figures were made up for this picture, no disk was measured"
WINDOW = "1180,1530"


def main() -> None:
    """The picture."""
    require_programs({"chromium": "chromium"})
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "report.html"
        made = report(result(), gauges=True)
        page.write_text(html.html_page(replace(document(made), banner=EXAMPLE), drawn(plots_of(made))))
        run_host(
            [
                "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--host-resolver-rules=MAP * ~NOTFOUND", "--force-device-scale-factor=1",
                f"--user-data-dir={place}/profile", f"--window-size={WINDOW}", f"--screenshot={PICTURE}", page.as_uri(),
            ]
        )  # fmt: skip
    size = PICTURE.stat().st_size
    if size > MOST:
        raise SystemExit(f"{PICTURE}: {size} bytes, more than {MOST}")


if __name__ == "__main__":
    main()
