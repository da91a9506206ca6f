"""Completions of bash, zsh and fish, made by shtab from the parser."""

from __future__ import annotations

import argparse
from typing import Any

import shtab

from raidtui.cli.options.parser import complete_parser
from raidtui.cli.options.verb_parser import SafeParser, Verbs
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
        for action in parser.actions:
            _complete(action, list(dict.fromkeys((*TOPICS, *verbs))))
    plain = argparse.ArgumentParser(prog=top.prog, description=top.description, add_help=False)
    _fill(plain, top)
    return {shell: shtab.complete(plain, shell=shell) for shell in PLACES}


def _fill(plain: argparse.ArgumentParser, parser: SafeParser) -> None:
    """Gives `plain`, which shtab reads, what `parser` takes."""
    for action in parser.actions:
        if isinstance(action, Verbs):
            nested = plain.add_subparsers(title=action.title, metavar=str(action.metavar), dest=action.dest)
            for name, verb in action.parsers.items():
                listed: dict[str, Any] = {"help": action.lines[name]} if name in action.lines else {}
                _fill(nested.add_parser(name, description=verb.description, add_help=False, **listed), verb)
        elif "--version" in action.option_strings:
            plain.add_argument("--version", action="version", help=action.help)
        else:
            if action.option_strings and action.nargs == "?":
                action.nargs = None
            plain._add_action(action)


def _complete(action: argparse.Action, topics: list[str]) -> None:
    """Tells shtab what the value of an option is: a file, a directory, a topic of the help."""
    name = action.metavar
    if name in _FILES:
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    elif name in _FOLDERS:
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif name == "TOPIC":
        action.choices = topics
