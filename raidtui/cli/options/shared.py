"""Parser of a verb, and the options that several verbs share."""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from raidtui.values.choices import COLOUR_CHOICES
from raidtui.values.errors import BadInput, Exit
from raidtui.values.units import HARD_BLANK, decimal_number, require_range, whole_number

if TYPE_CHECKING:
    from raidtui.values.options import Option


# Numbers of the command line, with a range each. argparse reports what is outside as wrong usage, exit code 2.


N = TypeVar("N", int, float)
SPEED_UP = (0.001, 1e9)
"""range of the factor by which simulated time is faster than real time"""


def whole(least: int, most: int) -> Callable[[str], int]:
    """A reader of whole numbers from `least` to `most`."""
    return _within(whole_number, least, most)


def number(least: float, most: float) -> Callable[[str], float]:
    """A reader of numbers from `least` to `most`; nan is refused."""
    return _within(decimal_number, least, most)


def _within(read: Callable[[str], N], least: float, most: float) -> Callable[[str], N]:
    def reader(text: str) -> N:
        try:
            value = read(text)
            require_range(value, least, most)
        except ValueError as problem:
            raise ArgumentTypeError(str(problem)) from problem
        return value

    return reader


SECONDS = number(1, 86400)
"""of a measurement"""
REPEATS = whole(1, 100)
"""of a measurement"""


AddOptions = Callable[[argparse.ArgumentParser], None]
_COLUMNS = 79
_OF_LAYOUT = (
    "--spares",
    "--spare",
    "--spare-devices",
    "--level",
    "--raid-level",
    "--raid-devices",
    "--parity",
    "--copies",
)
"""options of other programs for what the layout says"""
EXIT_CODES = f"exit codes: {', '.join(f'{code.value}{HARD_BLANK}{code.meaning}' for code in Exit)}"
"""the last lines of every --help; a code and its meaning are on one line"""


