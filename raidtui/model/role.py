"""What kind of thing a reading proves, and what follows from that: whether it lasts, and what to do where it fails."""

from __future__ import annotations

from typing import Literal, NamedTuple, assert_never

Role = Literal[
    "host", "machine", "identity", "unused", "name free", "place free", "unit free", "blank", "ours", "predicted",
    "member count", "lines", "mounted", "setting", "root's alone",
]  # fmt: skip
"""host, machine: this is the machine of the plan; identity: this is the planned disk; unused: it has no user; name
free, place free, unit free: a name, a mount point and its mount unit are not in use; blank: no signature, or zeros;
ours: it has a UUID or a name of the plan; predicted: its figures equal the prediction; member count: number of
working or failed members; lines: a shared file contains the plan's lines; mounted: the file system is at its mount
point; setting: a value, a file or a service is as planned; root's alone: nobody else can change a program"""


class RoleMeaning(NamedTuple):
    """Consequences of a role."""

    code: str = "check-failed"
    """code of the finding if the check fails before the first write"""
    way_out: str = "see raidtui disks; if it can be removed, plan again"
    """remedy"""
    lasts: bool = True
    """False if later steps may invalidate it: spares are added, members may fail, blank areas are written"""


def meaning(role: Role) -> RoleMeaning:
    """Consequences of `role`."""
    match role:
        case "host":
            return RoleMeaning("other-host", "plan again on this machine, or with --host")
        case "machine":
            return RoleMeaning("other-machine", "build it on the machine it was planned on, or plan again here")
        case "name free":
            return RoleMeaning("name-taken", "remove it if it is not needed, or plan again with another --name")
        case "place free":
            return RoleMeaning("mount-point-taken", "choose another --mount and plan again, or free this one")
        case "unit free":
            return RoleMeaning(
                "mount-unit-foreign",
                "remove that file if it is not needed (then systemctl daemon-reload), or plan again with another "
                "--mount",
            )
        case "root's alone":
            return RoleMeaning(
                "program-not-roots",
                "it and every directory above it must belong to root (chown root) and be writable by root alone (chmod "
                "go-w); name the path that links lead to",
            )
        case "blank" | "member count":
            return RoleMeaning(lasts=False)
        case "identity" | "unused" | "ours" | "predicted" | "lines" | "mounted" | "setting":
            return RoleMeaning()
        case _:
            assert_never(role)
