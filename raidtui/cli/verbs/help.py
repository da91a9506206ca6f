"""`raidtui help`: explains a topic or a verb, from files that are installed with raidtui."""

from __future__ import annotations

import argparse
import json
import shutil
import sys

from raidtui.cli.options.mistakes import meant
from raidtui.cli.options.parser import complete_parser
from raidtui.machine.system import programs
from raidtui.topics import about, page
from raidtui.values import codec
from raidtui.values.choices import TOPICS
from raidtui.values.errors import BadInput, Exit


def help(options: argparse.Namespace) -> int:
    """Prints the topic, or the options of the verb; on a terminal that is too low for it, in a pager."""
    topic = " ".join(options.topic) or None
    text = explanation(topic)
    if options.json:
        from raidtui.values.codec import to_json  # only for a program
        from raidtui.values.printed import HelpText  # only for a program

        verbs = tuple(complete_parser()[1])
        print(to_json(HelpText(topic=topic, text=text, topics=TOPICS, verbs=verbs)))
        return Exit.DONE
    terminal = shutil.get_terminal_size()
    if sys.stdout.isatty() and text.count("\n") >= terminal.lines:
        sys.stdout.flush()
        programs.page(text)
    else:
        print(text, end="")
    return Exit.DONE


def explanation(topic: str | None) -> str:
    """Text of a topic, the help of a verb, the list of topics without one, or the sections that have another word.

    Raises BadInput for a word that no page has."""
    if topic is None:
        return _contents()
    _, verbs = complete_parser()
    if topic in verbs and topic not in TOPICS:
        return verbs[topic].format_help()
    if found := about(topic):
        return found
    raise BadInput(
        f"there is no help on '{topic}'{meant(topic, (*TOPICS, *verbs))}",
        hint=f"topics: {', '.join(TOPICS)}; or a command of raidtui --help",
    )


def _contents() -> str:
    lines = ["raidtui help TOPIC explains:", ""]
    for topic in TOPICS:
        lines.append(f"  {page(topic).partition(chr(10))[0].removeprefix('# ')}")
    lines += ["", "raidtui help COMMAND lists its options, raidtui --help all commands."]
    return "\n".join(lines) + "\n"


# `raidtui schema`: the JSON Schema of a document that raidtui writes.


def schema(options: argparse.Namespace) -> int:
    """Prints the schema of the document that is named, or of all in one bundle."""
    from raidtui.cli.schemas import SCHEMAS  # all documents of the product: a page of help needs none

    named = options.value
    print(json.dumps(codec.schema(named, SCHEMAS[named]) if named else codec.bundle(SCHEMAS), indent=2))
    return Exit.DONE
