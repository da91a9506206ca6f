"""What every app and every screen of it has: title, panes, note line, hints, the common keys, the page at work."""

from __future__ import annotations

import base64
import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from raidtui.machine.system.files import write_durably
from raidtui.machine.system.places import failures, private_directory, user_state
from raidtui.tui.terminal.app_base import LEAST, TALL, WIDE, TerminalApp, terminal_of
from raidtui.tui.terminal.key_order import SteadyScreen
from raidtui.tui.terminal.text import Line, Span, Tone, fit, line, wrapped
from raidtui.tui.widgets.bars import Bar, NoteBar, hint_line, note
from raidtui.tui.widgets.dialogs import key_rows
from raidtui.tui.widgets.pane import Pane, SmallPane, is_small, kept
from raidtui.tui.widgets.prompt import Prompt, TextQuestion, accepts
from raidtui.values.errors import BadInput, RaidtuiError
from raidtui.values.safe import safe

if TYPE_CHECKING:
    from raidtui.machine.system.passphrase import Passphrase

HUGE = 170
"""width from which the commands are shown beside their steps"""
FRAME = 3
"""lines of title, note and hints"""
_LEAST_NAME = 5
"""minimum width of a cut name that is still useful"""


def _reached(points: Sequence[tuple[int, str]], cells: int) -> str:
    return [name for least, name in points if cells >= least][-1]


