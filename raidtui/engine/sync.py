"""Limits the sync speed of the plan's arrays and restores each array's previous limit.

RUN/sync-limits.json      0600: arrays and their limit before the first change; missing if nothing is to be restored

The file is on disk before an array is changed, so that the limit can be restored after a killed executor: the next
executor of the run does, and `raidtui status` names the array and the command. A boot resets all limits.
The kernel shows `6000 (local)` or `200000 (system)` (Documentation/admin-guide/md.rst, sync_speed_max).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from raidtui.advice.arrays import words
from raidtui.engine.journal import BOOT_ID, Journal
from raidtui.machine.arrays.read import sync_now
from raidtui.machine.gauges.kernel_arrays import FilesOf, state_word
from raidtui.machine.system.files import RUN_FILE, kept_document, sync_folder
from raidtui.machine.system.places import failures
from raidtui.machine.system.ports import Pin, Runner, Syncing
from raidtui.programs import md
from raidtui.programs.shell_quote import program_text
from raidtui.steps.check_step import holds
from raidtui.steps.step_builder import array_is_ours
from raidtui.values.amounts import listed
from raidtui.values.codec import to_json
from raidtui.values.codec_rules import Value
from raidtui.values.errors import MachineFailed, RaidtuiError
from raidtui.values.plan import Act, Command, Step
from raidtui.values.safe import safe

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
    return f"{md.folder(name)}/sync_speed_max"


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


# The wait for a sync of an array that holds data, look by look; not without end for one that md holds.


_INTERVALS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""between two looks: short ones first, so that a small sync is not slept through"""
_HELD_S = 60.0
"""time after which a sync that md holds ends the wait"""


class SyncWait:
    """The wait for one array (kernel name)."""

    def __init__(self, runner: Runner, array: str, tell: Callable[[str], None]) -> None:
        """`tell` gets a line whenever something is new."""
        self._runner, self._array, self._tell = runner, array, tell
        self._last, self._held_s, self._looks = "", 0.0, 0

    def look(self) -> None:
        """Tells how far it is, and waits until the next look. A sync that md holds until the first write is started.

        Raises MachineFailed where md holds it otherwise, and has for a minute."""
        syncs = self._runner.syncing()
        own = next((each for each in syncs if each.device == self._array), None)
        others = [each.device for each in syncs if each is not own and each.action not in words.HELD]
        action = "" if own is None else own.action
        if state_word(FilesOf(self._runner), self._array) == "readonly":
            action = "read-only"
        moves = action == "pending" and bool(others)
        if action == "held":
            line = "md holds its sync until the first write; it is started now"
            self._runner.start_sync(self._array)
        elif moves:
            line = f"waits for another sync on its disks; now md syncs {listed(others)}"
        elif action in ("read-only", "frozen"):
            line = f"its sync does not go on: {action}"
        else:
            line = words.sync_words(sync_now(own)) or "waits for md to begin"
            moves = action not in ("", "pending")
        line = f"{safe(self._array)}: {line}"
        if line != self._last:
            self._tell(line)
        if moves or line != self._last:
            self._last, self._held_s = line, 0.0
        elif self._held_s >= _HELD_S:
            way_out = words.sync_way_out(self._array, action)
            raise MachineFailed(f"{line}, for a minute now", hint=f"{way_out}; the same command goes on where it is")
        pause = _INTERVALS_S[min(self._looks, len(_INTERVALS_S) - 1)]
        self._looks += 1
        self._runner.wait(pause)
        self._held_s += pause


# Runs several commands of a step at the same time, with each one's intent and end in the journal.


_LINES = 3
_LONG = 300
"""lines and characters of a failed command's output that its error shows"""
_BYTES = 16 * 1024
"""of its end, in which they are"""


def run_together(
    step: Step, commands: Mapping[int, Command], runner: Runner, journal: Journal, devices: Mapping[str, str]
) -> dict[str, float]:
    """Runs `commands`, by their number in the step, each on one device; returns the seconds of each, by its path.

    All intents are journaled before the first starts, and each end when it comes. Raises MachineFailed for the first
    that failed, after the last has ended.
    """
    failed: MachineFailed | None = None
    seconds: dict[str, float] = {}
    with contextlib.ExitStack() as outputs:
        opened: dict[int, tuple[str, int]] = {}
        for number, command in commands.items():
            opened[number] = name, _ = outputs.enter_context(journal.output())
            journal.write(
                "intent", step=step.number, action=number, stage=step.stage, devices=command.devices,
                argv=command.argv, output=name,
            )  # fmt: skip
        calls = [(number, command.argv, opened[number][1]) for number, command in commands.items()]
        for number, code, took in runner.run_together(calls, devices):
            command, (name, handle) = commands[number], opened[number]
            journal.sync(handle)
            journal.write("result", step=step.number, action=number, argv=command.argv, exit=code, output=name)
            if code not in command.good_exits:
                failed = failed or ended_badly(command, code, journal.folder / name)
            seconds[command.devices[0]] = took
    if failed is not None:
        raise failed
    return seconds


def ended_badly(command: Command, code: int, output: Path) -> MachineFailed:
    """The error of a command that failed, with the last lines of its `output`."""
    end = f"{program_text(command.argv)} ended with exit code {code}"
    last = "; ".join(last_lines(output, _LINES))
    said = f"{end}: {safe(last, longest=_LONG)}" if last else end
    return MachineFailed(said, hint=f"its output is in {output}")


def last_lines(output: Path, count: int) -> list[str]:
    """Those of the last lines of what a command printed that are not empty; of its end alone, however much that was."""
    with output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - _BYTES))
        text = file.read().decode("utf-8", "surrogateescape")
    return [line.strip() for line in text.splitlines()[-count:] if line.strip()]
