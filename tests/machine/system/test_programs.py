import os
import sys
from pathlib import Path

import pytest

from raidtui.machine.system import programs
from raidtui.values.errors import MachineFailed


def executable(path: Path) -> str:
    path.parent.mkdir(exist_ok=True)
    path.touch(mode=0o755)
    return str(path)


def test_the_first_place_that_has_a_program_counts(tmp_path: Path) -> None:
    places = (str(tmp_path / "a"), str(tmp_path / "b"))
    found = executable(tmp_path / "b" / "tool")
    assert programs.find("tool", places) == found
    assert programs.find("tool", places[:1]) is None
    (tmp_path / "b" / "tool").chmod(0o644)
    assert programs.find("tool", places) is None


def test_a_program_that_is_not_installed_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert programs.require("env", "install it") in ("/usr/bin/env", "/bin/env")
    with pytest.raises(MachineFailed, match="no-such-tool is not installed") as raised:
        programs.require("no-such-tool", "install it")
    assert raised.value.hint == "install it"


@pytest.mark.process
def test_a_program_gets_one_environment_no_input_and_the_root_as_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/nowhere.so")
    ran = programs.ask(["/bin/sh", "-c", "/usr/bin/env -u PWD; cat; pwd; echo no >&2; exit 3"], 60)
    lines = [line for line in ran.stdout.splitlines() if not line.startswith(("SHLVL=", "_=", "OLDPWD="))]
    assert sorted(lines) == ["/", "LC_ALL=C", "LVM_SUPPRESS_FD_WARNINGS=1", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    assert (ran.exit, ran.stderr) == (3, "no\n")


@pytest.mark.process
def test_a_program_that_takes_too_long_is_killed() -> None:
    process = programs.start(["/bin/sleep", "600"])
    with pytest.raises(programs.Overdue):
        programs.finish(process, 0.1)
    assert process.returncode == -9


@pytest.mark.process
def test_only_descriptors_named_stay_open(tmp_path: Path) -> None:
    handle, other = (os.open(tmp_path / name, os.O_RDWR | os.O_CREAT) for name in ("lock", "other"))
    os.set_inheritable(other, True)
    process = programs.start(["/bin/ls", f"/proc/self/fd/{handle}", f"/proc/self/fd/{other}"], keep_open=(handle,))
    ran = programs.finish(process, 60)
    os.close(handle)
    os.close(other)
    assert ran.stdout == f"/proc/self/fd/{handle}\n"


@pytest.mark.process
def test_the_executor_writes_files_of_its_own(tmp_path: Path) -> None:
    code = f"import os; os.close(os.open({str(tmp_path / 'made')!r}, os.O_CREAT)); print(os.getsid(0) == os.getpid())"
    with (tmp_path / "output").open("wb") as output:
        assert programs.start_executor([sys.executable, "-I", "-c", code], output).wait(60) == 0
    assert (tmp_path / "output").read_text() == "True\n"
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o700


@pytest.mark.process
def test_a_copy_of_this_process_exits_with_what_it_returns() -> None:
    process = programs.fork(lambda: 7)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7
