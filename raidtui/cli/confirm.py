"""Confirmation before anything is written: a phrase typed on a terminal, or --yes with --confirm DIGEST."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from getpass import getpass
from textwrap import wrap
from typing import TYPE_CHECKING, TextIO, TypeVar

from raidtui.answers.confirm import (
    ConfirmWord,
    build_page,
    classes,
    confirmed,
    content_text,
    known_as,
    phrase,
    prompt_lines,
    refuse_unaccepted,
    unaccepted,
    undo_page,
)
from raidtui.cli.output import show, show_blocks, working, wrapped_findings
from raidtui.engine.process import checked, findings_to_error
from raidtui.engine.site import Site, holder_of
from raidtui.engine.standing import count, findings, lose_phrase
from raidtui.engine.survey import refusal
from raidtui.machine.system.passphrase import Passphrase, problem_of
from raidtui.steps.living import is_left_of
from raidtui.values.acts import Extension, Replacement
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit, Locked, RaidtuiError, Refused, Stale
from raidtui.values.findings import Finding, errors, refused
from raidtui.values.plan import Plan
from raidtui.values.printed import Findings
from raidtui.values.run import Standing
from raidtui.values.safe import safe
from raidtui.values.units import counted

if TYPE_CHECKING:
    from raidtui.values.blocks import Block


C = TypeVar("C", Replacement, Extension)
NOTHING = "nothing was written"


def confirm(plan: Plan, options: argparse.Namespace) -> None:
    """Shows the page of a build and returns when the plan is confirmed. Raises Refused when not, BadInput for options.

    On a terminal the phrase is typed; without one `--yes --confirm DIGEST` stand for it, both, and the content of
    every disk that is not blank has to be given up by `--accept-content`.
    """
    by_options = _by_options(plan, options)
    out = sys.stderr if options.json else sys.stdout
    show_blocks(build_page(plan), simulated=plan.simulated, out=out)
    accepted = _accepted(plan, options.accept_content or ())
    _refuse_without_terminal(plan, by_options)
    if by_options:
        refuse_unaccepted(plan, accepted)
        return
    for disk in unaccepted(plan, accepted):
        show(prompt_lines(disk), out, simulated=plan.simulated, last_open=True)
        if sys.stdin.readline().rstrip("\r\n") != known_as(disk):
            raise Refused(f"the content of {known_as(disk)} was not given up; {NOTHING}", hint="plan without it")
    _typed(plan, "erase", out)


def confirm_undo(plan: Plan, standing: Standing, options: argparse.Namespace) -> None:
    """Shows the page of an undo and returns when it is confirmed, and the files on it are given up by their count.

    Raises Refused for whatever is foreign, before anything is asked. On a terminal a second phrase is typed where
    files are; without one `--lose-files COUNT` stands for it, beside `--yes --confirm DIGEST`.
    """
    by_options = _by_options(plan, options)
    if options.lose_files is not None and not by_options:
        raise BadInput(
            "--lose-files requires --yes --confirm DIGEST", hint="on a terminal leave it out and type the phrase"
        )
    out = sys.stderr if options.json else sys.stdout
    show_blocks(undo_page(plan, standing), simulated=plan.simulated, out=out)
    if foreign := findings(standing):
        raise refusal(foreign)
    figure, words = count(plan, standing), lose_phrase(plan, standing)
    option = f" --lose-files {figure}" if figure is not None else ""
    _refuse_without_terminal(plan, by_options, option)
    if by_options:
        if (options.lose_files or "0") != (figure or "0"):
            given = f"--lose-files {options.lose_files}" if options.lose_files is not None else "no --lose-files"
            raise Refused(
                f"the page above shows {figure or 'no'} files, the command line has {given}; {NOTHING}",
                hint=f"if they are not needed:{option}" if option else "remove --lose-files",
            )
        return
    _typed(plan, "undo", out)
    if words:
        question = f"Type '{words}' to lose these files, anything else to cancel: "
        show((question,), out, simulated=plan.simulated, last_open=True)
        if sys.stdin.readline().rstrip("\r\n") != words:
            raise Refused(
                f"the loss of the files was not confirmed; {NOTHING}", hint="type the phrase exactly as shown"
            )


def typed_passphrase(plan: Plan) -> Passphrase:
    """The passphrase of the encrypted volumes, typed twice without echo. Raises Refused without a terminal."""
    if not sys.stdin.isatty():
        raise Refused(
            f"the passphrase of {plan.name} is typed at a terminal; {NOTHING}",
            hint="begin at a terminal, or plan with --key-file PATH, which opens it without a person",
        )
    while True:
        try:
            first = Passphrase(getpass(f"Passphrase of the encrypted volumes of {plan.name}: "))
            again = first if problem_of(first) else Passphrase(getpass("The same again: "))
        except EOFError:
            raise Refused(f"no passphrase was typed; {NOTHING}", hint="begin again, and type it twice") from None
        problem = problem_of(first) or ("" if first.text == again.text else "the two are not the same")
        if not problem:
            return first
        show((f"{problem}: type it again",), sys.stderr, simulated=plan.simulated)


def _refuse_without_terminal(plan: Plan, by_options: bool, more: str = "") -> None:
    if not by_options and not sys.stdin.isatty():
        raise Refused(
            f"confirmation needs a terminal; {NOTHING}",
            hint=f"read the page above, then add --yes --confirm {plan.digest}{more}",
        )


def confirm_word(plan: Plan, options: argparse.Namespace, *, word: ConfirmWord) -> None:
    """Confirmation without a page and without content to erase; the caller showed both."""
    if _by_options(plan, options):
        return
    _refuse_without_terminal(plan, by_options=False)
    _typed(plan, word, sys.stderr if options.json else sys.stdout)


def ask_to_start(unchanged: str) -> None:
    """Returns after the answer yes at the terminal, else raises Refused; `unchanged` ends its message."""
    if not sys.stdin.isatty():
        raise Refused(f"confirmation needs a terminal; {unchanged}", hint="add --yes")
    print("Start? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Refused(f"not started; {unchanged}", hint="answer y, or add --yes")


def _typed(plan: Plan, word: ConfirmWord, out: TextIO) -> None:
    question = f"Type '{phrase(plan, word)}' to begin, anything else to cancel: "
    show((question,), out, simulated=plan.simulated, last_open=True)
    if not confirmed(plan, sys.stdin.readline(), word):
        raise Refused(f"not confirmed; {NOTHING}", hint="type the phrase exactly as shown")


def _by_options(plan: Plan, options: argparse.Namespace) -> bool:
    return confirmed_by_options(
        options, plan.digest, what="plan", shown="raidtui plan shows the digest", right=f"its digest is {plan.digest}",
        nothing=NOTHING,
    )  # fmt: skip


def answer_change(
    options: argparse.Namespace, found: C, blocks: Callable[[C], Sequence[Block]], begin: Callable[[C], None]
) -> int:
    """Prints a change of arrays, and has `begin` carry it out with --begin; exit code 1 where a finding is an error."""
    if options.json:
        print(to_json(found))
    else:
        show_blocks(blocks(found), simulated=found.simulated)
    if refused(found.findings):
        return Exit.REFUSED
    if options.begin:
        begin(found)
    elif options.yes or options.confirm:
        raise BadInput("--yes and --confirm belong to --begin", hint="add --begin, or leave them out")
    return Exit.DONE


def confirm_change(options: argparse.Namespace, found: C, verb: str, phrase: str, begun: Sequence[C]) -> None:
    """Returns when a change of arrays that exist is confirmed: by `phrase`, or its digest, or that of one of `begun` of
    which it is what is left.

    Raises Refused or BadInput when not."""
    what, shown = f"answer of {verb}", f"raidtui {verb} --json shows the digest"
    right = f"its digest is {found.digest}"
    digest = next((each.digest for each in begun if each.digest == options.confirm and is_left_of(found, each)), "")
    if confirmed_by_options(options, digest or found.digest, what=what, shown=shown, right=right, nothing=NOTHING):
        return
    if not sys.stdin.isatty():
        hint = f"read what is above, then add --yes --confirm {found.digest}"
        raise Refused(f"confirmation needs a terminal; {NOTHING}", hint=hint)
    question = f"Type '{safe(phrase)}' to begin, anything else to cancel: "
    show((question,), sys.stdout, simulated=found.simulated, last_open=True)
    if sys.stdin.readline().rstrip("\r\n") != safe(phrase):
        raise Refused(f"not confirmed; {NOTHING}", hint="type the phrase exactly as shown")


def confirmed_by_options(
    options: argparse.Namespace, digest: str, *, what: str, shown: str, right: str, nothing: str
) -> bool:
    """True if --yes and --confirm confirm `digest`, False without both; `what` has it, `nothing` ends a refusal.

    Raises BadInput for one of the two alone (hint `shown`), Refused for another digest (hint `right`).
    """
    if not options.yes and options.confirm is None:
        return False
    if not options.yes or options.confirm is None:
        raise BadInput("--yes and --confirm DIGEST must be given together", hint=shown)
    if options.confirm != digest:
        raise Refused(f"--confirm is not the digest of this {what}; {nothing}", hint=right)
    return True


def _accepted(plan: Plan, given: Sequence[str]) -> tuple[str, ...]:
    known = {*classes(plan), *(known_as(disk) for disk in plan.disks)}
    for word in given:
        if word not in known:
            kinds = ", ".join(classes(plan)) or "none: every disk is blank"
            raise BadInput(
                f"--accept-content {word}: no disk of the plan has this serial number or holds this kind of content",
                hint=f"name a serial number or one of the kinds ({kinds})",
            )
    return tuple(given)


# Questions on standard output, answers on standard input: whole lines, which a screen reader reads as they come.


WIDTH = 79
"""columns of a line"""
T = TypeVar("T")


def tell(text: str = "", *, indent: str = "") -> None:
    """Prints a paragraph in lines of at most `WIDTH` columns, a path in one piece; an empty text is an empty line."""
    rows = wrap(
        safe(text), WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip
    print("\n".join(rows), flush=True)


def ask(question: str, default: str, read: Callable[[str], T]) -> T:
    """Asks until `read` accepts the answer; an empty answer is `default`. `read` raises ValueError with the reason.

    Raises Refused at the end of the input (Ctrl-D).
    """
    while True:
        print(f"{question} [{default}]: " if default else f"{question}: ", end="", flush=True)
        answer = sys.stdin.readline()
        if not answer:
            print(flush=True)
            raise Refused(
                "ended without an answer; nothing was written to any disk", hint="raidtui --plain starts again"
            )
        try:
            return read(answer.strip() or default)
        except ValueError as wrong:
            tell(str(wrong))


def ask_number(question: str, count: int, default: int) -> int:
    """One of the numbers 1 to `count`."""

    def read(text: str) -> int:
        if not (text.isdecimal() and len(text) < 4 and 1 <= int(text) <= count):
            raise ValueError(f"'{text}' is none of the numbers 1 to {count}.")
        return int(text)

    return ask(question, str(default), read)


def ask_yes(question: str) -> bool:
    """yes or no; an empty answer is no."""

    def read(text: str) -> bool:
        if text.lower() not in ("y", "yes", "n", "no"):
            raise ValueError(f"'{text}' is neither yes nor no.")
        return text.lower() in ("y", "yes")

    return ask(question, "no", read)


def tell_choices(choices: Sequence[str]) -> None:
    """Numbered lines."""
    for number, words in enumerate(choices, 1):
        tell(f"{number}  {words}", indent="  ")


# Refuses to start a run: another run holds the lock, or the plan does not fit this machine.


def refuse_locked(site: Site) -> None:
    """Raises Locked when another run holds the lock of `site`."""
    if holder := holder_of(site):
        raise Locked(f"another run holds the lock: {holder}", hint="raidtui status shows it; wait until it has ended")


def refuse_unready(plan: Plan, site: Site, options: argparse.Namespace) -> None:
    """Shows all findings, and raises the refusal if one of them is an error."""
    with working(f"checking {counted(len(plan.disks), 'disk')}"):
        findings = checked(plan, site, holder_of(site), during_sync=getattr(options, "during_sync", False))
    forbidding = errors(findings)
    if forbidding and options.json:
        print(to_json(Findings(findings=tuple(findings)), indent=None))
    if findings:
        show(wrapped_findings(findings, sys.stderr, simulated=plan.simulated), sys.stderr, simulated=plan.simulated)
    if forbidding:
        raise _refusal(forbidding)


def _refusal(findings: Sequence[Finding]) -> RaidtuiError:
    count = counted(len(findings), "problem")
    hint = "the lines above name each problem and its remedy"
    if all(finding.code == "locked" for finding in findings):
        return Locked("another run holds the lock; nothing was written", hint=findings[0].way_out)
    if isinstance(findings_to_error(findings), Stale):
        return Stale(f"the plan no longer fits this machine: {count}; nothing was written", hint=hint)
    return Refused(f"not ready to build: {count}; nothing was written", hint=hint)


def refuse_content(plan: Plan) -> None:
    """Raises Refused for the first disk of the plan that holds something: zeros are written to blank disks only."""
    held = next((disk for disk in plan.disks if disk.content), None)
    if held is not None:
        raise Refused(
            f"{held.path} (serial {held.serial or 'unknown'}) holds {content_text(held)}; only blank disks are "
            "written to",
            hint="plan without it, or measure with --raw read",
        )
