"""The lock of the scripts: a regular file of root, opened before anything is looked at."""

import os
import subprocess
from pathlib import Path

import pytest

from raidtui.planner.export.bash_functions import bash_text
from raidtui.planner.export.bash_script import script
from raidtui.planner.export.undo_script import undo_script
from tests.planner.plans import plan_of

pytestmark = pytest.mark.process


def take(lock: Path, owner: int | None = None, more: str = "") -> tuple[int, str]:
    text = bash_text("common").replace("/run/raidtui.lock", str(lock))
    text = text.replace("' 0 8'???", f"' {os.getuid() if owner is None else owner} 8'???")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"log=\n{text}\n{more}\ntake_lock\necho taken"],
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_a_new_and_an_old_file_are_taken_and_keep_their_text(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert take(lock) == (0, "taken\n")
    lock.write_text("pid")
    assert take(lock) == (0, "taken\n")
    assert lock.read_text() == "pid"


def test_a_lost_race_exits_5(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    code, text = take(lock, more=f"exec 7>>{lock}; flock 7")
    assert (code, "another run of raidtui or of one of its scripts holds the lock" in text) == (5, True)


def test_a_link_is_refused_and_its_target_not_touched(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("x")
    (tmp_path / "lock").symlink_to("target")
    code, text = take(tmp_path / "lock")
    assert (code, "is a link" in text) == (1, True)
    (tmp_path / "lock").unlink()
    raced = f'stat() {{ command stat "$@"; ln -sfT target {tmp_path / "lock"}; }}'
    code, text = take(tmp_path / "lock", more=raced)
    assert (code, "is not a regular file of root" in text) == (1, True), "made a link after it was opened"
    assert (tmp_path / "target").read_text() == "x"


def test_a_file_of_another_user_and_a_pipe_are_refused(tmp_path: Path) -> None:
    code, text = take(tmp_path / "lock", owner=os.getuid() + 1)
    assert (code, "is not a regular file of root" in text) == (1, True)


def test_both_scripts_take_it_before_their_first_look() -> None:
    for text in (script(plan_of("raid1(2)")), undo_script(plan_of("raid1(2)"))):
        assert text.index("\ntake_lock\n") < text.index("\ncheck\n")


@pytest.mark.parametrize("case", ["new", "kept", "link", "open", "file"])
def test_the_log_is_only_written_into_a_directory_of_root(tmp_path: Path, case: str) -> None:
    folder = tmp_path / "raidtui"
    if case == "link":
        (tmp_path / "theirs").mkdir()
        folder.symlink_to("theirs")
    elif case == "file":
        folder.touch()
    elif case != "new":
        folder.mkdir(0o755)
        folder.chmod(0o777 if case == "open" else 0o755)
    text = f"log=\nSTATE={folder}/run DIGEST=x WAY_BACK=\n{bash_text('common', 'confirm')}\nstart_log\n"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True, check=False, timeout=30
    )
    good = case in ("new", "kept")
    assert (done.returncode == 0, (folder / "run/log").exists()) == (good, good), done.stdout + done.stderr
    assert (
        good
        or "must be a directory that belongs to root and only root may write to; nothing was written" in done.stdout
    )
