"""Designs by name: those of a session, and those stored in a private directory, one JSON file each."""

from __future__ import annotations

import re
from pathlib import Path

from raidtui.machine.system.files import SAVED_DESIGN, read_document, save_document
from raidtui.machine.system.places import private_directory
from raidtui.session.session import Session
from raidtui.values.decision import Decision
from raidtui.values.errors import BadInput, MachineFailed, RaidtuiError, Refused
from raidtui.values.notation import show
from raidtui.values.safe import safe
from raidtui.values.saved_design import SavedDesign

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SUFFIX = ".json"


def valid_name(name: str) -> str:
    """`name`. Raises BadInput unless it is 1 to 64 letters, digits, dots, dashes, underscores, the first no dot."""
    if _NAME.fullmatch(name) is None:
        raise BadInput(
            f"'{safe(name, longest=40)}' is not a name for a design",
            hint="use 1 to 64 letters, digits, '.', '-' and '_', beginning with a letter or a digit",
        )
    return name


def design_names(root: Path) -> tuple[str, ...]:
    """Names of the designs in `root`, sorted; none if the directory does not exist or cannot be read."""
    try:
        files = sorted(path.name for path in root.iterdir() if path.suffix == _SUFFIX)
    except OSError:
        return ()
    return tuple(file.removesuffix(_SUFFIX) for file in files if _NAME.fullmatch(file.removesuffix(_SUFFIX)))


def read_design(root: Path, name: str) -> SavedDesign:
    """The design `name` in `root`. Raises BadInput for an unknown name or an invalid file."""
    if valid_name(name) not in design_names(root):
        known = ", ".join(design_names(root))
        raise BadInput(
            f"there is no design '{name}' in {root}",
            hint=f"designs: {known}" if known else "S on the Design screen saves one",
        )
    return read_document(SavedDesign, root / f"{name}{_SUFFIX}", SAVED_DESIGN)


def write_design(root: Path, name: str, design: SavedDesign) -> Path:
    """Writes `design` as `name`, atomically, in place of an earlier one of that name; returns the file.

    Raises BadInput for an invalid name, Refused if others may write into `root`, MachineFailed if it cannot be
    written.
    """
    path = root / f"{valid_name(name)}{_SUFFIX}"
    private_directory(root)
    save_document(path, design)
    return path


# The decisions of a session as such designs.


def saved_of(decision: Decision, host: str) -> SavedDesign:
    """`decision` as the document that is stored."""
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


def known_names(session: Session) -> tuple[str, ...]:
    """Names of all designs: of this session, and stored."""
    return tuple(sorted({*session.saved, *_stored_names(session)}))


def save(session: Session, typed: str) -> str:
    """Saves the present decision under the typed name, and on disk where the session has a directory; returns the name.

    A design of that name from before this session is replaced only if `!` follows the name. Raises RaidtuiError if
    the name is taken or invalid, or if the file cannot be written; then the design is kept in this session, and
    counts as unsaved.
    """
    name = typed.removesuffix("!")
    if name == typed and name not in session.saved and name in _stored_names(session):
        raise BadInput(f"'{name}' exists", hint=f"type another name, or {name}! to replace it")
    if session.designs is None:
        valid_name(name)
    else:
        try:
            write_design(session.designs, name, saved_of(session.decision, session.inventory.name))
        except (MachineFailed, Refused) as error:
            session.saved[name] = session.outcome
            raise MachineFailed(str(error), hint=f"{error.hint}; {name} is kept until you quit") from error
    session.saved[name] = session.outcome
    session.kept = session.decision
    return name


def load(session: Session, name: str) -> None:
    """Makes the decision saved as `name` the present one; it can be undone. Raises RaidtuiError if there is none."""
    found = saved_decision(session, name)
    session.decide(found)
    session.kept = found


def saved_decision(session: Session, name: str) -> Decision:
    """The decision saved as `name`, in this session or before. Raises RaidtuiError if there is none."""
    if name not in known_names(session):
        name = next((known for known in known_names(session) if known.lower() == name.lower()), name)
    if name in session.saved:
        return session.saved[name].decision
    if session.designs is None:
        raise BadInput(f"there is no design '{name}'", hint=f"designs: {', '.join(known_names(session))}")
    return decision_of(read_design(session.designs, name))


def keep_lost(session: Session) -> str:
    """Saves the present decision under a new name after an unexpected end; returns the sentence that names it."""
    taken, number = known_names(session), 1
    while (name := f"kept-{number}") in taken:
        number += 1
    layout = show(session.decision.design.layout)
    chassis = f" --inventory {session.inventory.name}" if session.inventory.simulated else ""
    try:
        save(session, name)
    except RaidtuiError as error:
        return f"raidtui: the design {layout} is lost, it could not be saved: {error.with_hint}"
    return f"raidtui: the design {layout} is saved as {name}: raidtui{chassis} --design {name}"


def _stored_names(session: Session) -> tuple[str, ...]:
    return design_names(session.designs) if session.designs is not None else ()
