"""Man pages from the parser: raidtui(1), a page of section 1 for each verb and one of section 7 for each help topic."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import raidtui
from raidtui.cli.options.page import label, meaning
from raidtui.cli.options.parser import complete_parser
from raidtui.cli.options.verb_parser import SafeParser, VerbParser
from raidtui.cli.verbs.help import explanation
from raidtui.values.choices import TOPICS
from raidtui.values.errors import Exit

_FILES = (
    ("/var/lib/raidtui", "runs, benchmarks and measured speeds of root"),
    ("~/.local/state/raidtui", "the same of other users, and runs on simulated disks ($XDG_STATE_HOME)"),
)


def pages(epoch: int) -> dict[str, str]:
    """Name of each page's file (`raidtui-plan.1`) to its roff; `epoch`: the date that it bears, seconds since 1970."""
    top, verbs = complete_parser()
    found = {"raidtui.1": _page("raidtui", 1, epoch, _main_page(top, verbs))}
    for name, verb in verbs.items():
        page = f"raidtui-{name.replace(' ', '-')}"
        found[f"{page}.1"] = _page(page, 1, epoch, _verb_page(name, verb))
    for topic in TOPICS:
        found[f"raidtui-{topic}.7"] = _page(f"raidtui-{topic}", 7, epoch, _topic_page(topic, explanation(topic)))
    return found


def roff(text: str) -> str:
    """`text` as roff prints it: no hyphen becomes a dash, no line a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    escaped = escaped.replace("`", "\\(ga").replace("'", "\\(aq")
    return "\n".join(f"\\&{line}" if line.startswith(".") else line for line in escaped.split("\n"))


def _page(name: str, section: int, epoch: int, body: Iterator[str]) -> str:
    day = time.strftime("%Y-%m-%d", time.gmtime(epoch))
    heading = f'.TH {roff(name.upper())} {section} {day} "raidtui {raidtui.__version__}" raidtui'
    return "\n".join([heading, ".nh", ".ad l", *body]) + "\n"


def _main_page(top: SafeParser, verbs: Mapping[str, VerbParser]) -> Iterator[str]:
    yield from (".SH NAME", roff("raidtui - design, build and measure Linux md RAID"))
    yield from (".SH SYNOPSIS", ".B raidtui", roff("[OPTION]..."), ".br", ".B raidtui", roff("VERB [OPTION]..."))
    yield from (".SH DESCRIPTION", roff(top.description or ""), roff("Without a verb the app opens."))
    yield ".SH VERBS"
    for name, verb in verbs.items():
        yield from (".TP", f".BR {roff(f'raidtui-{name}'.replace(' ', '-'))} (1)", roff(verb.description or ""))
    yield from _options(top)
    examples = (top.epilog or "").partition("\n\n")[0].splitlines()[1:]
    yield from (".SH EXAMPLES", ".nf", ".in 0", *map(roff, examples), ".in", ".fi")
    yield from _exit_status()
    yield ".SH FILES"
    for path, what in _FILES:
        yield from (".TP", f".I {roff(path)}", roff(what))
    yield from _see_also([*(f"raidtui-{topic} (7)" for topic in TOPICS), "mdadm (8)", "md (4)", "lvm (8)", "fio (1)"])


def _verb_page(name: str, verb: VerbParser) -> Iterator[str]:
    summary = (verb.description or "").partition(". ")[0].rstrip(".")
    yield from (".SH NAME", roff(f"raidtui-{name.replace(' ', '-')} - {summary[0].lower()}{summary[1:]}"))
    yield from (".SH SYNOPSIS", f".B raidtui {name}", roff(" ".join(["[OPTION]...", *verb.operands])))
    yield from (".SH DESCRIPTION", roff(verb.description or ""))
    yield from (".SH EXAMPLES", ".nf", ".in 0", *map(roff, verb.examples), ".in", ".fi")
    yield from _options(verb)
    yield from _exit_status()
    yield from _see_also(["raidtui (1)", *(f"raidtui-{topic} (7)" for topic in TOPICS)])


def _topic_page(topic: str, text: str) -> Iterator[str]:
    title, _, body = text.partition("\n\n")
    yield from (".SH NAME", roff(f"raidtui-{topic} - {title.removeprefix(f'{topic}: ')}"))
    # the lines of a topic have up to 79 columns
    yield from (".SH DESCRIPTION", ".nf", ".in 0", roff(body.rstrip("\n")), ".in", ".fi")
    yield from _see_also(["raidtui (1)"])


def _options(parser: SafeParser) -> Iterator[str]:
    for title, actions in parser.titled:
        yield f'.SH "{roff(title.upper())}"'
        for action in actions:
            yield from (".TP", ".B " + roff(label(action)))
            yield roff(meaning(action))


def _exit_status() -> Iterator[str]:
    yield '.SH "EXIT STATUS"'
    for code in Exit:
        yield from (".TP", f".B {code.value}", roff(f"{code.meaning}"))


def _see_also(pages: list[str]) -> Iterator[str]:
    yield '.SH "SEE ALSO"'
    yield from (f".BR {roff(page)}{',' if page != pages[-1] else ''}" for page in pages)
