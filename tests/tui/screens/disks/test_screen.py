"""A person looks for disks: filters, sorts, walks the slots, leaves some out."""

from __future__ import annotations

from dataclasses import replace

from raidtui.tui.screens.disks.topology import TopologyPane
from raidtui.tui.widgets.disk_table import DiskTable
from raidtui.values.inventory import Controller, Disk, Inventory, Place, Smart, Use
from tests.tui.robot import robot

BUSY = Inventory(
    origin="machine",
    name="stor01",
    controllers=(Controller(pci="0000:03:00.0", driver="mpt3sas"),),
    disks=(
        *(
            Disk(
                id=f"wwn-0x500{number}", size_bytes=4_000_787_030_016, kernel_name=f"sd{letter}", serial=f"Z{number}",
                by_id=(f"wwn-0x500{number}",), state="blank",
                place=Place(controller="0000:03:00.0", slot=f"Slot 0{number}"),
            )
            for number, letter in enumerate("abcd", start=1)
        ),
        Disk(
            id="wwn-0x5005", size_bytes=480_103_981_056, kernel_name="sde", state="content", protected=True,
            uses=(Use(kind="mounted", where="/", active=True),), not_selectable="the running system stands on it",
        ),
        Disk(
            id="wwn-0x5006", size_bytes=4_000_787_030_016, kernel_name="sdf", serial="OLD", state="content",
            by_id=("wwn-0x5006",), uses=(Use(kind="md-member", where="md127", active=False),),
        ),
    ),
)  # fmt: skip


async def test_the_title_says_that_nothing_is_real_or_executed() -> None:
    async with robot() as user:
        assert user.lines()[0].endswith(" SIMULATED")
    async with robot(width=100) as user:
        assert user.lines()[0].endswith(" SIMULATED  DRY RUN")
    async with robot(BUSY) as user:
        assert "SIMULATED" not in user.lines()[0]
        assert "DRY RUN" in user.lines()[0]


async def test_a_filter_narrows_with_every_key_and_escape_drops_it() -> None:
    async with robot() as user:
        await user.press("slash")
        await user.types("600017")
        assert user.sees("filter: 600017")
        assert next(line for line in user.lines() if "SIME2660" in line).split()[1] == "sdq"
        assert len([line for line in user.lines() if "SIME2660" in line]) == 1
        await user.press("escape")
        assert len([line for line in user.lines() if "SIME2660" in line]) == 12


async def test_space_leaves_a_disk_out_and_the_design_is_told() -> None:
    async with robot() as user:
        await user.press("space")
        assert user.app.session.history.now.left_out == {"wwn-0x3000013300000001"}
        assert user.sees("○ left out")
        assert user.note().startswith("60 disks, 120 TB raw; 59 chosen")
        await user.press("2")
        assert user.sees("error")
        await user.press("u")
        assert not user.app.session.history.now.left_out
        assert not user.sees("error")


async def test_a_disk_in_use_cannot_be_taken_and_says_why() -> None:
    async with robot(BUSY) as user:
        await user.press("slash")
        await user.answers("system")
        await user.press("space")
        assert user.note() == "sde cannot be used: the running system stands on it"
        assert not user.app.session.history.past


async def test_old_content_is_taken_only_when_asked_and_then_said_to_be_erased() -> None:
    async with robot(BUSY) as user:
        await user.press("slash")
        await user.answers("OLD")
        await user.press("space")
        assert user.app.session.history.now.taken_over == {"wwn-0x5006"}
        assert user.sees("▲ erase")
        assert {disk.kernel_name for disk in user.app.session.outcome.disks} == {"sda", "sdb", "sdc", "sdd", "sdf"}


async def test_sorting_goes_through_the_columns_and_can_be_turned() -> None:
    async with robot(BUSY) as user:
        await user.press("s", "s")
        assert user.sees("by dev")
        await user.press("o")
        rows = [line.split()[0] for line in user.lines() if " TB " in line or " GB " in line]
        assert user.sees("by dev down")
        assert rows[0] == "sdf"


async def test_the_slot_map_and_the_table_show_the_same_disk() -> None:
    async with robot() as user:
        await user.press("shift+tab", "right", "down")
        assert user.app.screen.focused is not None
        assert user.app.screen.focused.id == "slots"
        await user.press("i")
        assert user.sees("SIME26600014")


async def test_detail_names_every_use_and_says_when_health_was_not_read() -> None:
    async with robot(BUSY) as user:
        await user.press("slash")
        await user.answers("OLD")
        await user.press("i")
        assert user.sees("left over: md-member md127")
        assert user.sees("not read")


async def test_health_is_filled_in_after_the_first_picture() -> None:
    def ask(disk: Disk) -> Smart | None:
        worn = disk.serial == "Z2"
        return Smart(healthy=True, hours=31877, reallocated=16 if worn else 0, temperature_c=41)

    async with robot(BUSY, smart=ask) as user:
        for _ in range(50):
            await user.pilot.pause(0.01)
            if user.sees("31877"):
                break
        assert user.sees("41C")
        assert user.sees("▲ worn")


