"""The pages of --help and of `raidtui help VERB`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence

from raidtui.values.units import HARD_BLANK

_COLUMNS = 79
_MOST_LABEL = 24
"""columns of the names of options; a longer one has a line of its own"""
_LEAST = 11
"""columns of text, however narrow the terminal"""
Titled = Sequence[tuple[str, Sequence[argparse.Action]]]
"""options and operands, below a title each"""


def usage(prog: str, actions: Iterable[argparse.Action], alternatives: Sequence[Sequence[argparse.Action]]) -> str:
    """The synopsis with all options, for a parser of verbs; `alternatives`: options of which one may be given."""
    words = []
    for action in actions:
        alike = next((members for members in alternatives if action in members), [action])
        if action.option_strings and action is alike[0]:
            words.append(f"[{' | '.join(_with_value(each, each.option_strings[0]) for each in alike)}]")
    prefix = f"usage: {prog} "
    text = " ".join(word.replace(" ", HARD_BLANK) for word in words)
    lines = [*_wrapped(text, _width() - len(prefix)), "COMMAND ..."]
    return prefix + f"\n{' ' * len(prefix)}".join(lines) + "\n"


def sections(titled: Titled, verbs: tuple[str, Mapping[str, str]] | None) -> str:
    """What a parser takes; `verbs`: their title, and what is said of each."""
    rows = [(title, [(label(each), meaning(each), 2) for each in actions]) for title, actions in titled]
    if verbs is not None:
        title, lines = verbs
        rows.append((title, [("COMMAND", "", 2), *((name, line, 4) for name, line in lines.items())]))
    longest = max(len(name) for _, entries in rows for name, _, _ in entries) + 4
    column = min(longest, _MOST_LABEL, max(_width() - 20, 4))
    return "\n".join(
        block(f"{title}:", (line for entry in entries for line in _entry(*entry, column=column)), indent="")
        for title, entries in rows
    )


def only_names(titled: Titled) -> list[str]:
    """The names of these options, in lines."""
    import textwrap  # only for --help

    return [
        line
        for title, actions in titled
        for line in textwrap.wrap(
            f"{title}: {', '.join(action.option_strings[0] for action in actions)}",
            _COLUMNS - 2, subsequent_indent="  ", break_on_hyphens=False,
        )
    ]  # fmt: skip


def name_of(action: argparse.Action) -> str:
    """What stands for its value."""
    return str(action.metavar or action.dest.upper())


def operand(action: argparse.Action) -> str:
    """The same as a synopsis has it."""
    match action.nargs:
        case "?":
            return f"[{name_of(action)}]"
        case "*":
            return f"[{name_of(action)}]..."
        case _:
            return name_of(action)


def label(action: argparse.Action) -> str:
    """An option or operand as a page names it: `-h, --help`, `--out DIR`."""
    if not action.option_strings:
        return str(action.metavar or (_set(action) if action.choices else action.dest))
    return ", ".join(_with_value(action, name) for name in action.option_strings)


def meaning(action: argparse.Action) -> str:
    """What a page says of it."""
    return (action.help or "") % {}


def _with_value(action: argparse.Action, name: str) -> str:
    if action.nargs == 0:
        return name
    return f"{name} {_set(action) if action.choices and not action.metavar else name_of(action)}"


def _set(action: argparse.Action) -> str:
    return f"{{{','.join(map(str, action.choices or ()))}}}"


def _entry(name: str, text: str, indent: int, *, column: int) -> Iterator[str]:
    lines = _wrapped(text, max(_width() - column, _LEAST))
    if lines and len(name) <= column - indent - 2:
        name = f"{name:<{column - indent}}{lines.pop(0)}"
    yield f"{' ' * indent}{name}"
    yield from (f"{' ' * column}{line}" for line in lines)


def _width() -> int:
    import shutil  # only for --help

    return shutil.get_terminal_size().columns - 2


def _wrapped(text: str, width: int) -> list[str]:
    """Breaks lines at blanks only: not within the name of an option, nor at a no-break space."""
    import textwrap  # only for --help

    return [line.replace(HARD_BLANK, " ") for line in textwrap.wrap(text, width, break_on_hyphens=False)]


def filled(text: str | None) -> str:
    """`text` in lines as wide as the terminal."""
    return "".join(f"{line}\n" for line in _wrapped(text or "", max(_width(), _LEAST)))


def block(title: str, lines: Iterable[str], indent: str = "  ") -> str:
    """Lines below a title."""
    return "".join([f"{title}\n", *(f"{indent}{line}\n" for line in lines)])
