"""What kind of thing a reading proves, and what follows from that: whether it lasts, and what to do where it fails."""

from __future__ import annotations

from typing import Literal, NamedTuple, assert_never

Role = Literal[
    "host", "machine", "identity", "unused", "name free", "place free", "unit free", "blank", "ours", "predicted",
    "member count", "lines", "mounted", "setting",
]  # fmt: skip
"""host, machine: this is the machine of the plan; identity: this is the disk meant; unused: nothing holds it; name
free, place free, unit free: a name, a mount point and its mount unit are nobody's; blank: no signature, or zeros; ours:
it carries a UUID or a name of the plan; predicted: its figures are those of the prediction; member count: so many
members work or failed; lines: the plan's lines stand in a file that others write too; mounted: the file system is at
its place; setting: a value, a file or a service is as the plan wants it"""


class Meaning(NamedTuple):
    """What follows from a role."""

    code: str = "check-failed"
    """code of the finding when it is not so before anything is written"""
    way_out: str = "see raidtui disks; if it can be removed, plan again"
    """what can be done then"""
    lasts: bool = True
    """False when later steps may make it untrue: spares are added, members may fail, what was blank is written to"""


def meaning(role: Role) -> Meaning:
    """What follows from `role`."""
    match role:
        case "host":
            return Meaning("other-host", "plan again on this machine, or with --host")
        case "machine":
            return Meaning("other-machine", "build it on the machine it was planned on, or plan again here")
        case "name free":
            return Meaning("name-taken", "remove it if it is not needed, or plan again with another --name")
        case "place free":
            return Meaning("mount-point-taken", "choose another --mount and plan again, or free this one")
        case "unit free":
            return Meaning(
                "mount-unit-foreign",
                "remove that file if it is not needed (then systemctl daemon-reload), or plan again with another "
                "--mount",
            )
        case "blank" | "member count":
            return Meaning(lasts=False)
        case "identity" | "unused" | "ours" | "predicted" | "lines" | "mounted" | "setting":
            return Meaning()
        case _:
            assert_never(role)