class Frame(SteadyScreen[None]):
    """Base class of the screens of every app: title, panes, note line, hints, questions. Subclasses make the panes."""

    QUESTIONS: ClassVar[frozenset[str]] = frozenset(
        {"notation", "save", "load", "filter", "rename", "mount", "constraints", "screen.type_value"}
    )
    """actions that ask a question"""

    SMALL: ClassVar[tuple[SmallPane, ...]] = ()
    """panes that a small terminal keeps, the most important first"""
    CSS_PATH = [Path(__file__).parents[1] / "screens" / "later.tcss"]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "tab",
            "pane(1)",
            "next pane",
            show=False,
            tooltip="next pane; small terminals show it in the place of another",
        ),
        Binding("shift+tab", "pane(-1)", "previous pane", show=False),
        Binding("z", "zoom", "zoom", show=False, tooltip="only the focused pane, or all of them", id="screen.zoom"),
        Binding("f1", "explain", "explain", show=False, tooltip="what the line under the cursor means"),
    ]
    page_name: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self._set_size_classes(self.app.size)
        self.title_bar = Bar(id="title", fill="bar")
        self.alarm_bar = Bar(id="alarm")
        self.alarm = ""
        """the line below the title, while an array lacks a member or one is filled"""
        self.note_bar = NoteBar(id="note")
        self.hint_bar = Bar(id="hints")
        self.too_small = Bar(id="too-small")
        self.status: Line = ()
        """default text of the note line"""
        self._prompt: Prompt | None = None
        self._shown: object = None
        self._front = ""
        """id of the pane that had the focus last"""
        self._zoomed = ""
        """id of the only pane shown, as the user wants it; empty for all"""
        self._sole = ""
        """id of the only pane that has anything to show; empty for all"""
        self._theme = self.app.theme

    # Provided by subclasses.

    def panes(self) -> Iterator[Widget]:
        """The panes of this screen, in the order that Tab visits them."""
        yield from ()

    def run_changed(self) -> None:
        """Shows the run that the app follows, where this screen shows it."""

    def arrays_changed(self) -> None:
        """Shows the arrays as they were read last, where this screen shows them."""

    def bench_changed(self) -> None:
        """Shows the benchmark that the app follows, where this screen shows it."""

    def follow_session(self) -> None:
        """Shows what the app knows, if it or the size has changed."""

    def refresh_frame(self) -> None:
        """Draws title and hints again."""

    async def export(self) -> None:
        """Writes the files of this screen, if it has any."""

    def idle_reason(self, action: str) -> str:
        """Why the key of `action` has no effect now, and where or when it has one; empty while it has."""
        del action
        return ""

    def explanation(self) -> tuple[str, Sequence[str]]:
        """For F1: a heading and paragraphs about the line under the cursor."""
        return self.page_name, ()

    # The frame.

    def compose(self) -> ComposeResult:
        """Title, alarm, panes, note, hints."""
        yield self.title_bar
        yield self.alarm_bar
        yield self.too_small
        with Container(id="body"):
            yield from self.panes()
        yield self.note_bar
        yield self.hint_bar

    def on_screen_resume(self) -> None:
        """Shows decisions made on other screens, and the first time what needs the screen's size."""
        if self.size:
            if self._theme != self.app.theme:
                self._theme = self.app.theme
                self.app.refresh_css(animate=False)
            self.refresh_frame()
            self.follow_session()

    def on_resize(self, event: events.Resize) -> None:
        """Updates the title, and on a terminal that is too small shows the minimum size."""
        width, height = event.size
        if self._set_size_classes((width, height)):
            self.query(Pane).refresh()  # one that keeps its size gets a frame, or loses it
        needed = f"{LEAST[0]}x{LEAST[1]}"
        words = (f"raidtui needs {needed}, this terminal has {width}x{height}", f"needs {needed}", needed)
        self.too_small.put(note(next((each for each in words if len(each) < width), needed), "warn"))
        self.fit_panes()
        self.refresh_frame()
        self.follow_session()

    def _set_size_classes(self, size: tuple[int, int]) -> bool:
        """Sets before a layout what Textual sets after it, so that panes know their frame; True if anything changes."""
        before = self.classes
        for points, cells in ((WIDE, size[0]), (TALL, size[1])):
            for _, name in points:
                self.set_class(name == _reached(points, cells), name)
        self.set_class(size[0] >= HUGE, "-huge")
        self.set_class(is_small(size), "-small")
        return self.classes != before

    # Small terminals.

    def small_panes(self) -> Sequence[SmallPane]:
        """The panes of this screen as it is now, the most important first."""
        return self.SMALL

    def fit_panes(self) -> None:
        """Shows the panes that fit on a small terminal, the focused one always; all of them on any other.

        A zoomed pane is shown alone.
        """
        alone = self._sole or self._zoomed
        self.set_class(bool(alone), "-zoomed")
        if alone:
            for pane in self.query_one("#body").children:
                pane.styles.display = "block" if pane.id == alone else "none"
                pane.styles.height = "1fr"
            return
        width, height = self.app.size
        small = is_small((width, height))
        lines = kept(self.small_panes(), height - FRAME - bool(self.alarm), self._front) if small else {}
        for pane in self.query_one("#body").children:
            if not small:
                pane.styles.clear_rule("display")
                pane.styles.clear_rule("height")
            elif pane.id in lines:
                pane.styles.display, pane.styles.height = "block", lines[pane.id]
            else:
                pane.styles.display = "none"

    def put_in_order(self, panes: Sequence[Widget]) -> None:
        """Puts `panes` behind all others, in this order, which is that of their places in the grid."""
        body = self.query_one("#body")
        if [each for each in body.children if each in panes] != [*panes]:
            for pane in panes:
                body.move_child(pane, after=len(body.children) - 1)

    def show_only(self, pane: str) -> None:
        """Shows `pane` alone while the others have nothing to show; with an empty string all of them."""
        if pane != self._sole:
            self._sole = pane
            self.fit_panes()
            self.set_focus(self.query_one(f"#{pane}" if pane else str(self.AUTO_FOCUS)))

    def action_pane(self, by: int) -> None:
        """Focuses the next pane, or the previous one; on a small terminal it takes the place of another.

        A zoomed pane is replaced by it.
        """
        if self._sole or (not is_small(self.app.size) and not self._zoomed):
            self.focus_next() if by > 0 else self.focus_previous()
            return
        wanted = {each.pane for each in self.small_panes()}
        order = [pane for pane in self.query_one("#body").children if pane.id in wanted and pane.allow_focus()]
        if not order:
            return
        at = next((number for number, pane in enumerate(order) if pane.id == self._front), 0)
        pane = order[(at + by) % len(order)]
        self._front = pane.id or ""
        if self._zoomed:
            self._zoomed = self._front
        self.fit_panes()
        self.set_focus(pane)

    def action_zoom(self) -> None:
        """Shows the focused pane alone, or all panes again."""
        if self._zoomed:
            self._zoomed = ""
            self.say("")
        elif self.focused is not None and self.focused.parent is not None and self.focused.parent.id == "body":
            self._zoomed = self.focused.id or ""
            self.say("z shows all panes again, Tab the next one")
        self.fit_panes()

    def put_title(self, title: Line, subject: str, state: Sequence[Span]) -> None:
        """Shows the title, the name of the subject if there is room for it, and the state; and the hints."""
        room = self.app.size.width - sum(len(span.text) for span in (*title, *state)) - 2
        name = fit(subject, min(cell_len(safe(subject)), max(room, 0)), terminal_of(self).glyphs)
        self.title_bar.put(title, (*([Span(f" {name} ", "bar")] if name and room >= _LEAST_NAME else []), *state))
        self.refresh_hints()

    def refresh_hints(self) -> None:
        """Updates the line of active keys; below a dialog it stays as it was."""
        if self.is_active:
            self.hint_bar.put(hint_line(self, self.app.size.width))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Updates the hints for the focused pane, and remembers it."""
        if event.widget.parent is not None and event.widget.parent.id == "body":
            self._front = event.widget.id or ""
        self.refresh_hints()

    def say(self, text: str, tone: Tone = "strong") -> None:
        """Shows a message in the note line until the next one; a long one takes up to three lines."""
        if text:
            self.note_bar.say(text, tone)
        else:
            self.note_bar.put(self.status)

    def rest(self, status: Line, *, below_message: bool = False) -> None:
        """Sets the default text of the note line; what is wrong with an answer stays while its question is open.

        `below_message`: any message stays.
        """
        self.status = (Span(" "), *status)
        if not (self.note_bar.has_message and (self.asking or below_message)):
            self.note_bar.put(self.status)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Disables keys that have no effect now, and those that would open another question while one is open."""
        return not self.idle_reason(action) and not (self.asking and action in self.QUESTIONS)

    def refocus(self) -> None:
        """Focuses an open question, which a small terminal or a click may have taken the focus from."""
        if self.asking and self._prompt is not None and self._prompt.is_mounted:
            if self.focused is not self._prompt.field:
                self._prompt.refocus()
        else:
            super().refocus()

    async def ask(self, question: TextQuestion) -> None:
        """Opens a question in place of the hints."""
        before = self.focused

        def done() -> None:
            self.asking = False
            prompt.remove()
            self.hint_bar.display = True
            if before is not None:
                self.set_focus(before)

        prompt = self._prompt = Prompt(question, lambda wrong: self.say(wrong, "bad"), done)
        self.asking = True
        self.hint_bar.display = False
        await self.mount(prompt)
        self.set_focus(prompt.field)

    async def ask_passphrase(self, take: Callable[[Passphrase], object], wrong: str = "") -> None:
        """Asks twice for a passphrase that opens encrypted volumes, and passes it to `take`; `wrong`: why again."""
        from raidtui.machine.system.passphrase import Passphrase, problem_of  # few plans ask for one

        def accept(typed: str) -> str | None:
            first = Passphrase(typed)

            def repeat(typed: str) -> None:
                if typed == first.text:
                    self.call_later(take, first)
                else:
                    self.call_later(self.ask_passphrase, take, "the two are not the same: type it again")

            if not (problem := problem_of(first)):
                label = "the same passphrase again"
                self.call_later(self.ask, TextQuestion(label=label, accept=repeat, hidden=True, cancel=cancelled))
            return problem or None

        def cancelled() -> None:
            self.say("cancelled: nothing was started")

        label = "passphrase of the encrypted volumes"
        await self.ask(TextQuestion(label=label, accept=accept, hidden=True, cancel=cancelled))
        if wrong:
            self.say(wrong, "bad")
        else:
            self.say("typed twice, not stored; without it the data is lost. Esc starts nothing", "muted")

    def action_explain(self) -> None:
        """Explains the line under the cursor."""
        from raidtui.tui.widgets.dialogs import TextDialog  # not before one is shown

        heading, paragraphs = self.explanation()
        width = min(self.app.size.width - 6, 76)
        lines: list[Line] = []
        for paragraph in paragraphs:
            lines += [line(row) for row in wrapped(paragraph, width)]
            lines.append(())
        if lines:
            self.app.push_screen(TextDialog(heading, lines[:-1]))

    async def action_look_up(self) -> None:
        """Asks for a word, and shows what the pages of help have on it, as `raidtui help` prints it."""
        from raidtui.topics import about  # not before one is asked for
        from raidtui.tui.widgets.dialogs import TextDialog  # not before one is shown

        def show(word: str) -> None:
            found = about(word.lower(), max(min(self.app.size.width - 6, 76), 20))
            if not found:
                raise BadInput(f"no page of help has '{word}'", hint="try luks, scrub or chunk")
            self.app.push_screen(TextDialog(f"Help: {word}", [line(row) for row in found.splitlines()]))

        await self.ask(TextQuestion(label="help on which word", accept=accepts(show, what="a word, as scrub")))

    def own_keys_first(self) -> Sequence[ActiveBinding]:
        """The active keys; those that every screen has, such as zoom, come last."""
        every = [each.action for each in Frame.BINDINGS if isinstance(each, Binding)]
        return sorted(self.active_bindings.values(), key=lambda each: each.binding.action in every)

    def help_lines(self) -> Sequence[Line]:
        """Every active key from the bindings: this screen's, global ones, then navigation."""
        rows = key_rows(active.binding for active in self.own_keys_first())
        wide = max((len("  ".join(row.keys)) for row in rows), default=0)
        return [(Span(f"{'  '.join(row.keys):<{wide}}   ", "title"), Span(row.words)) for row in rows]


