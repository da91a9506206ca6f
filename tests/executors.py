"""Executors of benchmarks in the process of a test: they have measured when they are started."""

from __future__ import annotations

from pathlib import Path

from raidtui.bench import job
from raidtui.engine import folders
from raidtui.engine.process import EXECUTOR_OUTPUT, Launched
from raidtui.machine.system.passphrase import Passphrase
from raidtui.values.errors import RaidtuiError
from raidtui.values.run import JobPurpose


class Done(Launched):
    """An executor that has ended."""

    def running(self) -> bool:
        return False


def at_once(
    folder: Path, purpose: JobPurpose, digest: str, /, *, simulated: bool, speed_up: float,
    passphrase: Passphrase | None = None,
) -> Launched:  # fmt: skip
    """In the place of `raidtui.engine.process.launch`."""
    assert (purpose, simulated, passphrase) == ("bench", True, None)
    try:
        job.carry_on(folder, digest, lambda: folders.read_request(folder), speed_up=speed_up)
    except RaidtuiError as problem:
        (folder / EXECUTOR_OUTPUT).write_text(f"raidtui: {problem}\n")
    return Done("it ran in this test")
