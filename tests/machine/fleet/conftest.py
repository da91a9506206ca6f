"""Hosts without a network: a program in place of ssh that acts as each host name says."""

import sys
from pathlib import Path

import pytest

import raidtui
from raidtui.fleet.engine import Transport
from raidtui.machine.inventory import shipped
from raidtui.values.codec import to_json
from raidtui.values.plan import Plan
from tests.machine.simulation import planned

CHECKOUT = Path(raidtui.__file__).parents[1]
SSH = """#!/bin/sh
# ssh [OPTIONS] HOST COMMAND: the last two words count
while [ $# -gt 2 ]; do shift; done
case $1 in
    good*) PATH={bin}:$PATH exec sh -c "$2" ;;
    bare*) PATH={bare} exec sh -c "$2" ;;
    old-python*) PATH={old} exec sh -c "$2" ;;
    lost*) PATH={bare} sh -c "$2" | head -c 1 > /dev/null; exit 255 ;;
    full*) TMPDIR=/nowhere PATH={bare} exec sh -c "$2" ;;
    refused*) echo "$1: Permission denied (publickey)." >&2; exit 255 ;;
    absent*) echo "bash: line 1: raidtui: command not found" >&2; exit 127 ;;
    silent*) exec sleep 60 ;;
    half*) echo '{{"schema": "raidtui/host-answer/1", "kin' | head -c 40 ;;
    stuck*) printf '{{"schema": "raidtui/host-answer/1"'; exec sleep 60 ;;
    closed*) exec >&- 2>&-; exec sleep 60 ;;
    endless*) exec yes ;;
    line*) exec tr '\\\\0' x < /dev/zero ;;
    noisy*) exec sh -c 'exec yes >&2' ;;
    greeting*) printf 'Welcome to \\\\033[31m%s\\\\n' "$1" ;;
    other*) cat {stored} ;;
    old*) echo "raidtui: error: argument VERB: invalid choice: 'fleet-host'" >&2; exit 2 ;;
    deaf*) exec <&-; sleep 0.2; exit 7 ;;
esac
"""


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """File of the inventory that stands in for the host."""
    path = tmp_path / "n1.json"
    path.write_text(to_json(shipped.load("trio")))
    return path


@pytest.fixture(scope="module")
def plan() -> Plan:
    return planned("raid5(2+1)", shipped.load("trio"))


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Transport:
    """Reaches `good*`, which are this machine, and hosts that fail in the way of their name."""
    for name in ("bin", "bare", "old", "left"):
        (tmp_path / name).mkdir()
    for program in ("sh", "mktemp", "rm", "head", "wc", "cat", "test", "sleep", "lsblk"):
        for name in ("bare", "old"):
            (tmp_path / name / program).symlink_to(f"/usr/bin/{program}")
    written(tmp_path / "old" / "python3", "#!/bin/sh\nexit 1\n")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "left"))
    written(tmp_path / "bin" / "raidtui", f'#!/bin/sh\nPYTHONPATH={CHECKOUT} exec {sys.executable} -m raidtui "$@"\n')
    (tmp_path / "bare" / "python3").symlink_to(Path(sys.executable).resolve())
    stored = tmp_path / "stored.json"
    stored.write_text(
        '{"schema":"raidtui/host-answer/1","kind":"look","host":"good1","nonce":"x","raidtui":"0","time_s":1}\n'
    )
    script = SSH.replace("\\\\", "\\").format(
        bin=tmp_path / "bin", bare=tmp_path / "bare", old=tmp_path / "old", stored=stored
    )
    written(tmp_path / "ssh", script)
    return Transport(ssh=str(tmp_path / "ssh"), timeout_s=20)


def written(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
