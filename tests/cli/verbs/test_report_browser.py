"""The page in a real browser: whole, nothing loaded, nothing run, no wider than a telephone."""

from __future__ import annotations

import html
import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.session.report import texts
from raidtui.values.location import Location
from raidtui.values.report import OpenPoint, Report, ReportDisk
from tests.lab.host import seconds
from tests.planner.hostile import NASTY
from tests.planner.reports import report, result

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.thorough]
Browser = Callable[..., str]
"""(page, further options) to what chromium prints; the net log is beside the page"""
MADE = report(result(), result("survey", began=1_798_010_000.0), gauges=True)
WIDE, HIGH = 1280, 900
WIDTHS = (360, 390, 768, 1280)
"""small and usual telephone, tablet, window"""
OWN = "not an origin"
ELSEWHERE = "http://elsewhere.example/x.png"


def pretty(made: Report) -> str:
    return texts(made, ("html",))["report.html"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """Headless chromium with a profile of its own."""
    home = tmp_path_factory.mktemp("chromium")

    def run(page: Path, *options: str) -> str:
        argv = [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
            "--disable-domain-reliability", "--host-resolver-rules=MAP * ~NOTFOUND", "--force-device-scale-factor=1",
            f"--user-data-dir={home}", f"--log-net-log={page.with_suffix('.net')}", *options, page.as_uri(),
        ]  # fmt: skip
        done = subprocess.run(argv, capture_output=True, text=True, timeout=seconds(60), check=True)
        return done.stdout

    return run


def asked_for(page: Path) -> set[str]:
    """Every address that the page made the browser ask for; its own wishes (updates, the time) have no origin."""
    log = page.with_suffix(".net").read_text()
    events = (
        json.loads(log)["events"]
        if log.rstrip().endswith("}")
        else json.loads(log.rstrip().rstrip(",") + "]}")["events"]
    )
    found = [event.get("params", {}) for event in events]
    return {each["url"] for each in found if "url" in each and each.get("initiator", OWN) != OWN}


def test_all_of_it_is_there_drawn_printed_and_nothing_is_fetched(browser: Browser, tmp_path: Path) -> None:
    page, picture, paper = (tmp_path / name for name in ("report.html", "shot.png", "report.pdf"))
    page.write_text(pretty(MADE))
    size = f"--window-size={WIDE},{HIGH}"
    dom = browser(page, "--dump-dom", f"--screenshot={picture}", f"--print-to-pdf={paper}", size)
    for anchor in ("points", "figures", "bench1", "bench2", "layout", "disks", "verification", "commands", "conditions",
                   "signatures"):  # fmt: skip
        assert dom.count(f' id="{anchor}"') == 1
    assert dom.count("<svg role=") == 7
    assert dom.count("<table") == pretty(MADE).count("<table")
    assert "ZC1007QX" in dom
    assert "ACCEPT, 2 OPEN" in dom
    assert asked_for(page) == set()
    data = picture.read_bytes()
    assert (data[:8], int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (b"\x89PNG\r\n\x1a\n", WIDE, HIGH)
    assert len(data) > 40_000  # a blank page of that size has 5 KB
    printed = paper.read_bytes()
    assert printed.startswith(b"%PDF-")
    pages = [int(count) for count in re.findall(rb"/Type /Pages[^>]*?/Count (\d+)", printed, re.DOTALL)]
    assert 4 <= max(pages) <= 8  # a page to sign, and the appendix


def test_a_page_that_would_fetch_something_is_seen(browser: Browser, tmp_path: Path) -> None:
    """That the tests beside can fail: the same page with a picture from elsewhere and without its policy."""
    page = tmp_path / "report.html"
    text = pretty(MADE).replace("<main>", f'<main><img src="{ELSEWHERE}">')
    page.write_text(text.replace("Content-Security-Policy", "X"))
    browser(page, "--dump-dom")
    assert asked_for(page) == {ELSEWHERE}


def test_hostile_names_neither_run_nor_load(browser: Browser, tmp_path: Path) -> None:
    said = [text.encode("utf-8", "replace").decode() for text in NASTY]
    disks = tuple(ReportDisk(id=text, serial=text, model=text, place=Location.read(text), role=text) for text in said)
    points = tuple(OpenPoint(weight="open", code="x", text=text, way_out=text) for text in said)
    conditions = {text: text for text in said}
    page = tmp_path / "report.html"
    text = pretty(replace(MADE, host=said[0], disks=disks, points=points, conditions=conditions))
    page.write_text(text.replace("<main>", f'<main><img src="{ELSEWHERE}">'))  # the policy is the second wall
    dom = browser(page, "--dump-dom")
    assert "<script" not in dom
    assert re.findall(r"<[^>]*\son\w+=", dom) == []
    assert dom.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 5
    assert dom.count("<img") == 1
    assert re.findall(r"<iframe|<object|<embed|<link|<form|<base", dom) == []
    assert asked_for(page) == set()


def test_it_is_no_wider_than_a_telephone_or_a_window(browser: Browser, tmp_path: Path) -> None:
    """Measured from outside, in frames of those widths; the page itself is as it is."""
    page = tmp_path / "frames.html"
    inside = html.escape(pretty(MADE), quote=True)
    frames = "".join(
        f'<iframe style="width:{width}px;height:800px;border:0" srcdoc="{inside}"></iframe>' for width in WIDTHS
    )
    measure = (
        "onload = () => { document.title = [...document.querySelectorAll('iframe')].map("
        "f => f.contentDocument.documentElement.scrollWidth).join() }"
    )
    page.write_text(f"<!DOCTYPE html><title></title>{frames}<script>{measure}</script>")
    dom = browser(page, "--dump-dom")
    (found,) = re.findall(r"<title>([\d,]+)</title>", dom)
    assert [int(width) for width in found.split(",")] == list(WIDTHS)
