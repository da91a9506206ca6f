"""The scripts change files of others line by line: every byte beside the plan's own lines stays."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from raidtui.planner.export.bash_functions import bash_text

pytestmark = pytest.mark.process
FRAME = r"""
say() { :; }
BEGIN='# raidtui 0123 begin data' END='# raidtui 0123 end' STATE=$1
"""
DEEDS = 'put_block "$2" 0644 <<<"UUID=1 /srv/data xfs defaults 0 0"; cp "$2" "$1/built"; drop_block "$2"'


@pytest.mark.parametrize(
    "text", [b"# Gr\xfc\xdfe\n", b"\xff\xfe\0 \xed\xa0\x80\\n\n\n\t", b"UUID=2 /gr\xfcn xfs defaults 0 0\n"]
)
def test_a_file_that_is_no_utf8_stays_as_it_was(text: bytes, tmp_path: Path) -> None:
    file, state = tmp_path / "fstab", tmp_path / "state"
    file.write_bytes(text)
    state.mkdir()
    program = "\n".join((bash_text("settings"), FRAME, bash_text("blocks", "files", "drop"), DEEDS))
    subprocess.run(["bash", "-c", program, "bash", str(state), str(file)], check=True, timeout=30)
    built = text if text.endswith(b"\n") else text + b"\n"
    block = b"# raidtui 0123 begin data\nUUID=1 /srv/data xfs defaults 0 0\n# raidtui 0123 end\n"
    assert ((state / "built").read_bytes(), file.read_bytes()) == (built + block, built)
