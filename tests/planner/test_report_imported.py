"""Reports that others wrote: read or refused with the place, and whatever is read can be shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.answers.html import html_page
from raidtui.answers.markdown import markdown
from raidtui.answers.report.compare import compare_reports
from raidtui.answers.report.document import document
from raidtui.answers.report.open_points import summary
from raidtui.answers.report.plots import plots_of
from raidtui.session.report import Places, material, put_together
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput
from raidtui.values.report import Report
from tests.planner.hostile import texts
from tests.planner.reports import report, result
from tests.suite import examples

GOOD = json.loads(to_json(report(result(), gauges=True)))
VALUES: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([0, 1, -1, 10**30, 0.0, -0.5, 1e300, True, None, "", [], {}, [[]], "raidtui/report/1"]), texts
)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, each in inner for found in leaves(each, (*path, key)))]


PATHS = [path for path in leaves(GOOD) if path]
FEW = sorted({tuple(0 if isinstance(key, int) else key for key in path): path for path in PATHS}.values(), key=str)
"""one path of each shape, so that every field is met and not only those of long lists"""


def changed(path: tuple[Any, ...], value: Any, *, gone: bool) -> Any:
    said = json.loads(json.dumps(GOOD))
    inner = said
    for key in path[:-1]:
        inner = inner[key]
    if gone:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return said


def shown(made: Report) -> None:
    """Everything that is pure, once."""
    plots_of(made)
    whole = document(made)
    assert f"raidtui-report {made.id}" in html_page(whole, {})
    assert markdown(whole, {}).startswith("<!--")
    assert summary(made, whole)
    compare_reports(made, made)


@examples(150, fixture=True)
@given(st.sampled_from(FEW), VALUES, st.booleans())
def test_a_changed_report_is_shown_or_refused(tmp_path: Path, where: tuple[Any, ...], value: Any, gone: bool) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(changed(where, value, gone=gone)))
    try:
        found = material(str(path), Places(runs=(), benches=()))
    except BadInput as problem:
        assert str(problem).startswith(str(path))
        return
    shown(put_together((found,), made="", version=""))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_is_refused(tmp_path: Path, number: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(GOOD).replace('"p50_ms": 3.9', f'"p50_ms": {number}', 1))
    with pytest.raises(BadInput, match=f"{number} is not a finite number"):
        material(str(path), Places(runs=(), benches=()))


def test_every_field_of_a_report_is_met() -> None:
    assert len(FEW) > 250
    assert len(PATHS) > 5000
