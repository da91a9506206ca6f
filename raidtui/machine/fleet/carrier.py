"""What is carried to a host without raidtui: one file on standard input, run from a private directory, then removed."""

from __future__ import annotations

from dataclasses import dataclass

NO_PYTHON, NO_DIRECTORY, CUT_OFF = 96, 97, 98
"""exit codes of the script: no Python 3.11 or later; no temporary directory; the file did not arrive whole"""
_SCRIPT = (
    "umask 077; "
    "for p in python3 python3.14 python3.13 python3.12 python3.11 none; do "
    "test $p = none && exit {no_python}; "
    '$p -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && break; done; '
    'd=$(mktemp -d) || exit {no_directory}; trap "rm -rf \\"\\$d\\"" EXIT; trap "exit 129" HUP INT PIPE TERM; '
    'head -c {size} > "$d/raidtui"; test "$(wc -c < "$d/raidtui")" -eq {size} || exit {cut_off}; '
    '$p -I -S -B "$d/raidtui"'
)
"""POSIX sh; no single quote in it, so that every login shell hands it to sh as one word"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """One file that Python runs, with raidtui in it."""

    content: bytes

    @property
    def argv(self) -> tuple[str, ...]:
        """Command on the host; it reads the file, then the request, from standard input."""
        return ("sh", "-c", _SCRIPT.format(
            size=len(self.content), no_python=NO_PYTHON, no_directory=NO_DIRECTORY, cut_off=CUT_OFF
        ))  # fmt: skip
