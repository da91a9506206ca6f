"""Design, `model`, `plan` and `propose` start from the same disks: pools with ties, mixed sizes and two kinds."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.cli import main
from raidtui.machine.inventory.shipped import load_file
from raidtui.predict.placement.disk_pool import disk_pool
from raidtui.predict.stated_disks import purchase
from raidtui.session.session import Session
from raidtui.tui.screens.compare.table import present_candidate
from raidtui.values.codec import to_json
from raidtui.values.findings import refused
from raidtui.values.inventory import Inventory
from raidtui.values.notation import show
from tests.suite import examples

RUN_ID = "0f" * 16
STACK = str(Path(__file__).parents[1] / "recorded_machines" / "stack" / "expected.json")


def pool(disks: str, flash: str = "") -> Inventory:
    """A machine with `disks`, and `flash` behind them."""
    bought = purchase(disks).disks + (purchase(flash, rotational=False).disks if flash else ())
    named = tuple(replace(disk, id=f"d{each:02}", by_id=(f"d{each:02}",)) for each, disk in enumerate(bought))
    return Inventory(origin="chassis", name="pool", disks=named)


@pytest.mark.parametrize(
    ("inventory", "layout", "used"),
    [
        (pool("4x2TB,2x4TB"), "(4+2)", [0, 1, 2, 3, 4, 5]),
        (pool("2x4TB,4x2TB"), "(4+2)", [0, 1, 2, 3, 4, 5]),
        (pool("6x2TB"), "(4+2)", [0, 1, 2, 3, 4, 5]),
        (pool("3x2TB", "3x2TB"), "(2+1)", [0, 1, 2]),
        (pool("4x1TB", "2x2TB"), "(2+2)", [0, 1, 2, 3]),
        (pool("10x2TB,4x8TB"), "(2+2)", [10, 11, 12, 13]),
        (pool("1x250GB,6x4TB"), "(4+2)", [1, 2, 3, 4, 5, 6]),
        (pool("5x2TB", "4x4TB"), "(2+2)", [5, 6, 7, 8]),
    ],
    ids=["sizes tie", "sizes tie, the other way", "one size", "kinds tie", "kinds tie in capacity", "most capacity",
         "one small", "flash has more"],
)  # fmt: skip
def test_written_out(inventory: Inventory, layout: str, used: list[int]) -> None:
    session = Session(inventory, run_id=RUN_ID)
    assert show(session.decision.design.layout) == layout
    taken = session.outcome.disks[: session.decision.design.layout.disks]
    assert sorted(disk.id for disk in taken) == [f"d{number:02}" for number in used]
    _agree(inventory)


def test_the_machine_on_which_two_kinds_tie() -> None:
    inventory = load_file(STACK)
    taken = [disk.serial for disk in Session(inventory, run_id=RUN_ID).outcome.disks[:2]]
    assert taken == ["FK0001", "FK0002"]
    _agree(inventory)


@examples(40)
@given(
    st.lists(st.tuples(st.integers(1, 6), st.sampled_from(("250GB", "1TB", "1990GB", "2TB", "4TB"))),
             min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(1, 6), st.sampled_from(("1TB", "2TB", "4TB"))), max_size=2),
)  # fmt: skip
def test_drawn(disks: list[tuple[int, str]], flash: list[tuple[int, str]]) -> None:
    inventory = pool(*(",".join(f"{count}x{size}" for count, size in each) for each in (disks, flash)))
    _agree(inventory)


def _agree(inventory: Inventory) -> None:
    """Design as it opens on `inventory`, and each verb asked for its layout, take the same disks."""
    outcome = Session(inventory, run_id=RUN_ID).outcome
    layout = outcome.decision.design.layout
    if layout.disks > len(outcome.disks) or refused(outcome.prediction.findings):
        return
    taken = [disk.id for disk in outcome.disks[: layout.disks]]
    model, plan, proposal = _verbs(inventory, show(layout))
    assert model["disks"] == taken
    assert [disk["id"] for disk in plan["disks"]] == taken
    shown = present_candidate(outcome)
    assert shown is not None
    same = [each for each in proposal["candidates"] if each["layout"] == show(layout)]
    assert same == [] or [same[0][name] for name in ("usable_bytes", "seq_read_bytes_per_s", "any_loss_1y")] == [
        shown.usable_bytes, shown.seq_read_bytes_per_s, shown.any_loss_1y,
    ]  # fmt: skip
    assert proposal["disks"] == len(disk_pool(outcome.disks).disks)


def _verbs(inventory: Inventory, layout: str) -> Iterator[Any]:
    """What `model`, `plan` and `propose` print as JSON."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "inventory.json"
        path.write_text(to_json(inventory))
        for words in (["model", layout], ["plan", layout], ["propose", "--every"]):
            with redirect_stdout(io.StringIO()) as printed:
                assert main([*words, "--inventory", str(path), "--json"]) in (0, 1)
            yield json.loads(printed.getvalue())
