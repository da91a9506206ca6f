"""Gets and sets the value of an option in a decision, and moves it between decisions and recipes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from raidtui.programs.mkfs_options import measurable, mkfs_words, parse_mkfs
from raidtui.programs.mount_options import parse as parse_mount_options
from raidtui.values.choices import MadeFileSystem
from raidtui.values.codec_rules import TextValue
from raidtui.values.decision import Decision
from raidtui.values.design import DEFAULTS, NOBODY, Design, Encryption, Partitions, stated_first_sync
from raidtui.values.design import problem_of as alert_problem
from raidtui.values.layout import Layout
from raidtui.values.options import Option
from raidtui.values.target import TargetVersions

if TYPE_CHECKING:
    from raidtui.values.proposal import Constraints

UNDECIDED = Decision(design=Design(layout=Layout.of(level="raid6", members=4)))
"""every option has its default; the layout stands for any"""
_EMPTY = {"alert": NOBODY, "target": TargetVersions(), "fs_options": DEFAULTS}
"""parts of a decision that are None where nothing of them is stated"""


def value_of(option: Option, decision: Decision) -> Any:
    """The value of `option` in `decision`."""
    if option.key in _OWN:
        return _OWN[option.key][0](decision)
    found: Any = decision
    for name in option.field.split("."):
        found = getattr(found, name)
        if found is None:
            found = _EMPTY.get(name)
    return found


def with_value(option: Option, decision: Decision, value: Any) -> Decision:
    """`decision` with another value of `option`. Raises ValueError for one that it cannot have."""
    if value is not None:
        option.check(value)
    if option.key in _OWN:
        return _OWN[option.key][1](decision, value)
    made: Decision = _replaced(decision, option.field.split("."), value)
    if option.field.startswith("alert.") and (problem := alert_problem(made.alert or NOBODY)):
        raise ValueError(problem)
    return made


def recipe_value(option: Option, part: object) -> Any:
    """The value of `option` in a recipe, or in a table of one; None if it is left out.

    Raises ValueError for a text that it cannot have; `with_value` for a number out of range.
    """
    held = getattr(part, option.key)
    return option.read(str(held)) if isinstance(held, (str, TextValue)) else held


def in_recipe(option: Option, decision: Decision, defaults: Decision = UNDECIDED) -> Any:
    """What a recipe states of `option`: None where `decision` has the value of `defaults`."""
    value = value_of(option, decision)
    return None if value is None or value == value_of(option, defaults) else option.kind.in_recipe(value)


def with_format(constraints: Constraints, design: Design) -> Constraints:
    """`constraints` on layouts with chunk, stack and file system of `design`."""
    return replace(
        constraints, chunk_bytes=design.chunk_bytes, stack=design.stack, fs=design.fs, fs_options=design.fs_options
    )


def _replaced(part: Any, names: list[str], value: Any) -> Any:
    name, *rest = names
    if not rest:
        return replace(part, **{name: value})
    inner = getattr(part, name)
    made = _replaced(_EMPTY[name] if inner is None else inner, rest, value)
    return replace(part, **{name: None if made == _EMPTY.get(name) else made})


def _with_design(decision: Decision, **changes: Any) -> Decision:
    return replace(decision, design=replace(decision.design, **changes))


def _on_partitions(decision: Decision, value: str) -> Decision:
    parted = (decision.design.partitions or Partitions()) if value == "partitions" else None
    return _with_design(decision, partitions=parted)


def _sized(decision: Decision, size: int | None) -> Decision:
    return _with_partitions(decision, size is not None, size_bytes=size)


def _left(decision: Decision, size: int | None) -> Decision:
    return _with_partitions(decision, size is not None, leave_bytes=size)


def _with_partitions(decision: Decision, stated: bool, **changes: Any) -> Decision:
    """With partitions as members where they are so already, or `stated` implies it."""
    parted = decision.design.partitions or (Partitions() if stated else None)
    return _with_design(decision, partitions=None if parted is None else replace(parted, **changes))


def _encrypted(decision: Decision, value: Any) -> Decision:
    kept = decision.design.encryption or Encryption()
    return _with_design(decision, encryption=None if value == "none" else replace(kept, layer=value))


def _opened_by(decision: Decision, path: str | None) -> Decision:
    encryption = decision.design.encryption or (None if path is None else Encryption())
    return _with_design(decision, encryption=encryption and replace(encryption, key_file=path or ""))


def _asked(decision: Decision, asks: bool) -> Decision:
    encryption = decision.design.encryption or (Encryption() if asks else None)
    return _with_design(decision, encryption=encryption and replace(encryption, passphrase=asks or None))


def _formatted(decision: Decision, fs: Any) -> Decision:
    """With another file system; options of mkfs and mount do not pass to it."""
    kept = decision.design.fs_options if fs == decision.design.fs else None
    return _with_design(decision, fs=fs, fs_options=kept)


def _with_fs_options(decision: Decision, **changes: Any) -> Decision:
    made = replace(decision.design.options, **changes)
    return _with_design(decision, fs_options=None if made == DEFAULTS else made)


def _made(decision: Decision, text: str) -> Decision:
    kind = _type_of(decision)
    return _with_fs_options(decision, **{kind: parse_mkfs(text, kind)})


def _mounted(decision: Decision, text: str) -> Decision:
    return _with_fs_options(decision, mount=parse_mount_options(text, _type_of(decision)))


def _type_of(decision: Decision) -> MadeFileSystem:
    """The type of the file system. Raises ValueError without one."""
    kind = decision.design.fs
    if kind == "none":
        raise ValueError("fs none has no file system for mkfs and mount options")
    return kind


def _measured_next(decision: Decision, at_once: bool) -> Decision:
    """Without ext4 nothing is left for later."""
    ext4 = decision.design.options.ext4
    if decision.design.fs != "ext4":
        return decision
    later = replace(ext4, lazy_itable_init=None, lazy_journal_init=None)
    return _with_fs_options(decision, ext4=measurable(ext4) if at_once else later)


def _named(decision: Decision, name: str) -> Decision:
    """With another name; the mount point follows it until it is set by hand."""
    follows = decision.mount_point == f"/srv/{decision.plan_name}"
    return replace(decision, plan_name=name, mount_point=f"/srv/{name}" if follows else decision.mount_point)


_OWN: dict[str, tuple[Callable[[Decision], Any], Callable[[Decision, Any], Decision]]] = {
    "consistency_policy": (
        lambda decision: "ppl" if decision.design.ppl else None,
        lambda decision, value: _with_design(decision, ppl=value == "ppl"),
    ),
    "members": (lambda decision: "partitions" if decision.design.partitions else "disks", _on_partitions),
    "partition_size": (
        lambda decision: decision.design.partitions.size_bytes if decision.design.partitions else None, _sized
    ),
    "leave": (lambda decision: decision.design.partitions.leave_bytes if decision.design.partitions else None, _left),
    "fs": (lambda decision: decision.design.fs, _formatted),
    "mkfs": (lambda decision: mkfs_words(decision.design), _made),
    "mount_options": (
        lambda decision: ",".join(option.text for option in decision.design.options.mount), _mounted
    ),
    "benchmark_follows": (
        lambda decision: decision.design.fs == "ext4"
        and decision.design.options.ext4 == measurable(decision.design.options.ext4), _measured_next,
    ),
    "encrypt": (
        lambda decision: decision.design.encryption.layer if decision.design.encryption else "none", _encrypted,
    ),
    "key_file": (
        lambda decision: (decision.design.encryption.key_file or None) if decision.design.encryption else None,
        _opened_by,
    ),
    "passphrase": (
        lambda decision: decision.design.encryption is not None and bool(decision.design.encryption.passphrase), _asked,
    ),
    "name": (lambda decision: decision.plan_name, _named),
    "mount": (
        lambda decision: decision.mount_point,
        lambda decision, path: replace(decision, mount_point=path or f"/srv/{decision.plan_name}"),
    ),
    "first_sync": (
        lambda decision: decision.design.first_sync or "resync",
        lambda decision, value: _with_design(decision, first_sync=stated_first_sync(value)),
    ),
}  # fmt: skip
"""getter and setter of options that are no field of their own"""
