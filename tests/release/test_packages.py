"""sdist, wheel and what Debian packages say of themselves."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import raidtui
from tests.release import source
from tests.release.debian import BOOKWORM, FORKY, TRIXIE, build_package, depends, maintainer
from tests.release.distributions import build_distributions
from tests.release.source import ROOT, project
from tests.release.wheelhouse import closure, locked_requirements

DAY = 1767225600
"""1 January 2026"""
CARRIED = (".py", ".json", ".tcss", ".css", ".sh", ".md", "py.typed")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """sdist and wheel."""
    return build_distributions(tmp_path_factory.mktemp("built") / "dist", DAY)


@pytest.mark.thorough
@pytest.mark.process
def test_the_wheel_carries_everything(built: tuple[Path, Path]) -> None:
    tracked = {path.relative_to(source.ROOT) for path in (source.ROOT / "raidtui").rglob("*") if path.is_file()}
    wanted = {str(path) for path in tracked if path.name.endswith(CARRIED)}
    with zipfile.ZipFile(built[1]) as wheel:
        names = set(wheel.namelist())
    assert wanted <= names
    share = {name.partition("/data/share/")[2] for name in names if "/data/share/" in name}
    assert {f"raidtui/schemas/{path.name}" for path in (source.ROOT / "schemas").iterdir()} <= share
    assert {"man/man1/raidtui-plan.1", "man/man7/raidtui-risk.7", "bash-completion/completions/raidtui"} <= share
    assert not [name for name in names if "test" in name and not name.startswith("raidtui/")]


@pytest.mark.thorough
@pytest.mark.process
def test_the_sdist_carries_the_tests_too(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {"pyproject.toml", "requirements.lock", "CHANGELOG.md", "LICENSE", "tests/run.py"} <= names
    assert {f"schemas/{path.name}" for path in (source.ROOT / "schemas").iterdir()} <= names


@pytest.mark.thorough
@pytest.mark.process
def test_pip_builds_it_from_a_clone_with_what_pyproject_names_alone(tmp_path: Path) -> None:
    """As `pip install .`, pipx and uv do: in an environment of its own, with packages from the index."""
    shutil.copytree(source.ROOT, tmp_path / "clone", ignore=shutil.ignore_patterns(".venv", ".git", "golden_screens"))
    argv = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), "."]
    made = subprocess.run(argv, cwd=tmp_path / "clone", capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / f"raidtui-{raidtui.__version__}-py3-none-any.whl").exists()


@pytest.mark.long
@pytest.mark.process
def test_two_builds_are_equal_to_the_byte(built: tuple[Path, Path], tmp_path: Path) -> None:
    again = build_distributions(tmp_path / "again", DAY)
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in built]
    packages = [build_package(FORKY, tmp_path / name, again[1], tmp_path, DAY) for name in ("", "again")]
    assert packages[0].read_bytes() == packages[1].read_bytes()


def test_a_package_depends_on_what_pyproject_states() -> None:
    assert depends(FORKY) == (
        "python3 (>= 3.11), python3-textual (>= 8.2.7), python3-textual (<< 9~), python3-rich (>= 14),"
        " python3-pydantic (>= 2.12)"
    )


def test_the_maintainer_is_who_builds_or_nobody_that_mail_could_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEBFULLNAME", raising=False)
    monkeypatch.delenv("DEBEMAIL", raising=False)
    assert maintainer() == "The raidtui authors <set-DEBEMAIL@raidtui.invalid>"
    monkeypatch.setenv("DEBFULLNAME", "Ada Lovelace")
    monkeypatch.setenv("DEBEMAIL", "ada@example.org")
    assert maintainer() == "Ada Lovelace <ada@example.org>"


@pytest.mark.process
def test_an_upgrade_of_the_release_upgrades_the_package() -> None:
    versions = [f"0.1.0~{each.version}" if each.version else "0.1.0" for each in (BOOKWORM, TRIXIE, FORKY)]
    trials = [version.replace("0.1.0", "0.1.0~~20260131") for version in versions]
    for older, newer in pairwise([*trials, *versions]):
        subprocess.run(["dpkg", "--compare-versions", older, "lt", newer], check=True)


def test_the_changelog_names_the_version() -> None:
    items = source.changes()
    assert items[0].startswith("**Disks.** `raidtui disks` and the Disks screen: every disk with its identity")
    assert all(item and "\n" not in item and "#" not in item[:4] for item in items)
    assert len(items) == len(set(items))
    assert items[-1].startswith("**Packages.**")


def test_a_release_has_a_tag_and_a_maintainer(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"status": "", "tag": "v0.0.9\n"}
    monkeypatch.setattr(source, "_git", lambda command, *_: answers[command])
    source.require_committed()
    monkeypatch.setattr(source, "is_released", lambda: True)
    with pytest.raises(source.ReleaseError, match=r"has no tag v0\.1\.0"):
        source.require_committed()
    answers["tag"] = "v0.1.0\n"
    monkeypatch.delenv("DEBEMAIL", raising=False)
    with pytest.raises(source.ReleaseError, match="set DEBFULLNAME and DEBEMAIL"):
        source.require_committed()
    monkeypatch.setenv("DEBEMAIL", "ada@example.org")
    source.require_committed()


def test_another_version_in_the_changelog_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raidtui, "__version__", "0.2.0")
    with pytest.raises(source.ReleaseError, match=r"not '## 0\.2\.0 \(unreleased\)'"):
        source.changes()


def test_what_is_needed_at_run_time_is_pinned_with_hashes() -> None:
    names = re.findall(r"^([\w-]+)==", locked_requirements(), re.MULTILINE)
    assert names == [
        "annotated-types", "clustershell", "linkify-it-py", "markdown-it-py", "mdit-py-plugins", "mdurl",
        "platformdirs", "pydantic", "pydantic-core", "pygments", "pyyaml", "rich", "textual", "typing-extensions",
        "typing-inspection",
    ]  # fmt: skip
    assert locked_requirements().count("--hash=sha256:") >= len(names)


def test_the_lock_file_begins_with_what_the_app_needs_and_its_installation() -> None:
    app, _, besides = (ROOT / "requirements.lock").read_text().partition("# what the tests need besides\n")
    asked = [*project()["dependencies"], *project()["optional-dependencies"]["release"]]
    assert set(re.findall(r"^([a-z0-9-]+)==", app, re.M)) == closure([Requirement(each) for each in asked])
    assert re.search(r"^pytest==", besides, re.M)