# The screens of an app, said once: keys, tabs, palette and what is shown are made of this table.


class Page(NamedTuple):
    """A screen by the name that the app shows it by."""

    name: str
    digit: str
    """its key; empty for one that is shown first and has none"""
    module: str
    """loaded when the screen is first shown, since a start must not wait for all"""
    class_name: str
    more: str = ""
    """what the hint of its key adds to its title"""

    @property
    def title(self) -> str:
        """What the title calls it, `page_name` of its class."""
        return self.name.capitalize()

    @property
    def kind(self) -> type[Frame]:
        """Its class."""
        kind: type[Frame] = getattr(import_module(self.module), self.class_name)
        return kind

    def make(self) -> Frame:
        """A new screen of its class."""
        return self.kind()

    def binding(self, group: str) -> Binding:
        """The key that shows it; `group`: first part of the id."""
        words = f"screen: {self.title}{self.more}"
        return Binding(self.digit, f"show('{self.name}')", self.name, show=False, tooltip=words,
                       id=f"{group}.{self.name}", priority=True)  # fmt: skip


# An app of such screens, with dialogs over them.


OF_ANY_APP = (
    Binding("ctrl+l", "redraw", "redraw", show=False, tooltip="draw the whole screen again", id="app.redraw",
            priority=True),
    Binding("ctrl+c", "interrupted", "interrupt", show=False, id="app.interrupt",
            tooltip="drop the keys that wait, and give up what is being opened"),
)  # fmt: skip
"""keys of every app, on screens and in dialogs"""
LAST_KEYS = (
    *OF_ANY_APP,
    Binding("q", "quit", "quit", show=False, tooltip="quit", id="app.quit"),
    Binding("ctrl+q", "quit", "quit", show=False, tooltip="quit", priority=True),
    Binding("question_mark", "help", "keys", tooltip="every key of this screen", id="app.help"),
)
"""keys of every app of several screens, after its own"""
_OPENS = frozenset({"build", "survey", "tune", "extend"})
"""groups of workers that end with a dialog: all keys are meant for it"""
_LEAVES = frozenset(("q", "ctrl+q", "ctrl+l"))
"""keys that never wait for what a screen loads, besides those of other screens"""


