"""Command palette: every key of every screen, every field of the design, by name, hint and synonym."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.dom import DOMNode

from raidtui.model.errors import RaidtuiError
from raidtui.tui.fields.all_fields import fields
from raidtui.tui.jobs.design_files import known_names, load
from raidtui.tui.jobs.job_desk import JobDesk
from raidtui.tui.screens.arrays.screen import ArraysScreen
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.screens.bench.screen import BenchScreen
from raidtui.tui.screens.build.screen import BuildScreen
from raidtui.tui.screens.commands.screen import CommandsScreen
from raidtui.tui.screens.compare.screen import CompareScreen
from raidtui.tui.screens.design.screen import DesignScreen
from raidtui.tui.screens.disks.screen import DisksScreen
from raidtui.tui.screens.report.screen import ReportScreen
from raidtui.tui.screens.watch.screen import WatchScreen
from raidtui.tui.terminal.profile import TIERS
from raidtui.tui.terminal.themes import THEMES
from raidtui.tui.widgets.bars import key_name

PAGES: Mapping[str, type[BaseScreen]] = {
    "disks": DisksScreen, "design": DesignScreen, "compare": CompareScreen, "commands": CommandsScreen,
    "build": BuildScreen, "bench": BenchScreen, "report": ReportScreen, "watch": WatchScreen,
    "arrays": ArraysScreen,
}  # fmt: skip
"""the screens by the names that the app shows them by"""
SYNONYMS: Mapping[str, str] = {
    "app.chassis": "demo simulation example",
    "app.export": "export save files script plan runbook json",
    "app.guide": "help wizard questions start beginner",
    "app.help": "help shortcuts bindings",
    "app.quit": "quit exit close leave",
    "app.redo": "redo again forward",
    "app.redraw": "refresh repaint garbled",
    "app.rescan": "rescan reload refresh disks",
    "app.undo": "undo back revert",
    "bench.again": "benchmark fio measure",
    "bench.copy": "copy clipboard yank",
    "bench.pause": "pause hold",
    "bench.roofline": "plot graph chart",
    "bench.start": "benchmark fio measure start run",
    "bench.stop": "stop abort cancel",
    "bench.tune": "trials compare block size stripe workload",
    "bench.tree": "small files untar copy own workload",
    "build.during-sync": "resync continue",
    "build.wait-for-sync": "resync",
    "build.pause": "pause hold freeze",
    "build.resume": "resume continue",
    "build.stop": "stop abort cancel",
    "build.throttle": "limit slow sync speed resync",
    "build.undo": "undo remove revert delete",
    "compare.constraints": "filter constraints requirements must",
    "compare.copy": "copy clipboard yank",
    "compare.sort": "sort order",
    "design.compare": "difference diff delta",
    "design.copy": "copy clipboard yank",
    "design.domains": "failure domains enclosure controller shelf",
    "design.load": "load open restore",
    "design.notation": "layout notation raid level",
    "design.recipe": "fleet cluster hosts servers toml",
    "design.save": "save keep store",
    "disks.clear": "clear reset filter",
    "disks.copy": "copy clipboard yank",
    "disks.detail": "details smart serial info",
    "disks.filter": "filter search find grep",
    "disks.sort": "sort order",
    "disks.toggle": "exclude include select use",
    "gauges.outliers": "slow laggards filter",
    "plan.build": "build execute apply run erase mdadm",
    "plan.copy": "copy clipboard yank script",
    "plan.mount": "mount directory fstab",
    "plan.name": "rename label",
    "report.copy": "copy clipboard yank summary",
    "report.difference": "difference diff",
    "screen.arrays": "raid md mdadm mdstat degraded failed members",
    "screen.compare": "propose layouts candidates",
    "screen.report": "accept sign pdf html",
    "screen.watch": "gauges iostat rates",
    "watch.freeze": "pause hold freeze",
    "arrays": "groups number",
    "assumptions": "afr failure rate model",
    "bitmap": "write-intent ppl",
    "chunk": "stripe size",
    "fs": "filesystem xfs ext4 mkfs format",
    "layout": "raid0 raid1 raid4 raid5 raid6 raid10 raid50 raid60 mirror parity",
    "level": "raid0 raid1 raid4 raid5 raid6 raid10 mirror parity",
    "width": "members disks",
    "metadata": "superblock",
    "mount": " directory fstab",
    "parity": "redundancy",
    "spread": "enclosures",
    "name": "rename label",
    "spares": "hot spare",
    "stack": "lvm volume raid50 raid60",
}
"""other words for a command, by the id of its binding or the key of its field"""
_THEME, _TIER = "theme colours dark light contrast", "glyphs ascii unicode font"
_TITLE, _WORDS, _HINT, _FUZZY = 1.0, 0.8, 0.6, 0.4
"""scores of what a query was found in"""


class PaletteEntry(NamedTuple):
    """One command."""

    title: str
    hint: str
    words: str
    run: Callable[[], object]
    here: bool = True
    """True if it acts on the present screen; only these are listed before anything is typed"""


class Palette(Provider):
    """Finds commands; those of other screens show their screen first."""

    @property
    def desk(self) -> JobDesk:
        """The app."""
        assert isinstance(self.app, JobDesk)
        return self.app

    async def discover(self) -> Hits:
        """The commands of the present screen."""
        for entry in sorted((each for each in self.entries() if each.here), key=lambda each: each.title):
            yield DiscoveryHit(entry.title, entry.run, help=entry.hint)

    async def search(self, query: str) -> Hits:
        """The commands with every word of `query` in title, synonyms or hint; then similar titles."""
        matcher = self.matcher(query)
        for entry in self.entries():
            score = found(query, entry) or _FUZZY * min(matcher.match(entry.title), 1.0)
            if score > 0:
                # A command of the present screen comes before the same of another.
                yield Hit(score if entry.here else score * 0.95, entry.title, entry.run, help=entry.hint)

    def entries(self) -> Iterator[PaletteEntry]:
        """Every command."""
        listed = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            known = binding.id or binding.action
            if known not in listed and (binding.id or known in SYNONYMS):
                listed.add(known)
                yield _entry(binding, "", partial(self.app.run_action, binding.action, active.node), here=True)
        for known, binding, owner in self._of_the_app():
            if known not in listed:
                listed.add(known)
                yield _entry(binding, "", partial(self.app.run_action, binding.action, owner), here=True)
        for name, page in PAGES.items():
            for other in page.BINDINGS:
                if isinstance(other, Binding) and other.id and other.id not in listed:
                    listed.add(other.id)
                    yield _entry(other, page.page_name, partial(self._elsewhere, name, other.action), here=False)
        outcome = self.desk.session.outcome
        for field in fields(outcome.decision, len(outcome.disks)):
            title = f"{field.title}: {field.shown}"
            yield PaletteEntry(title, f"Design: {field.in_short}", f"{field.key} {SYNONYMS.get(field.key, '')}",
                        partial(self._edit, field.key), here=False)  # fmt: skip
        for design in known_names(self.desk):
            yield PaletteEntry(f"Load design {design}", "saved design", "open restore", partial(self._load, design))
        for theme in THEMES:
            yield PaletteEntry(
                f"Theme {theme.name}", "colours", _THEME, partial(setattr, self.app, "theme", theme.name)
            )
        for tier in TIERS:
            switch = partial(self.app.run_action, f"tier('{tier}')")
            yield PaletteEntry(f"Characters {tier}", "set of characters to draw with", _TIER, switch)

    def _of_the_app(self) -> Iterator[tuple[str, Binding, DOMNode]]:
        """Keys of the app, which it disables while the palette is open as text; the screen's own words first."""
        for owner in (self.screen, self.app):
            for each in owner.BINDINGS:
                ours = isinstance(each, Binding) and (owner is self.app or each.action.startswith("app."))
                if isinstance(each, Binding) and ours:
                    yield each.id or each.action, each, owner

    async def _edit(self, key: str) -> None:
        await self.desk.action_show("design")
        page = self.desk.page
        assert isinstance(page, DesignScreen)
        await page.edit(key)

    def _load(self, name: str) -> None:
        try:
            load(self.desk, name)
        except RaidtuiError as error:
            self.desk.page.say(error.with_hint, "bad")
        else:
            self.desk.page.say(f"{name} loaded; u goes back", "good")

    async def _elsewhere(self, name: str, action: str) -> None:
        await self.desk.action_show(name)
        page = self.desk.page
        assert isinstance(page, BaseScreen)
        await self.app.run_action(action, page)


def found(query: str, entry: PaletteEntry) -> float:
    """How well `entry` fits: best if every word of `query` begins a word of its title; 0 if one is nowhere."""
    wanted = _plain(query)
    for text, score in (
        (entry.title, _TITLE), (f"{entry.title} {entry.words}", _WORDS),
        (f"{entry.title} {entry.words} {entry.hint}", _HINT),
    ):  # fmt: skip
        words = _plain(text)
        if all(any(word.startswith(part) for word in words) for part in wanted):
            return score
    return 0.0


def _plain(text: str) -> list[str]:
    """The words in it; an option is found by its name on the command line and in recipes too."""
    return re.sub(r"[:,_-]", " ", text.lower()).split()


def _entry(binding: Binding, page: str, run: Callable[[], Awaitable[object]], *, here: bool) -> PaletteEntry:
    title = (binding.tooltip or binding.description).capitalize()
    hint = f"{page}: key {key_name(binding)}" if page else f"key {key_name(binding)}"
    return PaletteEntry(
        title, f"{hint}, {binding.description}", SYNONYMS.get(binding.id or binding.action, ""), run, here
    )
