"""A report as one page of HTML that stands alone: no script, nothing loaded from anywhere, made to be printed too."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import assert_never

from raidtui.model.safe import safe
from raidtui.planner.report.blocks import (
    Block,
    Cell,
    Document,
    Grid,
    Heading,
    Items,
    Listing,
    Meter,
    Pairs,
    Picture,
    Signatures,
    Tone,
    Words,
)
from raidtui.planner.report.style import PALETTE, style_sheet

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""Content-Security-Policy of the page: only its own style, and pictures that are part of it"""
_PROLOG = re.compile(r"^\s*(<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->)\s*", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_NAMESPACE = re.compile(r'\sxmlns(:\w+)?="[^"]*"')
_SIZE = re.compile(r'\s(width|height)="[^"]*"')
_ID = re.compile(r'\bid="')
_TAG = re.compile(r"<[^>]*>")
_CARDS = 4
"""from so many columns a table becomes cards on a telephone"""


def page(document: Document, plots: Mapping[str, str]) -> str:
    """The whole page; `plots` is the SVG of each plot by its name, made by this program."""
    headings = [block for block in document.blocks if isinstance(block, Heading) and block.anchor]
    links = "\n".join(f'<a href="#{_attribute(each.anchor)}">{_text(each.short or each.text)}</a>' for each in headings)
    banner = f'<p class="banner">{_text(document.banner)}</p>\n' if document.banner else ""
    body = "\n".join(_block(block, plots) for block in document.blocks)
    return f"""<!DOCTYPE html>
<!-- raidtui-report {document.id} -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{_text(document.title)}: {_text(document.verdict)}</title>
<style>
{style_sheet()}</style>
</head>
<body>
<main>
<header>
{banner}<p class="kind">{_text(document.subtitle)}</p>
<h1>{_text(document.title)}</h1>
<div class="verdict {document.tone}">
<strong>{_text(document.verdict)}</strong><span>{_text(document.reason)}</span>
</div>
<dl class="facts">
{_pairs(document.facts, "<div>", "</div>")}
</dl>
<nav aria-label="Sections">
{links}
</nav>
</header>
{body}
<footer>Report {_text(document.id)}, {_text(document.made_by)}</footer>
</main>
</body>
</html>
"""


def _block(block: Block, plots: Mapping[str, str]) -> str:
    match block:
        case Heading():
            anchor = f' id="{_attribute(block.anchor)}"' if block.anchor else ""
            return f"<h{block.level}{anchor}>{_text(block.text)}</h{block.level}>"
        case Words():
            return f"<p{_class(block.tone)}>{_text(block.text)}</p>"
        case Items():
            return f'<ul class="points">\n{_items(block)}\n</ul>'
        case Pairs():
            return f'<dl class="pairs">\n{_pairs(block.pairs)}\n</dl>'
        case Grid():
            return _grid(block)
        case Listing():
            return _listing(block)
        case Picture():
            return _picture(block, plots.get(block.name, ""))
        case Signatures():
            lines = [f"<div><b>{_text(role)}</b><span>name, date, signature</span></div>" for role in block.roles]
            return '<div class="sign">\n' + "\n".join(lines) + "\n</div>"
        case _:
            assert_never(block)


def _items(block: Items) -> str:
    lines = []
    for item in block.items:
        more = f"<small>{_text(item.more)}</small>" if item.more else ""
        lines.append(f"<li><b{_class(item.tone)}>{_text(item.mark)}</b><div>{_text(item.text)}{more}</div></li>")
    return "\n".join(lines)


def _pairs(pairs: Sequence[tuple[str, str]], before: str = "", after: str = "") -> str:
    return "\n".join(f"{before}<dt>{_text(name)}</dt><dd>{_text(value)}</dd>{after}" for name, value in pairs)


def _grid(grid: Grid) -> str:
    cards = ' class="cards"' if len(grid.columns) >= _CARDS else ""
    heads = "".join(
        f'<th scope="col"{_class("n" if number in grid.right else "")}>{_text(column)}</th>'
        for number, column in enumerate(grid.columns)
    )
    rows = "\n".join(
        "<tr>" + "".join(_cell(cell, number, grid) for number, cell in enumerate(row)) + "</tr>" for row in grid.rows
    )
    return (
        f'<div class="scroll"><table{cards}>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>'
    )


def _cell(cell: Cell, number: int, grid: Grid) -> str:
    names: list[str] = [cell.tone] if cell.tone else []
    if number in grid.right:
        names.append("n")
    if not cell.text and cell.meter is None:
        names.append("empty")
    if number == 1:
        names.append("head")
    inside = _meter(cell.meter) if cell.meter else ""
    label = _attribute(grid.columns[number])
    return f'<td{_class(" ".join(names))} data-label="{label}">{_text(cell.text)}{inside}</td>'


def _meter(meter: Meter) -> str:
    """0 to twice the prediction; further out is shown at the end."""
    low, high, at = (min(max(value, 0.0), 2.0) * 50 for value in (meter.low, meter.high, meter.at))
    return (
        f'<span class="meter" role="img" aria-label="ratio {meter.at:.2f}, band {meter.low:.2f} to {meter.high:.2f}">'
        f'<i style="left:{low:.1f}%;width:{max(high - low, 0.5):.1f}%"></i><s></s><u style="left:{at:.1f}%"></u></span>'
    )


def _listing(listing: Listing) -> str:
    text = "\n".join(_text(line) for line in listing.lines)
    if listing.folded:
        return f"<details><summary>{_text(listing.title)}</summary>\n<pre>{text}</pre></details>"
    title = f"<h3>{_text(listing.title)}</h3>\n" if listing.title else ""
    return f'{title}<pre class="aligned">{text}</pre>'


def _picture(picture: Picture, svg: str) -> str:
    if not svg:
        return ""
    caption = f"<figcaption><b>{_text(picture.title)}.</b> {_text(picture.text)}</figcaption>"
    drawn = f'<div class="wide">{inline_svg(svg, picture)}</div>'
    return f'<figure id="{_attribute(picture.name)}">\n{drawn}\n{caption}\n</figure>'


def inline_svg(svg: str, picture: Picture) -> str:
    """Our own SVG as a part of the page: sized by it, in its colours, with a name and ids of its own.

    Only tags are changed: the text between them, which may say anything, stays as it is.
    """
    while match := _PROLOG.match(svg):
        svg = svg[match.end() :]
    svg = _METADATA.sub("", svg).strip()
    drawn = _TAG.sub(lambda tag: _adapted(tag.group(), f"{picture.name}-"), svg)
    return drawn.replace("<svg", f'<svg role="img" aria-label="{_attribute(picture.title)}"', 1)


def _adapted(tag: str, prefix: str) -> str:
    tag = _NAMESPACE.sub("", tag)
    if tag.startswith("<svg"):
        tag = _SIZE.sub("", tag)
    tag = _ID.sub(f'id="{prefix}', tag).replace("url(#", f"url(#{prefix}").replace('href="#', f'href="#{prefix}')
    for name, colour in PALETTE.items():
        tag = tag.replace(colour, f"var(--{name})")
    return tag


def _text(text: str) -> str:
    """Outside text: what is invisible is shown, what is markup is text."""
    return html.escape(safe(text), quote=True)


_attribute = _text


def _class(names: Tone | str) -> str:
    return f' class="{names}"' if names else ""
