"""Site of a run: this machine or a simulated one."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from raidtui.engine import journal, simulation
from raidtui.engine.simulation import SimulatedRunner
from raidtui.machine.inventory import shipped
from raidtui.machine.system.files import MACHINE_FILE, RUN_FILE, read_own, write_durably
from raidtui.machine.system.host import SystemHost
from raidtui.machine.system.places import REAL_LOCK, REAL_ROOT, failures, lock_is_free, simulated_root, take_lock
from raidtui.machine.system.ports import MachineReader, Runner
from raidtui.machine.system.programs import closing
from raidtui.machine.system.runner import SystemReader, SystemRunner
from raidtui.programs import systemd
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Locked, MachineFailed
from raidtui.values.facts import Facts
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.plan import Act, Plan, PlanDisk, Reading

if TYPE_CHECKING:
    from raidtui.values.trials import Tuning


MACHINE = "machine.json"
"""file in the directory of a simulated run: present state of the machine"""
_HOME = "machine-of"
"""file in the directory of a run on the machine of an earlier one: the name of that one's directory"""
SPEED_UP = 600.0
"""default factor by which simulated time is faster"""
_SETTLED = 20
"""seconds to wait for udev before the inventory of a build; a disk without a udev record then is refused"""
_PATIENCE = 3.0
"""seconds to retry: viewers hold a shared lock for a moment"""


class Site(Protocol):
    """Machine that a run works on."""

    @property
    def simulated(self) -> bool:
        """True if it cannot reach a real disk."""

    @property
    def root(self) -> Path:
        """Directory of all its runs."""

    @property
    def lock_path(self) -> Path:
        """Run lock: one run at a time."""

    def inventory(self, act: Act) -> Inventory:
        """Fresh inventory of its disks; those that `act` knows by their path alone are bound by it."""

    def facts(self, plan: Plan, questions: Sequence[Reading], holder: str, /) -> Facts:
        """Fresh facts besides the disks; `holder`: present holder of the run lock, empty for none or this process."""

    def reader(self) -> MachineReader:
        """Read-only access to the machine."""

    def runner(self, lock: int, /) -> Runner:
        """Access that runs commands; each command inherits the lock's descriptor `lock`."""

    def prepare(self, folder: Path) -> None:
        """Writes the files that the executor needs besides the plan into the directory of a new run."""


class RealSite:
    """This machine."""

    simulated = False

    def __init__(self, root: Path = REAL_ROOT, lock_path: Path = REAL_LOCK) -> None:
        self.root = root
        self.lock_path = lock_path

    def inventory(self, act: Act) -> Inventory:
        """See Site: waits for udev first, so that its records include the latest changes."""
        from raidtui.machine.inventory.block_tree import bound_as  # start-up: viewers of a run never probe
        from raidtui.machine.inventory.probe import probe  # beside it

        host = SystemHost()
        host.run(systemd.settle(_SETTLED).argv)
        return bound_as(act, probe(host))

    def facts(self, plan: Plan, questions: Sequence[Reading], holder: str) -> Facts:
        """See Site."""
        from raidtui.engine.preflight_facts import system_facts  # start-up: only the preflight needs it

        return system_facts(plan, questions, self.reader(), self.root, holder)

    def reader(self) -> MachineReader:
        """See Site."""
        return SystemReader()

    def runner(self, lock: int) -> Runner:
        """See Site."""
        return SystemRunner(lock)

    def prepare(self, folder: Path) -> None:
        """See Site: writes nothing."""


