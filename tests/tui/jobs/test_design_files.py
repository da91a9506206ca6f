"""A person saves designs under names, leaves, and finds them again."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from raidtui.session.saved_designs import decision_of, design_names, read_design, saved_of
from raidtui.values.notation import show
from raidtui.values.saved_design import SavedDesign
from tests.tui.robot import Robot, robot


@pytest.fixture
def designs(tmp_path: Path) -> Path:
    return tmp_path / "designs"


def layout(user: Robot) -> str:
    return show(user.app.session.decision.design.layout)


async def changed(user: Robot, text: str = "2x(28+2)") -> None:
    """Another design than the first."""
    await user.press("2", "slash")
    await user.answers(text)


async def test_a_saved_design_with_all_its_choices_is_there_after_a_restart(designs: Path) -> None:
    async with robot(designs=designs) as user:
        await user.press("space")
        await changed(user, "5x(9+2)+4")
        await user.press("S")
        await user.answers("five-tens")
        assert user.note().startswith("5×(9+2)+4 saved as five-tens")
        made = user.app.session.decision
    assert (designs / "five-tens.json").stat().st_mode & 0o777 == 0o600
    assert decision_of(read_design(designs, "five-tens")) == made
    assert len(made.left_out) == 1
    async with robot(designs=designs) as user:
        await user.press("2", "L")
        assert user.note() == "saved designs: five-tens"
        assert user.lines()[-1].strip() == "load design > five-tens"
        await user.press("enter")
        assert layout(user) == "5x(9+2)+4"
        assert user.app.session.decision == made
        await user.press("u")
        assert layout(user) == "4x(12+2)+4"


async def test_the_app_opens_with_a_saved_design(designs: Path) -> None:
    async with robot(designs=designs) as user:
        await changed(user)
        await user.press("S")
        await user.answers("wide")
    async with robot(designs=designs, saved=read_design(designs, "wide")) as user:
        await user.finds("Result")
        assert layout(user) == "2x(28+2)"
        assert not user.app.session.history.past
        await user.press("q")
        assert not user.app._running or user.app._exit


async def test_q_asks_before_a_design_is_lost_and_a_name_saves_it(designs: Path) -> None:
    async with robot(designs=designs) as user:
        await changed(user)
        await user.press("q")
        assert user.lines()[-1].strip() == "not saved: type a name to save it; Enter alone quits >"
        assert not user.app._exit
        await user.press("escape")
        assert not user.app.page.asking
        await user.press("q")
        await user.answers("../evil")
        assert "'../evil' is not a name for a design" in user.note()
        assert not user.app._exit
        await user.answers("wide")
        assert user.app._exit
    assert design_names(designs) == ("wide",)


async def test_enter_alone_leaves_without_saving(designs: Path) -> None:
    async with robot(designs=designs) as user:
        await changed(user)
        await user.press("q", "enter")
        assert user.app._exit
    assert design_names(designs) == ()


@pytest.mark.parametrize("back", [("u",), ("u", "U", "u")])
async def test_q_asks_nothing_where_nothing_would_be_lost(designs: Path, back: tuple[str, ...]) -> None:
    async with robot(designs=designs) as user:
        await changed(user)
        await user.press(*back, "q")
        assert user.app._exit


async def test_an_exported_design_is_not_lost(designs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with robot("nas4", designs=designs) as user:
        await changed(user, "raid5(3+1)")
        await user.press("e", "enter", "q")
        assert user.app._exit


async def test_a_design_of_an_earlier_session_is_replaced_only_on_request(designs: Path) -> None:
    async with robot(designs=designs) as user:
        await changed(user)
        await user.press("S")
        await user.answers("A")
    async with robot(designs=designs) as user:
        await user.press("2", "S")
        await user.answers("A")
        assert user.note() == "'A' exists: type another name, or A! to replace it"
        await user.answers("A!")
        assert user.note().startswith("4×(12+2)+4 saved as A")
        await user.press("S", "enter")  # of this session: again and again
        assert user.note().startswith("4×(12+2)+4 saved as A")
    assert show(read_design(designs, "A").design.layout) == "4x(12+2)+4"


@pytest.mark.parametrize("text", ["{}", "", '{"schema": "raidtui/saved-design/2"}', "[" * 100_000])
async def test_a_damaged_file_is_named_and_changes_nothing(designs: Path, text: str) -> None:
    designs.mkdir(mode=0o700)
    (designs / "A.json").write_text(text)
    async with robot(designs=designs, width=240) as user:
        await user.press("2", "L")
        await user.answers("A")
        assert f"{designs}/A.json" in user.note()
        assert layout(user) == "4x(12+2)+4"


async def test_the_document_is_the_schema_s(designs: Path) -> None:
    async with robot(designs=designs) as user:
        document = saved_of(user.app.session.decision, "e2660")
    assert document.schema == "raidtui/saved-design/1"
    assert decision_of(document) == user.app.session.decision
    assert isinstance(document, SavedDesign)


async def test_on_a_full_file_system_the_reason_is_shown_and_nothing_is_lost(
    designs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with robot(designs=designs, width=100) as user:
        await changed(user)
        await user.press("S")
        await user.answers("A")
        before = (designs / "A.json").read_bytes()
        await user.press("down", "down", "left")
        with monkeypatch.context() as full:
            full.setattr("raidtui.machine.system.files.os.fsync", _full)
            await user.press("S")
            await user.answers("A")
            assert user.note().replace(" ", "") == (
                f"{designs}/A.json:Nospaceleftondevice:makeroom,ormakeitwritable;Aiskeptuntilyouquit"
            )
            await user.press("escape", "q")
            assert user.lines()[-1].strip() == "not saved: type a name to save it; Enter alone quits >"
            await user.answers("B")
            assert "No space left on device" in user.note()
            assert not user.app._exit
        assert [path.name for path in designs.iterdir()] == ["A.json"]
        assert (designs / "A.json").read_bytes() == before
        await user.answers("B")
        assert user.app._exit
    assert show(read_design(designs, "B").design.layout) == "(28+2)"


async def test_a_state_directory_that_cannot_be_written_keeps_the_design_for_this_session(
    designs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("raidtui.machine.system.places.os.mkdir", _read_only)
    async with robot(designs=designs, width=160) as user:
        await changed(user)
        await user.press("S")
        await user.answers("A")
        assert "Read-only file system" in user.note() and "A is kept until you quit" in user.note()
        await user.press("escape", "u", "L")
        await user.answers("A")
        assert layout(user) == "2x(28+2)"


def _full(_handle: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _read_only(*_path: object, **_more: object) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))
