"""`python -m tests.regenerate_exports` writes goldens of scripts and of `raidtui export`, and tables in its topic."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from raidtui.installers.exported import ATTRIBUTES, Attribute, Carriage, Way
from raidtui.installers.formats import FORMATS
from raidtui.installers.plan_view import PlanView, view_of
from raidtui.installers.render import carriages
from raidtui.machine.inventory.shipped import load
from raidtui.predict.design import predict
from raidtui.scripts.build_script import build_script
from raidtui.scripts.runbook import runbook
from raidtui.scripts.undo_script import undo_script
from raidtui.steps.build import compile_plan
from raidtui.values.choices import EXPORT_FORMATS, ExportFormat
from raidtui.values.design import Alert, Design, Partitions
from raidtui.values.inventory import Place, Signature, Use
from raidtui.values.notation import parse
from raidtui.values.plan import Plan
from tests.planner.export.installers.reference import CASES, PLANS, RAID6, RAID60, reference_export, reference_plan
from tests.planner.plans import RUN_ID, disk, plan_of

ROOT = Path(__file__).resolve().parent.parent
TOPIC = ROOT / "raidtui" / "topics" / "installers.md"
BEGIN, END = "<!-- exports: python -m tests.regenerate_exports -->\n", "<!-- end of exports -->\n"
GOLDENS = ROOT / "tests" / "planner" / "export" / "installers" / "goldens"


CONTENT = (
    disk(
        1, state="content", fingerprint="ab" * 16, partitions=(1,), place=Place(slot="7", enclosure="shelf"),
        uses=(
            Use(kind="partition-table", where="gpt", active=False, signature=Signature(type="gpt")),
            Use(
                kind="file-system", where="ext4 my notes 01-46", active=False, partition=1,
                signature=Signature(type="ext4", label="my notes", uuid="01-46"),
            ),
        ),
    ),
    disk(2), disk(3),
)  # fmt: skip
SCRIPTS = ROOT / "tests" / "planner" / "export" / "goldens"


def script_goldens() -> dict[str, str]:
    """Name and text of scripts and runbooks that are kept; the digest of a plan is all zeros."""
    plans = {
        "60": shipped_plan("e2660", "4x(12+2)+4"), "7": shipped_plan("jbod84", "(4+2)+1"),
        "md-stack": plan_of("2x(2+1)+1", stack="md", fs="ext4", alert=Alert(mail="storage@example.org")),
        "partitions": plan_of("raid1(2)+1", CONTENT, partitions=Partitions(), initramfs="dracut"),
        "disks": plan_of("2x disk", stack="separate", fs="ext4"),
    }  # fmt: skip
    found = {}
    for name, plan in plans.items():
        zeroed = {plan.digest: "0" * 64, plan.digest[-8:]: "0" * 8}
        texts = {f"build-{name}.sh": build_script(plan).text, f"undo-{name}.sh": undo_script(plan).text}
        if name in ("60", "7"):
            texts[f"runbook-{name}.md"] = runbook(plan)
        for file, text in texts.items():
            for digits, zeros in zeroed.items():
                text = text.replace(digits, zeros)
            found[file] = text
    return found


def shipped_plan(chassis: str, layout: str) -> Plan:
    """The plan of a layout on a chassis that raidtui has."""
    inventory = load(chassis)
    design = Design(layout=parse(layout))
    return compile_plan(
        design, inventory, inventory.disks, predict(design, inventory.disks), run_id=RUN_ID, name="data",
        mount_point="/srv/data", host=inventory.name,
    )  # fmt: skip


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
    SCRIPTS.mkdir(exist_ok=True)
    for file, text in script_goldens().items():
        (SCRIPTS / file).write_text(text, "ascii")
