import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.programs.shell_quote import WIDTH, ascii_text, comment, quote, render

HOSTILE = [
    "", " ", "a b", "'", '"', "\\", "$(reboot)", "`reboot`", "; reboot", "&& reboot", "| tee", "> /dev/sda", "#", "!!",
    "~", "*", "-rf", "\x1b[2J", "\x9b31m", "\u202eevil", "a\nb", "a\rb", "\t", "ü", "日本", "'; reboot; '",
    "$'\\x41'", "\\x41", "%s", "\x7f", "END_OF_TEXT", "\u00ad",
]  # fmt: skip


@given(st.lists(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)), min_size=1))
def test_printable_words_come_back_from_the_shell_text(words: list[str]) -> None:
    assert shlex.split(render(words).replace("\\\n", " ")) == words


@given(st.text())
def test_a_quoted_word_is_printable_ascii(word: str) -> None:
    shown = quote(word).replace("\n", "")
    assert shown.isascii() and shown.isprintable()


@given(st.text())
def test_a_comment_cannot_be_left(text: str) -> None:
    lines = comment(text).split("\n")
    assert all(line.startswith("#") and line.isascii() and line.isprintable() for line in lines)
    assert ascii_text(text).isprintable()


def test_long_commands_are_broken_between_words() -> None:
    lines = render(["mdadm", *(f"/dev/disk/by-id/wwn-0x{number:016x}" for number in range(9))]).split("\n")
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert all(len(line) <= WIDTH + 2 for line in lines)
    assert lines[1].startswith("    /dev/disk/by-id/")


@pytest.mark.process
def test_bash_reads_exactly_the_words_that_were_meant() -> None:
    text = render(["printf", "%s\\0", *HOSTILE])
    done = subprocess.run(["bash", "-c", text], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == HOSTILE