class SimulatedSite:
    """A simulated machine; it is kept in the directory of the first run on it."""

    simulated = True

    def __init__(self, root: Path, machine: SimulatedRunner, home: Path | None = None) -> None:
        """`home`: directory of the run that keeps it; None: the next run will."""
        self.root = root
        self.lock_path = root / "lock"
        self._machine = machine
        self._home = home

    def inventory(self, act: Act) -> Inventory:
        """See Site: its disks keep the identity that they were made with."""
        del act
        return self._machine.inventory()

    def facts(self, plan: Plan, questions: Sequence[Reading], holder: str) -> Facts:
        """See Site: all tools and modules are available."""
        # start-up: only the preflight needs them
        from raidtui.engine.preflight_facts import answers, no_write_zeroes, room_in, syncs
        from raidtui.engine.survey import seen_files, seen_places
        from raidtui.machine.arrays import boot

        room, problem = room_in(self.root)
        return Facts(
            host=self._machine.inventory().name if self._home is None else plan.host,
            folder=str(self.root),
            room_bytes=room,
            folder_problem=problem,
            holder=holder,
            syncs=syncs(self._machine),
            target=self._machine.target(),
            no_write_zeroes=no_write_zeroes(plan, self._machine),
            boot=boot.look(plan, self._machine, built=False),
            files=seen_files(plan, self._machine),
            places=seen_places(plan, self._machine),
            answers=answers(questions, self._machine),
        )

    def reader(self) -> MachineReader:
        """See Site."""
        return self._machine

    def runner(self, _: int) -> Runner:
        """See Site: no command can outlive the lock."""
        return self._machine

    def prepare(self, folder: Path) -> None:
        """See Site: the state of the machine, whose time begins; of one that is kept elsewhere, where."""
        if self._home is not None:
            with failures(folder / _HOME, "make room there"):
                write_durably(folder / _HOME, f"{self._home.name}\n", mode=0o600)
            return
        self._machine.begin()
        with failures(folder / MACHINE, "make room there"):
            write_durably(folder / MACHINE, self._machine.to_json(), mode=0o600)


def site_for(plan: Plan, inventory: Inventory | None = None) -> Site:
    """Site for a plan that was not started; `inventory`: the simulated disks that it was planned on.

    Raises BadInput for a simulated plan whose disks are unknown.
    """
    if not plan.simulated:
        if inventory is not None:
            raise BadInput(
                "a plan for real disks is built on this machine only", hint="leave out --inventory and --disks"
            )
        return RealSite()
    from raidtui.machine.inventory.block_tree import bound_as  # start-up: a real run needs none

    wanted = _ids(inventory.disks) if inventory is not None else {(disk.id, disk.size_bytes) for disk in plan.disks}
    if (left := _left(wanted, whole=inventory is not None)) is not None:
        return left.site()
    found = bound_as(plan, inventory or _disks_of(plan))
    return SimulatedSite(simulated_root(), simulation.machine(replace(found, name=plan.host)))


def site_of_run(folder: Path, plan: Plan, *, speed_up: float | None = None) -> Site:
    """Site of the run of `plan` in `folder`. `speed_up`: factor of simulated time; None: it never waits."""
    if not plan.simulated:
        return RealSite(folder.parent)
    home = home_of(folder)
    kept = home / MACHINE
    if home != folder and not home.exists():
        raise BadInput(
            f"the simulated machine of run {folder.name[:8]} was kept in {home}, which is gone",
            hint=f"no disk was on it; remove {folder} too",
        )
    if speed_up is not None:
        machine = simulation.kept(kept, speed_up=speed_up, sleep=time.sleep)
    else:
        machine = simulation.restored(read_own(kept, MACHINE_FILE).decode("utf-8"))
    if machine.syncing() and [record.kind for record in journal.records(folder)[-1:]] == ["finished"]:
        go_on(machine, home)
    return SimulatedSite(folder.parent, machine, home)


def home_of(folder: Path) -> Path:
    """Directory that keeps the simulated machine of the run in `folder`: its own, or that of the first run on it."""
    named = folder / _HOME
    if not named.exists():
        return folder
    from raidtui.engine.folders import is_id  # start-up: most runs are the first on their machine

    name = read_own(named, RUN_FILE).decode("utf-8", "replace").strip()
    if not is_id(name):
        raise BadInput(f"{named}: expected the id of a run", hint="undo the run by its plan, or remove its directory")
    return folder.parent / name


