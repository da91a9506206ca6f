"""Parser of a verb, and the options that several verbs share."""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from raidtui.cli.options.page import Titled, block, filled, name_of, only_names, operand, sections, usage
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


AddOptions = Callable[["SafeParser"], None]
NO_VALUE = "\0"
"""in place of the value that an option lacks: no command line can hold it"""
_NEGATIVE = re.compile(r"-\d+$|-\d*\.\d+$")
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


class UnknownOption(BadInput):
    """An option that the command does not take."""

    def __init__(self, message: str, name: str, **more: str) -> None:
        super().__init__(message, **more)
        self.name = name


_LISTS_ALL = {"disks": "it lists every disk; propose, model and plan take single ones: --only sda"}
"""commands without operands that people name one to, and what does take it"""


class OptionGroup:
    """Options below one title of a page of help; of `further` ones --help only gives the names."""

    def __init__(self, parser: SafeParser, title: str, *, further: bool = False) -> None:
        self.title, self.further = title, further
        self.actions: list[argparse.Action] = []
        self._parser = parser

    def add_argument(self, *names: str, **settings: Any) -> None:
        """See ArgumentParser."""
        self.actions.append(self._parser.add_argument(*names, **settings))

    def exclusive(self) -> Exclusive:
        """For options of this group of which one may be given."""
        return Exclusive(self._parser, self.actions)


class Exclusive:
    """Options of which one may be given; `actions` gets them too."""

    def __init__(self, parser: SafeParser, actions: list[argparse.Action]) -> None:
        self._parser, self._beside = parser, actions
        self._group = parser.add_mutually_exclusive_group()
        self._members: list[argparse.Action] = []
        parser.alternatives.append(self._members)

    def add_argument(self, *names: str, **settings: Any) -> None:
        """See ArgumentParser."""
        action = self._parser.keep(self._group.add_argument(*names, **settings))
        self._beside.append(action)
        self._members.append(action)


