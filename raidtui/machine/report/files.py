"""A report as files: Markdown, JSON, one HTML page, plots. Overwrites only files of the same report."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path

from raidtui.machine.report import plots
from raidtui.machine.system.durable_files import write_together
from raidtui.machine.system.private_places import private_directory
from raidtui.model.codec import to_json
from raidtui.model.errors import MachineFailed, Refused
from raidtui.model.report import Report
from raidtui.planner.report.document import document
from raidtui.planner.report.html import html_page
from raidtui.planner.report.markdown import markdown
from raidtui.planner.report.plot_data import plots_of

FORMATS = ("md", "json", "html")
_HEAD = 600
"""bytes at the start of every file that contain the report's id"""
_FIRST_TAG = re.compile(r"(?=<svg\b)")


def texts(report: Report, formats: tuple[str, ...]) -> dict[str, str]:
    """File name to content."""
    drawable = plots.available()
    wanted = "html" in formats or "md" in formats
    drawn = plots.drawn(plots_of(report)) if drawable and wanted else {}
    shown = document(report, plots_left_out="" if drawable else plots.MISSING)
    found: dict[str, str] = {}
    if "json" in formats:
        found["report.json"] = to_json(report) + "\n"
    if "html" in formats:
        found["report.html"] = html_page(shown, drawn)
    if "md" in formats:
        files = {name: f"plots/{name}.svg" for name in drawn}
        found["report.md"] = markdown(shown, files)
        mark = f"<!-- raidtui-report {report.id} -->\n"
        found |= {files[name]: _FIRST_TAG.sub(mark, svg, count=1) for name, svg in drawn.items()}
    return found


def write_report(report: Report, directory: Path, formats: tuple[str, ...]) -> tuple[Path, ...]:
    """Writes the report into `directory`, created if missing. Returns the written paths.

    Writes all files or none. Raises Refused if a file of another origin has one of the names or others may write into
    the directory; MachineFailed.
    """
    return write_texts(texts(report, formats), directory, report.id)


def write_texts(found: Mapping[str, str], directory: Path, id: str) -> tuple[Path, ...]:
    """Like `write_report`, with file name to content."""
    try:
        taken = [name for name in found if _is_foreign(directory / name, id)]
        if directory.is_symlink() and not directory.is_dir():
            taken.append(str(directory))
        if taken:
            raise Refused(
                f"{directory} already holds {', '.join(taken)} of another origin",
                hint="name another directory with --out, or remove them",
            )
        there = {folder for folder in (directory, directory / "plots") if folder.exists()}
        try:
            for folder in dict.fromkeys((directory, *((directory / name).parent for name in found))):
                private_directory(folder)
            write_together({directory / name: text for name, text in found.items()}, mode=0o600)
        except BaseException:
            for folder in (directory / "plots", directory):
                if folder not in there:
                    with contextlib.suppress(OSError):  # the first error is the one to report
                        folder.rmdir()
            raise
        return tuple(directory / name for name in found)
    except OSError as problem:
        where = problem.filename or directory
        raise MachineFailed(f"{where}: {problem.strerror}", hint="name a directory that can be written") from problem


def _is_foreign(path: Path, id: str) -> bool:
    """True if a file exists there that is not part of this report."""
    if path.is_symlink():
        return True
    if not path.exists():
        return False
    if not path.is_file():
        return True
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return not (b"raidtui-report " + id.encode() in head or (b"raidtui/report/1" in head and id.encode() in head))
