"""Screen 2: the design; every key press updates the results of md, LVM and mkfs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from raidtui.answers.design import changes, compared_with, domain_blocks, prediction_text, result_blocks, strip, weighed
from raidtui.answers.findings import finding_details, finding_items
from raidtui.answers.risk import spares_row
from raidtui.session.decision import findings
from raidtui.session.fields.all_fields import page_of
from raidtui.session.fields.field import PAGES, Field, FieldPage, stepped
from raidtui.session.saved_designs import known_names, load, save
from raidtui.tui.screens.base import GUIDE, BaseScreen
from raidtui.tui.screens.design.answer import AnswerStrip
from raidtui.tui.terminal.text import KeySpan, Line, Mark, Span, Tone, cells, fit, line, wrapped
from raidtui.tui.widgets.blocks_pane import BlocksPane
from raidtui.tui.widgets.dialogs import TextDialog
from raidtui.tui.widgets.disk_marks import disk_marks
from raidtui.tui.widgets.disk_table import DiskTable
from raidtui.tui.widgets.frame import FRAME, HUGE
from raidtui.tui.widgets.lines import block_lines
from raidtui.tui.widgets.pane import Pane, SmallPane, is_small, upper_lines
from raidtui.tui.widgets.prompt import TextQuestion, accepts
from raidtui.tui.widgets.slot_map import Shelf, SlotMap, role_words, shelves
from raidtui.values.blocks import Block, FigureRow, Figures
from raidtui.values.errors import RaidtuiError
from raidtui.values.notation import show
from raidtui.values.units import counted

if TYPE_CHECKING:
    from raidtui.session.decision import DesignOutcome


# Design form: a pane of fields; the arrow keys change a value, Enter asks for one.


_TITLE = 12
_HEADINGS: dict[FieldPage, str] = {"layout": "Design", "options": "Options", "assumptions": "Assumptions"}


RECIPES = "raidtui.fleet.tui.recipe_export"
"""loaded by its name: of fleets this room knows no more"""


class DesignForm(Pane):
    """One field per line. It only posts messages; the screen decides."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,greater_than_sign,plus", "step(1)", "change", key_display="< >", tooltip="next valid value"),
        Binding("left,h,less_than_sign,minus", "step(-1)", "smaller", show=False, tooltip="previous valid value"),
        Binding("enter", "screen.type_value", "type", tooltip="type a value", id="design.type", priority=True),
    ]

    @dataclass
    class Stepped(Message):
        """Message: an arrow key was pressed on a field."""

        field: Field
        by: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Design", pickable=True, id=id)
        self.page: FieldPage = "layout"
        self._wanted = ""
        """key of the field that gets the cursor when the fields are shown next"""
        self.fields: Sequence[Field] = ()

    def show(self, fields: Sequence[Field]) -> None:
        """Replaces the fields; the cursor stays on its field if the form still has it."""
        key = self._wanted or (self.field.key if self.fields else "")
        self._wanted = ""
        self.fields = fields
        self.cursor = next((place for place, field in enumerate(fields) if field.key == key), self.cursor)
        self.keep_in_view()
        self.refresh_changes()

    @property
    def field(self) -> Field:
        """The field under the cursor."""
        return self.fields[min(self.cursor, len(self.fields) - 1)]

    def turn(self, page: FieldPage) -> None:
        """Shows another page; the cursor stands on the line that leads back, or on the one that led there."""
        before, self.page = self.page, page
        self.heading = _HEADINGS[page]
        self.cursor = 0
        self._wanted = before if page == "layout" else ""

    def action_step(self, by: int) -> None:
        """Posts `Stepped`."""
        self.post_message(self.Stepped(self.field, by))

    def line_count(self) -> int:
        """One line per field."""
        return len(self.fields)

    def line_at(self, index: int, width: int) -> Line:
        """Title, value between arrows, limits."""
        field = self.fields[index]
        glyphs = self.glyphs
        less = glyphs.less if field.choices and field.at > 0 else " "
        more = glyphs.more if field.choices and field.at < len(field.choices) - 1 else " "
        title = Span(f"{field.title:<{_TITLE}}", "muted")
        if field.opens is not None:
            arrow = glyphs.less if field.opens == "layout" else glyphs.more
            return (title, KeySpan(f"{arrow} ", "title", "enter"), Span(field.shown), Span(f"  {field.aside}", "muted"))
        if field.fixed:
            return (title, Span(f"  {field.shown}", "muted"), Span(f"  {field.aside}", "muted"))
        if not field.choices:
            tone: Tone = "strong" if field.typed else "muted"
            return (title, Span(f"  {fit(field.shown, width - _TITLE - 2, glyphs)}", tone))
        value = f"{field.shown:^8}" if len(field.shown) <= 8 else field.shown
        return (
            title,
            KeySpan(f"{less} ", "title", "left"),
            Span(value, "strong"),
            KeySpan(f" {more}", "title", "right"),
            Span(f" {field.aside}", "muted"),
        )


