"""Everything that a release holds, built into one directory."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.release.debian import RELEASES, Release, build_package
from tests.release.distributions import build_distributions
from tests.release.one_file import build_one_file
from tests.release.wheelhouse import download


@dataclass(frozen=True)
class Built:
    """The files of a release."""

    folder: Path
    sdist: Path
    wheel: Path
    packages: dict[Release, Path]
    one_file: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """All of them."""
        return (self.sdist, self.wheel, *self.packages.values(), self.one_file)

    @property
    def wheelhouse(self) -> Path:
        """The wheels that raidtui needs at run time, for an installation without a network."""
        return self.folder / "wheels"


def build(folder: Path, epoch: int, wheelhouse: Path | None = None) -> Built:
    """Builds into `folder`, a new directory. `wheelhouse`: wheels that were downloaded before."""
    sdist, wheel = build_distributions(folder, epoch)
    if wheelhouse is None:
        download(folder / "wheels")
    else:
        shutil.copytree(wheelhouse, folder / "wheels")
    packages = {release: build_package(release, folder, wheel, folder / "wheels", epoch) for release in RELEASES}
    return Built(folder, sdist, wheel, packages, build_one_file(folder, wheel, folder / "wheels", epoch))


def found(folder: Path) -> Built:
    """What `build` left in `folder`."""
    (sdist,), (wheel,), (one_file,) = folder.glob("*.tar.gz"), folder.glob("*.whl"), folder.glob("*.run")
    packages = {
        each: next(folder.glob(f"*{each.version and '~'}{each.version}_{each.architecture}.deb")) for each in RELEASES
    }
    return Built(folder, sdist, wheel, packages, one_file)
