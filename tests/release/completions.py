"""Completions of bash, zsh and fish, made by shtab from the parser."""

from __future__ import annotations

import argparse

import shtab

from raidtui.cli.options.parser import complete_parser
from raidtui.values.choices import TOPICS

PLACES = {
    "bash": "bash-completion/completions/raidtui",
    "zsh": "zsh/site-functions/_raidtui",
    "fish": "fish/vendor_completions.d/raidtui.fish",
}
"""where each shell looks for its file below share/"""
_FILES = {"FILE", "FILE|NAME", "NAME|FILE", "PLAN", "LAYOUT", "RUN|PLAN", "TARGET", "RUN|BENCH|FILE", "REPORT|BENCH"}
_FOLDERS = {"DIR", "FOLDER"}


def completions() -> dict[str, str]:
    """Shell to the text of its completion file."""
    top, verbs = complete_parser()
    for parser in (top, *verbs.values()):
        for action in parser._actions:
            _complete(action, list(dict.fromkeys((*TOPICS, *verbs))))
    return {shell: shtab.complete(top, shell=shell) for shell in PLACES}


def _complete(action: argparse.Action, topics: list[str]) -> None:
    """Tells shtab what the value of an option is: a file, a directory, a topic of the help."""
    name = action.metavar
    if name in _FILES:
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    elif name in _FOLDERS:
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif name == "TOPIC":
        action.choices = topics
