"""Style sheet of the HTML report: screen, phone and paper, light and dark."""

from __future__ import annotations

PALETTE = {
    "paper": "#ffffff", "ink": "#1c2127", "quiet": "#5b6672", "line": "#d9dee3", "accent": "#0b5a9c",
    "good": "#1a6e35", "warn": "#8a5a00", "bad": "#b3261e",
}  # fmt: skip
"""light colours; plots drawn in these adapt to the dark theme"""
STYLE = """
:root {
  color-scheme: light dark;
  DAY
  --soft: #f4f6f8; --good-soft: #e6f4ea; --warn-soft: #fdf3dc; --bad-soft: #fce8e6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161b; --ink: #e4e8ec; --quiet: #9aa5b1; --line: #2f3740; --soft: #1a2027; --accent: #6cb3f0;
    --good: #6fcf87; --warn: #e6b450; --bad: #ff8a80;
    --good-soft: #14301d; --warn-soft: #33290f; --bad-soft: #3a1a18;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
main { max-width: 76rem; margin: 0 auto; padding: 2rem 1.5rem 3rem; }
header .kind { margin: 0; color: var(--quiet); font-size: .87rem; letter-spacing: .02em; }
h1 { margin: .1rem 0 1.1rem; font-size: 1.75rem; line-height: 1.2; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 2.6rem 0 .7rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); font-size: 1.2rem; }
h3 { margin: 1.6rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; max-width: 46rem; overflow-wrap: anywhere; }
.banner {
  margin: 0 0 1.2rem; padding: .55rem .9rem; border: 2px dashed var(--warn); color: var(--warn);
  font-weight: 650; max-width: none;
}
.verdict { padding: .9rem 1.1rem; border-left: .4rem solid var(--quiet); background: var(--soft); }
.verdict strong { display: block; font-size: 1.25rem; letter-spacing: .03em; }
.verdict span { display: block; max-width: 52rem; overflow-wrap: anywhere; }
.verdict.good { border-color: var(--good); background: var(--good-soft); }
.verdict.warn { border-color: var(--warn); background: var(--warn-soft); }
.verdict.bad { border-color: var(--bad); background: var(--bad-soft); }
.verdict.good strong { color: var(--good); }
.verdict.warn strong { color: var(--warn); }
.verdict.bad strong { color: var(--bad); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .9rem 1.5rem;
  margin: 1.3rem 0 0; }
.facts dt, .pairs dt { color: var(--quiet); font-size: .82rem; }
.facts dd { margin: 0; font-size: 1.02rem; overflow-wrap: anywhere; }
nav { margin: 1.4rem 0 0; padding: .5rem 0; border-top: 1px solid var(--line); font-size: .87rem; }
nav a { display: inline-block; margin-right: 1.1rem; color: var(--accent); text-decoration: none; }
nav a:hover { text-decoration: underline; }
.pairs { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.4rem; margin: .6rem 0 1.2rem; }
.pairs dt { padding-top: .1rem; }
.pairs dd { margin: 0; overflow-wrap: anywhere; }
.points { list-style: none; margin: .6rem 0; padding: 0; }
.points li {
  display: grid; grid-template-columns: 5.4rem 1fr; gap: .8rem; padding: .55rem 0;
  border-bottom: 1px solid var(--line); }
.points li:last-child { border-bottom: 0; }
.points b { font-weight: 650; font-size: .87rem; padding-top: .08rem; }
.points small { display: block; color: var(--quiet); font-size: .87rem; }
.points div { overflow-wrap: anywhere; max-width: 58rem; }
.scroll { overflow-x: auto; margin: .7rem 0 1.2rem; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { padding: .36rem .7rem .36rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 500; vertical-align: bottom; border-bottom: 1.5px solid var(--quiet); }
td { overflow-wrap: break-word; }
th.n, td.n { text-align: right; white-space: nowrap; overflow-wrap: normal; }
td.n + td:not(.n), th.n + th:not(.n) { padding-left: .7rem; }
tbody tr:hover { background: var(--soft); }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); } .quiet { color: var(--quiet); }
td.good, td.warn, td.bad { font-weight: 600; }
.verdict.good, .verdict.warn, .verdict.bad { color: var(--ink); }
.meter {
  display: block; position: relative; width: 6.5rem; height: .85rem; margin-top: .25rem;
  background: var(--soft);
}
.meter i, .meter u, .meter s { position: absolute; top: 0; bottom: 0; }
.meter i { background: var(--line); }
.meter s { left: 50%; width: 1px; background: var(--quiet); }
.meter u {
  width: .3rem; margin-left: -.15rem; background: currentColor; top: -.12rem; bottom: -.12rem;
  border-radius: .15rem;
}
figure { margin: 1.2rem 0 1.8rem; }
figure svg { display: block; width: 100%; height: auto; max-width: 62rem; }
figure svg text { font-family: inherit !important; }
figcaption { max-width: 62rem; font-size: .87rem; color: var(--quiet); }
figcaption b { color: var(--ink); font-weight: 600; }
pre {
  margin: .5rem 0 1.2rem; padding: .8rem 1rem; background: var(--soft); overflow-x: auto; white-space: pre-wrap;
  font: .8rem/1.5 ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  overflow-wrap: anywhere;
}
pre.aligned { white-space: pre; overflow-wrap: normal; }
details { margin: .6rem 0 1.2rem; }
summary { cursor: pointer; color: var(--accent); font-size: .92rem; }
.sign {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 2.4rem 2.5rem;
  margin: 3.2rem 0 1rem;
}
.sign div { border-top: 1px solid var(--ink); padding-top: .35rem; }
.sign b { display: block; font-weight: 600; }
.sign span { color: var(--quiet); font-size: .82rem; }
footer {
  margin-top: 2.5rem; padding-top: .7rem; border-top: 1px solid var(--line);
  color: var(--quiet); font-size: .82rem;
}
@media (max-width: 46rem) {
  main { padding: 1.1rem 1rem 2rem; }
  h1 { font-size: 1.35rem; }
  .facts { grid-template-columns: repeat(2, 1fr); gap: .7rem 1rem; }
  .pairs { grid-template-columns: 1fr; gap: 0; }
  .pairs dd { margin-bottom: .5rem; }
  .points li { grid-template-columns: 1fr; gap: .1rem; }
  table.cards, table.cards tbody, table.cards tr, table.cards td { display: block; width: 100%; }
  table.cards thead { display: none; }
  table.cards tr {
    display: grid; grid-template-columns: 1fr 1fr; gap: .15rem 1rem; padding: .7rem 0;
    border-bottom: 1px solid var(--line);
  }
  table.cards td {
    padding: 0; border: 0; text-align: left; white-space: normal; overflow-wrap: anywhere;
  }
  table.cards td.empty { display: none; }
  table.cards td + td:not(.n) { padding-left: 0; }
  table.cards td::before {
    content: attr(data-label) " "; display: block; color: var(--quiet); font-size: .78rem; font-weight: 400;
  }
  table.cards td.head { grid-column: 1 / -1; order: -1; font-weight: 600; }
  table.cards td.head::before, table.cards td[data-label=""]::before { content: none; }
  table.cards td .meter { margin-top: .2rem; }
  .wide { overflow-x: auto; }
  .wide svg { min-width: 38rem; }
}
@page {
  size: A4; margin: 14mm 13mm 16mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; }
}
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --ink: #000; --quiet: #4a4f55; --line: #c4c9ce; --soft: #f3f4f5; --accent: #000;
    --good: #1a6e35; --warn: #8a5a00; --bad: #b3261e;
    --good-soft: #eef6f0; --warn-soft: #fbf5e6; --bad-soft: #fbeeed;
  }
  html { font-size: 8.8pt; }
  body { font-size: 1rem; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  h2 { margin-top: 7mm; }
  h2, h3, summary { break-after: avoid; }
  table { font-size: .84rem; }
  th, td { padding: 1mm 2mm 1mm 0; }
  .scroll { overflow: visible; }
  tr, figure, .points li, .verdict, .sign { break-inside: avoid; }
  thead { display: table-header-group; }
  pre { font-size: .77rem; white-space: pre-wrap; }
  details::details-content { display: block; content-visibility: visible; height: auto; }
  .verdict, .meter, .meter i, .meter u, pre { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .meter { width: 22mm; }
}
""".replace("DAY", " ".join(f"--{name}: {colour};" for name, colour in PALETTE.items()))
