"""Screen 9, Arrays: what is to repair, the md arrays that exist, their members in the bays, all of one, live."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from shlex import join, split
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from raidtui.advice.arrays import words
from raidtui.advice.arrays.repair import (
    Repair,
    RepairRow,
    gravest,
    heading,
    in_sync_words,
    is_first_sync,
    place_words,
    repairs,
    row_words,
    state_words,
)
from raidtui.answers.arrays import array_blocks, summary
from raidtui.answers.audit import audit_of
from raidtui.session.machine_watch import machine_of, site_of
from raidtui.tui.gauges.rows import bar_of
from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import KeySpan, Line, Mark, Span, Tone, fit
from raidtui.tui.widgets.disk_marks import member_mark
from raidtui.tui.widgets.frame import FRAME
from raidtui.tui.widgets.lines import block_lines, tone
from raidtui.tui.widgets.pane import Pane, SmallPane
from raidtui.tui.widgets.prompt import TextQuestion
from raidtui.tui.widgets.slot_map import SlotMap, disk_key, group_tone, shelves
from raidtui.values.acts import Extension, Replacement
from raidtui.values.arrays import ArrayMember, ObservedArray, ObservedArrays
from raidtui.values.blocks import Block, Heading, Listing, Paragraph
from raidtui.values.errors import RaidtuiError
from raidtui.values.findings import refused
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.location import short_slot
from raidtui.values.members import JOURNAL, SPARE, array_label
from raidtui.values.safe import safe

if TYPE_CHECKING:
    from raidtui.engine.living import LivingAct
    from raidtui.engine.site import Site
    from raidtui.machine.system.ports import MachineReader
    from raidtui.session.run_view import RunView

_MOST_CELLS = 34
"""cells of a column of the list"""
_BAR = 24
"""cells of the bar of a sync, on a large screen"""
_MOST_ROWS = 8
"""arrays of the list on a low screen; it scrolls if there are more"""
_NARROW = 76
"""cells below which slots have short names in what is to repair"""
_MOST_TO_REPAIR = 9
"""lines of what is to repair on a low screen; it scrolls if there are more"""
_BAYS, _WIDTH = 20, 90
"""least lines of the bays on a very large terminal, at most half of it, and their cells; beside them the text begins
right under the list"""
_LOW_BAYS, _LOW_WIDTH = 10, 52
"""least lines of the bays on a terminal of 132 columns, and of the audit below them; cells of the bays there"""
_NONE = "no md array here; 2 Design, then 4 Commands and b build one"


class ArraysScreen(BaseScreen):
    """What is to repair, the arrays, the worst first, their bays, and the document of the one under the cursor."""

    page_name = "Arrays"
    AUTO_FOCUS = "#list"
    LOADS = frozenset({"arrays"})
    SMALL = (SmallPane("list", 6), SmallPane("text", 8), SmallPane("slots", 7))
    QUESTIONS = BaseScreen.QUESTIONS | {"extend", "replace"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "replace", "replace", tooltip="a disk failed: replace it, step by step, after a typed phrase",
                id="arrays.replace", priority=True),
        Binding("E", "extend", "extend", tooltip="grow or extend the array: spare, bitmap, larger members, shelf",
                id="arrays.extend", priority=True),
    ]  # fmt: skip

    def panes(self) -> Iterator[Widget]:
        """What is to repair, list, bays, and the text of one array."""
        self.repair = Pane("To repair", id="repair")
        self.list = Pane("Arrays", pickable=True, id="list")
        self.slots = SlotMap("Slots", id="slots", view="array", boxes=True)
        self.text = Pane("", id="text")
        self.audit = Pane("Audit", id="audit")
        self._extension = "grow"
        self._under, self._worst = "", ""
        """UUIDs of the array under the cursor, and of the worst one"""
        yield from (self.repair, self.list, self.slots, self.text, self.audit)

    # Looking.

    @property
    def seen(self) -> ObservedArrays | None:
        """The last look."""
        return self.app.array_follower.seen

    @property
    def arrays(self) -> Sequence[ObservedArray]:
        """Its arrays, the worst first."""
        return gravest(self.seen.arrays) if self.seen is not None else ()

    def on_screen_resume(self) -> None:
        """Looks now, and again at intervals."""
        super().on_screen_resume()
        follower = self.app.array_follower
        follower.on_screen = True
        if follower.run is None:
            self.app.run_follower.find(at_work=False)
        follower.look_now()

    def on_screen_suspend(self) -> None:
        """What is around the arrays is not read while another screen is shown."""
        self.app.array_follower.on_screen = False

    def arrays_changed(self) -> None:
        """See BaseScreen."""
        super().arrays_changed()
        self.show_session()

    # Changing an array.

    def idle_reason(self, action: str) -> str:
        """See Frame."""
        if action not in ("extend", "replace"):
            return ""
        if self.array is None:
            return _NONE if self.seen is not None else "the arrays are being read"
        waits = any(each.reshapes for each in repairs((self.array,)))
        return f"{words.name(self.array)} is being reshaped, and md takes no other change" if waits else ""

    async def action_replace(self) -> None:
        """Replaces what failed after a typed phrase; of an array that is whole it asks which member goes."""
        array = self.array
        if array is None:
            self.say(_NONE)
            return
        name = array.name or array.uuid
        if repairs((array,)):
            self._begin_replacement(name, None, None)
            return

        def accept(typed: str) -> str | None:
            self._begin_replacement(name, *_member_and_new(typed))
            return None

        other = next(
            (f"{words.name(each)} is to repair: Esc, choose it. " for each in self.arrays if repairs((each,))), ""
        )
        self.say(
            f"{other}No member of {words.name(array)} failed. One that works is copied: sdb; sdb with sdx", "muted"
        )
        await self.ask(TextQuestion(label=f"replace in {words.name(array)}", answer="", accept=accept))

    def _begin_replacement(self, name: str, member: str | None, new: str | None) -> None:
        self.say("reading the arrays ...")
        self.run_worker(self._replace(name, member, new), group="extend", exclusive=True)

    async def _replace(self, name: str, member: str | None, new: str | None) -> None:
        """Shows what a replacement takes and asks for its phrase; first for the new disk where several fit."""
        from raidtui.answers.acts import replacement_blocks  # beside it
        from raidtui.engine.changes import asked_replacement  # only where it is asked for
        from raidtui.engine.living import unfinished  # beside it

        def ask(reader: MachineReader, inventory: Inventory, site: Site) -> Replacement:
            begun = unfinished(site.root, Replacement)
            return asked_replacement(reader, inventory, name, member=member, new=new, begun=begun)

        options = (*(("--member", member) if member else ()), *(("--with", new) if new else ()))
        call, run = ("replace", name, *options), self.app.array_follower.run
        try:
            reader, inventory = await asyncio.to_thread(machine_of, self.session.inventory, run)
            site = await asyncio.to_thread(site_of, run)
            found = await asyncio.to_thread(ask, reader, inventory, site)
        except RaidtuiError as error:
            self._show_page(call, (Paragraph(text=error.with_hint, tone="bad"),))
            return
        finally:
            self.say("")
        blocks = tuple(replacement_blocks(found))
        if found.new is None and found.candidates and not refused(found.findings):
            await self._ask_new(found, inventory, member)
        elif not found.steps or refused(found.findings):
            self._show_page(call, (*blocks, *_practice(found)))
        else:
            await self._offer(found, site, call, blocks, run)

    async def _offer(
        self, found: LivingAct, site: Site, call: Sequence[str], blocks: Sequence[Block], run: RunView | None
    ) -> None:
        """Asks for the phrase of an act that can be carried out; where this app may not write, it shows the command."""
        follower, glyphs = self.app.run_follower, self.app.glyphs
        if follower.busy:
            self.say("a run is in progress: 5 shows it", "warn")
        elif not follower.may_write(found, safe(join(_begun(call, found, run)))):
            self._show_page(call, (*blocks, _begin_listing(call, found, run)))
        else:
            await follower.carry_out(found, site, lambda width: block_lines(blocks, width, glyphs))

    async def _ask_new(self, found: Replacement, inventory: Inventory, member: str | None) -> None:
        """Asks which of the blank disks that fit takes the place; the one in the same slot is proposed first."""
        fitting = [disk for disk in inventory.disks if disk.id in found.candidates]
        bay = found.old.bay if found.old is not None else None
        fitting.sort(key=lambda disk: disk.place.slot != bay or bay is None)
        names = [" ".join(filter(None, (disk.kernel_name, short_slot(disk.place.slot or "")))) for disk in fitting]
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        self.say(f"Blank and large enough: {', '.join(names[:4])}{more}. Name one by device, slot or serial.", "muted")

        def accept(typed: str) -> str | None:
            if not typed.strip():
                return "name a disk, or press Esc"
            named = _member_and_new(typed) if " with " in f" {typed} " else (member, typed.strip())
            self._begin_replacement(found.array, *named)
            return None

        answer = fitting[0].kernel_name or fitting[0].serial or ""
        await self.ask(TextQuestion(label=f"new disk in {safe(found.array)}", answer=answer, accept=accept))

    async def action_extend(self) -> None:
        """Asks how the array under the cursor is to be extended, and shows what that takes."""
        array = self.array
        if array is None:
            self.say(_NONE)
            return
        from raidtui.engine.changes import (
            USAGE,
            extension,  # only where it is asked for
        )

        name = array.name or array.uuid

        def accept(typed: str) -> str | None:
            try:
                kind, *what = split(typed) or [""]
            except ValueError as wrong:
                return str(wrong)
            self._extension = typed
            self._show_change(
                ("extend", name, kind, *what), lambda reader, inventory: extension(reader, inventory, name, kind, what)
            )
            return None

        self.say(USAGE, "muted")
        label = f"extend {words.name(array)}"
        await self.ask(TextQuestion(label=label, answer=self._extension, accept=accept))

    def _show_change(self, call: Sequence[str], ask: Callable[[MachineReader, Inventory], Extension]) -> None:
        self.say("reading the arrays ...")
        self.run_worker(self._change_page(call, ask), group="extend", exclusive=True)

    async def _change_page(self, call: Sequence[str], ask: Callable[[MachineReader, Inventory], Extension]) -> None:
        """Offers what `raidtui CALL` would do, or says why it cannot; keys typed meanwhile are for it."""
        from raidtui.answers.acts import extension_blocks  # only where it is asked for

        run = self.app.array_follower.run
        try:
            machine = await asyncio.to_thread(machine_of, self.session.inventory, run)
            site = await asyncio.to_thread(site_of, run)
            found = await asyncio.to_thread(ask, *machine)
        except RaidtuiError as error:
            self._show_page(call, (Paragraph(text=error.with_hint, tone="bad"),))
            return
        finally:
            self.say("")
        blocks = tuple(extension_blocks(found))
        if not found.steps or refused(found.findings) or found.kind == "reshape":
            self._show_page(call, blocks)
        else:
            await self._offer(found, site, call, blocks, run)

    def _show_page(self, call: Sequence[str], blocks: Sequence[Block]) -> None:
        from raidtui.tui.widgets.dialogs import TextDialog  # only where it is asked for

        lines = block_lines(blocks, min(self.app.size.width - 6, 110), self.app.glyphs)
        self.app.push_screen(TextDialog(safe(join(call)), lines))

    # Showing.

    def show_session(self) -> None:
        """Shows the last look."""
        if not self.list.is_attached:  # the app is closing and a look has just returned
            return
        seen, arrays = self.seen, self.arrays
        self._show_repairs()
        empty = _NONE if seen is not None else "reading the arrays"
        self.show_only("" if arrays else "list")
        if self.list.empty != empty:
            self.list.empty = empty
            self.list.refresh()
        cells = [(words.both_names(array), words.shape(array), ", ".join(array.states)) for array in arrays]
        widths = [min(max(map(len, column)), _MOST_CELLS) for column in zip(*cells, strict=True)]
        rows_of = [self._row(*each, widths) for each in zip(arrays, cells, self._labels(), strict=True)]
        self.list.renew(lambda _: rows_of)
        self._move_cursor()
        self._share_out_rows()
        self._show_bays()
        self._show_text()
        if seen is not None:
            unread = Span(f"  not read: {'; '.join(seen.unread)}", "warn")
            grave: Tone = "bad" if "bad" in map(_tone, arrays) else "strong"
            status = (Span(summary(seen) if arrays else "", grave), *((unread,) if seen.unread else ()))
            self.rest(status, below_message=not self.app.array_follower.unread)

    def _move_cursor(self) -> None:
        """Puts the cursor on an array that has just become the worst; else it stays on its array."""
        if not self.arrays:  # not read yet, of a machine that has just become another
            return
        uuids = [array.uuid for array in self.arrays]
        worst = next((array.uuid for array in self.arrays[:1] if _tone(array) == "bad"), "")
        if worst and worst != self._worst:
            self.list.move_to(0)
        elif self._under in uuids and self.list.cursor != uuids.index(self._under):
            self.list.move_to(uuids.index(self._under))
        self._worst, self._under = worst, self.array.uuid if self.array is not None else ""

    def _share_out_rows(self) -> None:
        repairs_shown = not self.has_class("-whole")
        boxed = 2 if self.repair.boxed else 1
        lines = self.repair.line_count() + boxed
        first = f"{lines if self.has_class('-tall') else min(lines, _MOST_TO_REPAIR)} " if repairs_shown else ""
        count = len(self.arrays)
        rows = f"{first}{min(count, _MOST_ROWS) + 1} 1fr"
        if count and self.has_class("-huge") and self.has_class("-tall"):
            half = (self.app.size.height - FRAME) // 2
            high = max(_BAYS, self.slots.lines_wanted(_WIDTH, half) + boxed)
            upper = min(count + 2, high - 2)
            rows = f"{first}{upper} {high - upper} 1fr"
        elif count and self.has_class("-wide") and self.has_class("-tall"):
            upper = (lines if repairs_shown else 0) + min(count, _MOST_ROWS) + 2
            high = self.slots.lines_wanted(_LOW_WIDTH, self.app.size.height) + boxed - (len(self.slots.shelves) == 1)
            fits = self.app.size.height - FRAME - bool(self.alarm) - upper - high >= _LOW_BAYS
            rows = f"{first}{min(count, _MOST_ROWS) + 2} {high if fits else _LOW_BAYS} 1fr"
        elif self.has_class("-tall"):
            rows = f"{first}9 1fr"
        self.query_one("#body").styles.grid_rows = rows

    def _show_repairs(self) -> None:
        """What to pull, what fills, what survives, of every array that needs it, the worst first."""
        found, glyphs = repairs(self.arrays, self.app.array_follower.members), self.app.glyphs
        whole = self.has_class("-whole")
        if self.repair.heading != (said := heading(found)):
            self.repair.heading = said
            self.repair.refresh()
        self.set_class(not found, "-whole")
        self.repair.renew(lambda width: repair_lines(found, width, glyphs))
        if whole == bool(found):
            self.fit_panes()

    def small_panes(self) -> Sequence[SmallPane]:
        """With what is to repair, where something is."""
        if self.has_class("-whole"):
            return self.SMALL
        lines = min(self.repair.line_count() + 1, _MOST_TO_REPAIR)
        return (SmallPane("repair", lines), *self.SMALL)

    def _labels(self) -> list[str]:
        """The label of each array in its bays: A for data-0, as on Design, although the kernel counts down."""
        paths = [array.path for array in self.arrays]
        order = sorted(range(len(paths)), key=lambda at: (len(paths[at]), paths[at]))
        return [array_label(order.index(at)) for at in range(len(paths))]

    def _row(self, array: ObservedArray, row: Sequence[str], label: str, widths: Sequence[int]) -> Line:
        name, shape, state = (f"{fit(text, wide, self.app.glyphs)}  " for text, wide in zip(row, widths, strict=True))
        top = array.stands_on_it[-1] if array.stands_on_it else None
        used = ", ".join(top.mount_points) or top.content if top is not None else ""
        first_sync = is_first_sync(array, self.app.array_follower.members.get(array.uuid, ()))
        filled = first_sync and bool(array.lacks)  # md calls it recover, as it does a repair
        last = Span(words.sync_words(array.sync, short=True, first=filled) or safe(used), "muted")
        beside = self.has_class("-wide") and self.has_class("-tall")  # where the bays are, which have the label
        first = Span(f"{label} " if beside else "", group_tone(label))
        sync = array.sync
        bar: Line = ()
        if beside and sync is not None and sync.bytes_per_s and sync.whole_bytes:
            bar = (*bar_of(sync.done_bytes / sync.whole_bytes, _BAR, self.app.glyphs, "title"), Span("  "))
        return (first, Span(name, "strong"), Span(shape), Span(state, _tone(array)), *bar, last)

    @property
    def array(self) -> ObservedArray | None:
        """The array under the cursor."""
        arrays = self.arrays
        return arrays[min(self.list.cursor, len(arrays) - 1)] if arrays else None

    def _show_text(self) -> None:
        array, seen = self.array, self.seen
        if array is None or seen is None:
            self.text.heading = ""
            self.text.put(lambda _: [])
            return
        inventory, glyphs = self.app.array_follower.inventory, self.app.glyphs
        changed, self.text.heading = self.text.heading != words.both_names(array), words.both_names(array)
        audit = self.app.array_follower.watch.audit
        errors, others = audit_of(audit, array) if audit is not None else ((), ())
        _, state, *known = array_blocks(array, seen, inventory)
        beside = self.has_class("-wide") and self.has_class("-tall")
        whole = (state, *known) if beside else (state, *errors, *known, Heading(text="Audit"), *others)
        self.text.renew(lambda width: block_lines(whole, width, glyphs))
        self.audit.renew(lambda width: block_lines((*errors, *others), width, glyphs))
        if changed:
            self.text.refresh()

    def _show_bays(self) -> None:
        glyphs = self.app.glyphs
        marks: dict[str, Mark] = {}
        groups: dict[str, str] = {}
        now = self.app.array_follower.inventory
        disks = {disk.id: disk for disk in (*self.session.inventory.disks, *now.disks) if disk.id}
        for label, array in zip(self._labels(), self.arrays, strict=True):
            for member in array.members:
                disk = disks.get(member.disk_id)
                if disk is not None:
                    marks[disk_key(disk)] = member_mark(member.state, glyphs)
                    if member.state not in ("faulty", "missing", "dropped"):
                        beside = {"spare": SPARE, "journal": JOURNAL}
                        groups[disk.id] = beside.get(member.state, label)
        idle = Mark(glyphs.hole, "in no array", "muted")
        shown: list[Disk] = list(disks.values())
        self.slots.show(shelves(shown), {disk_key(disk): marks.get(disk_key(disk), idle) for disk in shown}, groups)

    @on(Pane.Moved, "#list")
    def _moved(self) -> None:
        self.text.top = 0
        self.say("")
        self._under = self.array.uuid if self.array is not None else ""
        self._show_text()

    @on(SlotMap.Picked)
    def _picked(self, event: SlotMap.Picked) -> None:
        for number, array in enumerate(self.arrays):
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
            "Audit: what the rules of raidtui audit find about this array, anew when a state changes. Each rule: "
            "raidtui help rules.",
            "To repair: which disk to pull, what fills its place, what the array survives meanwhile. The worst array "
            "is first.",
            "r replaces a disk. It shows each step with its commands and asks for the phrase of raidtui replace "
            "--begin. 5 Build follows the steps. At the end the light of the slot shows which disk to pull.",
            "E extends the array: a spare more, another bitmap, larger members, a shelf. It shows room, speed and "
            "risk before and after, and each command. It asks for the phrase; 5 Build follows the steps. A reshape is "
            "only "
            "shown. More: raidtui help growth.",
            "A missing member is shown in the slot in which this screen last saw it. R reads the disks again, which "
            "finds one that was plugged in. What each state asks for: raidtui help states.",
        )


def _practice(found: Replacement) -> Iterator[Block]:
    """How a simulated machine gets the disk that is missing, or is as it ships again."""
    if not found.simulated or found.new is not None:
        return
    if any(each.code == "array-down" for each in found.findings):
        yield Paragraph(text="To practise again: 5 Build, then D undoes the run, and its disks are blank.")
        return
    bay = found.old and (short_slot(found.old.bay or "") or found.old.device)
    example = f", for example swap {safe(bay)}" if bay else ""
    yield Paragraph(text=f"To practise: press : and type swap with the slot of the failed disk{example}.")


def _tone(array: ObservedArray) -> Tone:
    return tone(words.state_tone(array.state))


def _member_and_new(typed: str) -> tuple[str | None, str | None]:
    """Member and new disk of `sdb`, `with sdx`, `sdb with sdx`."""
    member, new = (part.strip() for part in f" {typed} ".partition(" with ")[::2])
    return member or None, new or None


def _begun(call: Sequence[str], found: Replacement | Extension, run: RunView | None) -> tuple[str, ...]:
    """The command line that carries it out."""
    of_run = ("--run", run.plan.run_id[:8]) if run is not None and found.simulated else ()
    return ("raidtui", *call, *of_run, "--begin")


def _begin_listing(call: Sequence[str], found: Replacement | Extension, run: RunView | None) -> Listing:
    return Listing(title="This asks for a phrase, then does it:", lines=(safe(join(_begun(call, found, run))),))


def repair_lines(found: Sequence[Repair], width: int, glyphs: Glyphs) -> list[Line]:
    """Of each array: its state and what it survives, the disk to pull, what fills, how many members are in sync."""
    lines: list[Line] = []
    for repair in found:
        array = repair.array
        tone: Tone = _tone(array) if repair.open and not repair.first else "title" if repair.reshapes else "warn"
        lines.append((Span(words.both_names(array), "strong"), Span(f"  {state_words(repair)}", tone)))
        lines += [_repair_line(repair, row, member, width, glyphs) for row, member in repair.rows]
        works = array.runs and "failed" not in array.states
        lines.append((Span(f" {glyphs.disk} ", "good" if works else "muted"), Span(in_sync_words(array))))
        if "failed" in array.states:
            lines[-1] += (Span("  "), KeySpan("r  what may be saved", "key", "r"))
        elif array.runs and not repair.first and not repair.reshapes:
            told = "r  replace" if width < _NARROW else "r  replace: steps, phrase, light of the slot"
            lines[-1] += (Span("     "), KeySpan(told, "key", "r"))
    return lines


def _repair_line(repair: Repair, row: RepairRow, member: ArrayMember | None, width: int, glyphs: Glyphs) -> Line:
    marks: dict[RepairRow, Mark] = {
        "pull": Mark(glyphs.failed, "PULL", "bad"), "failed": Mark(glyphs.failed, "FAILED", "bad"),
        "dropped": Mark(glyphs.alert, "DROPPED", "warn"),
        "gone": Mark(glyphs.failed, "MISSING", "bad"),
        "filling": Mark(glyphs.shut, "FILLING", "title"), "waiting": Mark(glyphs.held, "WAITS", "warn"),
        "spare": Mark("+", "SPARE", "muted"), "reshape": Mark(glyphs.shut, "RESHAPES", "title"),
    }  # fmt: skip
    mark, told = marks[row], row_words(repair, row, member)
    head = Span(f" {mark.glyph} {mark.word:<8} ", mark.tone)
    if member is None:
        return (head, Span(fit(told, max(width - len(head.text), 0), glyphs)))
    narrow = width < _NARROW
    place = fit(place_words(member, short=narrow), 6 if narrow else 18, glyphs)
    serial = Span(f"{fit(member.serial or '', 14, glyphs)}  ")
    return (head, Span(f"{place}  {fit(member.device, 6, glyphs)} ", "strong"), serial, Span(told, mark.tone))