LONGEST = 74_994
"""maximum length in bytes of an OSC 52 sequence that terminals accept"""
COPY_FILE = "copied.txt"
"""the only file of copied text, in the user's state directory: each copy replaces the one before"""


class PageApp(TerminalApp):
    """Base class of the apps: shows one of its screens after the other, and knows the one that is worked on.

    Jobs and screens need no more of an app than this.
    """

    PAGES: ClassVar[tuple[Page, ...]] = ()
    """its screens, the one at the bottom first; those in SCREENS are kept, any other is made each time"""
    GUARDED: ClassVar[frozenset[str]] = frozenset({"show"})
    """actions of keys that are text while a question or a dialog is open"""
    COPIED_ELSE: ClassVar[str] = ""
    """what the message after a copy adds: another way to get it"""

    @property
    def has_page(self) -> bool:
        """False while the app closes: its screens go before its workers."""
        return any(isinstance(screen, Frame) for screen in self.screen_stack)

    @property
    def page(self) -> Frame:
        """The screen that is worked on, even while a dialog is open."""
        return next(screen for screen in reversed(self.screen_stack) if isinstance(screen, Frame))

    def on_mount(self) -> None:
        """Freezes the garbage collector's objects: what was loaded until the first frame is never garbage."""
        self.call_after_refresh(gc.freeze)
        self.call_after_refresh(gc.enable)

    def get_default_screen(self) -> Screen[Any]:
        """The first one. (Textual's modes would parse all styles twice before the first frame.)"""
        return self._screen_of(self.PAGES[0])

    def _screen_of(self, page: Page) -> Screen[Any]:
        return self.get_screen(page.name) if page.name in self.SCREENS else page.make()

    async def action_show(self, name: str) -> None:
        """Shows another screen. The first is the bottom of the stack; at most one other is above it."""
        current, wanted = self.page, next(page for page in self.PAGES if page.name == name)
        if self.screen is not current or isinstance(current, wanted.kind):
            return
        if wanted is self.PAGES[0]:
            await self.pop_screen()
        elif len(self.screen_stack) > 1:
            await self.switch_screen(self._screen_of(wanted))
        else:
            await self.push_screen(self._screen_of(wanted))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables priority keys while a question or a dialog is open, where they are text."""
        if action in self.GUARDED and (self.screen is not self.page or self.page.asking):
            return False
        return super().check_action(action, parameters)

    def copy(self, text: str, what: str) -> None:
        """Copies `text` to the terminal's clipboard, or to a file if that cannot work, and shows the destination.

        OSC 52 is not acknowledged, so success is not claimed.
        """
        payload = text.encode()
        sequence = len(base64.b64encode(payload)) + len("\x1b]52;c;\a")
        if not self.profile.plain and sequence <= LONGEST:
            self.copy_to_clipboard(text)
            size = f"{len(payload)} bytes"
            self.page.say(f"{what}: {size} sent to the terminal's clipboard (OSC 52){self.COPIED_ELSE}")
            return
        reason = "this terminal has no clipboard" if self.profile.plain else "too long for a terminal's clipboard"
        path = user_state() / COPY_FILE
        try:
            private_directory(path.parent)
            with failures(path, "make room there"):
                write_durably(path, text, mode=0o600)
        except RaidtuiError as problem:
            self.page.say(f"{what}: not copied: {reason}, and {problem}")
        else:
            self.page.say(f"{what}: {len(payload)} bytes written to {path} ({reason})")

    def awaited(self, event: events.Event, arrived: float) -> Iterable[Worker[Any]]:
        """What ends with a dialog; of a screen that is shown also what it loads, for the keys that need it."""
        screen, groups = self.screen, _OPENS
        if isinstance(screen, SteadyScreen) and not screen.asking and arrived < screen.shown_since:
            leaves = _LEAVES | screen.FREE | {page.digit for page in self.PAGES}
            free = event.key in leaves if isinstance(event, events.Key) else False
            groups |= frozenset() if free or isinstance(event, events.MouseEvent) else screen.LOADS
        return [worker for worker in self.workers if worker.group in groups]

    def interrupt(self) -> bool:
        """Drops what was typed and waits, and gives up the dialog that is being opened."""
        opening = [worker for worker in self.workers if worker.group in _OPENS]
        for worker in opening:
            worker.cancel()
        if waited := super().interrupt() or bool(opening):
            self.page.say("interrupted: the keys that waited are dropped")
        return waited

    def action_interrupted(self) -> None:
        """Names the key that leaves: nothing waited."""
        self.page.say("q quits")

    def action_help(self) -> None:
        """Every key of this screen."""
        from raidtui.tui.widgets.dialogs import TextDialog  # not before one is shown

        page = self.page
        if self.screen is page:
            self.push_screen(TextDialog(f"Keys: {page.page_name}", page.help_lines()))
