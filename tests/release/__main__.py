"""Builds a release and checks it: `python -m tests.release DIRECTORY [--uncommitted] [--no-roots]`.

DIRECTORY is new and gets sdist, wheel, Debian packages, the one file, the wheels that it needs, and SHA256SUMS. All of
it is built a second time and compared to the byte. Then lintian and the tests in clean roots run, as root.
SOURCE_DATE_EPOCH is the time of the last commit where it is not set. DEBFULLNAME and DEBEMAIL name the maintainer of
the Debian packages; without them it is the author of pyproject.toml, at an address that no mail can reach.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.release import source
from tests.release.build import Built, build
from tests.release.debian import maintainer


def main() -> int:
    """0 when everything was built twice alike and passed its tests."""
    parser = argparse.ArgumentParser(prog="python -m tests.release", description=__doc__)
    parser.add_argument("folder", metavar="DIRECTORY", type=Path, help="where the release is written; must not exist")
    parser.add_argument("--uncommitted", action="store_true", help="for trials: take changes that are not committed")
    parser.add_argument("--no-roots", action="store_true", help="do not test in clean roots")
    options = parser.parse_args()
    folder: Path = options.folder.absolute()
    try:
        if not options.uncommitted:
            source.require_committed()
        if folder.exists():
            raise source.ReleaseError(f"{folder} exists; name a new directory")
        built = build(folder, source.epoch())
        _require_reproducible(built)
    except source.ReleaseError as problem:
        print(f"release: {problem}", file=sys.stderr)
        return 1
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(built.files)]
    (folder / "SHA256SUMS").write_text("".join(sums))
    for path in built.files:
        print(f"{path.stat().st_size:>12,}  {path.name}".replace(",", " "))
    print(f"maintainer of the packages: {maintainer()} (DEBFULLNAME, DEBEMAIL)")
    if options.no_roots:
        return 0
    surroundings = {**os.environ, "RAIDTUI_SUITE": "long", "RAIDTUI_RELEASE": str(folder)}
    argv = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", str(Path(__file__).parent)]
    return subprocess.run(argv, cwd=source.ROOT, env=surroundings, check=False).returncode


def _require_reproducible(built: Built) -> None:
    """Raises ReleaseError where a second build has another byte."""
    with tempfile.TemporaryDirectory(prefix="raidtui-release-") as work:
        again = build(Path(work) / "again", source.epoch(), built.wheelhouse)
        pairs = zip(built.files, again.files, strict=True)
        different = [one.name for one, other in pairs if one.read_bytes() != other.read_bytes()]
    if different:
        raise source.ReleaseError(f"two builds differ: {', '.join(different)}; both must be equal to the byte")


if __name__ == "__main__":
    raise SystemExit(main())
