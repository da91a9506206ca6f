"""A fleet on this machine: simulated hosts in a folder, control hosts with their own state, what came of a build."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from raidtui.engine import journal
from raidtui.values.run import Record

SPEED_UP = "1e6"
RAIDTUI = (sys.executable, "-I", "-m", "raidtui")
LONGEST = 120.0
"""seconds for one build to its end"""


def run(folder: Path, control: str, *words: str, wait: bool = True) -> subprocess.Popen[str]:
    """A process of the control host `control`, whose state is its own."""
    process = subprocess.Popen(
        [*RAIDTUI, *words], cwd=folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "XDG_STATE_HOME": str(folder / control), "USER": control},
    )  # fmt: skip
    if wait:
        process.wait(LONGEST)
    return process


def prepared(folder: Path, hosts: Sequence[str], layout: str, *more: str) -> str:
    """Hosts of a shipped chassis and their sheet in `folder`. Returns the digest of the sheet."""
    (folder / "hosts").mkdir()
    found = run(folder, "one", "disks", "--inventory", "nas4", "--json").communicate()[0]
    for host in hosts:
        (folder / "hosts" / f"{host}.json").write_text(found)
    for words in (
        ("fleet", "recipe", layout, *more, "--out", "recipe.toml"),
        ("fleet", "plan", "recipe.toml", "-w", ",".join(hosts), "--worker", "local:hosts", "--out", "sheet"),
    ):
        process = run(folder, "one", *words)
        assert process.returncode == 0, process.communicate()
    return sheet_digest(folder)


def sheet_digest(folder: Path) -> str:
    """Digest of the sheet in `folder`."""
    digest: str = json.loads((folder / "sheet" / "sheet.json").read_text())["digest"]
    return digest


def records_of(folder: Path, host: str) -> tuple[Record, ...]:
    """The journal of the host's one run; empty without one."""
    runs = [each for each in (folder / "hosts" / f"{host}.runs").glob("?" * 32) if (each / "plan.json").exists()]
    assert len(runs) <= 1
    return journal.records(runs[0]) if runs else ()


def doubled(records: Sequence[Record]) -> int:
    """Actions whose intent is in the journal more than once for the same purpose of a run."""
    counts = Counter(
        (record.purpose == "undo", record.step, record.action) for record in records if record.kind == "intent"
    )
    return sum(count > 1 for count in counts.values())


def disks_of(folder: Path, host: str) -> Any:
    """What a host's simulated machine holds: disks, arrays, mounts, files; rates and times are left out."""
    found = next((folder / "hosts" / f"{host}.runs").glob("*/machine.json"), None)
    if found is None:
        return None
    state = json.loads(found.read_text())["state"]
    return _exact({key: state[key] for key in ("drives", "arrays", "groups", "mounts", "files", "rules")})


def _exact(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _exact(each) for key, each in value.items() if not isinstance(each, float)}
    return [_exact(each) for each in value] if isinstance(value, list) else value


def reset(folder: Path, hosts: Sequence[str]) -> None:
    """Blank hosts again."""
    for host in hosts:
        shutil.rmtree(folder / "hosts" / f"{host}.runs", ignore_errors=True)
