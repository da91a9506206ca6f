"""raidtui in fresh roots of Debian releases: by package, by pip, pipx and uv without a network, and by one file.

Those of arm64 are unpacked, not installed, and qemu-user runs Python in them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import pytest

from raidtui.cli import main
from tests.release import source
from tests.release.build import Built
from tests.release.clean_root import CleanRoot, clean_root, emulated_root
from tests.release.debian import BOOKWORM, BOOKWORM_ARM, FORKY, TRIXIE, TRIXIE_ARM, Release, build_package

pytestmark = [pytest.mark.long, pytest.mark.process]
MODEL = (
    "model", "4x(12+2)+4", "--chunk", "256K", "--inventory", "e2660", "--kernel", "6.1", "--mdadm", "4.2",
    "--xfsprogs", "6.1", "--e2fsprogs", "1.47",
)  # fmt: skip
ROUNDS = 7
EM_AARCH64 = 183
"""the machine of an ELF file (elf.h)"""


def used(root: CleanRoot, program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The installed raidtui predicts as this one does, opens its app, and builds on a simulated machine."""
    assert root.run(program, "--version") == "raidtui 0.1.0\n"
    assert root.run(program, "help", "notation").startswith("notation: ")
    assert json.loads(root.run(program, "schema", "plan"))["title"] == "Plan"
    capsys.readouterr()
    main(MODEL)
    assert root.run(program, *MODEL) == capsys.readouterr().out
    paint = root.shown([program, "--inventory", "e2660"], "", "Disks")
    root.run("rm", "-rf", "/root/try")
    root.run(program, "plan", "(3+1)", "--inventory", "nas4", "--out", "/root/try")
    digest = json.loads((root.path / "root/try/plan.json").read_text())["digest"]
    built = root.run(
        program, "build", "/root/try/plan.json", "--speed-up", "1000000", "--yes", "--confirm", digest,
    )  # fmt: skip
    assert "FINISHED" in built
    first = median(root.seconds(program, "--version") for _ in range(ROUNDS))
    with capsys.disabled():
        print(f"\n{program}: --version {first:.2f} s, first paint {paint:.2f} s")


