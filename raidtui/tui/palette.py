"""Command palette: every key of every screen, every field of the design, by name, hint and synonym."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.fuzzy import Matcher
from textual.widgets import Input, Label

from raidtui.session.fields.all_fields import fields
from raidtui.session.saved_designs import known_names, load
from raidtui.tui.jobs.session_app import SessionApp
from raidtui.tui.terminal.key_order import SteadyDialog
from raidtui.tui.terminal.profile import TIERS
from raidtui.tui.terminal.text import KeySpan, Line, cells, fit
from raidtui.tui.terminal.themes import THEMES
from raidtui.tui.widgets.bars import key_name
from raidtui.tui.widgets.dialogs import SheetPane
from raidtui.tui.widgets.frame import Frame
from raidtui.tui.widgets.prompt import TextField, TextQuestion, accepts
from raidtui.values.errors import RaidtuiError
from raidtui.values.location import short_slot
from raidtui.values.safe import safe

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
    "ask": "readers writers streams clients requests ask",
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
_PRACTICE = re.compile(r"\s*(?P<verb>fail|swap)\s+(?P<disk>\S.*)")
"""what is typed to practise the repair of an array on a simulated machine"""
_PRACTISE = "practise degraded replace broken"
_VERBS = {"fail": "Fail a disk, to practise its repair", "swap": "Swap a failed disk for a new one"}
_THEME, _TIER = "theme colours dark light contrast", "glyphs ascii unicode font"
_TITLE, _WORDS, _HINT, _FUZZY = 1.0, 0.8, 0.6, 0.4
"""scores of what a query was found in"""


class PaletteEntry(NamedTuple):
    """One command."""

    title: str
    hint: str
    words: str
    run: Callable[[], Awaitable[object] | object]
    here: bool = True
    """True if it acts on the present screen; only these are listed before anything is typed"""


class Palette:
    """Every command, as seen from the present screen; those of other screens show their screen first."""

    def __init__(self, app: SessionApp, page: Frame) -> None:
        """`page`: the present screen, with nothing over it: only then the keys of the app are active."""
        self.app = app
        self.entries = tuple(self._listed(page))

    def find(self, query: str) -> Sequence[PaletteEntry]:
        """The commands with every word of `query` in title, synonyms or hint, best first; then similar titles.

        Without a query: those of the present screen.
        """
        if not query.strip():
            return [each for each in self.entries if each.here]
        if (call := _PRACTICE.fullmatch(query)) is not None:
            return [self._practice(call["verb"], call["disk"].strip())]
        matcher = Matcher(query)
        scores = {
            # A command of the present screen comes before the same of another.
            entry: (found(query, entry) or _FUZZY * min(matcher.match(entry.title), 1.0)) * (1 if entry.here else 0.95)
            for entry in self.entries
        }
        return sorted((each for each in scores if scores[each] > 0), key=lambda each: -scores[each])

    def _listed(self, page: Frame) -> Iterator[PaletteEntry]:
        app, listed = self.app, set()
        for active in page.own_keys_first():
            binding = active.binding
            known = binding.id or binding.action
            if known not in listed and (binding.id or known in SYNONYMS):
                listed.add(known)
                yield _entry(binding, "", partial(app.run_action, binding.action, active.node), here=True)
        for other in app.PAGES:
            for key in other.kind.BINDINGS:
                if isinstance(key, Binding) and key.id and key.id not in listed:
                    listed.add(key.id)
                    yield _entry(key, other.title, partial(self._elsewhere, other.name, key.action), here=False)
        outcome = app.session.outcome
        for field in fields(outcome.decision, len(outcome.disks)):
            title = f"{field.title}: {field.shown}"
            yield PaletteEntry(title, f"Design: {field.in_short}", f"{field.key} {SYNONYMS.get(field.key, '')}",
                        partial(self._edit, field.key), here=False)  # fmt: skip
        if app.session.inventory.simulated:
            for verb, title in _VERBS.items():
                ask = partial(self._ask_practice, verb)
                yield PaletteEntry(title, f"or type here: {verb} {self._example}", _PRACTISE, ask)
        for design in known_names(app.session):
            yield PaletteEntry(f"Load design {design}", "saved design", "open restore", partial(self._load, design))
        yield PaletteEntry("Help: look up a word", "as raidtui help WORD", "explain meaning glossary search f1",
                           page.action_look_up)  # fmt: skip
        for theme in THEMES:
            yield PaletteEntry(f"Theme {theme.name}", "colours", _THEME, partial(setattr, app, "theme", theme.name))
        for tier in TIERS:
            switch = partial(app.run_action, f"tier('{tier}')")
            yield PaletteEntry(f"Characters {tier}", "character set", _TIER, switch)

    def _practice(self, verb: str, disk: str) -> PaletteEntry:
        """`fail b2` and `swap b2`, typed here."""
        title = f"{'Fail the simulated disk' if verb == 'fail' else 'Put a new simulated disk in the place of'} {disk}"
        run = partial(self.app.array_follower.practise, disk, swap=verb == "swap")
        return PaletteEntry(title, "practice: no real disk is reached", "", run)

    @property
    def _example(self) -> str:
        """A disk of this chassis as a person names it: the first that an array lost, else its second one."""
        disks, parts = self.app.session.inventory.disks, self.app.array_follower.parts
        found = [disk for disk in disks if parts.get(disk.id) == "faulty"] or disks[1:] or disks
        return safe(short_slot(found[0].place.slot or "") or found[0].kernel_name) if found else "sdb"

    async def _ask_practice(self, verb: str) -> None:
        await self.app.page.ask(
            TextQuestion(
                label=f"{verb} the simulated disk (slot, device or serial)",
                accept=accepts(
                    lambda disk: self.app.array_follower.practise(disk, swap=verb == "swap"),
                    what=f"a disk, as {self._example}",
                ),
            )
        )

    async def _edit(self, key: str) -> None:
        await self._elsewhere("design", f"edit('{key}')")

    def _load(self, name: str) -> None:
        try:
            load(self.app.session, name)
        except RaidtuiError as error:
            self.app.page.say(error.with_hint, "bad")
        else:
            self.app.page.say(f"{name} loaded; u goes back", "good")

    async def _elsewhere(self, name: str, action: str) -> None:
        await self.app.action_show(name)
        await self.app.run_action(action, self.app.page)


_HINT_CELLS = 26
"""cells that a title leaves to the key or place"""


class CommandPane(SheetPane):
    """The commands that were found, with their keys."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__("Commands", pickable=True)
        self.found: Sequence[PaletteEntry] = ()
        self.empty = "no command has these words"
        self._longest = 0
        """cells of the longest title"""

    def show(self, found: Sequence[PaletteEntry]) -> None:
        """Shows `found`, the cursor on the first."""
        self.found, self.cursor, self.top = found, 0, 0
        self._longest = max((cells(each.title) for each in found), default=0)
        self.refresh()

    def line_count(self) -> int:
        """A line each."""
        return len(self.found)

    def line_at(self, index: int, width: int) -> Line:
        """Its title, which a click runs, and its key or place."""
        entry, wide = self.found[index], max(width * 2 // 5, min(self._longest, width - _HINT_CELLS))
        return (
            KeySpan(fit(entry.title, wide, self.glyphs), "strong", "enter"),
            KeySpan(fit(f"  {entry.hint}", width - wide, self.glyphs), "muted", "enter"),
        )


class PaletteDialog(SteadyDialog[PaletteEntry]):
    """Returns the command that is picked, None if it was closed; typing finds, the arrow keys move."""

    CSS_PATH = "palette.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "close", show=False, priority=True),
        Binding("enter", "pick", "pick", show=False, priority=True),
        Binding("up", "move(-1)", "up", show=False, priority=True),
        Binding("down", "move(1)", "down", show=False, priority=True),
        Binding("pageup", "page(-1)", "page up", show=False, priority=True),
        Binding("pagedown", "page(1)", "page down", show=False, priority=True),
    ]

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette = palette
        self.field = TextField(placeholder="words of a command")
        self.list = CommandPane()
        self._listed = ""
        """the words that the list is of"""

    def _list(self, words: str) -> None:
        self._listed = words
        self.list.show(self.palette.find(words))

    def compose(self) -> ComposeResult:
        """The words, and below them the commands."""
        with Vertical():
            with Horizontal():
                yield Label(":", markup=False)
                yield self.field
            yield self.list

    def on_mount(self) -> None:
        """Lists the commands of the present screen."""
        self._list("")
        self.set_focus(self.field)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Finds what was typed."""
        event.stop()
        if event.value != self._listed:
            self._list(event.value)

    def action_cancel(self) -> None:
        """Runs nothing."""
        self.dismiss(None)

    def action_pick(self) -> None:
        """Runs the command under the cursor, of what was typed by now: its list may be a key behind."""
        if self.field.value != self._listed:
            self._list(self.field.value)
        if self.list.found:
            self.dismiss(self.list.found[self.list.cursor])

    def action_move(self, by: int) -> None:
        """Moves one command up or down."""
        self.list.action_move(by)

    def action_page(self, by: int) -> None:
        """Moves one page up or down."""
        self.list.action_page(by)


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
    words, _, rest = (binding.tooltip or binding.description).partition("; ")
    title = words[:1].upper() + words[1:]
    hint = f"{page}: key {key_name(binding)}" if page else f"key {key_name(binding)}"
    return PaletteEntry(
        title, f"{hint}, {binding.description}", f"{SYNONYMS.get(binding.id or binding.action, '')} {rest}", run, here
    )
