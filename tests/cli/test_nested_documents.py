"""A document that is nested too deeply, or larger than its kind can be, is an error with a way out in every verb."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.values.errors import Exit

VERBS = (
    ["script", "FILE"], ["build", "FILE"], ["report", "FILE"], ["bench", "FILE", "--dry-run"],
    ["disks", "--inventory", "FILE"], ["model", "(2+1)", "--inventory", "FILE"], ["fleet", "check", "FILE"],
    ["fleet", "plan", "FILE", "--from", "FILE"],
    ["bench", "(2+1)", "--disks", "3x1TB", "--dry-run", "--profile", "FILE"],
    ["report", "FILE", "--against", "FILE"],
)  # fmt: skip
TEXTS = ("[" * 100_000, '{"schema":' * 100_000, '{"schema":"raidtui/plan/7","steps":' + "[" * 100_000)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_nested_document_is_refused(verb: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "nested.json"
    for text in TEXTS:
        path.write_text(text)
        assert main([str(path) if word == "FILE" else word for word in verb]) == Exit.USAGE
        said = capsys.readouterr().err.splitlines()
        assert said[0].startswith("raidtui: ")
        assert len(said) >= 2, "the way out"


@pytest.mark.parametrize(("verb", "most"), [("script", "16 MiB"), ("build", "16 MiB"), ("report", "64 MiB")])
def test_a_document_of_no_such_size_is_not_read(
    verb: str, most: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.json"
    path.touch()
    os.truncate(path, (64 << 20) + 1)
    assert main([verb, str(path)]) == Exit.USAGE
    assert f"at most {most}" in capsys.readouterr().err


def test_a_document_of_as_many_wrong_values_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """4 MB of them took 2.7 GB: each is an error of its own."""
    path = tmp_path / "plan.json"
    path.write_text('{"steps":[' + "1," * 600_000 + "1]}")
    assert main(["script", str(path)]) == Exit.USAGE
    assert f"{path} has too many values: a plan has at most 524288" in capsys.readouterr().err