class HelpFormatter(argparse.HelpFormatter):
    """Breaks lines at blanks only: not within the name of an option, nor at a no-break space."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        import textwrap  # only for --help

        words = " ".join(text.split(" "))
        return [line.replace(HARD_BLANK, " ") for line in textwrap.wrap(words, width, break_on_hyphens=False)]

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(f"{indent}{line}" for line in self._split_lines(text, width - len(indent)))


class RawHelpFormatter(argparse.RawDescriptionHelpFormatter, HelpFormatter):
    """The same, but for a description and an epilog that have their own lines."""


class UnknownOption(BadInput):
    """An option that the command does not take."""

    def __init__(self, message: str, name: str, **more: str) -> None:
        super().__init__(message, **more)
        self.name = name


_LISTS_ALL = {"disks": "it lists every disk; propose, model and plan take single ones: --only sda"}
"""commands without operands that people name one to, and what does take it"""


class SafeParser(argparse.ArgumentParser):
    """A parser whose errors are BadInput: the mistake and the way out."""

    _words: tuple[str, ...] = ()
    """all that was given to it, until an error"""

    def __init__(self, **settings: Any) -> None:
        super().__init__(exit_on_error=False, **settings)

    @property
    def calls(self) -> Sequence[tuple[str, str]]:
        """Two calls of this verb, each with its purpose; none for a verb that --help does not list."""
        from raidtui.cli.options.examples import EXAMPLES  # only for --help or a mistake

        return EXAMPLES.get(self.prog.partition(" ")[2], ())

    def error(self, message: str, example: str = "") -> NoReturn:
        """See ArgumentParser; an unknown option comes first: its value, or it, was taken for something else."""
        words, self._words = self._words, ()
        if self._subparsers is None:
            self._refuse_unknown(itertools.takewhile(lambda each: each != "--", words))
        verb = self.prog.partition(" ")[2]
        way_out = f"{f'raidtui help {verb}' if verb else 'raidtui --help'} lists what it takes"
        raise BadInput(message, hint=f"for example: {example}" if example else way_out)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """See ArgumentParser; an option that no verb of this parser takes is answered by the verb that was given."""
        words = tuple(sys.argv[1:] if args is None else args)
        if "--create" in words or "-C" in words:
            _refuse_mdadm(words)
        try:
            found, left = self.parse_known_args(words, namespace)
            for word in left:
                if word != "--":
                    self._of_verb(found)._refuse(word)
        except UnknownOption as mistake:
            if takers := self._takers(mistake.name):
                hint = f"{', '.join(takers[:4])} {'take' if len(takers) > 1 else 'takes'} it, behind the command"
                raise BadInput(str(mistake), hint=hint) from mistake
            raise
        return found

    def _takers(self, option: str) -> list[str]:
        """The commands of this parser that take `option`."""
        found = []
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for listed_action in action._choices_actions:
                    verb = action.choices[listed_action.dest]
                    verb.complete()
                    found += [listed_action.dest] if option in verb._option_string_actions else []
        return found

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """See ArgumentParser."""
        self._words = tuple(sys.argv[1:] if args is None else args)
        for action in self._actions:
            action.required = False  # what is missing is named here
        try:
            found, left = super().parse_known_args(args, namespace)
        except argparse.ArgumentError as mistake:
            self.error(f"{mistake.argument_name}: {mistake.message}" if mistake.argument_name else mistake.message)
        once = [action for action in self._actions if action.nargs in (None, argparse.PARSER)]
        missing = [_operand(each) for each in once if not each.option_strings and getattr(found, each.dest) is None]
        if missing:
            verb = self.prog.partition(" ")[2]
            self.error(f"{verb} expects {', '.join(missing)}", *(call for call, _ in self.calls[:1]))
        return found, left

    def _print_message(self, message: str, file: Any = None) -> None:
        """See ArgumentParser; an output that is full is an error here too."""
        file.write(message)
        file.flush()

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """See ArgumentParser; a value that is empty, as of a variable that is not set, is a mistake.

        `--` before a verb ends the options: later releases of argparse skip it there too.
        """
        if action.nargs == argparse.PARSER and arg_strings[0] == "--":
            arg_strings = arg_strings[1:]
        if "" in arg_strings and action.nargs != argparse.PARSER:
            raise argparse.ArgumentError(action, "the value is empty")
        return super()._get_values(action, arg_strings)

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        """See ArgumentParser; names the value that an option lacks."""
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError as mistake:
            expected = ", ".join(action.choices or [_operand(action)])
            raise argparse.ArgumentError(action, f"expects {expected}") from mistake

    def _refuse(self, word: str) -> NoReturn:
        """Ends with the answer to a word that no option and no operand takes."""
        name = word.partition("=")[0]
        what = "unknown option" if word.startswith("-") else "one word too many:"
        if name in _OF_LAYOUT and any(each.dest == "layout" for each in self._actions):
            self.error(f"{what} {word}: level, parity and spares are written in the layout, such as 4x(12+2)+4")
        verb = self.prog.partition(" ")[2]
        if name in self._option_string_actions:  # it was given before the command
            raise BadInput(f"{name} was given before {verb}", hint=f"write it behind: raidtui {verb} ... {name}")
        if not word.startswith("-") and verb in _LISTS_ALL:
            raise BadInput(f"{what} {word}", hint=_LISTS_ALL[verb])
        suggested = meant(word, self._option_string_actions)
        message = f"{what} {word}{suggested}"
        if word.startswith("--") and not suggested:
            way_out = f"{f'raidtui help {verb}' if verb else 'raidtui --help'} lists what it takes"
            raise UnknownOption(message, name, hint=way_out)
        self.error(message)

    def _refuse_unknown(self, words: Iterable[str]) -> None:
        """Refuses the first word that looks like an option and is none."""
        for word in words:
            name = word.partition("=")[0]
            known = any(option.startswith(name) for option in self._option_string_actions)
            if word.startswith("-") and " " not in word and not known and not self._negative_number_matcher.match(word):
                self._refuse(word)

    def _of_verb(self, found: Any) -> SafeParser:
        """The parser of the verb that `found` names, and of its own verb, `fleet plan`."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction) and getattr(found, action.dest, None) in action.choices:
                chosen: SafeParser = action.choices[getattr(found, action.dest)]
                return chosen._of_verb(found)
        return self

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """See ArgumentParser; names the verbs that --help lists, and the word that was meant."""
        if action.choices is None or value in action.choices:
            return
        shown = [str(each) for each in action.choices]
        what = f"{action.option_strings[-1]} cannot be" if action.option_strings else f"there is no {_operand(action)}"
        if isinstance(action, argparse._SubParsersAction):
            self._refuse_unknown(itertools.takewhile(lambda each: each != value, self._words))
            shown = [str(each.dest) for each in action._choices_actions]
            raise argparse.ArgumentError(None, f"there is no command '{value}'{meant(str(value), shown)}")
        raise argparse.ArgumentError(None, f"{what} '{value}'{meant(str(value), shown)}: {', '.join(shown)}")


