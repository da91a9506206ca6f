"""What tests of the screens share."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from textual import _callback
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from raidtui.tui.screens.compare import screen
from tests.tui import proposals


@pytest.fixture(scope="session", autouse=True)
def _style_sheets() -> Iterator[None]:
    """Each style sheet is parsed once a worker, not once an app: a tenth of what a start of the app costs."""
    parse = Stylesheet._parse_rules
    parsed: dict[object, list[RuleSet]] = {}

    def kept(sheet: Stylesheet, *arguments: Any, **more: Any) -> list[RuleSet]:
        key = (arguments, *sorted(more.items()), *sorted(sheet._variables.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, *arguments, **more)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Stylesheet, "_parse_rules", kept)
        yield


@pytest.fixture(scope="session", autouse=True)
def _parameters() -> Iterator[None]:
    """The parameters of what is called back are counted once a worker: Textual forgets those of `call_later`."""
    count = _callback._count_parameters
    counted: WeakKeyDictionary[FunctionType, int] = WeakKeyDictionary()

    def kept(called: Any) -> int:
        function = getattr(called, "__func__", called)
        if not isinstance(function, FunctionType):
            return count(called)
        if function not in counted:
            counted[function] = count(function)
        return counted[function] - (function is not called)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_callback, "_count_parameters", kept)
        yield


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Compare screen finds the proposal made by hand, whose figures tests can write out."""
    monkeypatch.setattr(screen, "steps_of", proposals.steps)
    monkeypatch.setattr(screen, "present_candidate", proposals.present)
