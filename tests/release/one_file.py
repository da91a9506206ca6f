"""raidtui as one executable file for machines without a network: a PEX with the wheels for every Python it serves.

Its first start unpacks it into a virtual environment below ~/.cache/pex. Later ones start from there, a tenth of a
second after a virtual environment would: only with the interpreter that built the file does PEX find that place at
once. The executor of a build finds raidtui in isolated mode.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.release.wheelhouse import PYTHONS


def build_one_file(target: Path, wheel: Path, wheelhouse: Path, epoch: int) -> Path:
    """Writes raidtui-VERSION.pex into `target`, from `wheel` and the wheels in `wheelhouse`."""
    made = target / f"raidtui-{wheel.name.split('-')[1]}.pex"
    argv = [sys.executable, "-m", "pex", "--no-pypi", f"--find-links={wheelhouse}", str(wheel), "--script=raidtui"]
    argv += ["--venv", "--sh-boot", f"--output-file={made}", "--python-shebang=/usr/bin/env python3"]
    for version in PYTHONS:
        tag = f"cp{version.replace('.', '')}"
        argv += [f"--platform=manylinux_2_17_x86_64-cp-{version}.0-{tag}"]
    surroundings = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    subprocess.run(argv, env=surroundings, capture_output=True, text=True, check=True)
    return made