def meant(word: str, known: Iterable[str]) -> str:
    """`, did you mean model?`, if a known word is much like `word`; else nothing."""
    import difflib  # only for a mistake

    like = difflib.get_close_matches(word.partition("=")[0], list(known), n=1, cutoff=0.7)
    return f" (did you mean {like[0]}?)" if like else ""


_LEVELS = {"5": 1, "6": 2}
"""RAID level to its parity disks"""


def _refuse_mdadm(words: Sequence[str]) -> NoReturn:
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


class FurtherOptions(argparse._ArgumentGroup):
    """Options that the --help of a verb only names; `raidtui help VERB` and its man page describe them."""


def further(parser: argparse.ArgumentParser, title: str) -> FurtherOptions:
    """A new group of such options."""
    group = FurtherOptions(parser, title)
    parser._action_groups.append(group)
    return group


def _operand(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest.upper())
    match action.nargs:
        case "?":
            return f"[{name}]"
        case "*":
            return f"[{name}]..."
        case _:
            return name


def _block(title: str, lines: Iterable[str]) -> str:
    return "".join([f"{title}\n", *(f"  {line}\n" for line in lines)])


class VerbParser(SafeParser):
    """Parser of one verb. It gets its options when it parses: those of all verbs would cost every start 10 ms."""

    def __init__(self, *, add_options: AddOptions, **settings: Any) -> None:
        super().__init__(epilog=EXIT_CODES, formatter_class=HelpFormatter, **settings)
        self._missing: AddOptions | None = add_options

    def complete(self) -> None:
        """Adds the options of the verb, once."""
        if self._missing is not None:
            add_options, self._missing = self._missing, None
            add_options(self)
            add_color(self, default=argparse.SUPPRESS)

    @property
    def operands(self) -> list[str]:
        """What follows the verb beside options, as a synopsis names it."""
        return [_operand(action) for action in self._actions if not action.option_strings]

    @property
    def examples(self) -> list[str]:
        """Two calls, a line each."""
        widest = max((len(call) for call, _ in self.calls), default=0)
        return [f"{call:<{widest}}  # {purpose}" for call, purpose in self.calls]

    def format_help(self) -> str:
        """See ArgumentParser; with the examples above the options."""
        return self._page(self._action_groups)

    def print_help(self, file: Any = None) -> None:
        """Prints what --help does: `format_help`, but only the names of the further options."""
        named = [group for group in self._action_groups if isinstance(group, FurtherOptions)]
        page = self._page([group for group in self._action_groups if group not in named], named)
        self._print_message(page, file or sys.stdout)

    def _page(self, described: Iterable[argparse._ArgumentGroup], named: Iterable[argparse._ArgumentGroup] = ()) -> str:
        import textwrap  # only for --help

        usage = " ".join([f"usage: {self.prog}", "[OPTION]...", *self.operands])
        head, options = self._get_formatter(), self._get_formatter()
        head.add_text(self.description)
        for group in described:
            options.start_section(group.title)
            options.add_arguments(group._group_actions)
            options.end_section()
        lines = [
            line
            for group in named
            for line in textwrap.wrap(
                f"{group.title}: {', '.join(action.option_strings[0] for action in group._group_actions)}",
                _COLUMNS - 2, subsequent_indent="  ", break_on_hyphens=False,
            )
        ]  # fmt: skip
        parts = [f"{usage}\n", head.format_help(), _block("examples:", self.examples), options.format_help()]
        if lines:
            more = f"{self.prog.replace(' ', ' help ', 1)} describes exit codes, and these too:"
            return "\n".join([*parts, _block(more, lines)])
        end = self._get_formatter()
        end.add_text(self.epilog)
        return "\n".join([*parts, end.format_help()])

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """See ArgumentParser."""
        self.complete()
        return super().parse_known_args(args, namespace)