_WIDE = 110
"""most cells of a line of failure domains"""
_LEAST_ABOUT, _LEAST_FINDINGS = 5, 8
"""least lines of the explanation and of the findings on a huge screen"""


class DesignScreen(BaseScreen):
    """The answer on top; form and placement on the left, results and findings on the right."""

    page_name = "Design"
    AUTO_FOCUS = "#form"
    SMALL = (
        SmallPane("form", 7),
        SmallPane("answer", 3),
        SmallPane("result", 5),
        SmallPane("findings", 3),
        SmallPane("placement", 6),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "notation", "layout", tooltip="type a whole layout, such as 4x(12+2)+4", id="design.notation",
                priority=True),
        Binding("u", "app.undo", "undo", tooltip="undo the last decision"),
        Binding("S", "save", "save", tooltip="save this design under a name; the results show the difference",
                id="design.save", priority=True),
        Binding("d", "compare", "difference", show=False, tooltip="difference from the next saved design",
                id="design.compare"),
        Binding("L", "load", "load", show=False, tooltip="load a saved design", id="design.load", priority=True),
        Binding("f", "domains", "domains", show=False, tooltip="effect of losing an enclosure or controller",
                id="design.domains"),
        Binding("F", "recipe", "recipe", show=False,
                tooltip="write a recipe for many hosts: this design without its disks", id="design.recipe"),
        Binding("y", "copy", "copy", show=False, tooltip="copy the sizes as text", id="design.copy"),
        Binding("e", "app.export", "export", tooltip="write plan, scripts and runbook", priority=True),
        GUIDE,
    ]  # fmt: skip

    def panes(self) -> Iterator[Widget]:
        """The answer, form, results, placement, findings."""
        self.answer = AnswerStrip(id="answer")
        self.form = DesignForm(id="form")
        self.result = BlocksPane("Result", id="result")
        self.result.fills = True
        self.placement = SlotMap("Placement", id="placement", view="array", boxes=True)
        self.findings = BlocksPane("Findings", id="findings")
        self.before: Sequence[FigureRow] = ()
        """figures of the design that was shown before"""
        self._outcome: DesignOutcome | None = None
        self.change: Sequence[str] = ()
        """sentences on what the last change made better and worse"""
        self.against = ""
        self._bays_of: tuple[object, tuple[tuple[Shelf, ...], Mapping[str, Mark]]] | None = None
        self._fields_of: tuple[DesignOutcome, str, FieldPage, tuple[Field, ...]] | None = None
        self.about = Pane("About", id="about")
        self.about.can_focus = False
        self.members = DiskTable(id="members")
        self._rows: tuple[tuple[int, ...], tuple[int, ...], tuple[Pane, ...]] | None = None
        yield from (
            self.answer, self.form, self.result, self.placement, self.findings, self.about, self.members,
        )  # fmt: skip

    def show_session(self) -> None:
        """Shows the design and its results."""
        self.form.show(self._fields())
        app, outcome = self.app, self.session.outcome
        design, prediction = outcome.decision.design, outcome.prediction
        saved = self.session.saved.get(self.against)
        against = f"{self.against}: {show(saved.decision.design.layout, times=app.glyphs.times)}" if saved else ""
        found = findings(outcome)
        refusal = "" if prediction.arrays else next((each.message for each in found), "refused")
        self._show_figures(outcome, saved, refusal)
        self.result.aside = f"difference from {against}" if against else ""
        bays, marks = self._bays()
        if self.app.size.width >= HUGE:
            roles = role_words(design.layout, outcome.groups, outcome.decision.plan_name)
            self.members.show(self.session.inventory.disks, marks, roles)
        self.placement.show(bays, marks, outcome.groups)
        disks = self.session.inventory.disks
        self.findings.empty = f"{app.glyphs.good} no findings"
        self.findings.show(finding_items(found, coded=False, details=lambda each: finding_details(each, disks)))
        self.fit_rows()
        before, self._outcome = self._outcome, outcome
        changed = before is not None and before is not outcome and before.inventory is outcome.inventory
        self.rest_on_field(self.change if changed else ())

    def _show_figures(self, outcome: DesignOutcome, saved: DesignOutcome | None, refusal: str) -> None:
        """Strip and results, and what the last change made of them."""
        figures, blocks = headline_of(outcome), result_of(outcome)
        before: tuple[float | None, ...] = ()
        if saved is not None:
            blocks = compared_with(blocks, result_of(saved))
            numbers = {row.title: row.number for row in headline_of(saved)}
            before = tuple(numbers.get(row.title) for row in figures)
        self.answer.show(Figures(rows=figures, before=before), refusal)
        self.result.show(blocks)
        now = weighed(outcome.assessed, outcome.decision.assumptions, outcome.disks, outcome.decision.purpose)
        self.change = changes(self.before, now)
        self.before = now

    def fit_panes(self) -> None:
        """Also gives the panes their heights."""
        super().fit_panes()
        self._rows = None
        self.fit_rows()

    def fit_rows(self) -> None:
        """Gives every pane as many lines as it has text for, and the rest to the one that lacks most."""
        width, height = self.app.size
        if is_small((width, height)) or not self.form.fields:
            return
        boxed = self.form.boxed
        strip, frame = self.answer.height(width, boxed), 2 if boxed else 1
        rest = height - FRAME - bool(self.alarm) - strip
        if width >= HUGE and boxed:
            form = len(self.form.fields) + frame
            about = min(max(self.about.line_count() + frame, _LEAST_ABOUT), form - 1)
            lower = rest - form
            map_ = self.placement.lines_wanted(width // 3 - 6, lower - _LEAST_FINDINGS - frame) + frame
            rows: tuple[int, ...] = (strip, about, form - about, lower - map_)
            spans: tuple[int, ...] = (2, 4, 1, 2, 1, 2)
            order: tuple[Pane, ...] = (self.about, self.findings, self.members, self.placement)
        else:
            form = upper_lines(rest, len(self.form.fields) + frame, self.placement.lines_for(0) + frame)
            lower = self.findings.line_count() + frame
            most = upper_lines(rest, rest, lower) - frame
            result = upper_lines(rest, self._result_lines(width, most, boxed) + frame, lower)
            least, most = sorted((form, result))
            rows = (strip, least, most - least) if most > least else (strip, least)
            below = (1, 1) if least == most else (2, 1) if form < result else (1, 2)
            spans = (1 if form <= result else 2, 1 if result <= form else 2, *below, 1, 1)
            lower_panes = (self.findings, self.placement) if form > result else (self.placement, self.findings)
            order = (*lower_panes, self.about, self.members)
        if self._rows != (made := (rows, spans, order)):
            self._rows = made
            self.put_in_order(order)
            self.query_one("#body").styles.grid_rows = f"{' '.join(map(str, rows))} 1fr"
            panes = (self.form, self.result, self.placement, self.findings, self.about, self.members)
            for pane, span in zip(panes, spans, strict=True):
                pane.styles.row_span = span

    def _result_lines(self, width: int, most: int, boxed: bool) -> int:
        """Lines of the results on this terminal, with as many groups open as `most` lines have room for."""
        inside = self.result.inner_width() or max(width // 2 - (4 if boxed else 2), 20)
        return self.result.lines_in(inside, most)

    def _bays(self) -> tuple[tuple[Shelf, ...], Mapping[str, Mark]]:
        """Bays and marks of all disks; most keys change the design and none of them."""
        decision, inventory, glyphs = self.session.decision, self.session.inventory, self.app.glyphs
        source = inventory, decision.left_out, decision.taken_over, glyphs
        if self._bays_of is None or self._bays_of[0] != source:
            self._bays_of = source, (shelves(inventory.disks), disk_marks(inventory, decision, glyphs))
        return self._bays_of[1]

    def _fields(self, page: FieldPage | None = None) -> Sequence[Field]:
        """The fields of `page`, else of the page that is shown; a key asks for those of an outcome twice."""
        outcome, times, page = self.session.outcome, self.app.glyphs.times, page or self.form.page
        if self._fields_of is None or self._fields_of[0] is not outcome or self._fields_of[1:3] != (times, page):
            speed = outcome.throughput.disk if outcome.throughput else None
            versions = self.session.inventory.target
            found = page_of(page, outcome.decision, len(outcome.disks), times=times, speed=speed, found=versions)
            self._fields_of = outcome, times, page, found
        return self._fields_of[3]

    def rest_on_field(self, change: Sequence[str] = ()) -> None:
        """Shows in the note line what a change made, else what the field is for: whole sentences, as many as fit; if
        they fit too, the undo steps."""
        field, undo = self.form.field, len(self.session.history.past)
        told, tail = "", f"   {counted(undo, 'undo step')}" if undo else ""
        room = self.app.size.width - 2
        for sentence in change or (field.in_short,):
            more = f"{told}. {sentence}" if told else sentence
            told = more if cells(more) <= room or not told else told
        if cells(told + tail) > room:
            tail = ""
        self.rest((Span(told, "text" if change else "muted"), Span(tail, "muted")))
        self.about.heading = field.title
        about = f"{field.about} Here: {field.stop}." if field.stop else field.about
        self.about.renew(lambda width: [line(row, "muted") for row in wrapped(about, width)])

    def explanation(self) -> tuple[str, Sequence[str]]:
        """Explains the field under the cursor, or the result line."""
        if self.focused is self.answer and self.answer.figure is not None:
            figure = self.answer.figure
            return figure.title, (figure.about, *figure.formula)
        if self.focused is self.result and isinstance(row := self.result.picked, FigureRow):
            return self.result.name_at_cursor, (row.about, *row.formula)
        field, outcome = self.form.field, self.session.outcome
        rows = [field.about, *([f"Here: {field.stop}."] if field.stop else ())]
        if field.key == "spares" and outcome.durability is not None:  # what a spare is for, then how many it takes
            decision = outcome.decision
            row = spares_row(decision.design.layout, outcome.durability, decision.assumptions)
            rows += [f"Spares: {row.value}.", row.about]
        return field.title, rows

    # Keys.

    @on(DesignForm.Stepped)
    def _stepped(self, event: DesignForm.Stepped) -> None:
        field = self._fresh(event.field)
        if field.opens is not None:
            if (event.by > 0) == (field.opens != "layout"):
                self._turn(field.opens)
            return
        decision = stepped(field, event.by)
        if decision is not None:
            self.session.decide(decision)
        elif field.fixed or not field.choices:
            self.say(f"{field.title} is {'set by the other fields' if field.fixed else 'typed: Enter to change it'}")
        else:
            self.say(field.stop if event.by > 0 and field.stop else f"{field.title}: no further value is valid here")

    def _fresh(self, field: Field) -> Field:
        """The present state of `field`: several keys may be pressed before the first is handled."""
        return next((other for other in self._fields() if other.key == field.key), field)

    @on(DesignForm.Moved, "#form")
    def _moved(self) -> None:
        self.rest_on_field()

    @on(Pane.Moved, "#result")
    def _read(self) -> None:
        self.fit_rows()
        if isinstance(row := self.result.picked, FigureRow):
            self._rest_on(row)

    @on(Pane.Moved, "#answer")
    def _read_figure(self) -> None:
        if self.answer.figure is not None:
            self._rest_on(self.answer.figure)

    def _rest_on(self, result: FigureRow) -> None:
        tail = (Span("   F1: formula", "muted"),) if result.formula else ()
        self.rest((Span(result.about.partition(". ")[0].removesuffix("."), "muted"), *tail))

    async def action_type_value(self) -> None:
        """Asks for a value of the field under the cursor."""
        field = self._fresh(self.form.field)
        if field.opens is not None:
            self._turn(field.opens)
        elif field.read is None:
            self.say(f"{field.title} is set by the other fields")
        else:
            await self.ask_value(field)

    async def action_edit(self, key: str) -> None:
        """Asks for a value of the field `key`, on whichever page it is."""
        for page in PAGES:
            places = [place for place, field in enumerate(self._fields(page)) if field.key == key]
            if not places:
                continue
            if page != self.form.page:
                self._turn(page)
            self.set_focus(self.form)
            self.form.move_to(places[0])
            await self.action_type_value()
            return

    def _turn(self, page: FieldPage) -> None:
        """Shows another page of the form."""
        self.form.turn(page)
        self.form.show(self._fields())
        self.fit_rows()
        self.rest_on_field()

    async def action_notation(self) -> None:
        """Asks for a whole layout, from any pane."""
        if self.form.page != "layout":
            self._turn("layout")
        self.form.move_to(0)
        await self.action_type_value()

    async def action_save(self) -> None:
        """Saves the design under a name."""
        names = known_names(self.session)
        if names:
            self.say(f"saved designs: {', '.join(names)}", "muted")
        await self.ask(TextQuestion(label="save design as (a name, such as A)", answer=self.against, accept=self._save))

    def _save(self, text: str) -> str | None:
        try:
            self.against = save(self.session, text.strip())
        except RaidtuiError as error:
            return f"{error}: {error.hint}"
        self.show_session()
        layout = show(self.session.history.now.design.layout, times=self.app.glyphs.times)
        self.say(f"{layout} saved as {self.against}; results now show the difference from it", "good")
        return None

    async def action_load(self) -> None:
        """Loads a saved design; that is a decision, so it can be undone."""
        names = known_names(self.session)
        if not names:
            self.say("no saved design yet: S saves one")
            return
        self.say(f"saved designs: {', '.join(names)}", "muted")
        await self.ask(TextQuestion(label="load design", answer=names[0], accept=accepts(self._load)))

    def _load(self, name: str) -> None:
        load(self.session, name)
        self.say(f"{name} loaded; u goes back", "good")

    def action_compare(self) -> None:
        """Compares with the next saved design, then with none."""
        order = ["", *sorted(self.session.saved)]
        self.against = order[(order.index(self.against) + 1) % len(order)]
        self.show_session()
        self.say(f"compared with {self.against}" if self.against else "no comparison; S saves a design")

    def action_domains(self) -> None:
        """Shows the effects of the loss of each failure domain."""

        placement = self.session.outcome.placement
        if placement is None:
            self.say("a refused design has no placement")
            return
        lines = block_lines(domain_blocks(placement), min(self.app.size.width - 6, _WIDE), self.app.glyphs)
        self.app.push_screen(TextDialog("Failure domains", lines))

    async def action_recipe(self) -> None:
        """Asks for a file and writes the design as a recipe for many hosts."""
        question = import_module(RECIPES).recipe_question(self.app)
        if isinstance(question, str):
            self.say(question)
        else:
            await self.ask(question)

    def action_copy(self) -> None:
        """Copies all results as text: sizes, speed, risk, failure domains."""

        outcome = self.session.outcome
        self.app.copy(
            prediction_text(outcome.assessed, outcome.decision.assumptions, disks=outcome.disks) + "\n", "answer"
        )


def headline_of(outcome: DesignOutcome) -> tuple[FigureRow, ...]:
    """The figures of the strip."""
    decision = outcome.decision
    return strip(outcome.assessed, decision.assumptions, outcome.disks, decision.purpose)


def result_of(outcome: DesignOutcome) -> tuple[Block, ...]:
    """The groups of results."""
    return result_blocks(outcome.assessed, outcome.decision.assumptions, outcome.disks)
