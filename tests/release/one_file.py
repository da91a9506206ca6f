"""raidtui as one executable file for machines without a network: a shell script followed by a zip archive.

The archive holds all wheels, for every Python and machine. The first start unpacks it (`unpack`) into
/var/cache/raidtui or the user's ~/.cache/raidtui; later ones are a start of the virtual environment there, where the
executor of a build finds raidtui in isolated mode. PEX is as fast with --interpreter-constraint, but unfit for root: it
executes what stands in $HOME/.cache/pex whoever owns it, reads a .pexrc beside the file, and starts no more after the
Python that it found first is gone. shiv makes no environment that the executor could use.
"""

from __future__ import annotations

import hashlib
import io
import time
import zipfile
from pathlib import Path

from packaging.utils import parse_wheel_filename

from tests.release import unpack
from tests.release.source import ReleaseError
from tests.release.wheelhouse import PYTHONS, content

_HEADER = Path(__file__).with_name("one_file.sh")
_RECORDS = (".dist-info/RECORD", ".dist-info/WHEEL")
"""what describes one of the wheels that are merged"""


def build_one_file(target: Path, wheel: Path, wheelhouse: Path, epoch: int) -> Path:
    """Writes raidtui-VERSION.run into `target`, from `wheel` and the wheels in `wheelhouse`."""
    version = str(parse_wheel_filename(wheel.name)[1])
    archive = _archive(wheel, sorted(wheelhouse.glob("*.whl")), epoch)
    header = _HEADER.read_text()
    digest = hashlib.sha256(archive).hexdigest()
    values = {
        "VERSION": version,
        "DIGEST": digest,
        "KEY": digest[:16],
        "SIZE": str(len(archive)),
        "PYTHONS": " ".join(f"python{each}" for each in reversed(PYTHONS)),
    }
    for name, text in values.items():
        header = header.replace(f"@{name}@", text)
    made = target / f"raidtui-{version}.run"
    made.write_bytes(header.encode() + archive)
    made.chmod(0o755)
    return made


def _archive(wheel: Path, others: list[Path], epoch: int) -> bytes:
    """site-packages of all wheels together with what unpacks them, and the share/ of `wheel`."""
    files = {f"{unpack.OUTSIDE}{name}": data for name, data in content(wheel).share.items()}
    files["__main__.py"] = Path(unpack.__file__).read_bytes()
    for each in (wheel, *others):
        for name, data in content(each).site.items():
            if files.setdefault(name, data) != data and ".dist-info/" not in name:
                raise ReleaseError(
                    f"{name} differs between {each.name} and another wheel; the one file holds one of both"
                )
    day = time.gmtime(epoch)[:6]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            if not name.endswith(_RECORDS):
                entry = zipfile.ZipInfo(name, day)
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED)
    return made.getvalue()