def describe_verbs(verbs: Any) -> None:
    """Gives each verb of the subparsers `verbs` that has no description its line in their --help as one."""
    for listed in verbs._choices_actions:
        help_line = str(listed.help)
        described = verbs.choices[listed.dest]
        described.description = described.description or f"{help_line[0].upper()}{help_line[1:]}."


def add_color(parser: argparse.ArgumentParser, default: str) -> None:
    """--color, which is allowed before and after the verb; only the top parser holds its default."""
    parser.add_argument(
        "--color", metavar="WHEN", choices=COLOUR_CHOICES, default=default,
        help="colours: auto (default), always or never",
    )  # fmt: skip


def add_disk_options(parser: argparse.ArgumentParser, *, top: bool = False) -> None:
    """Adds options that are allowed before and after the verb; only the top parser holds their defaults."""
    unset = argparse.SUPPRESS

    def default(value: object) -> object:
        return value if top else unset

    group = parser.add_argument_group("disks (default: this machine's)")
    source = group.add_mutually_exclusive_group()
    source.add_argument(
        "--inventory", metavar="FILE|NAME", default=default(None), help="inventory file, or a shipped chassis"
    )
    source.add_argument(
        "--disks",
        metavar="LIST",
        default=default(None),
        help="disks not bought yet: 60x2TB or 4x4TB@5400",
    )
    group = further(parser, "about these disks")
    kind = group.add_mutually_exclusive_group()
    kind.add_argument(
        "--rotational",
        dest="rotational",
        action="store_true",
        default=default(True),
        help="with --disks: hard disks (default)",
    )
    kind.add_argument(
        "--ssd", dest="rotational", action="store_false", default=default(True), help="with --disks: SSDs"
    )
    kind.add_argument(
        "--nvme", metavar="GENxLANES", default=default(None),
        help="with --disks: NVMe drives, each on its own PCIe link: 4x4 is generation 4 with four lanes",
    )  # fmt: skip
    group.add_argument(
        "--no-measured", dest="measured", action="store_false", default=default(True),
        help="ignore what raidtui disks --measure and benchmarks found out about these disks and their machine",
    )  # fmt: skip
    group.add_argument(
        "--lun", metavar="[DISK=]D+P,CHUNK[,RATE]", action="append", default=default(None),
        help="the disk (default: all that are free) is a LUN of a hardware controller: data and parity drives, chunk, "
        "rate of one drive: sdb=12+2,256K or 12+2,256K,130MB/s (may be repeated)",
    )  # fmt: skip
    group.add_argument(
        "--bind-by-path", action="store_true", default=default(False),
        help="also use disks of a virtual machine that have no serial number: known by where they are attached, their "
        "size and content alone, so an equal disk at the same place is taken for them",
    )  # fmt: skip
    group.add_argument(
        "--sector", metavar="BYTES", default=default("512"), help="with --disks: logical sector, 512 (default) or 4096"
    )


def add_options(parser: argparse._ActionsContainer, rows: Iterable[Option]) -> None:
    """These rows of the table of options: texts that the verb reads (`cli.inputs`); None for one that is not given."""
    from raidtui.values.options import (
        FLAG,
        WORD,  # the parser of all verbs starts without the table
    )

    for row in rows:
        settings: dict[str, Any] = {"help": row.help.replace("%", "%%")}
        if row.kind is FLAG:
            settings["action"] = argparse.BooleanOptionalAction
        elif row.kind is WORD:
            settings["choices"] = row.choices
        else:
            settings["metavar"] = row.kind.metavar
        parser.add_argument(row.flag, **settings)


def add_speed_up(parser: argparse.ArgumentParser) -> None:
    """Adds --speed-up, which applies to simulated machines only."""
    further(parser, "simulated disks").add_argument(
        "--speed-up", metavar="N", type=number(*SPEED_UP), default=600.0,
        help="run N times as fast as real time (default 600)",
    )  # fmt: skip


def add_sync_options(parser: argparse.ArgumentParser) -> None:
    """Adds what a build does about syncs: of other arrays, and of its own."""
    parser.add_argument(
        "--during-sync",
        action="store_true",
        help="build although other arrays sync; RAID4 and RAID5 do not wait for their first sync either",
    )
    parser.add_argument(
        "--wait-for-sync", action="store_true", help="make file systems only when the first sync has ended"
    )
