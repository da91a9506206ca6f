"""One step of a plan as lines: commands with each disk named beside its path, reason, conditions, undo.

Nothing here draws, and no output is meant for a shell: the planner renders what is copied or exported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from raidtui.model.plan import Action, Command, Plan, PlanDisk, Step, WriteFile
from raidtui.model.units import decimal_size
from raidtui.planner.text.run import program_name
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Line, Span, line, wrapped

SHORT = 3
"""number of disks shown of a longer list, until Enter shows all"""
_FILE_LINES = 4
_CHECKS = 12
Quote = Callable[[str], str]


def named_paths(plan: Plan, slots: Mapping[str, str]) -> Mapping[str, str]:
    """Words that name the disk of each path; `slots`: bay by disk identity."""
    words = {disk.id: disk_words(disk, slots.get(disk.id, "")) for disk in plan.disks}
    return {
        path: words[disk.id] for disk in plan.disks for path in (disk.path, *(member.path for member in disk.members))
    }


def action_lines(
    step: Step, named: Mapping[str, str], width: int, glyphs: Glyphs, quote: Quote, *, expanded: bool
) -> list[Line]:
    """The commands and files of the step, `width` cells wide.

    `named`: see `named_paths`; `quote` quotes one argument for a shell.
    """
    if not step.actions:
        return _check_lines(step, width, expanded=expanded)
    lines: list[Line] = []
    for action in step.actions:
        if lines and expanded:
            lines.append(())
        match action:
            case Command():
                lines += _command_lines(action.argv, named, width, quote, expanded=expanded)
                lines += [line(f"    < {row}", "muted") for row in (action.stdin or "").splitlines()]
            case WriteFile():
                lines += _file_lines(action, glyphs, expanded=expanded)
    return lines


def why_lines(step: Step, width: int, quote: Quote, *, expanded: bool) -> list[Line]:
    """Reason of the step, its postconditions, and its undo commands."""
    lines = list(_paragraph("WHY", [step.purpose], width))
    if step.actions:
        proofs = list(dict.fromkeys(reading.what for reading in step.after))
        lines += _paragraph("CONDITIONS", _shortened(proofs, "more", expanded=expanded), width)
    undo = _shortened([_action_text(action, quote) for action in step.undo], "more commands", expanded=expanded)
    lines += _paragraph("UNDO", [*undo, *([step.undo_note] if step.undo_note else [])], width)
    return lines


def undo_words(step: Step) -> str:
    """Programs that undo the step, for the table; what a wipe erased nothing brings back."""
    if step.stage == "wipe":
        return "never"
    found = dict.fromkeys(program_name(action.argv) if isinstance(action, Command) else "edit" for action in step.undo)
    return ", ".join(found) or "-"


def _check_lines(step: Step, width: int, *, expanded: bool) -> list[Line]:
    """The conditions of a step without commands, without duplicates."""
    lines = [line("runs no command; the next step starts only if all of these are true:", "muted")]
    checks = list(dict.fromkeys(reading.what for reading in step.after))
    shown = checks if expanded else checks[:_CHECKS]
    for check in shown:
        rows = list(wrapped(check, max(width - 4, 20)))
        lines += [line(f"{'  - ' if number == 0 else '    '}{row}") for number, row in enumerate(rows)]
    if len(shown) < len(checks):
        lines.append(line(f"    ... {len(checks) - len(shown)} more checks: Enter shows all", "muted"))
    return lines


def _shortened(texts: Sequence[str], what: str, *, expanded: bool) -> list[str]:
    if expanded or len(texts) <= SHORT + 1:
        return list(texts)
    return [*texts[:SHORT], f"... {len(texts) - SHORT} {what}: Enter shows all"]


def _paragraph(title: str, texts: Sequence[str], width: int) -> Iterator[Line]:
    indent = 14
    for text in texts or ["-"]:
        for row in wrapped(text, max(width - indent, 20)):
            yield (Span(f"{title:<{indent}}", "title"), Span(row))
            title = ""


def _action_text(action: Action, quote: Quote) -> str:
    match action:
        case Command():
            return " ".join(quote(word) for word in action.argv)
        case WriteFile():
            return f"remove this plan's lines from {action.path}" if action.fenced else f"write {action.path}"


def _command_lines(
    argv: Sequence[str], named: Mapping[str, str], width: int, quote: Quote, *, expanded: bool
) -> list[Line]:
    rows = list(_rows(argv, named, width, quote))
    disks = [number for number, (_, words) in enumerate(rows) if words]
    hidden = set(disks[SHORT:]) if not expanded and len(disks) > SHORT + 1 else set()
    longest = max((len(text) for text, words in rows if words), default=0)
    lines: list[Line] = []
    for number, (text, words) in enumerate(rows):
        if number in hidden:
            if number - 1 not in hidden:
                lines.append(line(f"    ... {len(hidden)} more disks: Enter shows all", "muted"))
            continue
        indent = "" if number == 0 else "    "
        tail = " \\" if number < len(rows) - 1 else ""
        if words:
            lines.append((Span(f"{indent}{text:<{longest}}{tail:<2}"), Span(f"  {words}", "title")))
        else:
            lines.append((Span(f"{indent}{text}{tail}", "strong" if number == 0 else "text"),))
    return lines


def disk_words(disk: PlanDisk, slot: str) -> str:
    """The disk of a path, for checking by eye: slot, serial, size."""
    return "  ".join(part for part in (slot, disk.serial or "", decimal_size(disk.size_bytes)) if part)


def _rows(argv: Sequence[str], named: Mapping[str, str], width: int, quote: Quote) -> Iterator[tuple[str, str]]:
    row = ""
    for word in argv:
        shown = quote(word)
        if word in named:
            if row:
                yield row, ""
            yield shown, named[word]
            row = ""
        elif row and len(row) + 1 + len(shown) > width - 6:
            yield row, ""
            row = shown
        else:
            row = f"{row} {shown}" if row else shown
    if row:
        yield row, ""


def _file_lines(action: WriteFile, glyphs: Glyphs, *, expanded: bool) -> list[Line]:
    how = "adds a fenced block to" if action.fenced else "writes"
    texts = action.text.splitlines()
    shown = texts if expanded or len(texts) <= _FILE_LINES + 1 else texts[:_FILE_LINES]
    lines: list[Line] = [(Span(f"{how} {action.path}", "strong"),)]
    lines += [(Span(f"  {glyphs.side} ", "rule"), Span(text)) for text in shown]
    if len(shown) < len(texts):
        lines.append(line(f"    ... {len(texts) - len(shown)} more lines: Enter shows all", "muted"))
    return lines
