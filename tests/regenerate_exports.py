"""`python -m tests.regenerate_exports` writes the goldens of `raidtui export`, and the table of it in the topic."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from raidtui.model.choices import EXPORT_FORMATS, ExportFormat
from raidtui.model.design import Partitions
from raidtui.model.export import ATTRIBUTES, Attribute, Carriage, Way
from raidtui.planner.export.installers.formats import FORMATS
from raidtui.planner.export.installers.plan_view import PlanView, view_of
from raidtui.planner.export.installers.render import carriages
from tests.planner.export.installers.reference import CASES, PLANS, RAID6, RAID60, reference_export, reference_plan
from tests.planner.plans import plan_of

ROOT = Path(__file__).resolve().parent.parent
TOPIC = ROOT / "raidtui" / "topics" / "installers.md"
BEGIN, END = "<!-- exports: python -m tests.regenerate_exports -->\n", "<!-- end of exports -->\n"
GOLDENS = ROOT / "tests" / "planner" / "export" / "installers" / "goldens"


def golden_path(name: ExportFormat, way: Way) -> Path:
    """Where the golden of a format is."""
    return GOLDENS / f"{name}-{way}.txt"


def golden_text(name: ExportFormat, way: Way) -> str:
    """The files of the reference export, each below a line with its name if there are several.

    The digest of the plan is all zeros: it changes with every word of a step.
    """
    made = reference_export(name, way)
    texts = [file.text.replace(made.digest, "0" * 64) for file in made.files]
    if len(texts) == 1:
        return texts[0]
    return "".join(f"# ==> {file.name} <==\n{text}" for file, text in zip(made.files, texts, strict=True))


def table() -> str:
    """Attributes in rows, formats in columns, narrow enough for a terminal."""
    shown = [name for name in EXPORT_FORMATS if name != "butane"]
    assert all(_cell("butane", attribute) == _cell("ignition", attribute) for attribute in ATTRIBUTES)
    rows = [["", *(name.removeprefix("linux-system-") for name in shown)], ["---"] * (len(shown) + 1)]
    rows += [[attribute, *(_cell(name, attribute) for name in shown)] for attribute in ATTRIBUTES]
    stated = [sum(_cell(name, attribute) in ("yes", "some") for attribute in ATTRIBUTES) for name in shown]
    rows.append([f"**stated, of {len(ATTRIBUTES)}**", *map(str, stated)])
    return _lines(rows)


def fates() -> str:
    """How many attributes of its golden's plan each format carries, and how many it loses."""
    kinds: tuple[Carriage, ...] = ("carried", "default", "lost")
    rows = [["format", "plan of the example", *kinds], ["---"] * 5]
    for name in EXPORT_FORMATS:
        made = reference_export(name, "native")
        rows.append([name, f"`{PLANS[name]}`", *(str(made.count(kind)) for kind in kinds)])
    return _lines(rows)


def _lines(rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


@cache
def _sample() -> tuple[PlanView, ...]:
    """Plans that between them have everything that a format may state."""
    plans = (reference_plan(RAID60), reference_plan(RAID6), plan_of(RAID6, partitions=Partitions()))
    return tuple(map(view_of, plans))


@cache
def _cell(name: ExportFormat, attribute: Attribute) -> str:
    facts = FORMATS[name]
    if attribute in facts.gaps:
        found = [carriages(view, name, "native") for view in _sample()]
        stated = any(each.attribute == attribute and each.carriage == "carried" for row in found for each in row)
        return "some" if stated else "-"
    if attribute in facts.refused:
        return "no" if attribute in ("volume", "extent size") else "some"
    return "yes"


def topic() -> str:
    """The page with the tables as they are now."""
    before, _, rest = TOPIC.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{fates()}\n{END}{after}"


if __name__ == "__main__":
    GOLDENS.mkdir(exist_ok=True)
    for case in CASES:
        golden_path(*case).write_text(golden_text(*case), "utf-8")
    TOPIC.write_text(topic(), "utf-8")