@pytest.mark.parametrize("debian", [BOOKWORM, TRIXIE, FORKY], ids=lambda each: each.suite)
def test_package(debian: Release, release: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Installed, upgraded, used and removed; lintian finds no error and no warning; nothing is left."""
    older = build_package(debian, tmp_path, release.wheel, release.wheelhouse, source.epoch(), version="0.0.9")
    with clean_root(debian) as root:
        before = root.files()
        old, new = root.copy(older, release.packages[debian])
        assert root.run("lintian", "--allow-root", "--fail-on", "error,warning", new) == ""
        root.run("dpkg", "-i", old)
        root.run("dpkg", "-i", new)
        assert root.run("dpkg", "--verify", "raidtui") == ""
        used(root, "raidtui", capsys)
        if debian.python:
            carries_fleet(root, "/usr/lib/raidtui")
        assert "show every step of a build" in words(root.run("man", "raidtui-plan"))
        assert "how a layout is written" in words(root.run("man", "7", "raidtui-notation"))
        assert "raidtui-risk (7)" in root.run("man", "-k", "raidtui")
        completed(root)
        root.run("dpkg", "--purge", "raidtui")
        assert root.files() - before == set()


def carries_fleet(root: CleanRoot, environment: str) -> None:
    """What `raidtui fleet` needs is in the environment."""
    program = "import yaml; from ClusterShell.NodeSet import NodeSet; print(len(NodeSet('node[01-60]')))"
    assert root.run(f"{environment}/bin/python3", "-I", "-c", program) == "60\n"


def test_an_upgrade_of_debian(release: Built) -> None:
    """Debian 12's package is not configured in Debian 13, without its Python; Debian 13's replaces all of it."""
    with clean_root(TRIXIE) as root:
        before = root.files()
        old, new = root.copy(release.packages[BOOKWORM], release.packages[TRIXIE])
        with pytest.raises(AssertionError, match=r"raidtui depends on python3\.11; however"):
            root.run("dpkg", "-i", old)
        root.run("dpkg", "-i", new)
        assert root.run("dpkg", "--audit") == root.run("dpkg", "--verify", "raidtui") == ""
        assert root.run("raidtui", "--version") == "raidtui 0.1.0\n"
        assert not (root.path / "usr/lib/raidtui/lib/python3.11").exists()
        root.run("dpkg", "--purge", "raidtui")
        assert root.files() - before == set()


@pytest.mark.parametrize("debian", [BOOKWORM_ARM, TRIXIE_ARM], ids=lambda each: each.suite)
def test_arm64(debian: Release, release: Built, capsys: pytest.CaptureFixture[str]) -> None:
    """The package and the one file have an environment of aarch64 that predicts as this machine does."""
    with emulated_root(debian, release.packages[debian]) as root:
        (archive,) = root.copy(release.one_file)
        (root.path / "var/cache").mkdir(parents=True, exist_ok=True)
        # qemu cannot start the environment's Python in place of the one that unpacked it
        with pytest.raises(AssertionError, match="Exec format error"):
            root.run(f"/usr/bin/python{debian.python}", "-I", archive, "/var/cache/raidtui/new", "--version")
        main(MODEL)
        expected = capsys.readouterr().out
        for place in ("usr/lib/raidtui", f"var/cache/raidtui/new-cpython-{debian.python.replace('.', '')}"):
            assert root.run(f"/{place}/bin/python3", "-I", "-m", "raidtui", *MODEL) == expected
            assert root.run(f"/{place}/bin/python3", "-I", "-m", "raidtui", "schema", "plan").startswith("{")
            carries_fleet(root, f"/{place}")
            (core,) = (root.path / place).rglob("_pydantic_core.*aarch64-linux-gnu.so")
            assert core.read_bytes()[18:20] == EM_AARCH64.to_bytes(2, "little")


def words(page: str) -> str:
    """A page without the blanks by which man fills its lines."""
    return " ".join(page.split())


def completed(root: CleanRoot) -> None:
    """A tab after the beginning of a verb, an option and a topic completes it, in each shell."""
    typed = "raidtui prop\t--restock\t"
    begin = ". /usr/share/bash-completion/bash_completion\n"
    root.shown(["bash", "-i"], f"{begin}{typed}", "propose --restock-days")
    root.shown(["zsh", "-f", "-i"], f"autoload -U compinit; compinit -u -D\n{typed}", "days")
    root.shown(["fish", "-i"], typed, "days")


@pytest.mark.parametrize("debian", [BOOKWORM, TRIXIE], ids=lambda each: each.suite)
def test_wheel_and_one_file(
    debian: Release, release: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """pip, pipx and uv install the wheel without a network; one file works without any of them."""
    with clean_root(debian) as root:
        installers(tmp_path)
        root.copy(*release.wheelhouse.iterdir(), release.wheel, release.one_file, *tmp_path.glob("pip-*"))
        root.copy(tmp_path / "bin" / "uv")
        local = ("--no-index", "--find-links=/srv")
        root.run("python3", "-m", "venv", "/opt/pip")
        root.run("/opt/pip/bin/pip", "install", "--quiet", *local, "raidtui")
        root.run("pipx", "install", "--pip-args", " ".join(local), "raidtui")
        used(root, "/root/.local/bin/raidtui", capsys)
        root.run("pipx", "uninstall", "raidtui")
        root.run("/srv/uv", "tool", "install", "--quiet", *local, "raidtui")
        root.run("mv", f"/srv/{release.one_file.name}", "/usr/local/bin/raidtui")
        root.run("chmod", "755", "/usr/local/bin/raidtui")
        first = root.seconds("raidtui", "--version")
        private(root, "/usr/local/bin/raidtui")
        for program in ("/opt/pip/bin/raidtui", "/root/.local/bin/raidtui", "raidtui"):
            used(root, program, capsys)
        assert (root.path / "opt/pip/share/man/man1/raidtui.1").exists()
        ratio = beside(root, ["raidtui", "--version"], ["/opt/pip/bin/raidtui", "--version"])
        with capsys.disabled():
            print(f"\n{debian.suite}: one file: first start {first:.1f} s, then {ratio:.2f} of a virtual environment")
        assert ratio < 1.2


def private(root: CleanRoot, program: str) -> None:
    """Root starts nothing from another user's HOME; a user has a private directory, and is refused that of another."""
    (environment,) = (root.path / "var/cache/raidtui").glob("*-cpython-*")
    home = root.path / "home/user"
    planted = home / ".cache/raidtui" / environment.name / "bin/python3"
    planted.parent.mkdir(parents=True)
    planted.write_text("#!/bin/sh\necho planted\n")
    planted.chmod(0o755)
    (home / ".cache/raidtui").chmod(0o700)
    root.run("chown", "-R", "4711:4711", "/home/user")
    carries_fleet(root, f"/var/cache/raidtui/{environment.name}")
    version = "raidtui 0.1.0\n"
    assert root.run("env", "HOME=/home/user", program, "--version") == version
    as_user = ("setpriv", "--reuid=4711", "--regid=4711", "--clear-groups", "env")
    assert root.run(*as_user, "HOME=/home/user", program, "--version") == "planted\n"
    root.run("rm", "-r", "/home/user/.cache")
    assert root.run(*as_user, "HOME=/home/user", program, "--version") == version
    assert [path.stat().st_mode & 0o777 for path in (home / ".cache/raidtui", *home.glob(".cache/raidtui/*-cp*"))] == [
        0o700, 0o700,
    ]  # fmt: skip
    root.run("chmod", "711", "/root")
    with pytest.raises(AssertionError, match=r"raidtui: /root/\.cache"):
        root.run(*as_user, "HOME=/root", program, "--version")
    root.run("chown", "4712", "/home/user/.cache/raidtui")
    with pytest.raises(AssertionError, match=r"raidtui: /home/user/\.cache/raidtui belongs to user 4712"):
        root.run(*as_user, "HOME=/home/user", program, "--version")
    root.run("rm", "-r", "/home/user")


def beside(root: CleanRoot, one: Sequence[str], other: Sequence[str]) -> float:
    """Median of the ratio of the time that `one` takes to that of `other`, measured in turns."""
    return median(root.seconds(*one) / root.seconds(*other) for _ in range(3 * ROUNDS))


def installers(target: Path) -> None:
    """Puts the program uv into `target`/bin, and the wheel of pip that pipx of Debian 13 wants before anything else."""
    argv = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*argv, "install", "--no-deps", "--target", str(target), "uv"], check=True)
    subprocess.run([*argv, "download", "--no-deps", "--dest", str(target), "pip"], check=True)
