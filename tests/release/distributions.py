"""sdist and wheel, by hatchling. The wheel is built from the unpacked sdist, which proves the sdist complete."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.release.source import export


def build_distributions(target: Path, epoch: int) -> tuple[Path, Path]:
    """Writes sdist and wheel into `target`, a new directory, and returns them. Two builds are equal to the byte."""
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="raidtui-release-") as work:
        source = export(Path(work) / "source")
        sdist = _hatchling(source, "sdist", target, epoch)
        place = Path(work) / "unpacked"
        place.mkdir()
        subprocess.run(["tar", "-C", place, "-xf", sdist], check=True)  # tarfile's filter needs Python 3.11.4
        (unpacked,) = place.iterdir()
        return sdist, _hatchling(unpacked, "wheel", target, epoch)


def _hatchling(source: Path, what: str, target: Path, epoch: int) -> Path:
    surroundings = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    surroundings["SOURCE_DATE_EPOCH"] = str(epoch)
    argv = [sys.executable, "-m", "hatchling", "build", "-t", what, "-d", str(target)]
    subprocess.run(argv, cwd=source, env=surroundings, stderr=subprocess.DEVNULL, check=True)
    (made,) = target.glob("*.whl" if what == "wheel" else "*.tar.gz")
    return made
