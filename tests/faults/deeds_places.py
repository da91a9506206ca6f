"""What people do to the directories of simulated runs, to the files in them and to the lock."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from raidtui.engine.journal import Journal
from raidtui.machine.system import places
from raidtui.machine.system.files import write_durably
from raidtui.predict.design import predict
from raidtui.steps.build import compile_plan
from raidtui.values import paths
from raidtui.values.codec import to_json
from raidtui.values.paths import PathFault, PathPart
from tests.faults.bench import Bench

_NOBODY = 65534


def do(deed: str, bench: Bench) -> None:
    """Does it, and notes how it is taken back."""
    root, folder, lock = bench.root, bench.folder, bench.site.lock_path
    plan, done = folder / "plan.json", bench.deed
    match deed:
        case "root-open":
            root.chmod(0o777)
            done.back = lambda: root.chmod(0o700)
        case "root-of-another":
            done.back = _given_to_nobody(root, bench)
        case "root-a-link":
            root.rename(root.with_name("elsewhere"))
            root.symlink_to("elsewhere")
            _given_to_nobody(root, bench)
            done.back = lambda: None
        case "lock-a-directory":
            lock.mkdir()
            done.back = lock.rmdir
        case "lock-a-fifo":
            os.mkfifo(lock)
            done.back = lock.unlink
        case "run-prepared":
            folder.mkdir()
            (folder / "plan.json").write_text(to_json(_another(bench)) + "\n")
            done.back = lambda: None
        case "plan-swapped":
            text = plan.read_text()
            plan.write_text(to_json(_another(bench)) + "\n")
            done.back = lambda: write_durably(plan, text, mode=0o600)
        case "plan-a-link":
            plan.rename(bench.root.parent / "theirs.json")
            plan.symlink_to(bench.root.parent / "theirs.json")
            done.back = lambda: (bench.root.parent / "theirs.json").replace(plan)
        case "run-open":
            folder.chmod(0o777)
            done.back = lambda: folder.chmod(0o700)
        case "journal-swapped":
            with tempfile.TemporaryDirectory() as place:
                (Path(place) / "journal").write_bytes(bytes((folder / "journal").stat().st_size))
                journal = Journal(Path(place), "build")
                journal.write("begun", digest="f" * 64)
                journal.close()
                (folder / "journal").write_bytes((Path(place) / "journal").read_bytes())
            done.back = lambda: None
        case _:
            raise ValueError(deed)


def _given_to_nobody(path: Path, bench: Bench) -> Callable[[], None]:
    """Makes `path`, or the link there, nobody's; returns how root takes it back.

    Only root can do it. For anybody else the check of owners is told that it was done.
    """
    if os.geteuid() == 0:
        os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
        return lambda: os.chown(path, 0, 0, follow_symlinks=False)
    given = {path}
    check = paths.owner_fault

    def told(part: PathPart, owners: Collection[int]) -> PathFault | None:
        return check(replace(part, owner=_NOBODY) if Path(part.path) in given else part, owners)

    for module in (paths, places):
        bench.surroundings.enter_context(patch.object(module, "owner_fault", told))
    return given.clear


def _another(bench: Bench) -> object:
    """A genuine plan with the id of the run, for another place."""
    plan, found = bench.plan, bench.scene.fresh().inventory()
    taken = [next(disk for disk in found.disks if disk.id == each.id) for each in plan.disks]
    return compile_plan(
        plan.design, found, taken, predict(plan.design, taken), run_id=plan.run_id, name=plan.name,
        mount_point="/srv/elsewhere", host=plan.host,
    )  # fmt: skip
