"""Pages of help, installed with raidtui: `raidtui help` and F1 in the app print and search them."""

from __future__ import annotations

import io
import re
from pathlib import Path

from raidtui.values.choices import TOPICS

_COLUMNS = 79
_NOT_PRINTED = re.compile(r"^(?:!\[.*|<!--.*)\n", re.MULTILINE)
"""lines of a page that no terminal shows: pictures and comments"""
_PLACES = 12
"""sections that are named for a word"""
_HEADING = re.compile(r"^## .*$", re.MULTILINE)
_ASCII = str.maketrans("\N{BULLET}\N{BOX DRAWINGS LIGHT HORIZONTAL}\N{HORIZONTAL ELLIPSIS}", "--~")


def page(topic: str) -> str:
    """The page of a topic, Markdown."""
    return (Path(__file__).parent / f"{topic}.md").read_text("utf-8")


def about(word: str, columns: int = _COLUMNS) -> str:
    """The page of a topic, or the sections that have another word, as lines of `columns`; empty for an unknown word."""
    if word in TOPICS:
        return _printed(page(word), columns)
    return _looked_up(word, columns) if word.strip() else ""


def _looked_up(word: str, columns: int) -> str:
    """The section of the page `words` that is headed by a word, and where else it stands; nothing if it stands
    nowhere."""
    wanted = word.lower().strip()
    found, places = "", []
    for topic in TOPICS:
        for section in re.split(r"^## ", page(topic), flags=re.MULTILINE):
            heading, _, body = section.partition("\n")
            headed = topic == "words" and wanted.rstrip("s") in [
                each.strip().rstrip("s") for each in heading.split(",")
            ]
            if headed and not found:
                found = f"# {heading}\n{body}"
            elif re.search(rf"(?<![\w-]){re.escape(wanted)}s?(?![\w-])", section, re.IGNORECASE):
                places.append((topic, "" if heading.startswith("# ") else heading.lower()))
    shown = [f"  raidtui help {topic}{f': {heading}' if heading else ''}" for topic, heading in places[:_PLACES]]
    shown += [f"  and {len(places) - _PLACES} more"] if len(places) > _PLACES else []
    text = _printed(found, columns) if found else ""
    return (
        text
        + ("\n" if found and shown else "")
        + "".join(f"{line}\n" for line in shown and [f"'{word}' is in:", *shown])
    )


def _printed(page: str, columns: int) -> str:
    """A page of Markdown as lines of `columns` for any terminal and for man, in ASCII as the page is."""
    from rich.console import Console  # only for a topic
    from rich.markdown import Markdown  # only for a topic

    title, _, body = page.removeprefix("# ").partition("\n")
    body = _HEADING.sub(lambda heading: heading[0].upper(), _NOT_PRINTED.sub("", body))
    console = Console(file=io.StringIO(), width=columns, color_system=None, legacy_windows=False)
    with console.capture() as printed:
        console.print(Markdown(body))
    lines = [line.rstrip() for line in printed.get().translate(_ASCII).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join([title, "", *lines]).rstrip()) + "\n"
