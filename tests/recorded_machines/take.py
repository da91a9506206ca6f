"""Takes a file of `raidtui disks --record` or `raidtui audit --record` as a test.

    python -m tests.recorded_machines.take FILE NAME

It writes NAME/capture.json.gz with what raidtui makes of it today: expected.json, and findings.txt where arrays were
recorded. Read both and correct them by hand: the tests hold raidtui against them.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from raidtui.answers.arrays import machine_blocks
from raidtui.answers.audit import audit_blocks
from raidtui.answers.plain_text import plain_lines
from raidtui.machine.inventory.capture import Capture
from raidtui.values.codec import to_json
from tests.recorded_machines.captures import ROOT, audited, observed, replay
from tests.recorded_machines.replay import read_capture


def findings(document: Capture) -> str:
    """What `raidtui arrays` and `raidtui audit` print of a capture."""
    blocks = (*machine_blocks(observed(document), replay(document)), *audit_blocks(audited(document)))
    return "\n".join([*plain_lines(blocks, lambda text, _: text), ""])


def take(source: Path, name: str, place: Path = ROOT) -> None:
    """Writes the folder `name` in `place`; it must be new."""
    document = read_capture(source.read_bytes(), source=str(source))
    folder = place / name
    folder.mkdir()
    compact = json.dumps(document, separators=(",", ":"))
    (folder / "capture.json.gz").write_bytes(gzip.compress(compact.encode(), mtime=0))
    (folder / "expected.json").write_text(to_json(replay(document)), encoding="ascii")
    if "reader" in document:
        (folder / "findings.txt").write_text(findings(document), encoding="utf-8")


if __name__ == "__main__":
    take(Path(sys.argv[1]), sys.argv[2])
