"""The bash that is the same in every script; its files stand in the folder `bash` beside this module."""

from __future__ import annotations

from importlib.resources import files

SETTINGS = """\
set -euo pipefail
shopt -s inherit_errexit
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LVM_SUPPRESS_FD_WARNINGS=1
umask 022
"""


def functions(*names: str) -> str:
    """The text of these files, in order, a blank line between them."""
    folder = files("raidtui.planner.export") / "bash"
    return "\n".join((folder / f"{name}.sh").read_text("ascii") for name in names)
