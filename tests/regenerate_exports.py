"""`python -m tests.regenerate_exports` writes the goldens of `raidtui export`, and README's table of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from raidtui.model.choices import EXPORT_FORMATS, ExportFormat
from raidtui.model.design import Partitions
from raidtui.model.export import ATTRIBUTES, Attribute, Way
from raidtui.planner.export.installers.formats import FORMATS
from raidtui.planner.export.installers.losses import carriages
from raidtui.planner.export.installers.plan_view import PlanView, view_of
from tests.planner.export.installers.reference import CASES, PLANS, RAID6, RAID60, reference_export, reference_plan
from tests.planner.plans import plan_of

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
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
    """README's table: attributes in rows, formats in columns, and how the goldens' plans fare."""
    rows = [["", *EXPORT_FORMATS], ["---"] * (len(EXPORT_FORMATS) + 1)]
    rows += [[attribute, *(_cell(name, attribute) for name in EXPORT_FORMATS)] for attribute in ATTRIBUTES]
    stated = [sum(_cell(name, attribute) in ("yes", "some") for attribute in ATTRIBUTES) for name in EXPORT_FORMATS]
    rows.append([f"**stated, of {len(ATTRIBUTES)}**", *map(str, stated)])
    rows.append(["golden: plan", *(f"`{PLANS[name]}`" for name in EXPORT_FORMATS)])
    made = [reference_export(name, "native") for name in EXPORT_FORMATS]
    for kind in ("carried", "default", "lost"):
        rows.append([f"golden: {kind}", *(str(each.count(kind)) for each in made)])
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


def readme() -> str:
    """README with the table as it is now."""
    before, _, rest = README.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    GOLDENS.mkdir(exist_ok=True)
    for case in CASES:
        golden_path(*case).write_text(golden_text(*case), "utf-8")
    README.write_text(readme(), "utf-8")
