"""The machine that a plan is made for: versions of its kernel and of the programs that write to disks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidtui.values.codec_rules import Value
from raidtui.values.units import LONGEST_NUMBER

_RELEASE = re.compile(r"(\d{1,3})\.(\d{1,4})(?:[.+~_-][\w.+~-]{0,60})?", re.ASCII)
_IN_TEXT = re.compile(r"\bv?(\d{1,3}\.\d{1,4})", re.ASCII)

Version = tuple[int, int]
"""major and minor"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetVersions(Value):
    """Versions of the target; what is None is not known, and what depends on it is assumed as in current versions."""

    kernel: str | None = None
    """release, `6.1.0-50-amd64`"""
    mdadm: str | None = None
    """version, `4.2`"""
    xfsprogs: str | None = None
    """version, `6.1`"""
    e2fsprogs: str | None = None
    """version, `1.47`"""

    @property
    def kernel_version(self) -> Version | None:
        """Of the kernel."""
        return _version(self.kernel)

    @property
    def mdadm_version(self) -> Version | None:
        """Of mdadm."""
        return _version(self.mdadm)

    @property
    def xfsprogs_version(self) -> Version | None:
        """Of mkfs.xfs."""
        return _version(self.xfsprogs)

    @property
    def e2fsprogs_version(self) -> Version | None:
        """Of mkfs.ext4."""
        return _version(self.e2fsprogs)

    def __str__(self) -> str:
        """`Linux 6.1.0-50-amd64, mdadm 4.2, xfsprogs 6.1`."""
        named = (
            ("Linux", self.kernel),
            ("mdadm", self.mdadm),
            ("xfsprogs", self.xfsprogs),
            ("e2fsprogs", self.e2fsprogs),
        )
        return ", ".join(f"{name} {version}" for name, version in named if version) or "versions not known"


def merged(said: TargetVersions, found: TargetVersions | None) -> TargetVersions | None:
    """The versions that are stated, else those found on the machine; None without any."""
    known = found or TargetVersions()
    target = TargetVersions(
        kernel=said.kernel or known.kernel, mdadm=said.mdadm or known.mdadm,
        xfsprogs=said.xfsprogs or known.xfsprogs, e2fsprogs=said.e2fsprogs or known.e2fsprogs,
    )  # fmt: skip
    return target if target != TargetVersions() else None


def parse_release(text: str) -> str:
    """`text` if it is a version such as 6.1, 6.12.5-cloud or 4.2-5. Raises ValueError."""
    if _RELEASE.fullmatch(text) is None:
        raise ValueError(f"invalid version '{text[:LONGEST_NUMBER]}': write for example 6.1 or 4.2")
    return text


def version_in(text: str) -> str | None:
    """The version in what a program prints of itself: `4.2` of `mdadm - v4.2 - 2021-12-30`; None without one.

    Major and minor, the only parts that anything depends on (see Version).
    """
    found = _IN_TEXT.search(text)
    return found[1] if found else None


def _version(text: str | None) -> Version | None:
    found = _RELEASE.fullmatch(text or "")
    return (int(found[1]), int(found[2])) if found else None
