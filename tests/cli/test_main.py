"""Every verb of the parser has a module with a function of its name."""

import argparse
from importlib import import_module

from raidtui.cli.arguments.parser import parser

MAIN = import_module("raidtui.cli.main")


def test_every_verb_has_a_function() -> None:
    (verbs,) = [action.choices for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    assert {*verbs, "app"} == set(MAIN.VERBS)
    for verb, module in MAIN.VERBS.items():
        assert callable(getattr(import_module(f"raidtui.cli.verbs.{module}"), verb))
