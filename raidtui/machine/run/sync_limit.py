"""Limits the sync speed of the plan's arrays and restores each array's previous limit.

RUN/sync-limits.json      0600: arrays and their limit before the first change; missing if nothing is to be restored

The file is on disk before an array is changed, so that the limit can be restored after a killed executor: the next
executor of the run does, and `raidtui status` names the array and the command. A boot resets all limits.
The kernel shows `6000 (local)` or `200000 (system)` (Documentation/admin-guide/md.rst, sync_speed_max).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from raidtui.machine.ports.runner import Pin, Runner, Syncing
from raidtui.machine.run.journal import BOOT_ID, Journal
from raidtui.machine.system.documents import kept_document
from raidtui.machine.system.durable_files import sync_folder
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import RUN_FILE
from raidtui.model.codec import to_json
from raidtui.model.codec_rules import Value
from raidtui.model.errors import MachineFailed, RaidtuiError
from raidtui.model.plan import Act
from raidtui.planner.compile.postcondition import holds
from raidtui.planner.compile.step_builder import array_is_ours
from raidtui.tools import md_sysfs

FILE = "sync-limits.json"
_SHOWN = re.compile(r"(\d+) \((local|system)\)\s*")
_WAY_OUT = "nothing was changed; make it writable, then resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitBefore(Value):
    """The limit of one array before the run changed it."""

    uuid: str
    """md UUID of the array"""
    device: str
    """path under /dev/md"""
    name: str
    """kernel name at the time of the change"""
    kib_per_s: int | None = None
    """its own limit, KiB per second and member; None: the system's"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsBefore(Value):
    """Limits to restore."""

    boot: str
    """boot id at the time of the change"""
    arrays: tuple[LimitBefore, ...]
    """all changed arrays"""


class SyncLimit:
    """Sync limits of one run's arrays. Checks the array's UUID before each write."""

    def __init__(self, act: Act, runner: Runner, journal: Journal) -> None:
        self._act = act
        self._runner = runner
        folder = journal.folder  # a drill keeps its own journal below that of the run
        self._path = (folder.parent if folder.parent.name == act.run_id else folder) / FILE
        self._keep = journal.keep
        self._proven: dict[tuple[str, str, str], str] = {}
        self._set: dict[str, int] = {}

    def own_syncs(self) -> tuple[Syncing, ...]:
        """The plan's arrays that are not idle, found by UUID."""
        syncs = self._runner.syncing()
        names = set(self._own().values()) if syncs else set()
        return tuple(sync for sync in syncs if sync.device in names)

    def apply(self, kib_per_s: int | None) -> None:
        """Limits every syncing array of the plan to `kib_per_s` per member; None restores all.

        Raises MachineFailed if a limit cannot be recorded, set or read back.
        """
        if kib_per_s is None:
            if self._set:
                self.restore()
            return
        own = {name: uuid for uuid, name in self._own().items()}
        for sync in self._runner.syncing():
            uuid = own.get(sync.device)
            if uuid is not None and self._set.get(uuid) != kib_per_s:
                self._record(uuid, sync.device)
                self._write(sync.device, kib_per_s)
                self._set[uuid] = kib_per_s

    def restore(self) -> None:
        """Restores the limit of every array in the file; skips missing arrays and limits from before a reboot.

        Raises MachineFailed if an array has another limit afterwards; the file is kept then.
        """
        before = load(self._path.parent)
        if before is None:
            return
        if before.boot == self._boot():
            own = self._own()
            for each in before.arrays:
                if each.uuid in own:
                    self._write(own[each.uuid], each.kib_per_s)
        with failures(self._path, _WAY_OUT):
            self._path.unlink()
            sync_folder(self._path.parent)
        self._set.clear()

    def _own(self) -> dict[str, str]:
        """UUID to kernel name of the plan's arrays that exist and report that UUID."""
        found = {}
        for array in self._act.arrays:
            pin = self._runner.pin(array.device)
            if pin is None or pin.kind != "array":
                continue
            key = _key(pin)
            if not pin.sequence or self._proven.get(key) != array.uuid:
                reading = array_is_ours(array)
                answer = self._runner.ask(reading.question.argv)
                if not holds(reading, answer.exit, answer.stdout):
                    continue
                self._proven[key] = array.uuid
            found[array.uuid] = pin.name
        return found

    def _record(self, uuid: str, name: str) -> None:
        before = load(self._path.parent)
        boot = self._boot()
        known = before.arrays if before is not None and before.boot == boot else ()
        if any(each.uuid == uuid for each in known):
            return  # the first value is the one from before the run
        shown = self._shown(name)
        array = next(array for array in self._act.arrays if array.uuid == uuid)
        mine = LimitBefore(
            uuid=uuid, device=array.device, name=name, kib_per_s=int(shown[1]) if shown[2] == "local" else None
        )
        self._keep(self._path, to_json(LimitsBefore(boot=boot, arrays=(*known, mine))) + "\n")

    def _write(self, name: str, kib_per_s: int | None) -> None:
        self._runner.set_sync_limit(name, kib_per_s)
        shown = self._shown(name)
        if (kib_per_s is None) != (shown[2] == "system") or (kib_per_s is not None and int(shown[1]) != kib_per_s):
            wanted = "system" if kib_per_s is None else str(kib_per_s)
            raise MachineFailed(
                f"{path_of(name)} reads '{shown[0].strip()}' after '{wanted}' was written", hint="see /proc/mdstat"
            )

    def _shown(self, name: str) -> re.Match[str]:
        shown = _SHOWN.fullmatch(self._runner.read_text(path_of(name)) or "")
        if shown is None:
            raise MachineFailed(f"{path_of(name)} cannot be read", hint="this kernel has no sync limit per array")
        return shown

    def _boot(self) -> str:
        return (self._runner.read_text(BOOT_ID) or "").strip()


def path_of(name: str) -> str:
    """The limit of an array, by its kernel name."""
    return f"{md_sysfs.folder(name)}/sync_speed_max"


def load(folder: Path) -> LimitsBefore | None:
    """Limits that the run in `folder` has to restore; None if there are none. Raises like `read_own`, and BadInput for
    an invalid file."""
    return kept_document(LimitsBefore, folder / FILE, RUN_FILE)


def left_behind(folder: Path, boot: str = "") -> tuple[str, ...]:
    """One line per array that a killed executor of the run in `folder` left limited, with the command that restores it.

    `boot`: present boot id; limits of another boot are gone. Empty: not compared.
    """
    try:
        found = load(folder)
    except RaidtuiError as problem:
        return (f"sync limits may be left over: {problem}",)
    if found is None or (boot and found.boot != boot):
        return ()
    return tuple(
        f"the sync of {each.device} ({each.name}) may still be limited; until the next boot: "
        f"echo {'system' if each.kib_per_s is None else each.kib_per_s} > {path_of(each.name)}"
        for each in found.arrays
    )


def _key(pin: Pin) -> tuple[str, str, str]:
    return (pin.name, pin.number, pin.sequence)