@dataclass(frozen=True, slots=True)
class LeftMachine:
    """A simulated machine on which something stands that was built."""

    folder: Path
    """directory of the newest run that is not undone"""
    plan: Plan
    """its plan"""

    def site(self) -> Site:
        """The machine as it is now."""
        return site_of_run(self.folder, self.plan)

    def inventory(self, name: str) -> Inventory:
        """Its disks as they are now; `name`: of the chassis."""
        return replace(self.site().inventory(self.plan), name=name)


def left_on(inventory: Inventory) -> LeftMachine | None:
    """The machine with the disks of `inventory` as the simulated runs of this user left it; None: as it ships.

    Of a purchase there is none: what is not bought yet is new each time."""
    return _left(_ids(inventory.disks), whole=True) if inventory.origin == "chassis" else None


def present(inventory: Inventory) -> Inventory:
    """`inventory`; of a chassis as the simulated runs of this user left it. Raises RaidtuiError."""
    left = left_on(inventory) if simulated_root().is_dir() else None
    return inventory if left is None else left.inventory(inventory.name)


def _left(wanted: AbstractSet[tuple[str, int]], *, whole: bool) -> LeftMachine | None:
    """The machine written to last on which something stands, and whose disks are these; unless `whole`, some of it."""
    from raidtui.engine.folders import RUNS, readable  # start-up: a real run needs none
    from raidtui.engine.runs import plan_in  # beside it

    runs: dict[Path, list[Path]] = {}
    for folder, home in readable(RUNS.folders(simulated_root()), home_of):
        runs.setdefault(home, []).append(folder)
    for home, begun in runs.items():
        for _, standing in readable([home], partial(_standing_on, wanted, begun, whole)):
            for folder, plan in readable(standing, plan_in):
                return LeftMachine(folder, plan)
    return None


def _standing_on(
    wanted: AbstractSet[tuple[str, int]], begun: Iterable[Path], whole: bool, home: Path
) -> Sequence[Path]:
    """Which of the runs `begun` on the chassis kept in `home` stand; none unless its disks are these, see `_left`."""
    from raidtui.engine.folders import readable  # start-up: a real run needs none

    text = read_own(home / MACHINE, MACHINE_FILE)
    if not all(to_json(disk).encode() in text for disk, _ in wanted):
        return ()  # of old runs on other machines, which may be many, only the bytes are read
    standing = [run for run, stands in readable(begun, _stands) if stands]
    if not standing:
        return ()
    machine = simulation.restored(text.decode("utf-8"))
    had = [_ids(found.disks) for found in (machine.made_of(), machine.inventory())]
    fits = any(wanted == ids or (not whole and wanted <= ids) for ids in had)
    return standing if fits and machine.made_of().origin == "chassis" else ()


def _stands(folder: Path) -> bool:
    """True if a command of the run was begun, and it was not undone since."""
    found = journal.records(folder)
    return any(record.kind == "intent" for record in found) and not journal.is_undone(found)


def _ids(disks: Iterable[Disk]) -> frozenset[tuple[str, int]]:
    return frozenset((disk.id, disk.size_bytes) for disk in disks)


def go_on(machine: SimulatedRunner, folder: Path) -> None:
    """Lets time pass on the machine of a simulated run after its end: a sync that a build left goes on."""
    if machine.syncing():
        machine.advance(max(time.time() - (folder / MACHINE).stat().st_mtime, 0.0) * SPEED_UP)


def lock_in(root: Path, made: Plan | Tuning) -> Path:
    """Run lock of the machine that a plan or a tuning is for; `root`: directory of its runs."""
    return root / "lock" if made.simulated else REAL_LOCK


@contextlib.contextmanager
def locked(site_lock: Path, *, patience: float = _PATIENCE) -> Iterator[int]:
    """Holds the lock in the file `site_lock`. Raises Locked if another process has it for `patience` seconds."""
    site_lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    until = time.monotonic() + patience
    while True:
        try:
            handle = take_lock(site_lock)
            break
        except Locked:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
    with closing(handle):
        yield handle


