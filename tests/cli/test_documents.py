"""Whatever a verb prints for programs, a document or lines of them, names its schema and keeps it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from raidtui.cli.options.parser import complete_parser
from raidtui.cli.options.verb_parser import VerbParser
from raidtui.cli.schemas import SCHEMAS
from raidtui.predict.stated_disks import purchase
from raidtui.values.codec import from_json, to_json
from tests.cli.commands import FAST, called
from tests.cli.left_runs import PLAN, RUN, begin

KINDS = {
    field.default: kind for kind in SCHEMAS.values() for field in dataclasses.fields(kind) if field.name == "schema"
} | {"raidtui/prediction/1": SCHEMAS["prediction"]}
LAYOUT = ["(3+1)+1", "--disks", "5x2TB"]
ALONE = [
    ["disks", "--disks", "5x2TB"],
    ["disks", "--inventory", "nas4"],
    ["arrays", "--inventory", "nas4"],
    ["audit", "--inventory", "nas4"],
    ["propose", "--disks", "5x2TB"],
    ["model", *LAYOUT],
    ["plan", *LAYOUT],
    ["script", *LAYOUT],
    ["script", *LAYOUT, "--undo"],
    ["export", "kickstart", *LAYOUT],
    ["status"],
    ["status", RUN],
    ["control", RUN, "pause"],
    ["report"],
    ["bench", *LAYOUT, "--dry-run"],
    ["bench", "--list"],
    ["tune", *LAYOUT, "--dry-run"],
    ["watch", "--disks", "5x2TB", "--interval", "0.05", "--count", "2"],
    ["help"],
    ["help", "fleet", "plan"],
    ["fleet", "recipe", "(3+1)+1"],
]
TUNE = ["tune", *LAYOUT, "--chunks", "64K", "--seconds", "1", "--repeats", "1"]
BUILT = [
    ["plan", *LAYOUT, "--out", "new"],
    ["build", "new/plan.json", "--yes", "--confirm", "NEW", "--wait-for-sync", FAST],
    ["resume", "new/plan.json", "--yes", "--confirm", "NEW"],
    ["bench", "new/plan.json", "--yes", "--seconds", "1", "--repeats", "1", FAST],
    ["drill", "RUN", "--yes", "--confirm", "NEW", FAST],
    [*TUNE, "--yes", "--confirm", "TUNING", FAST],
    ["replace", "md127", "RUN", "--member", "sda"],
    ["extend", "md127", "bitmap", "none", "--run", "RUN"],
    ["report", "RUN"],
    ["undo", "new/plan.json", "--yes", "--confirm", "NEW", FAST],
]
"""one after another on the same disks"""
HOSTS = ["-w", "node1", "--worker", "local:hosts"]
SURE = ["--worker", "local:hosts", "--yes", "--confirm", "SHEET", FAST, "--interval", "0.1"]
FLEET = [
    ["fleet", "disks", *HOSTS],
    ["fleet", "plan", "rack.toml", "--out", "sheet", *HOSTS],
    ["fleet", "check", "sheet", "--worker", "local:hosts"],
    ["fleet", "build", "sheet", *SURE],
    ["fleet", "resume", "sheet", "--worker", "local:hosts", FAST, "--interval", "0.1"],
    ["fleet", "status", "sheet", "--worker", "local:hosts"],
    ["fleet", "undo", "sheet", *SURE],
]
"""one after another on the same host"""


def documents(text: str) -> Iterator[dict[str, Any]]:
    """Each document of an output; an array or a number between them would end the test."""
    while text := text.lstrip():
        found, end = json.JSONDecoder().raw_decode(text)
        yield found
        text = text[end:]


def keep_their_schemas(*arguments: str) -> None:
    done = called(*arguments, "--json")
    found = list(documents(done.stdout))
    assert found, done.stderr
    for each in found:
        from_json(KINDS[each["schema"]], json.dumps(each), source="standard output")


def in_turn(calls: Sequence[Sequence[str]], **places: tuple[str, str]) -> None:
    """Calls them in the working directory; a word in `places` becomes what that file has under that key."""
    for arguments in calls:
        keep_their_schemas(*(_read(*places[word]) if word in places else word for word in arguments))


def _read(file: str, key: str) -> str:
    return str(json.loads(Path(file).read_text())[key])


@pytest.mark.parametrize("arguments", ALONE)
def test_alone(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    begin(PLAN, "begun")
    if arguments[0] == "control":
        monkeypatch.setattr("raidtui.cli.verbs.status.is_alive", lambda _: True)
    keep_their_schemas(*arguments)


@pytest.mark.process
@pytest.mark.thorough
def test_of_a_build_that_is_measured_and_undone() -> None:
    Path("tuning.json").write_text(json.dumps(json.loads(called(*TUNE, "--dry-run", "--json").stdout)["tuning"]))
    plan = "new/plan.json"
    in_turn(BUILT, NEW=(plan, "digest"), RUN=(plan, "run_id"), TUNING=("tuning.json", "digest"))


@pytest.mark.process
@pytest.mark.thorough
def test_of_a_fleet(tmp_path: Path) -> None:
    (tmp_path / "hosts").mkdir()
    (tmp_path / "rack.toml").write_text('layout = "(3+1)+1"\nmail = "root"\n')
    (tmp_path / "hosts" / "node1.json").write_text(to_json(dataclasses.replace(purchase("5x2TB"), name="node1")))
    in_turn(FLEET, SHEET=("sheet/sheet.json", "digest"))


def with_json(name: str, verb: VerbParser) -> Iterator[str]:
    verb.complete()
    nested = verb.verbs.parsers if verb.verbs else {}
    for inner, parser in nested.items():
        yield from with_json(f"{name} {inner}", parser)
    if not nested and "--json" in verb.names:
        yield name


def test_every_verb_is_called() -> None:
    _, verbs = complete_parser()
    called_here = {" ".join(words[: 2 if words[0] == "fleet" else 1]) for words in [*ALONE, *BUILT, *FLEET]}
    assert called_here == {each for name, verb in verbs.items() for each in with_json(name, verb)}
