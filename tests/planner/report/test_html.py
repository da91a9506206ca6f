"""The page: every word of the report is in it as text, and nothing that anybody named a disk becomes anything else."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given

from raidtui.answers.html import PALETTE, POLICY, html_page, inline_svg, style_sheet
from raidtui.answers.markdown import markdown
from raidtui.answers.report.document import document
from raidtui.values.blocks import (
    Block,
    Cell,
    Grid,
    Heading,
    Item,
    Items,
    Listing,
    Meter,
    Pairs,
    Paragraph,
    PlotBlock,
    ReportDocument,
    Signatures,
)
from raidtui.values.safe import safe
from tests.planner.hostile import texts
from tests.planner.reports import report, result

TAGS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "p", "h1", "h2", "h3", "div", "strong", "span",
    "dl", "dt", "dd", "nav", "a", "ul", "li", "b", "small", "table", "thead", "tbody", "tr", "th", "td", "i", "s", "u",
    "details", "summary", "pre", "figure", "figcaption", "footer",
}  # fmt: skip
MADE = document(report(result(), result("survey", began=1_798_010_000.0)), plots_left_out="no plots")


class Read(HTMLParser):
    """Tags, attributes and text as a browser's parser finds them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.comments: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def test_the_page_is_whole_and_stands_alone() -> None:
    text = html_page(MADE, {})
    read = Read(text)
    assert read.open == []
    assert set(read.tags) <= TAGS
    assert "http" not in text.replace("http-equiv", "")
    assert not re.search(r"url\((?!#)|@import|src=|//", text)
    assert [name for name, _ in read.attributes if name.startswith("on")] == []
    assert ("content", POLICY) in read.attributes
    links = [value for name, value in read.attributes if name == "href"]
    anchors = [value for name, value in read.attributes if name == "id"]
    assert links == [f"#{anchor}" for anchor in anchors]
    assert len(set(anchors)) == len(anchors) == 11


def test_every_section_and_figure_is_in_it() -> None:
    words = "".join(Read(html_page(MADE, {})).words)
    for heading in (
        "Open points", "Predicted and measured", "Where speed is lost, read", "Layout", "Disks", "Verification",
        "Commands run", "Versions and conditions", "Signatures", "ZC1007QX", "ACCEPT, 2 OPEN", "205 MB/s",
        "mdadm --create /dev/md/data-0", "32 003 074 293 760", "total_size", "kernel", "6.1.0-31-amd64",
    ):  # fmt: skip
        assert heading in words


def hostile(text: str) -> ReportDocument:
    """A document in which every piece of text is `text`."""
    blocks: tuple[Block, ...] = (
        Heading(text=text, anchor="a", short=text),
        Heading(text=text, level=3),
        Paragraph(text=text, tone="warn"),
        Items(items=(Item(mark=text, text=text, more=text, tone="bad"),)),
        Pairs(pairs=((text, text),)),
        Grid(columns=(text, text), rows=((Cell(text=text, tone="good"), Cell(text=text, meter=METER)),)),
        Listing(lines=(text, text), title=text, folded=True),
        Listing(lines=(text,), title=text),
        PlotBlock(name="p", title=text, text=text),
        Signatures(roles=(text,)),
    )
    return ReportDocument(
        id="0123456789ab", title=text, subtitle=text, banner=text or "-", verdict=text, tone="good", reason=text,
        facts=((text, text),), blocks=blocks, made_by=text,
    )  # fmt: skip


METER = Meter(low=0.5, high=1.2, at=0.9)
SVG = '<?xml version="1.0"?>\n<svg width="1pt" height="1pt"><g id="x"><use xlink:href="#x"/></g></svg>\n'
HARMLESS = Read(html_page(hostile("word"), {"p": SVG}))


@given(texts.filter(bool))
def test_no_text_becomes_anything_but_text(text: str) -> None:
    read = Read(html_page(hostile(text), {"p": SVG}))
    assert read.tags == HARMLESS.tags
    assert [name for name, _ in read.attributes] == [name for name, _ in HARMLESS.attributes]
    assert read.comments == [" raidtui-report 0123456789ab "]
    words = "".join(read.words)
    shown = safe(text)
    if shown.strip():
        assert words.count(shown) >= 24
    assert all(value == shown for name, value in read.attributes if name == "data-label")


@given(texts)
def test_markdown_takes_it_too(text: str) -> None:
    """Its parts are judged in test_markdown; here: the document has as many lines, whatever the words are."""
    assert len(markdown(hostile(text if text.strip() else "x"), {}).splitlines()) == len(
        markdown(hostile("word"), {}).splitlines()
    )


def test_a_plot_becomes_part_of_the_page() -> None:
    svg = (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"\n "http://x/svg.dtd">\n'
        '<svg xmlns:xlink="http://x" width="9pt" height="8pt" viewBox="0 0 9 8" xmlns="http://x">\n <metadata>\n'
        '  <rdf>http://x</rdf>\n </metadata>\n<g id="a1" style="fill: #1c2127; clip-path: url(#c)">'
        '<use xlink:href="#a1"/><text>#1c2127 id="x" url(#c) http</text></g></svg>\n'
    )
    made = inline_svg(svg, PlotBlock(name="plot", title='a "b"', text=""))
    assert made == (
        '<svg role="img" aria-label="a &quot;b&quot;" viewBox="0 0 9 8">\n<g id="plot-a1" '
        'style="fill: var(--ink); clip-path: url(#plot-c)"><use xlink:href="#plot-a1"/>'
        '<text>#1c2127 id="x" url(#c) http</text></g></svg>'
    )


def test_a_meter_is_from_nothing_to_twice_the_prediction() -> None:
    def styles(meter: Meter) -> list[str]:
        grid = Grid(columns=("a",), rows=((Cell(text="", meter=meter),),))
        made = replace(hostile("word"), blocks=(grid,))
        return [value for name, value in Read(html_page(made, {})).attributes if name == "style"]

    assert styles(METER) == ["left:25.0%;width:35.0%", "left:45.0%"]
    assert styles(Meter(low=0.0, high=9.0, at=7.0)) == ["left:0.0%;width:100.0%", "left:100.0%"]


def test_plots_are_drawn_in_the_colours_of_the_style_sheet_by_day() -> None:
    day = style_sheet().partition("}")[0]
    assert day.startswith(":root {")
    for name, colour in PALETTE.items():
        assert f" --{name}: {colour};" in day
