"""Screen 9, Arrays: the md arrays that exist, their members in the bays, and all that is known of one, live."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from shlex import join, split
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget

from raidtui.model.arrays import MemberState, ObservedArray, ObservedArrays
from raidtui.model.errors import RaidtuiError
from raidtui.model.extension import Extension
from raidtui.model.finding import refused
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.replacement import Replacement
from raidtui.model.safe import safe
from raidtui.planner.array_labels import SPARE, array_label
from raidtui.planner.arrays import words
from raidtui.planner.arrays.audit.text import audit_of
from raidtui.planner.arrays.document import array_blocks, summary
from raidtui.planner.report.blocks import Block, Heading, Listing, Paragraph
from raidtui.tui.jobs.array_watch import ArrayWatch, machine_of
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.app_base import terminal_of
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.profile import TerminalKind
from raidtui.tui.terminal.text import Line, Mark, Span, Tone, fit
from raidtui.tui.widgets.bays import shelves
from raidtui.tui.widgets.block_lines import block_lines, tone
from raidtui.tui.widgets.pane import Pane
from raidtui.tui.widgets.question import TextQuestion
from raidtui.tui.widgets.slot_map import SlotMap, disk_key, group_tone
from raidtui.tui.widgets.small_layout import SmallPane

if TYPE_CHECKING:
    from raidtui.machine.ports.runner import MachineReader
    from raidtui.tui.jobs.run_view import RunView

C = TypeVar("C", Replacement, Extension)
_Blocks = Callable[[C], Sequence[Block]]

_PACE: dict[TerminalKind, float] = {"serial": 10.0, "console": 5.0, "ssh": 5.0, "local": 5.0}
"""seconds between looks, by kind of terminal"""
_MOST_CELLS = 34
"""cells of a column of the list"""
_MOST_ROWS = 8
"""arrays of the list on a low screen; it scrolls if there are more"""
_BAYS = 20
"""lines of the bays on a very large terminal; beside them the text begins right under the list"""
_NONE = "No md array. 2 Design, then 4 Commands and b build one."


class ArraysScreen(BaseScreen):
    """Arrays by name, their bays, and the document of the one under the cursor."""

    page_name = "Arrays"
    AUTO_FOCUS = "#list"
    LOADS = frozenset({"arrays"})
    SMALL = (SmallPane("list", 6), SmallPane("text", 8), SmallPane("slots", 7))
    QUESTIONS = BaseScreen.QUESTIONS | {"extend", "replace"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "replace", "replace", tooltip="a disk failed: which one to pull, what to type, what survives",
                id="arrays.replace", priority=True),
        Binding("E", "extend", "extend", tooltip="grow or extend the array: spare, bitmap, larger members, shelf",
                id="arrays.extend", priority=True),
    ]  # fmt: skip

    def panes(self) -> Iterator[Widget]:
        """List, bays, and the text of one array."""
        self.list = Pane("Arrays", pickable=True, id="list")
        self.slots = SlotMap("Slots", id="slots", view="array", boxes=True)
        self.text = Pane("", id="text")
        self.audit = Pane("Audit", id="audit")
        self.seen: ObservedArrays | None = None
        self.array_watch = ArrayWatch(self.session.inventory)
        self._inventory = self.session.inventory
        self.timer: Timer | None = None
        self._looking = self._of_run = False
        self._extension = "grow"
        yield from (self.list, self.slots, self.text, self.audit)

    # Looking.

    def on_screen_resume(self) -> None:
        """Looks now, and again at intervals."""
        super().on_screen_resume()
        if self.timer is None:
            self.timer = self.set_interval(_PACE[terminal_of(self).profile.kind], self.look_now)
        self.timer.resume()
        if self._run is None:
            self.desk.run_follower.find(at_work=False)
        self.look_now(group="arrays")

    def run_changed(self) -> None:
        """Looks at once where the run that is followed has just been found."""
        if not self._of_run and self._run is not None:
            self.look_now()

    def on_screen_suspend(self) -> None:
        """Nothing is read while nobody looks."""
        if self.timer is not None:
            self.timer.pause()

    def look_now(self, *, group: str = "arrays-again") -> None:
        """Reads the arrays unless a look is under way. `group`: of the worker."""
        if not self._looking:
            self._looking = True
            self.run_worker(self._take(), group=group)

    async def _take(self) -> None:
        run = self._run
        self._of_run = run is not None
        try:
            found = await asyncio.to_thread(self.array_watch.take, self.session.inventory, run)
        except RaidtuiError as error:
            self.say(f"arrays not read: {error}", "bad")
            return
        finally:
            self._looking = False
        first, (self.seen, self._inventory) = self.seen is None, found
        self.show_session()
        self.refresh_hints()  # E has an effect where there is an array
        if first and (grave := next((at for at, each in enumerate(self.seen.arrays) if _tone(each) == "bad"), 0)):
            self.list.move_to(grave)

    @property
    def _run(self) -> RunView | None:
        """What the machine may be at; None where the run that is followed is on other disks."""
        watch, here = self.desk.run_follower.watch, {disk.id for disk in self.session.inventory.disks}
        return watch.seen if watch is not None and all(disk.id in here for disk in watch.plan.disks) else None

    # Changing an array.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables keys that have no effect now."""
        return super().check_action(action, parameters) and not (action in ("extend", "replace") and self.array is None)

    async def action_replace(self) -> None:
        """Asks which member goes where that is not plain, and shows what replacing it takes."""
        if self.array is None:
            self.say(_NONE)
            return
        from raidtui.machine.arrays.changes import asked_replacement  # only where it is asked for
        from raidtui.steps.replace_text import replacement_blocks  # beside it

        name, title = self.array.name or self.array.uuid, words.name(self.array)

        def accept(typed: str) -> str | None:
            member, new = (part.strip() for part in f" {typed} ".partition(" with ")[::2])
            options = (*(("--member", member) if member else ()), *(("--with", new) if new else ()))

            def ask(reader: MachineReader, inventory: Inventory) -> Replacement:
                return asked_replacement(reader, inventory, name, member=member or None, new=new or None)

            self._show_change(("replace", name, *options), ask, replacement_blocks)
            return None

        self.say("Enter: the member that failed. Or, for example: sdb; with sdx; sdb with sdx", "muted")
        await self.ask(TextQuestion(label=f"replace in {title}", answer="", accept=accept))

    async def action_extend(self) -> None:
        """Asks how the array under the cursor is to be extended, and shows what that takes."""
        array = self.array
        if array is None:
            self.say(_NONE)
            return
        from raidtui.machine.arrays.changes import USAGE, extension  # only where it is asked for
        from raidtui.steps.extend import extension_blocks  # beside it

        name = array.name or array.uuid

        def accept(typed: str) -> str | None:
            try:
                kind, *what = split(typed) or [""]
            except ValueError as wrong:
                return str(wrong)
            self._extension = typed
            self._show_change(
                ("extend", name, kind, *what), lambda reader, inventory: extension(reader, inventory, name, kind, what),
                extension_blocks,
            )  # fmt: skip
            return None

        self.say(USAGE, "muted")
        label = f"extend {words.name(array)}"
        await self.ask(TextQuestion(label=label, answer=self._extension, accept=accept))

    def _show_change(
        self, call: Sequence[str], ask: Callable[[MachineReader, Inventory], C], blocks: _Blocks[C]
    ) -> None:
        self.say("reading the arrays ...")
        self.run_worker(self._change_page(call, ask, blocks), group="extend", exclusive=True)

    async def _change_page(
        self, call: Sequence[str], ask: Callable[[MachineReader, Inventory], C], blocks_of: _Blocks[C]
    ) -> None:
        """Shows the page of `raidtui CALL`, or why there is none; keys typed meanwhile are for it."""
        from raidtui.tui.widgets.text_dialog import TextDialog  # only where it is asked for

        run: RunView | None = self._run
        blocks: tuple[Block, ...]
        try:
            machine = await asyncio.to_thread(machine_of, self.session.inventory, run)
            found = await asyncio.to_thread(ask, *machine)
        except RaidtuiError as error:
            blocks = (Paragraph(text=error.with_hint, tone="bad"),)
        else:
            blocks = tuple(blocks_of(found))
            if (
                found.steps
                and not refused(found.findings)
                and not (isinstance(found, Extension) and found.kind == "reshape")
            ):
                of_run: tuple[str, ...] = ()
                if run is not None and found.simulated:
                    of_run = ("--run", run.plan.run_id[:8])
                begin = safe(join(("raidtui", *call, *of_run, "--begin")))
                blocks += (Listing(title="This asks for a phrase, then does it:", lines=(begin,)),)
        self.say("")
        lines = block_lines(blocks, min(self.app.size.width - 6, 110), self.desk.glyphs)
        self.app.push_screen(TextDialog(safe(join(call)), lines))

    # Showing.

    def show_session(self) -> None:
        """Shows the last look."""
        seen = self.seen
        arrays = seen.arrays if seen is not None else ()
        empty = _NONE if seen is not None else "reading the arrays"
        self.show_only("" if arrays else "list")
        if self.list.empty != empty:
            self.list.empty = empty
            self.list.refresh()
        cells = [(words.both_names(array), words.shape(array), ", ".join(array.states)) for array in arrays]
        widths = [min(max(map(len, column)), _MOST_CELLS) for column in zip(*cells, strict=True)]
        rows_of = [self._row(*each, widths) for each in zip(arrays, cells, self._labels(), strict=True)]
        self.list.renew(lambda _: rows_of)
        rows = None if self.has_class("-tall") else f"{min(len(arrays), _MOST_ROWS) + 1} 1fr"
        if arrays and self.has_class("-huge") and self.has_class("-tall"):
            upper = min(len(arrays) + 2, _BAYS - 2)
            rows = f"{upper} {_BAYS - upper} 1fr"
        self.query_one("#body").styles.grid_rows = rows
        self._show_bays()
        self._show_text()
        if seen is not None:
            unread = Span(f"  not read: {'; '.join(seen.unread)}", "warn")
            grave: Tone = "bad" if "bad" in map(_tone, arrays) else "strong"
            self.rest((Span(summary(seen) if arrays else "", grave), *((unread,) if seen.unread else ())))

    def _labels(self) -> list[str]:
        """The label of each array in its bays: A for data-0, as on Design, although the kernel counts down."""
        paths = [array.path for array in self.seen.arrays] if self.seen is not None else []
        order = sorted(range(len(paths)), key=lambda at: (len(paths[at]), paths[at]))
        return [array_label(order.index(at)) for at in range(len(paths))]

    def _row(self, array: ObservedArray, row: Sequence[str], label: str, widths: Sequence[int]) -> Line:
        name, shape, state = (f"{fit(text, wide, self.desk.glyphs)}  " for text, wide in zip(row, widths, strict=True))
        top = array.stands_on_it[-1] if array.stands_on_it else None
        used = ", ".join(top.mount_points) or top.content if top is not None else ""
        last = Span(words.sync_words(array.sync, short=True) or safe(used), "muted")
        beside = self.has_class("-wide") and self.has_class("-tall")  # where the bays are, which have the label
        first = Span(f"{label} " if beside else "", group_tone(label))
        return (first, Span(name, "strong"), Span(shape), Span(state, _tone(array)), last)

    @property
    def array(self) -> ObservedArray | None:
        """The array under the cursor."""
        arrays = self.seen.arrays if self.seen is not None else ()
        return arrays[min(self.list.cursor, len(arrays) - 1)] if arrays else None

    def _show_text(self) -> None:
        array, seen = self.array, self.seen
        if array is None or seen is None:
            self.text.heading = ""
            self.text.put(lambda _: [])
            return
        inventory, glyphs = self._inventory, self.desk.glyphs
        changed, self.text.heading = self.text.heading != words.both_names(array), words.both_names(array)
        audit = self.array_watch.audit
        errors, others = audit_of(audit, array) if audit is not None else ((), ())
        _, state, *known = array_blocks(array, seen, inventory)
        beside = self.has_class("-huge") and self.has_class("-tall")
        whole = (state, *known) if beside else (state, *errors, *known, Heading(text="Audit"), *others)
        self.text.renew(lambda width: block_lines(whole, width, glyphs))
        self.audit.renew(lambda width: block_lines((*errors, *others), width, glyphs))
        if changed:
            self.text.refresh()

    def _show_bays(self) -> None:
        glyphs = self.desk.glyphs
        marks: dict[str, Mark] = {}
        groups: dict[str, str] = {}
        disks = {disk.id: disk for disk in (*self.session.inventory.disks, *self._inventory.disks) if disk.id}
        for label, array in zip(self._labels(), self.seen.arrays if self.seen is not None else (), strict=True):
            for member in array.members:
                disk = disks.get(member.disk_id)
                if disk is not None:
                    marks[disk_key(disk)] = _mark(member.state, glyphs)
                    if member.state not in ("faulty", "missing", "dropped"):
                        groups[disk.id] = SPARE if member.state == "spare" else label
        idle = Mark(glyphs.hole, "in no array", "muted")
        shown: list[Disk] = list(disks.values())
        self.slots.show(shelves(shown), {disk_key(disk): marks.get(disk_key(disk), idle) for disk in shown}, groups)

    @on(Pane.Moved, "#list")
    def _moved(self) -> None:
        self.text.top = 0
        self._show_text()

    @on(SlotMap.Picked)
    def _picked(self, event: SlotMap.Picked) -> None:
        for number, array in enumerate(self.seen.arrays if self.seen is not None else ()):
            for member in array.members:
                if member.disk_id and member.disk_id == event.disk.id:
                    self.list.move_to(number)
                    place = f"slot {member.slot}, " if member.slot is not None else ""
                    self.say(f"{event.disk.kernel_name}: {place}{member.state} of {array.shown_name}")
                    return
        self.say(f"{event.disk.kernel_name}: in no array")

    def explanation(self) -> tuple[str, Sequence[str]]:
        """How the arrays are read and what the states mean."""
        return "Arrays", (
            "Read from /sys and /proc/mdstat every few seconds; configuration, initramfs and superblocks when a state "
            "changes, and once a minute. Nothing is written. What could not be read is unknown, never fine.",
            "degraded: a member is missing. inactive: assembled, not started. incomplete: not started, because members "
            "are missing. stopped: superblocks on disks, nothing assembled. pending: a sync waits for the first write. "
            "foreign: made for another host.",
            "Audit: what the rules of raidtui audit find about this array, anew when a state changes; each rule: "
            "raidtui help rules.",
            "r shows what raidtui replace prints: the disk to pull by slot and serial number, what fills its place, "
            "what the array survives meanwhile, each command. It executes nothing.",
            "E shows what raidtui extend prints for the array: room, speed and risk before and after, each command and "
            "what an interruption leaves. It executes nothing. More: raidtui help growth.",
            "A missing member is shown in the bay in which this screen has seen it. R reads the disks again, which "
            "finds one that was plugged in. What each state asks for: raidtui help states.",
        )


def _tone(array: ObservedArray) -> Tone:
    return tone(words.state_tone(array.state))


def _mark(state: MemberState, glyphs: Glyphs) -> Mark:
    """The mark of a member in its bay."""
    match state:
        case "faulty" | "missing":
            return Mark(glyphs.failed, state, "bad")
        case "dropped" | "idle" | "unknown":
            return Mark(glyphs.alert, state, "warn")
        case "rebuilding" | "replacement":
            return Mark(glyphs.held, state, "warn")
        case "spare":
            return Mark("+", state, "muted")
        case "in-sync" | "journal":
            return Mark(glyphs.good, state, "good")
