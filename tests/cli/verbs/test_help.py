"""`raidtui help`: topics in plain English, the help of a verb, and a pager on a terminal only."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest

import raidtui
from raidtui.cli import main
from raidtui.cli.options.parser import complete_parser
from raidtui.values.choices import TOPICS
from raidtui.values.errors import Exit
from tests.cli.commands import answer

ROOT = Path(raidtui.__file__).parents[1]
CODES = {
    0: "done",
    1: "refused for a reason you can change",
    2: "wrong usage",
    3: "the machine failed",
    4: "the plan no longer fits",
    5: "another run holds the lock",
    130: "interrupted",
}


def test_every_topic_has_a_text_and_every_text_a_topic() -> None:
    assert sorted(path.name for path in (ROOT / "raidtui" / "topics").glob("*.md")) == sorted(
        f"{each}.md" for each in TOPICS
    )


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_fits_a_terminal_and_needs_no_other_character_set(
    topic: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = answer(capsys, "help", topic)
    assert text.startswith(f"{topic}: ")
    assert max(map(len, text.splitlines())) <= 79
    assert text.isascii()


def test_without_a_topic_the_topics_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    text = answer(capsys, "help")
    for topic in TOPICS:
        assert f"\n  {topic}: " in text


def test_a_verb_is_explained_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    asked = answer(capsys, "help", "plan")
    with pytest.raises(SystemExit):
        main(["plan", "--help"])
    short = capsys.readouterr().out
    for text in (asked, short):
        assert "\n\nShow every step of a build with its commands; executes nothing.\n\nexamples:\n" in text
    assert ("  --bitmap-chunk SIZE" in asked, "  --bitmap-chunk SIZE" in short) == (True, False)
    assert "usage: raidtui fleet plan [OPTION]... RECIPE\n" in answer(capsys, "help", "fleet", "plan")


def test_any_other_word_names_the_sections_that_have_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "help", "SELinux") == "'SELinux' is in:\n  raidtui help mount: refused\n"


def test_a_word_that_was_meant_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "modell"]) == 2
    assert capsys.readouterr().err.startswith("raidtui: there is no help on 'modell' (did you mean model?)\n")


@pytest.mark.parametrize("verb", ["", *complete_parser()[1]])
def test_every_help_states_the_exit_codes(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    if verb not in ("", *TOPICS):
        main(["help", *verb.split()])
    else:
        with pytest.raises(SystemExit):
            main([*verb.split(), "--help"])
    codes = " ".join(capsys.readouterr().out.partition("exit codes: " if verb else "exit codes:\n")[2].split())
    assert codes == (", " if verb else " ").join(f"{code} {meaning}" for code, meaning in CODES.items())


def test_a_topic_states_the_same_exit_codes() -> None:
    topic = " ".join((ROOT / "raidtui" / "topics" / "plans.md").read_text().split())
    assert f"Exit codes: {'; '.join(f'{code} {meaning}' for code, meaning in CODES.items())}." in topic
    assert [code.value for code in Exit] == list(CODES)


def test_help_for_programs_lists_the_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "risk", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "raidtui/help/1"
    assert found["topic"] == "risk"
    assert found["text"].startswith("risk: ")
    assert found["topics"] == list(TOPICS)
    assert {"disks", "propose", "script", "help"} <= set(found["verbs"])
    assert main(["help", "--json"]) == 0
    assert "topic" not in json.loads(capsys.readouterr().out)


@pytest.mark.needs("less")
@pytest.mark.parametrize(("rows", "paged"), [(24, True), (200, False)])
def test_only_a_terminal_that_is_too_low_gets_a_pager(rows: int, paged: bool) -> None:
    """less shows the first page and a prompt; what it shows then scrolls no further until a key comes."""
    master, slave = pty.openpty()
    surroundings = {**os.environ, "TERM": "xterm", "LINES": str(rows), "COLUMNS": "80"}
    program = [sys.executable, "-m", "raidtui", "help", "promises"]
    with subprocess.Popen(program, stdin=slave, stdout=slave, stderr=slave, env=surroundings, start_new_session=True,
                          preexec_fn=_take_terminal) as shown:  # fmt: skip
        os.close(slave)
        if paged:
            seen = _read_until(master, b":\x1b[K")
            os.write(master, b"q")
        else:
            seen = _read_until(master, b"a single path.")
        assert shown.wait(20) == 0
    os.close(master)
    assert (b"NOT PROMISED" in seen) is not paged


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _read_until(master: int, end: bytes) -> bytes:
    seen = b""
    while end not in seen:
        seen += os.read(master, 4096)
    return seen
