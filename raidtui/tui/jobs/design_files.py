"""Saves decisions as named designs, and finds them again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from raidtui.model.decision import Decision
from raidtui.model.errors import BadInput, MachineFailed, RaidtuiError, Refused
from raidtui.model.notation import show
from raidtui.tui.widgets.question import TextQuestion

if TYPE_CHECKING:
    from raidtui.model.saved_design import SavedDesign
    from raidtui.tui.jobs.job_desk import JobDesk


def saved_of(decision: Decision, host: str) -> SavedDesign:
    """`decision` as the document that is stored."""
    from raidtui.model.saved_design import SavedDesign  # only when something is saved

    return SavedDesign(
        host=host, design=decision.design, left_out=tuple(sorted(decision.left_out)),
        taken_over=tuple(sorted(decision.taken_over)), spread=decision.spread, assumptions=decision.assumptions,
        constraints=decision.constraints, purpose=decision.purpose, ask=decision.ask, alert=decision.alert,
        plan_name=decision.plan_name, mount_point=decision.mount_point,
        homehost=decision.homehost, initramfs=decision.initramfs,
    )  # fmt: skip


def decision_of(saved: SavedDesign) -> Decision:
    """The decision that a stored document holds."""
    return Decision(
        design=saved.design, left_out=frozenset(saved.left_out), taken_over=frozenset(saved.taken_over),
        spread=saved.spread, assumptions=saved.assumptions, constraints=saved.constraints,
        purpose=saved.purpose or "streams", ask=saved.ask, alert=saved.alert,
        plan_name=saved.plan_name, mount_point=saved.mount_point,
        homehost=saved.homehost, initramfs=saved.initramfs,
    )  # fmt: skip


def known_names(desk: JobDesk) -> tuple[str, ...]:
    """Names of all designs: of this session, and stored."""
    return tuple(sorted({*desk.session.saved, *_stored_names(desk)}))


def save(desk: JobDesk, typed: str) -> str:
    """Saves the present decision under the typed name, and on disk where the app has a directory; returns the name.

    A design of that name from before this session is replaced only if `!` follows the name. Raises RaidtuiError if
    the name is taken or invalid, or if the file cannot be written; then the design is kept in this session, and
    counts as unsaved.
    """
    from raidtui.machine.system.saved_designs import valid_name, write_design  # only when something is saved

    session, name = desk.session, typed.removesuffix("!")
    if name == typed and name not in session.saved and name in _stored_names(desk):
        raise BadInput(f"'{name}' exists", hint=f"type another name, or {name}! to replace it")
    if desk.designs is None:
        valid_name(name)
    else:
        try:
            write_design(desk.designs, name, saved_of(session.decision, session.inventory.name))
        except (MachineFailed, Refused) as error:
            session.saved[name] = session.outcome
            raise MachineFailed(str(error), hint=f"{error.hint}; {name} is kept until you leave") from error
    session.saved[name] = session.outcome
    session.kept = session.decision
    return name


def load(desk: JobDesk, name: str) -> None:
    """Makes the decision saved as `name` the present one; it can be undone. Raises RaidtuiError if there is none."""
    found = saved_decision(desk, name)
    desk.decide(found)
    desk.session.kept = found


def saved_decision(desk: JobDesk, name: str) -> Decision:
    """The decision saved as `name`, in this session or before. Raises RaidtuiError if there is none."""
    from raidtui.machine.system.saved_designs import read_design  # only when one is loaded

    if name not in known_names(desk):
        name = next((known for known in known_names(desk) if known.lower() == name.lower()), name)
    if name in desk.session.saved:
        return desk.session.saved[name].decision
    if desk.designs is None:
        raise BadInput(f"there is no design '{name}'", hint=f"designs: {', '.join(known_names(desk))}")
    return decision_of(read_design(desk.designs, name))


def leave_question(desk: JobDesk, leave: Callable[[], object]) -> TextQuestion:
    """Asks for a name before the app exits with a design that is not saved; Enter alone leaves without saving."""

    def accept(typed: str) -> str | None:
        name = typed.strip()
        if name:
            try:
                save(desk, name)
            except RaidtuiError as error:
                return error.with_hint
        leave()
        return None

    return TextQuestion(label="not saved: type a name to save it; Enter alone leaves", accept=accept)


def keep_lost(desk: JobDesk) -> str:
    """Saves the present decision under a new name after an unexpected end; returns the sentence that names it."""
    taken, number = known_names(desk), 1
    while (name := f"kept-{number}") in taken:
        number += 1
    layout = show(desk.session.decision.design.layout)
    chassis = f" --inventory {desk.session.inventory.name}" if desk.session.inventory.simulated else ""
    try:
        save(desk, name)
    except RaidtuiError as error:
        return f"raidtui: the design {layout} is lost, it could not be saved: {error.with_hint}"
    return f"raidtui: the design {layout} is saved as {name}: raidtui{chassis} --design {name}"


def _stored_names(desk: JobDesk) -> tuple[str, ...]:
    from raidtui.machine.system.saved_designs import design_names  # not before designs are listed

    return design_names(desk.designs) if desk.designs is not None else ()
