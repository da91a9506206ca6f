"""Debian packages: raidtui with an environment of its own, or with the release's Textual where that suffices.

`raidtui_0.1.0~deb12_amd64.deb` holds a virtual environment of the release's own Python in /usr/lib/raidtui, with what
requirements.lock pins, for one architecture; `raidtui_0.1.0_all.deb` depends on the release's packages. The executor of
a build is started by `sys.executable -I -m raidtui`, which finds raidtui in both. No unit of systemd is installed:
nothing of raidtui runs at boot, and a build starts as a transient unit.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import tempfile
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.parser import Parser
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

from tests.release.source import changes, is_released, project
from tests.release.unpack import make_environment
from tests.release.wheelhouse import MACHINES, content, requirements

_NO_MAIL = "set-DEBEMAIL@raidtui.invalid"
"""an address that no mail can reach (RFC 2606), where nobody said who maintains the packages"""
_PRIVATE = "usr/lib/raidtui"
_RECOMMENDS = "mdadm, lvm2, xfsprogs, e2fsprogs, smartmontools, fio, less"
_SUGGESTS = "clustershell"
"""its configuration names groups of hosts for `raidtui fleet`, and it brings the library to a package without one"""
_OVERRIDES = """\
# Ansible replaces this first line of its modules by the host's own Python
raidtui: unusual-interpreter /usr/bin/python [*/raidtui/ansible/plugins/modules/*.py]
"""
_DESCRIPTION = """\
design, build and measure Linux md RAID
 raidtui lists the disks of a server, proposes layouts for them with reasons,
 and predicts a layout: its capacity to the byte through md, LVM and XFS or
 ext4, its speed and bottleneck, its rebuild time and its risk of data loss.
 .
 It prints the exact commands. On request it builds the array, benchmarks it
 with live rates of every disk, compares the results with the prediction, and
 writes a report to sign.
"""


@dataclass(frozen=True)
class Release:
    """A release of Debian."""

    suite: str
    version: str
    """what a version of the package bears behind `~`; empty: the package of all releases with their own Textual"""
    python: str = ""
    """its Python, whose wheels the package holds; empty where the release's own packages suffice"""
    architecture: str = "all"


BOOKWORM = Release("bookworm", "deb12", "3.11", "amd64")
TRIXIE = Release("trixie", "deb13", "3.13", "amd64")
FORKY = Release("forky", "")
BOOKWORM_ARM = replace(BOOKWORM, architecture="arm64")
TRIXIE_ARM = replace(TRIXIE, architecture="arm64")
RELEASES = (BOOKWORM, BOOKWORM_ARM, TRIXIE, TRIXIE_ARM, FORKY)


def maintainer() -> str:
    """Who the packages name: DEBFULLNAME and DEBEMAIL of the environment, else the authors in pyproject.toml."""
    (author,) = project()["authors"]
    return f"{os.environ.get('DEBFULLNAME', author['name'])} <{os.environ.get('DEBEMAIL', _NO_MAIL)}>"


def build_package(
    release: Release, target: Path, wheel: Path, wheelhouse: Path, epoch: int, version: str | None = None
) -> Path:
    """Writes the package of a release into `target` and returns it; two builds are equal to the byte.

    `version`: another than that of the wheel, to which one that is not released adds the day: it sorts before it.
    """
    day = "" if is_released() else time.strftime("~~%Y%m%d", time.gmtime(epoch))
    version = version or f"{parse_wheel_filename(wheel.name)[1]}{day}"
    version = f"{version}~{release.version}" if release.version else version
    with tempfile.TemporaryDirectory(prefix="raidtui-deb-") as work:
        tree = Path(work) / "tree"
        packages = [wheel, *_wheels(wheelhouse, release)] if release.python else [wheel]
        site = _environment(tree, release.python) if release.python else tree / "usr/lib/python3/dist-packages"
        for package in packages:
            for name, data in content(package).site.items():
                (site / name).parent.mkdir(parents=True, exist_ok=True)
                (site / name).write_bytes(data)
        _launcher(tree, release)
        _share(tree, content(wheel).share)
        _documents(tree, site, release, version, epoch)
        _clean(site)
        control = tree / "DEBIAN"
        control.mkdir()
        (control / "control").write_text(_control(release, version, tree))
        _scripts(control, release)
        _normalise(tree, epoch)
        (control / "md5sums").write_text("".join(_sums(tree)))
        os.utime(control / "md5sums", (epoch, epoch))
        made = target / f"raidtui_{version}_{release.architecture}.deb"
        argv = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(tree), str(made)]
        surroundings = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
        subprocess.run(argv, env=surroundings, stdout=subprocess.DEVNULL, check=True)
    return made


def _wheels(wheelhouse: Path, release: Release) -> list[Path]:
    """The wheels in `wheelhouse` for this version of Python and this architecture, in order of names."""
    interpreters = {"py3", f"cp{release.python.replace('.', '')}"}
    machine = MACHINES[release.architecture]

    def fits(path: Path) -> bool:
        tags = parse_wheel_filename(path.name)[3]
        return any(tag.interpreter in interpreters and tag.platform.endswith(("any", machine)) for tag in tags)

    return [path for path in sorted(wheelhouse.glob("*.whl")) if fits(path)]


def _environment(tree: Path, python: str) -> Path:
    """Makes a virtual environment of /usr/bin/PYTHON; returns its site-packages."""
    interpreter = Path(f"../../../bin/python{python}")
    return make_environment(tree / _PRIVATE, interpreter, Path("/usr/bin"), python)


def _launcher(tree: Path, release: Release) -> None:
    """/usr/bin/raidtui; isolated from the environment and the working directory, as its executor is."""
    (tree / "usr/bin").mkdir(parents=True)
    if release.python:
        text = f'#!/bin/sh\nexec /{_PRIVATE}/bin/python3 -I -m raidtui "$@"\n'
    else:
        text = "#!/usr/bin/python3 -I\nfrom raidtui.cli import main\n\nraise SystemExit(main())\n"
    (tree / "usr/bin/raidtui").write_text(text)


def _share(tree: Path, share: dict[str, bytes]) -> None:
    """Man pages, packed; completions where Debian's shells look for them; schemas."""
    for name, data in share.items():
        name = name.replace("zsh/site-functions/", "zsh/vendor-completions/")
        path = tree / "usr/share" / (f"{name}.gz" if name.startswith("man/") else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data, 9, mtime=0) if name.startswith("man/") else data)


def _documents(tree: Path, site: Path, release: Release, version: str, epoch: int) -> None:
    folder = tree / "usr/share/doc/raidtui"
    folder.mkdir(parents=True)
    entries = "\n".join(
        textwrap.fill(item, 78, initial_indent="  * ", subsequent_indent="    ", break_on_hyphens=False)
        for item in changes()
    )
    day = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(epoch))
    log = f"raidtui ({version}) {release.suite}; urgency=medium\n\n{entries}\n\n -- {maintainer()}  {day}\n"
    (folder / "changelog.gz").write_bytes(gzip.compress(log.encode(), 9, mtime=0))
    if release.python:
        overrides = tree / "usr/share/lintian/overrides/raidtui"
        overrides.parent.mkdir(parents=True)
        overrides.write_text(_OVERRIDES)
    parts = list(_licences(site))
    (folder / "copyright").write_text("\n".join(parts))


def _licences(site: Path) -> Iterator[str]:
    """A paragraph for each distribution in `site`: its name, licence and the texts that it ships."""
    yield "This package holds raidtui and, if it has an environment of its own, the following.\n"
    for info in sorted(site.glob("*.dist-info")):
        stated = Parser().parsestr((info / "METADATA").read_text("utf-8"))
        licence = stated["License-Expression"] or stated["License"] or "see below"
        yield f"{'-' * 78}\n{stated['Name']} {stated['Version']}, licence: {licence}\n"
        texts = [path for path in sorted(info.rglob("*")) if path.is_file() and path.name.upper().startswith(_LEGAL)]
        yield from (_COMMON.get(path.name) or path.read_text("utf-8") for path in texts)


_LEGAL = ("LICEN", "COPYING", "AUTHORS")
_COMMON = {"COPYING.LGPLv2.1": "Debian has the text of this licence in /usr/share/common-licenses/LGPL-2.1.\n"}
"""what stands for the texts that every Debian system has"""


def _clean(site: Path) -> None:
    """Removes what only pip needs, and the licence texts, which are in /usr/share/doc."""
    for info in site.glob("*.dist-info"):
        for path in sorted(info.rglob("*"), reverse=True):
            if path.is_dir():
                path.rmdir()
            elif path.name not in ("METADATA", "entry_points.txt"):
                path.unlink()


def _control(release: Release, version: str, tree: Path) -> str:
    size = sum(-(-path.lstat().st_size // 1024) for path in tree.rglob("*") if not path.is_dir())
    fields = {
        "Package": "raidtui",
        "Version": version,
        "Architecture": release.architecture,
        "Maintainer": maintainer(),
        "Installed-Size": str(size),
        "Depends": depends(release),
        "Recommends": _RECOMMENDS,
        "Suggests": _SUGGESTS,
        "Section": "admin",
        "Priority": "optional",
    }
    return "".join(f"{name}: {text}\n" for name, text in fields.items()) + f"Description: {_DESCRIPTION}"


def depends(release: Release) -> str:
    """The packages that raidtui needs in `release`."""
    if own := release.python:
        return f"python{own}, python3 (>= {own}~), libc6 (>= 2.17), libgcc-s1 (>= 3.0)"
    return ", ".join(["python3 (>= 3.11)", *(text for each in requirements() for text in _dependency(each))])


def _dependency(need: Requirement) -> Iterator[str]:
    """A requirement of pyproject.toml in Debian's words."""
    signs = {">=": ">=", "<": "<<"}
    for clause in sorted(need.specifier, key=lambda each: each.operator, reverse=True):
        bound = clause.version if clause.operator == ">=" else f"{clause.version}~"
        yield f"python3-{need.name} ({signs[clause.operator]} {bound})"


def _scripts(control: Path, release: Release) -> None:
    """Compiles the modules when the package is installed, and removes what was compiled before it goes."""
    place = f" /{_PRIVATE} -V {release.python}" if release.python else ""
    (control / "postinst").write_text(
        f'#!/bin/sh\nset -e\nif [ "$1" = configure ]; then\n    py3compile -p raidtui{place}\nfi\n'
    )
    (control / "prerm").write_text("#!/bin/sh\nset -e\npy3clean -p raidtui\n")


def _normalise(tree: Path, epoch: int) -> None:
    """Modes and times that do not depend on who builds where and when."""
    programs = {tree / "usr/bin/raidtui", tree / "DEBIAN/postinst", tree / "DEBIAN/prerm"}
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path in programs else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def _sums(tree: Path) -> Iterator[str]:
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree)
        if path.is_file() and not path.is_symlink() and name.parts[0] != "DEBIAN":
            yield f"{hashlib.md5(path.read_bytes()).hexdigest()}  {name}\n"
