"""Files of a system that uses the plan's arrays: mdadm.conf, the udev rules, mount units."""

from __future__ import annotations

from raidtui.model.export import ExportFile
from raidtui.planner.export.installers.plan_view import FileSystemView, PlanView
from raidtui.tools import systemd

MONITOR = systemd.MONITOR


def mdadm_conf(view: PlanView) -> str:
    """The plan's lines in mdadm.conf."""
    return "".join(f"{written.text}\n" for written in view.written("configure"))


def udev_rules(view: PlanView) -> tuple[tuple[str, str], ...]:
    """(path, text) of the rules that tune the arrays."""
    return tuple((written.path, f"{written.text}\n") for written in view.written("tune"))


def mount_units(view: PlanView) -> tuple[ExportFile, ...]:
    """A mount unit for each file system; one that is missing does not fail the boot."""
    return tuple(
        ExportFile(name=systemd.unit_name(made.mount_point, "mount"), text=_unit(made)) for made in view.filesystems
    )


def _unit(made: FileSystemView) -> str:
    return (
        f"[Unit]\nDescription=Data of raidtui on {made.mount_point}\n"
        f"[Mount]\nWhat=/dev/disk/by-uuid/{made.uuid}\nWhere={made.mount_point}\nType={made.type}\n"
        f"Options={made.mount_options}\n"
        "[Install]\nWantedBy=multi-user.target\n"
    )
