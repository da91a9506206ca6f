"""Any command line and any input file ends with an exit code of `model.errors.Exit`, never with a traceback.

Nothing is built here: every verb gets a purchase or a shipped chassis, and those that measure a dry run.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.cli.options.parser import parser
from raidtui.machine.inventory import shipped
from raidtui.values.codec import to_json
from raidtui.values.errors import Exit
from raidtui.values.inventory import Inventory
from tests.cli.commands import code_of
from tests.cli.left_runs import PLAN
from tests.suite import examples

CODES = {int(code) for code in Exit}
DISKS: tuple[tuple[str, ...], ...] = (
    ("--disks", "6x4TB"), ("--disks", "1x250GB,6x4TB"), ("--disks", "60x2TB"), ("--disks", "2x1MiB"),
    ("--disks", "2x2TB,1x100MiB"), ("--disks", "3x1048576TiB"), ("--disks", "4x2TB", "--ssd"), ("--inventory", "nas4"),
    ("--inventory", "trio"), ("--disks", "4x1TB", "--sector", "4096"), ("--disks", "9x5GB"),
)  # fmt: skip
LAYOUTS = (
    "(4+2)", "raid5(2+1)", "raid0(3)", "raid1(2)", "2x raid1(2)+1", "raid10(4,f2)", "4x(12+2)+4", "(2+1)+1",
    "raid4(2+1)", "raid10(3,o3)", "3x raid0(2)", "raid6(2+2)", "(1+2)", "raid5(1+1)", "raid0(1)",
)  # fmt: skip
WORDS = (
    "", " ", "-", "--", "0", "1", "2", "-1", "1.5", "1e9", "1e-300", "1e400", "nan", "inf", "99999999999999999999",
    "2TB", "64K", "3K", "512K", "1M", "128G", "0B", "10EB", "16MiB", "yes", "auto", "none", "internal", "1.0", "1.2",
    "0.90", "xfs", "ext4", "raid6", "raid5,raid10", "data", "a" * 300, "ä", "\u0661\u0662", "\x1b[31m", "a b",
    "a;b", "$(a)", "%s", "{}", "[/red]", "6x4TB", "(4+2)", "raid1(2)", "missing", "plan", "plan/plan.json",
    "no/such/file", "/dev/null", "/proc/self/mem", "enclosure", "2%", "0.5", "1,2", "wwn-0", "UUID=1", "1x0TB",
    "é/../x", "\udcff",
)  # fmt: skip
"""values of options, apt and inept; no absolute path that could be written"""


_OWN_PROCESS = ("app", "watch", "execute")
"""verbs that change the process they run in: its terminal, signals and umask"""


def _actions() -> dict[str, list[argparse.Action]]:
    """The options of each verb that starts nothing of its own on this machine."""
    found: dict[str, list[argparse.Action]] = {}
    verbs = parser().verbs
    assert verbs is not None
    for name, verb in verbs.parsers.items():
        with pytest.raises(SystemExit), pytest.MonkeyPatch.context() as patched:
            patched.setattr("sys.stdout", open("/dev/null", "w"))  # noqa: PTH123, SIM115
            verb.parse_known_args(["--help"])
        found[name] = [action for action in verb.actions if "--help" not in action.option_strings]
    return {name: found[name] for name in found if name not in _OWN_PROCESS}


ACTIONS = _actions()
DRY = {"bench": ("--dry-run",), "tune": ("--dry-run",)}
SILENT = {"hosts", "server"}
"""options that would open connections"""


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """A verb with some of its options, most of their values inept."""
    verb = draw(st.sampled_from(sorted(ACTIONS)))
    line = [*draw(st.sampled_from(DISKS)), verb]
    for action in ACTIONS[verb]:
        if action.dest in SILENT or (action.option_strings and draw(st.integers(0, 7))):
            continue
        values = draw(_values(action))
        line += [draw(st.sampled_from(action.option_strings)), *values] if action.option_strings else values
    return [*line, *DRY.get(verb, ())]


def _values(action: argparse.Action) -> st.SearchStrategy[list[str]]:
    if action.nargs == 0:
        return st.just([])
    likely = st.sampled_from(tuple(str(choice) for choice in action.choices) if action.choices else (*LAYOUTS, *WORDS))
    one = st.one_of(likely, st.sampled_from(WORDS), st.text(max_size=12))
    return st.lists(one, min_size=1, max_size=1 if action.nargs is None or action.option_strings else 2)


@examples(400, fixture=True)
@given(command_lines())
def test_any_command_line_ends_with_an_exit_code(
    left_plan: str, capsys: pytest.CaptureFixture[str], line: list[str]
) -> None:
    code = code_of(line)
    shown = capsys.readouterr()
    assert code in CODES, line
    assert "Traceback" not in shown.err
    assert shown.out or shown.err, line


SCALARS: tuple[Any, ...] = (None, True, False, 0, -1, 1, 2**63, 2**64, 1e308, float("nan"), "", "a", "\x1b[31m",
                            "\udcff", [], {}, [None], {"a": 1}, "1" * 4000, "../../x", 10**400, "2TB")  # fmt: skip


def broken(document: Any, chance: random.Random) -> Any:
    """`document` with one to three of its values replaced, removed or doubled, anywhere."""
    made = json.loads(json.dumps(document))
    for _ in range(chance.randint(1, 3)):
        places = list(_places(made))
        if not places:
            return deepcopy(chance.choice(SCALARS))
        holder, key = chance.choice(places)
        match chance.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.append(holder[key])
            case 2 if isinstance(holder, dict):
                holder[chance.choice(("", "extra", "\n"))] = holder[key]
            case _:
                holder[key] = deepcopy(chance.choice(SCALARS))
    return made


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


PROFILE = {
    "schema": "raidtui/profile/1", "name": "own", "title": "t", "purpose": "p",
    "jobs": [{"name": "read", "title": "t", "target": "files", "pattern": "read", "block_bytes": 1048576}],
}  # fmt: skip


@cache
def documents() -> dict[str, tuple[Any, list[list[str]]]]:
    """For each kind of file a valid document, and the command lines that read it as FILE."""
    inventory: Inventory = shipped.load("nas4")
    return {
        "inventory": (
            json.loads(to_json(inventory)),
            [
                ["disks", "--inventory", "FILE"],
                ["propose", "--inventory", "FILE"],
                ["script", "(2+1)", "--inventory", "FILE"],
            ],
        ),
        "plan": (
            json.loads(to_json(PLAN)),
            [
                ["script", "FILE"],
                ["build", "FILE", "--disks", "5x2TB"],
                ["bench", "FILE", "--dry-run", "--disks", "5x2TB"],
            ],
        ),
        "profile": (PROFILE, [["bench", "(2+1)", "--disks", "3x2TB", "--profile", "FILE", "--dry-run"]]),
    }


@pytest.mark.parametrize("kind", documents())
@examples(150, fixture=True)
@given(seed=st.integers(0, 2**32))
def test_any_input_file_ends_with_an_exit_code(
    kind: str, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(seed)
    document, lines = documents()[kind]
    text = json.dumps(broken(document, chance))
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    if chance.random() < 0.2:
        data[chance.randrange(len(data))] = chance.randrange(256)
    if chance.random() < 0.1:
        del data[chance.randrange(len(data)) :]
    path = tmp_path / f"{kind}.json"
    path.write_bytes(bytes(data))
    for line in lines:
        code = code_of([str(path) if word == "FILE" else word for word in line])
        shown = capsys.readouterr()
        assert code in CODES
        assert "Traceback" not in shown.err
        assert shown.out or shown.err
