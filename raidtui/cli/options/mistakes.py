"""Answers to mistaken calls: what was meant, and a fix that works. Loaded only where a call is wrong."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import NoReturn

from raidtui.machine.inventory import shipped
from raidtui.values.errors import BadInput

OF_LAYOUT = (
    "--spares", "--spare", "--spare-devices", "--level", "--raid-level", "--raid-devices", "--parity", "--copies",
)  # fmt: skip
"""options of other programs for what the layout says"""
OPTIONS = {
    "-v": "raidtui --version prints the version",
    "-V": "raidtui --version prints the version",
    "-y": "what writes asks for a typed phrase; without a person: --yes --confirm DIGEST",
    "--capacity": "write --usable 800TB for at least so much",
    "--min": "write --usable 800TB for at least so much, --spares 2 for at least so many spares",
    "--size": "write --usable 800TB for at least so much, --disks 60x2TB for disks of a size",
    "--watch": "raidtui watch shows live rates, raidtui build PLAN follows its run",
    "--output": "write --out DIR",
    "-o": "write --out DIR",
    "--raid": "levels are written in the layout: raid10(8), raid5(3+1), (12+2)",
}
"""options that people try, and what there is"""
COMMANDS = {
    "design": "raidtui alone opens the app, where 2 is Design; raidtui model '4x(12+2)+4' prints a design",
    "version": "raidtui --version prints it",
    "raidtui": "write it once: raidtui disks",
    "sudo": "sudo stands first: sudo raidtui disks",
    "create": "raidtui plan '(12+2)' --out new, then raidtui build new/plan.json",
    "install": "raidtui export kickstart PLAN writes files for an installer; raidtui build PLAN builds here",
    "stop": "raidtui control RUN stop ends a run after its command; raidtui undo RUN removes what it built",
    "start": "raidtui build PLAN starts a build, raidtui resume RUN goes on with one",
    "continue": "raidtui resume RUN goes on with a build",
    "remove": "raidtui undo RUN removes what it built; raidtui replace ARRAY --member DISK takes a disk out",
    "delete": "raidtui undo RUN removes what it built",
    "destroy": "raidtui undo RUN removes what it built",
    "grow": "raidtui extend ARRAY grow",
    "add": "raidtui extend ARRAY spare DISK",
    "repair": "raidtui replace ARRAY names the disk to pull and each command",
    "rebuild": "raidtui replace ARRAY names the disk to pull and each command",
    "list": "raidtui disks, raidtui arrays, raidtui status",
    "ls": "raidtui disks, raidtui arrays, raidtui status",
    "show": "raidtui disks, raidtui arrays, raidtui status",
    "info": "raidtui arrays shows arrays, raidtui status shows runs",
    "detail": "raidtui arrays shows arrays, raidtui status shows runs",
    "check": "raidtui audit checks the arrays that exist, raidtui fleet check many hosts",
    "scan": "raidtui disks",
    "simulate": "raidtui plan '(12+2)' --inventory jbod84 --out try, then raidtui build try/plan.json",
    "test": "raidtui bench /srv/data measures, raidtui tune '(12+2)' compares settings",
    "compare": "raidtui propose --compare '2x(10+2)'",
    "save": "raidtui plan '4x(12+2)+4' --out DIR",
}
"""words that people try as a command, and what there is"""
_DISKS = re.compile(r"\d+\s*x\s*\d", re.IGNORECASE)


def fix_of_option(name: str, verb: str, options: Sequence[str], operands: Sequence[str]) -> str:
    """The fix for an option that `verb` does not take; empty where none is known."""
    wanted = name.lstrip("-").upper()
    if any(wanted in re.findall(r"[A-Z]+", operand) for operand in operands):
        return f"it is written without an option: raidtui {verb} {' '.join(operands)}"
    fix = OPTIONS.get(name, "")
    known = all(each in options for each in re.findall(r"--[a-z-]+", fix)) or fix.startswith("raidtui")
    return fix if known else ""


def fix_of_word(word: str, verb: str, options: Sequence[str], operands: Sequence[str]) -> str:
    """The fix for a word that `verb` does not take; empty where none is known."""
    if "--disks" in options and _DISKS.match(word):
        return f"disks are named by an option: raidtui {verb} --disks {word}"
    if "--inventory" in options and word in shipped.names():
        return f"a chassis is named by an option: raidtui {verb} --inventory {word}"
    if verb == "disks":
        return "it lists every disk; propose, model and plan take single ones: --only sda"
    if "LAYOUT" in operands and word[:1].isalnum():
        return f"a layout is one word, in quotes: raidtui {verb} '4x(12+2)+4'"
    return ""


def fix_of_command(word: str) -> str:
    """The fix for a word that is no command; empty where none is known."""
    return COMMANDS.get(word.lower(), "")


def in_order(verb: str, words: Sequence[str], operands: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The order of the operands (each with its choices), where one was given at another place; else empty."""
    given = [word for word in words if not word.startswith("-")]
    for at, (_, choices) in enumerate(operands):
        if choices and set(given) & {*choices} and given[at : at + 1] and given[at] not in choices:
            return f"the order is: raidtui {verb} {' '.join(name for name, _ in operands)}"
    return ""


def meant(word: str, known: Iterable[str]) -> str:
    """`, did you mean model?`, if a known word is much like `word`; else nothing."""
    like = difflib.get_close_matches(word.partition("=")[0].lower(), list(known), n=1, cutoff=0.7)
    return f" (did you mean {like[0]}?)" if like else ""


_LEVELS = {"5": 1, "6": 2}
"""RAID level to its parity disks"""


def refuse_mdadm(words: Sequence[str]) -> NoReturn:
    """Answers a line of mdadm with the layout that it means."""
    line = " ".join(words)
    given = {
        name: re.search(rf"(?:^|\s){option}[=\s]*(?:raid)?(\d+)", line)
        for name, option in (("level", "(?:--level|-l)"), ("disks", "(?:--raid-devices|-n)"),
                             ("spares", "(?:--spare-devices|-x)"))
    }  # fmt: skip
    level, disks, spares = (match.group(1) if (match := given[name]) else "" for name in ("level", "disks", "spares"))
    parity = _LEVELS.get(level)
    tail = f"+{spares}" if spares else ""
    layout = "(12+2)"
    if disks and parity is not None:
        layout = f"({max(int(disks) - parity, 1)}+{parity}){tail}"
    elif disks and level:
        layout = f"raid{level}({disks}){tail}"
    raise BadInput(
        "this is a line of mdadm", hint=f"raidtui plan '{layout}' shows the same with all that belongs to it"
    )
