"""`raidtui help`: explains a topic or a verb, from files that are installed with raidtui."""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import sys
from pathlib import Path

from raidtui.cli.options.parser import complete_parser
from raidtui.cli.options.shared import meant
from raidtui.machine.system import programs
from raidtui.values import codec
from raidtui.values.choices import TOPICS
from raidtui.values.errors import BadInput, Exit

_TOPICS = Path(__file__).parents[2] / "topics"
_COLUMNS = 79
_NOT_PRINTED = re.compile(r"^(?:!\[.*|<!--.*)\n", re.MULTILINE)
"""lines of a page that no terminal shows: pictures and comments"""
_PLACES = 12
"""sections that are named for a word"""
_HEADING = re.compile(r"^## .*$", re.MULTILINE)
_ASCII = str.maketrans("\N{BULLET}\N{BOX DRAWINGS LIGHT HORIZONTAL}\N{HORIZONTAL ELLIPSIS}", "--~")


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
    if topic in TOPICS:
        return _printed((_TOPICS / f"{topic}.md").read_text("utf-8"))
    _, verbs = complete_parser()
    if topic in verbs:
        return verbs[topic].format_help()
    if topic.strip() and (found := _looked_up(topic)):
        return found
    raise BadInput(
        f"there is no help on '{topic}'{meant(topic, (*TOPICS, *verbs))}",
        hint=f"topics: {', '.join(TOPICS)}; or a verb of raidtui --help",
    )


def _looked_up(word: str) -> str:
    """The section of the page `words` that is headed by a word, and where else it stands; nothing if it stands
    nowhere."""
    wanted = word.lower().strip()
    about, places = "", []
    for topic in TOPICS:
        page = (_TOPICS / f"{topic}.md").read_text("utf-8")
        for section in re.split(r"^## ", page, flags=re.MULTILINE):
            heading, _, body = section.partition("\n")
            headed = topic == "words" and wanted.rstrip("s") in [
                each.strip().rstrip("s") for each in heading.split(",")
            ]
            if headed and not about:
                about = f"# {heading}\n{body}"
            elif re.search(rf"(?<![\w-]){re.escape(wanted)}s?(?![\w-])", section, re.IGNORECASE):
                places.append((topic, "" if heading.startswith("# ") else heading.lower()))
    shown = [f"  raidtui help {topic}{f': {heading}' if heading else ''}" for topic, heading in places[:_PLACES]]
    shown += [f"  and {len(places) - _PLACES} more"] if len(places) > _PLACES else []
    text = _printed(about) if about else ""
    return (
        text
        + ("\n" if about and shown else "")
        + "".join(f"{line}\n" for line in shown and [f"'{word}' stands in:", *shown])
    )


def _contents() -> str:
    lines = ["raidtui help TOPIC explains:", ""]
    for topic in TOPICS:
        with (_TOPICS / f"{topic}.md").open(encoding="utf-8") as page:
            lines.append(f"  {page.readline().removeprefix('# ').rstrip()}")
    lines += ["", "raidtui help VERB lists the options of a verb, raidtui --help all verbs."]
    return "\n".join(lines) + "\n"


def _printed(page: str) -> str:
    """A page of Markdown as lines of 79 columns for any terminal and for man, in ASCII as the page is."""
    from rich.console import Console  # only for a topic
    from rich.markdown import Markdown  # only for a topic

    title, _, body = page.removeprefix("# ").partition("\n")
    body = _HEADING.sub(lambda heading: heading[0].upper(), _NOT_PRINTED.sub("", body))
    console = Console(file=io.StringIO(), width=_COLUMNS, color_system=None, legacy_windows=False)
    with console.capture() as printed:
        console.print(Markdown(body))
    lines = [line.rstrip() for line in printed.get().translate(_ASCII).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join([title, "", *lines]).rstrip()) + "\n"


# `raidtui schema`: the JSON Schema of a document that raidtui writes.


def schema(options: argparse.Namespace) -> int:
    """Prints the schema of the document that is named, or of all in one bundle."""
    from raidtui.cli.schemas import SCHEMAS  # all documents of the product: a page of help needs none

    named = options.value
    print(json.dumps(codec.schema(named, SCHEMAS[named]) if named else codec.bundle(SCHEMAS), indent=2))
    return Exit.DONE
