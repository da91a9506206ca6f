"""Units, udev rules, mdadm.conf and repart definitions for a system that uses the plan's arrays."""

from __future__ import annotations

from raidtui.model.export import ExportFile
from raidtui.planner.export.installers.ignition import RAID_TYPE
from raidtui.planner.export.installers.plan_view import PlanView
from raidtui.planner.export.installers.system_files import mdadm_conf, mount_units, udev_rules
from raidtui.planner.text.shell_quote import ascii_text

_CONF = "etc/mdadm/mdadm.conf"


def native(view: PlanView) -> tuple[ExportFile, ...]:
    """All files, those for systemd-repart first; `--empty=require` keeps it off disks that hold something."""
    return (*_repart(view), *adopted(view))


def adopted(view: PlanView) -> tuple[ExportFile, ...]:
    """The files of the system."""
    units = (ExportFile(name=f"etc/systemd/system/{unit.name}", text=unit.text) for unit in mount_units(view))
    rules = (ExportFile(name=path.lstrip("/"), text=text) for path, text in udev_rules(view))
    paths = [written.path.lstrip("/") for written in view.written("configure")]
    return (*units, ExportFile(name=(paths or [_CONF])[0], text=mdadm_conf(view)), *rules)


def _repart(view: PlanView) -> tuple[ExportFile, ...]:
    found = []
    for member in view.disks:
        table = member.disk.table
        if table is None:
            continue
        name = member.disk.path.rpartition("/")[2]
        text = (
            f"# systemd-repart --dry-run=no --empty=require --definitions=repart.d/{name} {member.disk.path}\n"
            f"[Partition]\nType={RAID_TYPE}\nLabel={ascii_text(table.name).replace('%', '%%')}\n"
            f"UUID={table.partition_guid}\n"
            f"SizeMinBytes={table.size_bytes}\nSizeMaxBytes={table.size_bytes}\n"
        )
        found.append(ExportFile(name=f"repart.d/{name}/50-member.conf", text=text))
    return tuple(found)
