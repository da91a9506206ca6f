"""The cells: one act of one cell in `long`, in turns; the page and the record of all of them."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from tests.lab.geometry_measure import measuring_machine, prepare
from tests.lab.guest_raidtui import GuestPython
from tests.lab.image import image
from tests.regenerate_testing import PAGE, page
from tests.systems import boots, door
from tests.systems.cell import SEED, Cell, cases, run, sizes
from tests.systems.record import DIFFERING, recorded
from tests.systems.roots import System, kernel_of

TURNS = tuple((cell, act) for cell in recorded().values() for act in cell.acts if cell.acts[act].word == "exact")


def _turn(of: int) -> int:
    """The number of commits decides whose turn it is: the same for the same tree, the next one for the next commit."""
    counted = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    return int(counted.stdout or 0) % of


@pytest.mark.lab
@pytest.mark.long
def test_the_act_whose_turn_it_is_comes_out_as_recorded() -> None:
    known, act = TURNS[_turn(len(TURNS))]
    found = run(Cell(known.suite, known.kernel), only=[act]).acts[act]
    assert found.word == known.acts[act].word, f"{known.name} {act}: {found}"


@pytest.mark.lab
def test_layouts_have_their_sizes_on_the_kernel_whose_turn_it_is() -> None:
    """Two of the layouts of the act `sizes`, which came out exact on each kernel."""
    kernels, layouts = ("trixie", "sid"), cases(SEED)
    turn = _turn(len(kernels) * len(layouts))
    place = kernel_of(kernels[turn % len(kernels)])
    (modules,) = (place / "modules").iterdir()
    using = System(image().directory, place / "linux.uml", GuestPython("/usr/bin/python3", "3.11"))
    with measuring_machine(using, modules=modules) as vm:
        prepare(vm)
        assert vm.check("uname -r").stdout.strip() == modules.name
        first = turn // len(kernels)
        sizes(vm, [layouts[first], layouts[first - 1]])


@pytest.mark.lab
@pytest.mark.long
def test_the_machine_whose_turn_it_is_boots_as_recorded() -> None:
    whole = list(boots.recorded().values())
    known = whole[_turn(len(whole))]
    found = boots.run(boots.Booted(known.suite, known.suite, maker=known.maker)).acts
    assert {name: act.word for name, act in found.items()} == {name: act.word for name, act in known.acts.items()}, (
        found
    )


def test_what_differs_is_known() -> None:
    acts = [(cell, act) for cell in recorded().values() for act in cell.acts]
    assert {(cell.name, act) for cell, act in acts if cell.acts[act].word == "differs"} == DIFFERING.keys()


def test_arrays_created_by_linux_7_do_not_go_back_and_audit_says_so_before() -> None:
    old, new = "6.12.113", "7.2.7"
    arrays = [(old, old), (old, new), (new, new)]
    tried = defaultdict(list)
    for each in door.recorded():
        tried[each.then].append((each.made, each.written, each.starts))
    assert tried == {
        new: [(*array, True) for array in arrays],
        **{then: [(old, old, True), (old, new, True), (new, new, False)] for then in (old, "6.1.176", "5.10.46")},
    }
    warned = {(each.made, each.then, each.audit) for each in door.recorded() if each.starts}
    before = (
        "Linux below 6.19 refuses arrays that are created under it, and what was written before (md127) only once "
        "md/logical_block_size is set there."
    )
    after = (
        "Kernels below 6.19 refuse md127, whose superblocks have the sector size "
        "(md/logical_block_size in sysfs is not 0)."
    )
    assert warned == {
        *((old, then, before) for then in (old, "6.1.176", "5.10.46")),
        (old, new, ""),
        (new, new, after),
    }


def test_the_page_counts_what_is_in_the_tree() -> None:
    assert PAGE.read_text() == page(), "run `python -m tests.regenerate_testing`, read the difference, and commit it"
