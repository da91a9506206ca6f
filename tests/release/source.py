"""The source of a release: what git tracks, its version, date and changes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import raidtui

ROOT = Path(__file__).parents[2]
_HEADING = re.compile(r"## (?P<version>\d+(?:\.\d+)+) \((?P<when>unreleased|\d{4}-\d\d-\d\d)\)")


class ReleaseError(Exception):
    """A release that cannot be made, with the reason and the way out."""


def epoch() -> int:
    """SOURCE_DATE_EPOCH, else the time of the last commit: the date of all that a release holds."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given) if given else int(_git("log", "-1", "--format=%ct"))


def export(target: Path) -> Path:
    """Copies every file that git tracks, as it is in the work tree, to `target`; no other file gets into a release."""
    for name in _git("ls-files", "-z").split("\0"):
        if name and (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
            os.chmod(target / name, 0o755 if os.access(ROOT / name, os.X_OK) else 0o644)  # noqa: PTH101
    return target


def project() -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    stated: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return stated


def changes() -> list[str]:
    """What CHANGELOG.md says of this version, an item each.

    Raises ReleaseError where its first heading names another version than `raidtui --version` prints.
    """
    text, heading = _changelog()
    items: list[str] = []
    for line in text[heading.end() :].partition("\n## ")[0].splitlines():
        if line.startswith("- "):
            items.append(line.removeprefix("- ").strip())
        elif line.startswith("  ") and items:
            items[-1] += f" {line.strip()}"
    return items


def is_released() -> bool:
    """True if CHANGELOG.md has a date for this version; the packages of any other sort before its release."""
    return _changelog()[1]["when"] != "unreleased"


def _changelog() -> tuple[str, re.Match[str]]:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    heading = _HEADING.search(text)
    if heading is None or heading["version"] != raidtui.__version__:
        raise ReleaseError(
            f"the first heading of CHANGELOG.md is not '## {raidtui.__version__} (unreleased)' or its date;"
            " raidtui/__init__.py has the version"
        )
    return text, heading


def require_committed() -> None:
    """Raises ReleaseError where a tracked file was changed and not committed; of a release also where no tag of this
    version or nobody that mail could reach stands for it.
    """
    if changed := _git("status", "--porcelain", "--untracked-files=no"):
        raise ReleaseError(f"not committed:\n{changed}\ncommit it, or try with --uncommitted")
    if not is_released():
        return
    tag = f"v{raidtui.__version__}"
    if tag not in _git("tag", "--points-at", "HEAD").split():
        raise ReleaseError(f"the last commit has no tag {tag}: git tag -s {tag}")
    if "DEBEMAIL" not in os.environ:
        raise ReleaseError("nobody maintains the packages: set DEBFULLNAME and DEBEMAIL")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=True, text=True).stdout
