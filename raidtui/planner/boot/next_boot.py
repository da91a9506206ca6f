"""The one answer to what the next boot does with md arrays; `machine/boot/look.py` reads what it judges.

Asked before an act with the arrays as they will be after it: an error refuses the act. Asked again after it with what
is there. An audit asks it of arrays that nobody changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.model.boot import Boot, BootArrays
from raidtui.model.finding import Finding
from raidtui.model.safe import safe
from raidtui.planner.boot.before_root import (
    check_command_line,
    check_images,
    check_joined,
    check_rules,
)
from raidtui.planner.boot.configuration import ConfReading, check_places, check_reading, readings, statements_of
from raidtui.planner.boot.removed import check_removed
from raidtui.planner.findings import error
from raidtui.tools import initramfs, mdadm_conf


def check_boot(arrays: BootArrays, boot: Boot) -> Iterator[Finding]:
    """Findings if a boot would not, or might not, start these arrays from their members, and their file systems."""
    yield from dict.fromkeys(_findings(arrays, boot))


def root_readings(arrays: BootArrays, boot: Boot) -> tuple[ConfReading, ...]:
    """mdadm.conf of the root file system as mdadm will read it; several where it is not known which file that is."""
    written = initramfs.mdadm_conf(arrays.family) if arrays.lines == "planned" else ""
    names = {each.key: each for each in boot.devices}
    return tuple(
        ConfReading(place, statements_of(files), names)
        for place, files in readings(boot.configuration, written=written)
    )  # fmt: skip


def _findings(arrays: BootArrays, boot: Boot) -> Iterator[Finding]:
    yield from check_places(arrays, boot.configuration)
    read = root_readings(arrays, boot)
    for reading in read:
        yield from check_reading(arrays, reading)
        for array in arrays.arrays:
            if reading.assembles(array, arrays.host):
                yield from check_removed(array, reading, reading.path)
    yield from check_rules(boot.rules)
    yield from check_command_line(boot.command_line)
    if boot.multipath is not None:
        yield from check_joined(arrays, boot, boot.multipath, [word for each in read for word in each.device_words])
    if arrays.lines != "planned":
        yield from check_images(arrays, boot, {each.key: each for each in boot.devices})
    missing = [each.device for each in arrays.arrays if boot.found is not None and each.uuid not in boot.found]
    if missing:
        path = " or ".join(each.path for each in read)
        yield error(
            "boot-finds-no-array",
            f"mdadm --examine --scan, which uses {path}, does not find {safe(', '.join(missing))}; neither would a "
            "boot.",
            f"check the DEVICE lines in {path} and {mdadm_conf.folder_of(read[0].path)}, and run mdadm --examine on "
            "them",
        )
