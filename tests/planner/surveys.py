"""The committed field tables as rows of a survey, with the model's answer to each line."""

from __future__ import annotations

from raidtui.bench.compare import SurveyColumn, SurveyRow, survey_comparison_lines, survey_lines
from raidtui.values.speed import PROGRAM, Limit
from tests.validation.kipac import Line, lines
from tests.validation.rows import KIB, MIB, measured_table


def field_rows(luns: int, segment_kib: int) -> tuple[SurveyRow, ...]:
    """The lines of one of KIPAC's tables: so many LUNs with segments of so many KiB."""
    table = measured_table("kipac_sgpdd.csv")
    answers = {(line.survey.name, line.kind): line for line in lines()}
    return tuple(
        SurveyRow(
            total_bytes=int(row["total_size_kib"]) * KIB,
            record_bytes=int(row["rsz_kib"]) * KIB,
            regions=int(row["crg"]),
            threads=int(row["thr"]),
            write=_way(row, "write", answers[f"kipac {number}", "write"]),
            read=_way(row, "read", answers[f"kipac {number}", "read"]),
        )
        for number, row in enumerate(table, start=1)
        if (int(row["luns"]), int(row["segment_kib"])) == (luns, segment_kib)
    )


def _way(row: dict[str, str], kind: str, line: Line) -> SurveyColumn:
    return SurveyColumn(
        rate=float(row[f"{kind}_mb_s"]) * MIB,
        slowest=float(row[f"{kind}_per_region_mb_s"]) * MIB,
        predicted=line.expected,
        limit=PROGRAM if line.binds == "queue" else Limit.read(line.binds),
    )


def shown(luns: int, segment_kib: int) -> str:
    """Both forms of one of the tables."""
    rows = field_rows(luns, segment_kib)
    return "\n".join((*survey_lines(rows), "", *survey_comparison_lines(rows), ""))