class Verbs(argparse.Action):
    """The verb, whose own parser takes all that follows it."""

    def __init__(self, prog: str, title: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.prog, self.title = prog, title
        self.parsers: dict[str, VerbParser] = {}
        self.lines: dict[str, str] = {}
        """what --help says of each verb that it lists"""
        self.chosen: VerbParser | None = None
        self.left: list[str] = []
        """what the chosen one does not take"""

    def add_parser(self, name: str, *, add_options: AddOptions, help: str = "", description: str = "") -> None:
        """Adds a verb; without `help` it is not listed."""
        if help:
            self.lines[name] = help
        about = description or (f"{help[0].upper()}{help[1:]}." if help else None)
        self.parsers[name] = VerbParser(prog=f"{self.prog} {name}", description=about, add_options=add_options)

    def __call__(self, parser: Any, namespace: Any, values: Any, *_: Any) -> None:
        """Parses what follows; `--` before the verb ended the options."""
        name, *rest = values[1:] if values[0] == "--" else values
        if name not in self.parsers:
            parser.refuse_verb(name)
        setattr(namespace, self.dest, name)
        self.chosen = self.parsers[name]
        found, self.left = self.chosen.parse_known_args(rest)
        for key, value in vars(found).items():
            setattr(namespace, key, value)


class SafeParser(argparse.ArgumentParser):
    """A parser whose errors are BadInput: the mistake and the way out."""

    _words: tuple[str, ...] = ()
    """all that was given to it, until an error"""
    verbs: Verbs | None = None

    def __init__(self, **settings: Any) -> None:
        self.actions: list[argparse.Action] = []
        """all that it takes"""
        self.groups: list[OptionGroup] = []
        self.alternatives: list[list[argparse.Action]] = []
        """options of which one may be given"""
        super().__init__(exit_on_error=False, **settings)

    @property
    def calls(self) -> Sequence[tuple[str, str]]:
        """Two calls of this verb, each with its purpose; none for a verb that --help does not list."""
        from raidtui.cli.options.examples import EXAMPLES  # only for --help or a mistake

        return EXAMPLES.get(self.prog.partition(" ")[2], ())

    @property
    def names(self) -> list[str]:
        """The names of its options."""
        return [name for action in self.actions for name in action.option_strings]

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action:
        """See ArgumentParser."""
        return self.keep(super().add_argument(*names, **settings))

    def keep(self, action: argparse.Action) -> argparse.Action:
        """Makes a new option or operand answer a missing, an empty and an unknown value in our words."""
        self.actions.append(action)
        action.required = False  # what is missing is named by `parse_known_args`
        if action.nargs not in (0, argparse.PARSER):
            action.type = _reader(action, cast("Callable[[str], Any]", action.type or str))
        if action.option_strings and action.nargs is None:
            action.nargs, action.const = "?", NO_VALUE
        return action

    def group(self, title: str, *, further: bool = False) -> OptionGroup:
        """A new group of options."""
        self.groups.append(OptionGroup(self, title, further=further))
        return self.groups[-1]

    def exclusive(self) -> Exclusive:
        """For options of no group of which one may be given."""
        return Exclusive(self, [])

    def add_verbs(self, title: str, dest: str) -> Verbs:
        """The verbs of this parser, of which there are none yet."""
        added = self.add_argument(
            dest, action=Verbs, nargs=argparse.PARSER, metavar="COMMAND", prog=self.prog, title=title
        )
        self.verbs = cast("Verbs", added)
        return self.verbs

    def error(self, message: str, example: str = "") -> NoReturn:
        """See ArgumentParser; an unknown option comes first: its value, or it, was taken for something else."""
        words, self._words = self._words, ()
        if self.verbs is None:
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
                    self._chosen().refuse(word)
        except UnknownOption as mistake:
            if takers := self._takers(mistake.name):
                hint = f"{', '.join(takers[:4])} {'take' if len(takers) > 1 else 'takes'} it, behind the command"
                raise BadInput(str(mistake), hint=hint) from mistake
            raise
        return found

    def _takers(self, option: str) -> list[str]:
        """The commands of this parser that take `option`."""
        found = {name: self.verbs.parsers[name] for name in self.verbs.lines} if self.verbs else {}
        for verb in found.values():
            verb.complete()
        return [name for name, verb in found.items() if option in verb.names]

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """See ArgumentParser."""
        self._words = tuple(sys.argv[1:] if args is None else args)
        try:
            found, left = super().parse_known_args(args, namespace)
        except argparse.ArgumentError as mistake:
            self.error(f"{mistake.argument_name}: {mistake.message}" if mistake.argument_name else mistake.message)
        once = [action for action in self.actions if action.nargs in (None, argparse.PARSER)]
        missing = [name_of(each) for each in once if not each.option_strings and getattr(found, each.dest) is None]
        if missing:
            verb = self.prog.partition(" ")[2]
            self.error(f"{verb} expects {', '.join(missing)}", *(call for call, _ in self.calls[:1]))
        return found, [*left, *(self.verbs.left if self.verbs else ())]

    def print_help(self, file: Any = None) -> None:
        """See ArgumentParser; an output that is full is an error here too."""
        print(self.format_help(), end="", file=file or sys.stdout, flush=True)

    def format_help(self) -> str:
        """See ArgumentParser."""
        head = usage(self.prog, self.actions, self.alternatives)
        return "\n".join([head, f"{self.description}\n", self.sections(self.titled), f"{self.epilog}"])

    @property
    def titled(self) -> Titled:
        """What it takes beside verbs: operands, options of no group, and the groups."""
        grouped = [action for group in self.groups for action in group.actions]
        alone = [action for action in self.actions if action not in grouped and action is not self.verbs]
        found = [
            ("positional arguments", [action for action in alone if not action.option_strings]),
            ("options", [action for action in alone if action.option_strings]),
            *((group.title, group.actions) for group in self.groups),
        ]
        return [(title, actions) for title, actions in found if actions]

    def sections(self, titled: Titled) -> str:
        """These options, and its verbs."""
        return sections(titled, (self.verbs.title, self.verbs.lines) if self.verbs else None)

    def refuse(self, word: str) -> NoReturn:
        """Ends with the answer to a word that no option and no operand takes."""
        name = word.partition("=")[0]
        what = "unknown option" if word.startswith("-") else "one word too many:"
        if name in _OF_LAYOUT and any(each.dest == "layout" for each in self.actions):
            self.error(f"{what} {word}: level, parity and spares are written in the layout, such as 4x(12+2)+4")
        verb = self.prog.partition(" ")[2]
        if name in self.names:  # it was given before the command
            raise BadInput(f"{name} was given before {verb}", hint=f"write it behind: raidtui {verb} ... {name}")
        if not word.startswith("-") and verb in _LISTS_ALL:
            raise BadInput(f"{what} {word}", hint=_LISTS_ALL[verb])
        suggested = meant(word, self.names)
        message = f"{what} {word}{suggested}"
        if word.startswith("--") and not suggested:
            way_out = f"{f'raidtui help {verb}' if verb else 'raidtui --help'} lists what it takes"
            raise UnknownOption(message, name, hint=way_out)
        self.error(message)

    def _refuse_unknown(self, words: Iterable[str]) -> None:
        """Refuses the first word that looks like an option and is none."""
        for word in words:
            name = word.partition("=")[0]
            known = any(option.startswith(name) for option in self.names)
            if word.startswith("-") and " " not in word and not known and not _NEGATIVE.match(word):
                self.refuse(word)

    def refuse_verb(self, name: str) -> NoReturn:
        """Ends with the answer to a word that is no verb: those that --help lists, and the one that was meant."""
        self._refuse_unknown(itertools.takewhile(lambda each: each != name, self._words))
        self.error(f"there is no command '{name}'{meant(name, self.verbs.lines if self.verbs else ())}")

    def _chosen(self) -> SafeParser:
        """The parser of the verb that was given, and of its own verb, `fleet plan`."""
        return self.verbs.chosen._chosen() if self.verbs and self.verbs.chosen else self


def _reader(action: argparse.Action, convert: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text == NO_VALUE:
            raise ArgumentTypeError(f"expects {', '.join(action.choices or [name_of(action)])}")
        if not text:  # as of a variable that is not set
            raise ArgumentTypeError("the value is empty")
        value = convert(text)
        if action.choices is None or value in action.choices:
            return value
        shown = [str(each) for each in action.choices]
        what = f"{action.option_strings[-1]} cannot be" if action.option_strings else f"there is no {operand(action)}"
        raise argparse.ArgumentError(None, f"{what} '{value}'{meant(text, shown)}: {', '.join(shown)}")

    return read


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


def further(parser: SafeParser, title: str) -> OptionGroup:
    """A new group of options that the --help of a verb only names; `raidtui help VERB` and its man page have them."""
    return parser.group(title, further=True)


class VerbParser(SafeParser):
    """Parser of one verb. It gets its options when it parses: those of all verbs would cost every start 10 ms."""

    def __init__(self, *, add_options: AddOptions, **settings: Any) -> None:
        super().__init__(epilog=EXIT_CODES, **settings)
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
        return [operand(action) for action in self.actions if not action.option_strings]

    @property
    def examples(self) -> list[str]:
        """Two calls, a line each."""
        widest = max((len(call) for call, _ in self.calls), default=0)
        return [f"{call:<{widest}}  # {purpose}" for call, purpose in self.calls]

    def format_help(self) -> str:
        """See ArgumentParser; with the examples above the options."""
        return "\n".join([self._head(self.titled), filled(self.epilog)])

    def print_help(self, file: Any = None) -> None:
        """Prints what --help does: `format_help`, but only the names of the further options."""
        further = [group.actions for group in self.groups if group.further]
        named = only_names([each for each in self.titled if each[1] in further])
        more = f"{self.prog.replace(' ', ' help ', 1)} describes exit codes, and these too:"
        end = block(more, named) if named else filled(self.epilog)
        page = "\n".join([self._head([each for each in self.titled if each[1] not in further]), end])
        print(page, end="", file=file or sys.stdout, flush=True)

    def _head(self, titled: Titled) -> str:
        synopsis = " ".join([f"usage: {self.prog}", "[OPTION]...", *self.operands])
        examples = block("examples:", self.examples)
        return "\n".join([f"{synopsis}\n", filled(self.description), examples, self.sections(titled)])

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """See ArgumentParser."""
        self.complete()
        return super().parse_known_args(args, namespace)


def add_color(parser: SafeParser, default: str) -> None:
    """--color, which is allowed before and after the verb; only the top parser holds its default."""
    parser.add_argument(
        "--color", metavar="WHEN", choices=COLOUR_CHOICES, default=default,
        help="colours: auto (default), always or never",
    )  # fmt: skip


def add_disk_options(parser: SafeParser, *, top: bool = False) -> None:
    """Adds options that are allowed before and after the verb; only the top parser holds their defaults."""
    unset = argparse.SUPPRESS

    def default(value: object) -> object:
        return value if top else unset

    group = parser.group("disks (default: this machine's)")
    source = group.exclusive()
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
    kind = group.exclusive()
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


def add_options(parser: SafeParser | OptionGroup, rows: Iterable[Option]) -> None:
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


def add_speed_up(parser: SafeParser) -> None:
    """Adds --speed-up, which applies to simulated machines only."""
    further(parser, "simulated disks").add_argument(
        "--speed-up", metavar="N", type=number(*SPEED_UP), default=600.0,
        help="run N times as fast as real time (default 600)",
    )  # fmt: skip


def add_sync_options(parser: SafeParser) -> None:
    """Adds what a build does about syncs: of other arrays, and of its own."""
    parser.add_argument(
        "--during-sync",
        action="store_true",
        help="build although other arrays sync; RAID4 and RAID5 do not wait for their first sync either",
    )
    parser.add_argument(
        "--wait-for-sync", action="store_true", help="make file systems only when the first sync has ended"
    )
