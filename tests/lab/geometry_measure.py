"""Builds one case with the real tools in the guest and reads back what they made of it.

Everything runs in one script a case, its answers in marked sections; the disks are made blank
again from the host. Use `measuring_machine()`, whose udev leaves members alone, so that no
array comes up by itself between two cases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.lab.agent import Result
from tests.lab.geometry_cases import Case, pool_disks
from tests.lab.geometry_parse import array, file_system, sections, volume
from tests.lab.geometry_script import build_script
from tests.lab.guest import Guest
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

_LEAVE_ALONE = """
mkdir -p /run/udev/rules.d /mnt/m
ln -sf /dev/null /run/udev/rules.d/64-md-raid-assembly.rules
ln -sf /dev/null /run/udev/rules.d/69-lvm.rules
echo 'devices { global_filter = [ "a|^/dev/md|", "r|.*|" ] }' > /etc/lvm/lvmlocal.conf
udevadm control --reload
"""
CLEAN = """
umount /mnt/m 2>/dev/null
vgchange -qq -an vgm 2>/dev/null
for md in /dev/md200 /dev/md10[0-9] /dev/md/*; do [ -b $md ] && mdadm --stop -q $md; done
mdadm --stop -q --scan
rm -f /run/mdadm/creating-*
! grep -q '^md' /proc/mdstat
"""


def measuring_machine(
    using: Image | None = None, kernel_words: Sequence[str] = (), modules: Path | None = None
) -> QuickMachine:
    """A machine with the pool's disks; call `prepare` in its `with` block. The words as of `QuickMachine`."""
    return QuickMachine(pool_disks(), using=using, kernel_words=kernel_words, modules=modules)


def prepare(vm: Guest) -> None:
    """Tell udev in the guest not to assemble arrays or activate volumes by itself."""
    vm.check(_LEAVE_ALONE)


def measure(vm: Guest, case: Case) -> dict[str, Any]:
    """Build the case, read it back, take it down; the record of a gold line.

    `exit` and `stderr` are those of the first program that refused; then what came after it is absent.
    """
    members, serials = _members(vm, case)
    script, commands = build_script(case, members)
    done = vm.run(script, timeout=180)
    vm.check(CLEAN, timeout=120)
    vm.erase_disks(serials)
    found = sections(done.stdout)
    arrays = [array(*parts) for parts in zip(*(found[name] for name in _ARRAY_SECTIONS), strict=False)]
    top = arrays.pop() if case.stack.kind == "md" and len(arrays) > case.stack.arrays else None
    record = {**case.record(), "command": commands[0], "commands": commands, "exit": done.exit}
    if done.exit != 0:
        record["stderr"] = done.stderr
    result: dict[str, Any] = dict(arrays[0]) if arrays else {}
    if "mkfs" in found and "statfs" in found:
        result["filesystem"] = file_system(case.fs, found)
    stack = {**record["stack"], "arrays_results": arrays}
    if top is not None:
        stack["volume"] = top
    elif "lvm" in found:
        stack["volume"] = volume(found["lvm"][0])
    return {**record, "result": result or None, "stack": stack}


_ARRAY_SECTIONS = ("array", "sysfs", "examine", "bitmap")


def _members(vm: Guest, case: Case) -> tuple[list[list[str]], list[str]]:
    """Disks of the pool with the case's sizes, in the case's order."""
    free: dict[int, list[str]] = defaultdict(list)
    for serial in reversed(vm.serials):
        free[vm.backing(serial).bytes].append(serial)
    serials = [free[size].pop() for size in case.disk_bytes]
    paths = vm.disk_paths(serials)
    flat = iter(paths[serial] for serial in serials)
    return [[next(flat) for _ in share] for share in case.arrays], serials


def failed(record: dict[str, Any]) -> Result | None:
    """The refusal in a record as a Result, None when all went well."""
    if record["exit"] == 0:
        return None
    return Result("; ".join(record["commands"]), record["exit"], b"", record.get("stderr", "").encode())
