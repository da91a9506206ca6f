import os
import sys
from pathlib import Path

import pytest

from raidtui.engine import process
from raidtui.machine.system import programs
from raidtui.values.errors import MachineFailed

FOLDER = Path("/var/lib/raidtui/0123456789abcdef0123456789abcdef")
DIGEST = "ab" * 32


def test_the_executor_starts_isolated_from_environment_and_directory() -> None:
    assert process.executor_argv(FOLDER, "build", DIGEST) == [
        sys.executable, "-I", "-m", "raidtui", "execute", str(FOLDER), "build", DIGEST,
    ]  # fmt: skip
    assert process.executor_argv(FOLDER, "undo", DIGEST, 600)[-3:] == [
        "undo", DIGEST, "--speed-up=600",
    ]  # fmt: skip


def test_the_unit_of_a_replacement_has_the_name_of_its_folder() -> None:
    assert process.unit_of(FOLDER, DIGEST) == "raidtui-01234567.service"
    change = Path("/var/lib/raidtui/changes/replace-0123456789ab")
    assert process.unit_of(change, DIGEST) == "raidtui-replace-0123456789ab.service"


def test_folders_of_one_name_in_two_places_have_two_units() -> None:
    units = {process.unit_of(Path(above) / "2026-11-29", digest * 32) for above, digest in (("/a", "ab"), ("/b", "cd"))}
    assert units == {"raidtui-abababababab.service", "raidtui-cdcdcdcdcdcd.service"}


def test_systemd_expands_nothing_in_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """${NAME} and $$ stand for something in the command of a unit (systemd.service(5)), where $$ is one dollar sign."""
    monkeypatch.setattr(programs, "find", lambda name: f"/usr/bin/{name}")
    argv = process.unit_argv(Path("/srv/${HOME} $$"), "bench", DIGEST)
    assert argv[argv.index("execute") + 1] == "/srv/$${HOME} $$$$"
    assert "--property=StandardOutput=append:/srv/${HOME} $$/executor" in argv


def test_the_unit_outlives_the_terminal_and_never_kills_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "find", lambda name: f"/usr/bin/{name}")
    assert process.unit_argv(FOLDER, "resume", DIGEST) == [
        "/usr/bin/systemd-run",
        "--unit=raidtui-01234567.service",
        "--collect",
        "--quiet",
        "--description=raidtui resume 01234567",
        "--property=Type=exec",
        "--property=KillMode=process",
        "--property=SendSIGKILL=no",
        "--property=UMask=0077",
        "--property=WorkingDirectory=/",
        "--property=StandardInput=null",
        f"--property=StandardOutput=append:{FOLDER}/executor",
        f"--property=StandardError=append:{FOLDER}/executor",
        "--",
        sys.executable,
        "-I",
        "-m",
        "raidtui",
        "execute",
        str(FOLDER),
        "resume",
        DIGEST,
    ]


def test_a_unit_reads_what_is_handed_to_it_from_a_pipe_of_its_starter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "find", lambda name: f"/usr/bin/{name}")
    assert f"--property=StandardInput=file:/proc/{os.getpid()}/fd/7" in process.unit_argv(FOLDER, "build", DIGEST, 7)


@pytest.mark.process
def test_code_that_is_only_found_by_way_of_the_environment_is_not_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys.modules["raidtui"], "__file__", str(tmp_path))
    with pytest.raises(MachineFailed, match="not installed for this Python"):
        process.launch(tmp_path, "build", DIGEST, simulated=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_a_simulated_run_never_asks_systemd(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(process, "_SYSTEMD", tmp_path)
    started = process.launch(tmp_path, "build", DIGEST, simulated=True)
    assert started.unit == ""
    assert started.process is not None
    assert started.process.wait() != 0
    assert not started.running()
    assert "plan.json" in (tmp_path / "executor").read_text()
    assert (tmp_path / "executor").stat().st_mode & 0o777 == 0o600
