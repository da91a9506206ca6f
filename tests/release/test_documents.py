"""Man pages and completions, made from the parser."""

from __future__ import annotations

import re
import subprocess
from functools import cache

import pytest

from raidtui.cli.options.parser import complete_parser
from raidtui.values.choices import TOPICS
from tests.release.completions import completions
from tests.release.manual import pages, roff

DAY = 1767225600
"""1 January 2026"""


@cache
def made() -> dict[str, str]:
    """The pages of that day."""
    return pages(DAY)


def test_a_page_for_each_verb_and_topic() -> None:
    _, verbs = complete_parser()
    names = {
        "raidtui.1",
        *(f"raidtui-{verb.replace(' ', '-')}.1" for verb in verbs),
        *(f"raidtui-{topic}.7" for topic in TOPICS),
    }
    assert set(made()) == names
    assert "raidtui-fleet-disks.1" in names, "a verb of a verb has its own"
    assert "execute" not in verbs, "what only raidtui itself starts has no page"


def test_the_page_of_a_verb() -> None:
    assert made()["raidtui-control.1"].splitlines() == [
        '.TH RAIDTUI\\-CONTROL 1 2026-01-01 "raidtui 0.1.0" raidtui',
        ".nh",
        ".ad l",
        ".SH NAME",
        "raidtui\\-control \\- pause, stop or throttle a job that runs",
        ".SH SYNOPSIS",
        ".B raidtui control",
        "[OPTION]... RUN REQUEST",
        ".SH DESCRIPTION",
        "Pause, stop or throttle a job that runs.",
        ".SH EXAMPLES",
        ".nf",
        ".in 0",
        "raidtui control 3f2a pause        # after the command that runs",
        "raidtui control 3f2a limit=50000  # a sync takes 50 MB/s at most",
        ".in",
        ".fi",
        '.SH "POSITIONAL ARGUMENTS"',
        ".TP",
        ".B RUN",
        "first digits of a job\\(aqs id",
        ".TP",
        ".B REQUEST",
        "pause, go (on after a pause), stop (after the command that runs); wait\\-for\\-sync (before the file "
        "systems), during\\-sync (do not wait); limit=KIB_PER_S (of a sync; 0: none), or skip=TEST (of a benchmark)",
        '.SH "OPTIONS"',
        ".TP",
        ".B \\-h, \\-\\-help",
        "show this help message and exit",
        ".TP",
        ".B \\-\\-json",
        "the requests in force as JSON",
        ".TP",
        ".B \\-\\-color WHEN",
        "colours: auto (default), always or never",
        '.SH "EXIT STATUS"',
        ".TP",
        ".B 0",
        "done",
        ".TP",
        ".B 1",
        "refused for a reason you can change",
        ".TP",
        ".B 2",
        "wrong usage",
        ".TP",
        ".B 3",
        "the machine failed",
        ".TP",
        ".B 4",
        "the plan no longer fits",
        ".TP",
        ".B 5",
        "another run holds the lock",
        ".TP",
        ".B 130",
        "interrupted",
        '.SH "SEE ALSO"',
        ".BR raidtui (1),",
        ".BR raidtui\\-notation (7),",
        ".BR raidtui\\-sizes (7),",
        ".BR raidtui\\-speeds (7),",
        ".BR raidtui\\-risk (7),",
        ".BR raidtui\\-plans (7),",
        ".BR raidtui\\-promises (7),",
        ".BR raidtui\\-measure (7),",
        ".BR raidtui\\-fleet (7),",
        ".BR raidtui\\-installers (7),",
        ".BR raidtui\\-install (7),",
        ".BR raidtui\\-mkfs (7),",
        ".BR raidtui\\-mount (7),",
        ".BR raidtui\\-luks (7),",
        ".BR raidtui\\-boot (7),",
        ".BR raidtui\\-integrity (7),",
        ".BR raidtui\\-journal (7),",
        ".BR raidtui\\-states (7),",
        ".BR raidtui\\-rules (7),",
        ".BR raidtui\\-growth (7),",
        ".BR raidtui\\-terminals (7),",
        ".BR raidtui\\-plain (7),",
        ".BR raidtui\\-keys (7),",
        ".BR raidtui\\-words (7)",
    ]


@pytest.mark.needs("nroff")
@pytest.mark.parametrize("page", ["raidtui.1", "raidtui-fleet-plan.1", "raidtui-plain.7", "raidtui-notation.7"])
def test_a_page_fits_80_columns(page: str) -> None:
    shown = subprocess.run(["nroff", "-man", "-rLL=78n"], input=made()[page], capture_output=True, text=True)
    text = re.sub(".\x08", "", re.sub("\x1b\\[[0-9;]*m", "", shown.stdout))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert max(map(len, text.splitlines())) <= 80


def test_a_page_depends_on_its_date_only(monkeypatch: pytest.MonkeyPatch) -> None:
    before = made()
    monkeypatch.setenv("COLUMNS", "40")
    assert pages(DAY) == before


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("--mkfs a\\b", "\\-\\-mkfs a\\eb"),
        (".hidden\n.lines", "\\&.hidden\n\\&.lines"),
        ("~/it's", "\\(ti/it\\(aqs"),
    ],
)
def test_roff_prints_what_was_written(text: str, written: str) -> None:
    assert roff(text) == written


def test_each_shell_completes_verbs_options_topics_and_files() -> None:
    for shell, text in completions().items():
        for word in ("propose", "consistency-policy", "notation", "mq-deadline"):
            assert word in text, (shell, word)
        assert "execute" not in text.replace("executes", "").replace("executor", "")
