"""The scripts, as the app does, remove only lines equal to the plan's from files that others write too."""

import subprocess
from pathlib import Path

import pytest

from raidtui.planner.compile.managed_block import ManagedBlock, changed
from raidtui.planner.export.bash_functions import bash_text
from raidtui.planner.export.undo_script import undo_script
from tests.planner.bash_disks import FakeDisks
from tests.planner.changed_lines import CHANGES, HOME
from tests.planner.export.test_undo_script import Undo
from tests.planner.plans import plan_of

pytestmark = pytest.mark.process
RUN = "0f" * 16
LINE = "UUID=2b026c7f-9b2a-5861-aa5c-27ab1d203172 /srv/data xfs noatime,nofail 0 0"
TEXT = f"{LINE}\nMAILADDR root"
OWN = f"# raidtui {RUN} begin data\n{TEXT}\n# raidtui {RUN} end\n"
HEAD = f"""set -euo pipefail
export LC_ALL=C
STATE=$PWD/state
BEGIN='# raidtui {RUN} begin data' END='# raidtui {RUN} end'
say() {{ :; }}
stop() {{ printf '%s\\n' "$2"; exit "$1"; }}
sync() {{ :; }}
"""


def bash(folder: Path, *calls: str) -> tuple[int, str, str]:
    (folder / "state").mkdir(exist_ok=True)
    text = "\n".join((HEAD, bash_text("blocks", "drop", "files"), *calls))
    done = subprocess.run(["bash", "-c", text], cwd=folder, capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_scripts_find_what_the_app_finds(tmp_path: Path) -> None:
    texts = {what: f"first\n{''.join(make(OWN.splitlines(keepends=True)))}last\n" for what, make in CHANGES.items()}
    texts |= {"long": OWN.replace("\nMAIL", f"\n{HOME * 40}MAIL"), "as written": f"a\n{OWN}MAILADDR root\n"}
    calls = []
    for number, text in enumerate(texts.values()):
        (tmp_path / f"{number}").write_bytes(text.encode())
        calls.append(f"blocks[{number}]='{TEXT}'; find_block {number}; printf '%s\\0' \"$changed\"")
    code, printed, errors = bash(tmp_path, *calls)
    assert (code, errors) == (0, "")
    found = dict(zip(texts, printed.split("\0"), strict=False))
    assert [what for what, text in found.items() if not text] == ["as written"]
    way_out = ": put the expected lines back, or remove those of the plan by hand"
    for number, (what, text) in enumerate(texts.items()):
        block = ManagedBlock(path=f"{number}", run_id=RUN, name="data", text=TEXT)
        problem = changed(text, block).replace("\\r", "\r")
        assert found[what] == (f"{problem}{way_out}" if problem else ""), what


def test_lines_as_they_were_written_are_removed_and_every_other_byte_stays(tmp_path: Path) -> None:
    file = tmp_path / "fstab"
    others = b"# Gr\xfc\xdfe\r\n", b"MAILADDR root\n\nno line feed"
    file.write_bytes(others[0] + OWN.encode() + others[1])
    done = bash(tmp_path, f"blocks[fstab]='{TEXT}'", "drop_block fstab", "drop_block fstab")
    assert done == (0, "", "")
    assert file.read_bytes() == b"".join(others)
    assert (tmp_path / "state" / "after-fstab").read_bytes() == others[0] + OWN.encode() + others[1]


@pytest.mark.parametrize("call", ["drop_block fstab", f"put_block fstab 0644 <<<'{TEXT}'"])
def test_changed_lines_stop_the_script(tmp_path: Path, call: str) -> None:
    file = tmp_path / "fstab"
    text = OWN.removesuffix(f"# raidtui {RUN} end\n") + HOME
    file.write_text(text)
    code, printed, errors = bash(tmp_path, f"blocks[fstab]='{TEXT}'", call)
    assert (code, errors, file.read_text()) == (3, "", text)
    assert f"expected <# raidtui {RUN} begin data> <{LINE}> <MAILADDR root> <# raidtui {RUN} end>; found 1" in printed


@pytest.mark.parametrize("place", ["", " first"])
def test_a_build_that_runs_again_writes_the_lines_once(tmp_path: Path, place: str) -> None:
    file = tmp_path / "fstab"
    file.write_text(f"a\n{OWN}{HOME}")
    done = bash(tmp_path, f"put_block fstab 0644{place} <<<'{TEXT}'")
    assert done == (0, "", "")
    assert file.read_text() == (f"{OWN}a\n{HOME}" if place else f"a\n{HOME}{OWN}")


def test_an_undo_refuses_before_it_removes_anything(tmp_path: Path) -> None:
    undo = Undo(tmp_path, fs="xfs")
    undo.sign(0, 1, 2, 3, 4)
    file = tmp_path / "fstab"
    block = next(line for line in undo_script(undo.plan).splitlines() if line.startswith("blocks[/etc/fstab]="))
    line = block.partition("=")[2].strip("'")
    file.write_text(f"# raidtui {undo.plan.run_id} begin data\n{line}\n{HOME}")
    script = undo_script(undo.plan).replace("/etc/fstab", str(file))
    done = FakeDisks.run(undo, script, "--yes-undo", undo.plan.digest[-8:], "--lose-files", "unknown")
    assert done.returncode == 1, done.stdout
    assert f"IN THE WAY: {file} does not have the plan's lines as they were written; expected <# raidtui" in done.stdout
    assert "3 </dev/sda2 /home" not in done.stdout, "a line behind the last of the plan is not looked at"
    assert undo.commands("") == [line for line in undo.commands("") if line.startswith("mdadm --")]
    assert plan_of("(3+1)+1").run_id == undo.plan.run_id
    assert file.read_text().endswith(HOME)
