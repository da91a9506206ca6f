"""The parser of the command line and of a verb: argparse with our pages of help, and mistakes answered with a fix."""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, cast

from raidtui.cli.options.page import Titled, block, filled, name_of, only_names, operand, sections, usage
from raidtui.values.choices import COLOUR_CHOICES
from raidtui.values.errors import BadInput, Exit
from raidtui.values.units import HARD_BLANK

AddOptions = Callable[["SafeParser"], None]
NO_VALUE = "\0"
"""in place of the value that an option lacks: no command line can hold it"""
_NEGATIVE = re.compile(r"-\d+$|-\d*\.\d+$")
EXIT_CODES = f"exit codes: {', '.join(f'{code.value}{HARD_BLANK}{code.meaning}' for code in Exit)}"
"""the last lines of every --help; a code and its meaning are on one line"""


class UnknownOption(BadInput):
    """An option that the command does not take."""

    def __init__(self, message: str, name: str, **more: str) -> None:
        super().__init__(message, **more)
        self.name = name


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

    def error(self, message: str, fix: str = "") -> NoReturn:
        """See ArgumentParser; an unknown option comes first: its value, or it, was taken for something else."""
        from raidtui.cli.options import mistakes  # only for one

        words, self._words = self._words, ()
        if self.verbs is None:
            self._refuse_unknown(itertools.takewhile(lambda each: each != "--", words))
        choices = [(operand(each), tuple(each.choices or ())) for each in self.actions if not each.option_strings]
        raise BadInput(message, hint=fix or mistakes.in_order(self._verb, words, choices) or self._way_out)

    @property
    def _verb(self) -> str:
        """What follows raidtui: `fleet check`; empty for all of it."""
        return self.prog.partition(" ")[2]

    @property
    def _way_out(self) -> str:
        return f"{f'raidtui help {self._verb}' if self._verb else 'raidtui --help'} lists what it takes"

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """See ArgumentParser; an option that no verb of this parser takes is answered by the verb that was given."""
        words = tuple(sys.argv[1:] if args is None else args)
        if "--create" in words or "-C" in words:
            from raidtui.cli.options.mistakes import refuse_mdadm  # only for that mistake

            refuse_mdadm(words)
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
            self.error(
                f"{self._verb} expects {', '.join(missing)}", *(f"for example: {call}" for call, _ in self.calls[:1])
            )
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
        from raidtui.cli.options import mistakes  # only for one

        name, verb = word.partition("=")[0], self._verb
        operands = [operand(each) for each in self.actions if not each.option_strings and each is not self.verbs]
        if name in mistakes.OF_LAYOUT and any(each.dest == "layout" for each in self.actions):
            self.error(f"unknown option {word}: level, parity and spares are written in the layout, such as 4x(12+2)+4")
        if name in self.names:  # it was given before the command
            raise BadInput(f"{name} was given before {verb}", hint=f"write it behind: raidtui {verb} ... {name}")
        if not word.startswith("-"):
            fix = mistakes.fix_of_word(word, verb, self.names, operands)
            raise BadInput(f"one word too many: {word}", hint=fix or self._way_out)
        if fix := mistakes.fix_of_option(name, verb, self.names, operands):
            raise BadInput(f"unknown option {word}", hint=fix)
        suggested = mistakes.meant(word, self.names)
        if word.startswith("--") and not suggested:
            raise UnknownOption(f"unknown option {word}", name, hint=self._way_out)
        self.error(f"unknown option {word}{suggested}")

    def _refuse_unknown(self, words: Iterable[str]) -> None:
        """Refuses the first word that looks like an option and is none."""
        for word in words:
            name = word.partition("=")[0]
            if not word.startswith("-") or " " in word or _NEGATIVE.match(word) or name in self.names:
                continue
            begun = [option for option in self.names if option.startswith(name)]
            if not begun or name in ("-", "--"):
                self.refuse(word)
            if len(begun) > 1:
                raise BadInput(f"{name} is not one option: {', '.join(begun)}", hint=f"write it whole, as {begun[0]}")

    def refuse_verb(self, name: str) -> NoReturn:
        """Ends with the answer to a word that is no verb: those that --help lists, and the one that was meant."""
        self._refuse_unknown(itertools.takewhile(lambda each: each != name, self._words))
        from raidtui.cli.options import mistakes  # only for one

        fix = mistakes.fix_of_command(name) if not self._verb else ""
        like = "" if fix else mistakes.meant(name, self.verbs.lines if self.verbs else ())
        self.error(f"there is no command '{name}'{like}", fix)

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
        from raidtui.cli.options.mistakes import meant  # only for one

        shown = [str(each) for each in action.choices]
        what = f"{action.option_strings[-1]} cannot be" if action.option_strings else f"there is no {operand(action)}"
        raise argparse.ArgumentError(None, f"{what} '{value}'{meant(text, shown)}: {', '.join(shown)}")

    return read


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
