"""One plan on the machine of the fault matrix: its executors, what an owner does between them, and what is left."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from raidtui.predict.design import predict
from raidtui.steps.build import compile_plan
from raidtui.values.codec import plain, to_json
from raidtui.values.design import Design
from raidtui.values.notation import parse
from raidtui.values.plan import Command, Plan, Step
from raidtui.values.units import KIB
from tests.faults.guest_driver import BROKEN
from tests.faults.lab_injectors import Hook
from tests.faults.lab_machine import BYSTANDERS, TARGETS, Lab
from tests.lab.agent import Result
from tests.simulated.fault_model import Fault

RAW_MIB = 200
"""of data without a signature that an owner writes"""


class Story:
    """A plan of `layout` on the first targets; each executor is the real one, with hooks at records of its journal."""

    def __init__(self, lab: Lab, name: str, layout: str, *, mount_point: str = "/srv/data", **design: Any) -> None:
        """Plans on the disks as they are now; `name` gives the run its id."""
        self.lab, self.vm = lab, lab.vm
        found = lab.inventory()
        by_serial = {disk.serial: disk for disk in found.disks}
        asked = Design(layout=parse(layout), chunk_bytes=64 * KIB, **design)
        self.serials = TARGETS[: asked.layout.disks]
        taken = [by_serial[serial] for serial in self.serials]
        self.plan: Plan = compile_plan(
            asked, found, taken, predict(asked, taken), run_id=hashlib.md5(name.encode()).hexdigest(), name="data",
            mount_point=mount_point, host=found.name,
        )  # fmt: skip
        self.run_id = self.plan.run_id
        self.folder = f"/var/lib/raidtui/{self.run_id}"

    def step(self, stage: str) -> Step:
        """The first step of that stage."""
        return next(step for step in self.plan.steps if step.stage == stage)

    def action(self, stage: str, *words: str) -> tuple[int, int]:
        """Numbers of the first step of that stage and of its action that begins with `words`."""
        step = self.step(stage)
        for number, action in enumerate(step.actions, start=1):
            if isinstance(action, Command) and action.argv[: len(words)] == words:
                return step.number, number
        raise ValueError(f"no {' '.join(words)} in {step.title}")

    def place(self, serial: str) -> str:
        """Where the disk is, as a refusal names it."""
        disk = next(disk for disk in self.plan.disks if disk.serial == serial)
        return disk.place.text or disk.path

    def execute(
        self, purpose: str, *, hooks: Sequence[Hook] = (), faults: Sequence[Fault] = (), accepted: bool = False,
        first_check: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """One executor to its end: `code`, `problem`, `hint`, `fired`, and `outcome`, all text that an admin gets."""
        said = self.lab.ask(
            "execute", purpose=purpose, plan=to_json(self.plan), faults=[plain(fault) for fault in faults],
            hooks=list(hooks), accepted=accepted, create_errno=0, first_check=first_check,
        )  # fmt: skip
        assert said["code"] != BROKEN, said
        said["outcome"] = f"{said['problem']} {said['hint']} {self.last_text()}"
        return said

    def last_text(self) -> str:
        """The text of the last records of the journal."""
        return self.vm.run(f"tr -d '\\0' < {self.folder}/journal | tail -n 24").stdout

    def intents(self) -> int:
        """Commands that the journal knows."""
        return int(self.vm.run(f"grep -ac '\"intent\"' {self.folder}/journal").stdout or 0)

    def undo_by_command(self) -> Result:
        """`raidtui undo RUN`, confirmed by options."""
        return self.vm.run(f"raidtui undo {self.run_id[:8]} --yes --confirm {self.plan.digest}", timeout=600)

    # An owner.

    def path(self, serial: str) -> str:
        """The stable path of a disk."""
        return self.vm.disk_path(serial)

    def raw(self, serial: str) -> str:
        """A line of bash that writes an owner's data without a signature to the start of a disk."""
        return (
            f"yes 'data of its owner, recognised by nothing' | head -c {RAW_MIB}M | "
            f"dd of={self.path(serial)} bs=1M iflag=fullblock conv=fsync,notrunc status=none"
        )

    def hashes(self, serials: Sequence[str]) -> dict[str, str]:
        """Digests of disks, the bystanders too."""
        return self.vm.hash_disks([*serials, *BYSTANDERS])