async def test_a_rescan_keeps_the_decisions_and_counts_what_changed() -> None:
    later = Inventory(origin="machine", name="stor01", disks=BUSY.disks[1:])
    async with robot(BUSY, rescan=lambda: later) as user:
        await user.press("down", "space", "R")
        for _ in range(50):
            await user.pilot.pause(0.01)
            if "gone" in user.note():
                break
        assert user.note() == "5 disks, 0 new, 1 gone"
        assert user.app.session.history.now.left_out == {"wwn-0x5002"}


async def test_a_chassis_has_nothing_to_read_again() -> None:
    async with robot() as user:
        await user.press("R")
        assert user.note() == "e2660 is not this machine: its disks cannot be read again"


async def test_space_on_a_drawer_takes_all_its_disks_and_one_undo_brings_them_back() -> None:
    async with robot() as user:
        user.app.page.query_one("#topology").focus()
        await user.press("end")
        branch = user.app.page.query_one("#topology", TopologyPane).branch
        assert branch is not None
        assert branch.row == "drawer 5"
        await user.press("space")
        assert len(user.app.session.decision.left_out) == 6
        assert user.note() == "expander-1:4: its disks are excluded from the design; u undoes it"
        await user.press("space")
        assert not user.app.session.decision.left_out
        assert "the design may use its 6 free disks" in user.note()
        await user.press("u", "u")
        assert len(user.app.session.history.past) == 0
        assert not user.app.session.decision.left_out


async def test_space_in_the_slot_map_acts_on_the_bay_under_its_cursor_even_outside_the_filter() -> None:
    async with robot() as user:
        await user.press("slash")
        await user.answers("600060")
        user.app.page.query_one("#slots").focus()
        await user.press("home", *["left"] * 60, "right", "space")
        assert user.app.session.decision.left_out == {"wwn-0x3000013300000002"}


async def test_escape_clears_the_filter_then_the_branch_and_then_does_nothing() -> None:
    async with robot() as user:
        user.app.page.query_one("#topology").focus()
        await user.press("end", "enter")
        await user.press("slash")
        await user.answers("sime")
        table = user.app.page.query_one("#table", DiskTable)
        assert (table.words, len(table.rows)) == ("sime", 6)
        await user.press("escape")
        assert (table.words, len(table.rows)) == ("", 6)
        await user.press("escape")
        assert len(table.rows) == 60
        await user.press("escape")
        assert len(table.rows) == 60


async def test_a_machine_without_a_free_disk_is_shown_with_the_reason_and_c_offers_a_chassis() -> None:
    laptop = replace(BUSY, name="laptop", disks=(BUSY.disks[4],))
    async with robot(laptop) as user:
        assert "SIMULATED" not in user.lines()[0]
        assert user.note().startswith("No free disk (sde: the running system stands on it; mounted at /). C opens a s")
        await user.press("C")
        assert user.lines()[-1].strip() == "chassis or disks > e2660"
        await user.answers("e9999")
        assert user.note().startswith(
            "expected one of e2660, e2660-luns, jbod84, nas4, nvme24, pod45, trio, machine; or"
        )
        await user.answers("4x8TB")
        assert "SIMULATED" in user.lines()[0]
        assert [disk.size_bytes for disk in user.app.session.inventory.disks] == [8_000_000_000_000] * 4
        await user.press("C")
        await user.answers("nas4")
        assert "SIMULATED" in user.lines()[0]
        assert len(user.app.page.query_one("#table", DiskTable).rows) == 4
        await user.press("2")
        assert user.app.session.outcome.prediction.arrays
        await user.press("1", "C")
        await user.answers("machine")
        assert "SIMULATED" not in user.lines()[0]
        assert user.sees("the running system stands on it")


async def test_a_machine_that_could_not_be_read_says_why() -> None:
    async with robot(Inventory(origin="machine", name="stor01", disks=(), unread=("lsblk is not installed",))) as user:
        assert user.note() == "Disks not read, C opens a simulated chassis: lsblk is not installed"
        for digit in "2345678":
            await user.press(digit)
            await user.settle()
            assert user.lines()[0]


async def test_a_machine_with_free_disks_is_never_replaced() -> None:
    async with robot(BUSY) as user:
        await user.press("C")
        assert not user.app.page.asking
        assert user.note() == (
            "This machine has free disks; raidtui --inventory e2660 opens a simulated chassis instead."
        )


async def test_a_filter_while_another_pane_has_the_place_of_the_table() -> None:
    """A monkey found it: the cursor stood behind the last row that was left."""
    async with robot(width=60, height=18) as user:
        await user.press("end", "tab", "z", "slash")
        await user.types("d1s01")
        await user.press("enter", "i")
        assert user.sees("SIME26600001")