def holder_of(site: Site) -> str:
    """Description of the holder of the run lock; empty if it is free."""
    # start-up: most callers find the lock free
    from raidtui.engine.folders import CHANGES, CHANGES_FOLDER, RUNS, is_alive, readable

    if lock_is_free(site.lock_path):
        return ""
    busy = [folder for folder, alive in readable(RUNS.folders(site.root), is_alive) if alive]
    acts = readable(CHANGES.folders(site.root / CHANGES_FOLDER), is_alive)
    busy_acts = [folder for folder, alive in acts if alive]
    if busy_acts and not busy:
        return busy_acts[0].name
    return f"run {busy[0].name[:8]}" if busy else "an undo or build script, or a command that an executor left"


def _disks_of(plan: Plan) -> Inventory:
    """The shipped chassis with the plan's disks, or the inventory of a planned purchase."""
    wanted = {(disk.id, disk.size_bytes) for disk in plan.disks}
    for name in shipped.names():
        inventory = shipped.load(name)
        if wanted <= {(disk.id, disk.size_bytes) for disk in inventory.disks}:
            return inventory
    if all(disk.id.startswith("purchase-") for disk in plan.disks):
        warned = any(finding.code == "journal-disk-rotating" for finding in plan.findings)
        flash = plan.disks[len(plan.disks) - (0 if warned else plan.design.journal_disks) :]
        disks = tuple(_bought(disk, rotational=disk not in flash) for disk in plan.disks)
        return Inventory(origin="purchase", name="purchase", disks=disks)
    raise BadInput(
        "the simulated disks of this plan are unknown here",
        hint="name the inventory that it was planned on: --inventory FILE",
    )


def _bought(disk: PlanDisk, *, rotational: bool) -> Disk:
    sector = disk.logical_sector_bytes
    return Disk(
        id=disk.id, by_id=(disk.id,), size_bytes=disk.size_bytes, logical_sector_bytes=sector,
        physical_sector_bytes=sector, rotational=rotational, state="blank",
    )  # fmt: skip


# The light of a bay: on while its disk is to be pulled, off after it, and no reason to stop.


_PULL_S, _LOOK_S = 600, 5.0
"""seconds for which a light is on at most, and between two looks"""
_ENCLOSURES = "/sys/class/enclosure"
"""bays with a file `locate` that switches a light (Linux drivers/misc/enclosure.c), where SES has one"""


class BayLight:
    """Lights of one machine."""

    def __init__(self, runner: Runner, tell: Callable[[str], None]) -> None:
        """`tell` gets a line when a light goes on, off, or does not."""
        self._runner, self._tell = runner, tell

    def shine(self, path: str) -> None:
        """Shows which disk to pull; the light goes off once it is pulled, or after some minutes."""
        pin = self._runner.pin(path)
        lights = self._lights(pin.name) if pin is not None else []
        on = [self._switched(light, 1) for light in lights]
        looks = int(_PULL_S / _LOOK_S) if any(on) else 0
        try:
            while looks and self._runner.pin(path) == pin:
                self._runner.wait(_LOOK_S)
                looks -= 1
        finally:
            for light in lights:
                self._switched(light, 0)

    def _lights(self, disk: str) -> list[str]:
        """Files that switch the light of the bay of a disk; one for each way to its enclosure."""
        bays = [
            f"{_ENCLOSURES}/{each}/{bay}"
            for each in self._names(_ENCLOSURES)
            for bay in self._names(f"{_ENCLOSURES}/{each}")
        ]
        return [f"{bay}/locate" for bay in bays if disk in self._names(f"{bay}/device/block")]

    def _names(self, path: str) -> tuple[str, ...]:
        try:
            return self._runner.names(path)
        except MachineFailed:
            return ()

    def _switched(self, light: str, value: int) -> bool:
        """Switches a light: whether it reads back so. One that does not follow stops nothing."""
        try:
            self._runner.set_value(light, value)
            follows = (self._runner.read_text(light) or "").strip() == str(value)
        except MachineFailed:
            follows = False
        state = f"is {'on' if value else 'off'}" if follows else f"does not go {'on' if value else 'off'}"
        self._tell(f"the light of its slot {state} ({light})")
        return follows
