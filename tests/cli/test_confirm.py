"""Giving up the content of disks, on a terminal and without one."""

from __future__ import annotations

import argparse
import io
import sys
from typing import Any

import pytest

from raidtui.answers.confirm import phrase
from raidtui.cli.confirm import confirm
from raidtui.values.errors import BadInput, Refused
from raidtui.values.inventory import Use
from tests.cli.commands import Terminal
from tests.planner.plans import disk, plan_of

HOME = Use(kind="file-system", where="xfs home", active=False)
GPT = Use(kind="partition-table", where="gpt", active=False)
OLD = (disk(1, state="content", uses=(GPT, HOME)), disk(2, state="content", uses=(HOME,)), disk(3))
PLAN = plan_of("raid1(3)", OLD)


def answered(monkeypatch: pytest.MonkeyPatch, typed: str | None, **more: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO() if typed is None else Terminal(typed))
    given: dict[str, Any] = {"json": False, "yes": False, "confirm": None, "accept_content": None}
    confirm(PLAN, argparse.Namespace(**(given | more)))


@pytest.mark.parametrize(
    ("typed", "accepted"),
    [
        ("S001\nS002\n", None),
        ("S001\n", ["file-system"]),
        ("", ["file-system", "partition-table"]),
        ("", ["S001", "file-system"]),
    ],
)
def test_every_disk_with_content_is_given_up_before_the_phrase(
    typed: str, accepted: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(monkeypatch, f"{typed}{phrase(PLAN)}\n", accept_content=accepted)


@pytest.mark.parametrize(
    "typed", ["", "\n", "S001\n", "S001\n\n", "S002\nS001\n", "yes\nyes\n", "S001\nS002\n", "S001\nS002\nyes\n"]
)
def test_anything_else_refuses(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="nothing was written"):
        answered(monkeypatch, typed)


def test_the_phrase_alone_gives_no_content_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="the content of S001 was not given up"):
        answered(monkeypatch, f"{phrase(PLAN)}\n{phrase(PLAN)}\n{phrase(PLAN)}\n")


def test_without_a_terminal_each_needs_its_option(monkeypatch: pytest.MonkeyPatch) -> None:
    both = {"yes": True, "confirm": PLAN.digest}
    with pytest.raises(Refused, match="S001 holds partition-table gpt; file-system xfs home"):
        answered(monkeypatch, None, **both)
    with pytest.raises(Refused, match="S001 holds"):
        answered(monkeypatch, None, **both, accept_content=["file-system"])
    answered(monkeypatch, None, **both, accept_content=["S001", "file-system"])
    with pytest.raises(BadInput, match=r"or one of the kinds|no disk of the plan"):
        answered(monkeypatch, None, **both, accept_content=["zfs"])
