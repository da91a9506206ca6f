"""What the executor costs over the bare script of the same plan, on the same disks of the lab's machine.

    python3 -m tests.benchmarks.bench_build           fourteen small disks, 2x(4+2)+2
    python3 -m tests.benchmarks.bench_build sixty     sixty sparse disks of 2 TB, 4x(12+2)+4; then back to blank

Neither waits for a sync; updating the initramfs is left out of both. In emulation everything is slow alike.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab import quick_initramfs, test_script
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.vm import Machine

_MOST = 1.5
_TIMED = """
import json, subprocess, sys, time
began = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
peak = 0
while process.poll() is None:
    try:
        with open(f"/proc/{process.pid}/status") as file:
            peak = max([peak, *(int(line.split()[1]) for line in file if line.startswith("VmHWM"))])
    except OSError:
        pass
    time.sleep(0.1)
print(json.dumps({"exit": process.returncode, "seconds": time.monotonic() - began, "peak_kib": peak}))
"""
_BEGIN = """
from pathlib import Path
from raidtui.engine import folders
from raidtui.engine import journal
from raidtui.engine.runs import read_plan
folder = journal.create(Path("/var/lib/raidtui"), read_plan(Path("/root/plan/plan.json")))
folders.write_request(folder, folders.ControlRequest(during_sync=True))
print(folder, end="")
"""

_LOOK = """
import time
from pathlib import Path
from raidtui.engine.process import checked
from raidtui.engine.runs import read_plan
from raidtui.engine.site import RealSite
plan = read_plan(Path("/root/plan/plan.json"))
began = time.monotonic()
found = checked(plan, RealSite(), "", during_sync=True)
print(time.monotonic() - began)
assert not [each for each in found if each.severity == "error"], found
"""


def main(which: str = "small") -> None:
    """Prints one line of figures; for sixty disks also how long the undo took."""
    layout, disks, chunk = {
        "small": ("2x(4+2)+2", lab_disks(14, bytes=256 * MIB, controllers=2), "64K"),
        "sixty": ("4x(12+2)+4", lab_disks(60, controllers=4), "256K"),
    }[which]
    with Machine(disks, sync_limit_kib=200) as vm:
        install(vm)
        vm.put("/etc/udev/rules.d/99-slow-sync.rules", test_script.SLOW_SYNC.encode())
        vm.check(["udevadm", "control", "--reload"])
        vm.put("/usr/sbin/update-initramfs", quick_initramfs.UPDATE, 0o755)
        vm.check(f"raidtui plan '{layout}' --chunk {chunk} --out /root/plan", timeout=600)
        plan = from_json(Plan, vm.get("/root/plan/plan.json"), source="the guest")
        script = _timed(vm, ["/root/plan/build.sh", plan.digest[-8:]])
        vm.check(["/root/plan/undo.sh", f"undo-{plan.digest[-8:]}"], timeout=900)
        vm.check("find /srv -mindepth 1 -depth -type d -empty -delete; rm -rf /var/lib/raidtui")
        vm.erase_disks([disk.serial or "" for disk in plan.disks])  # bytes between their ends would be content
        looked = float(vm.check(["python3", "-I", "-c", _LOOK], timeout=600).stdout)
        print(f"{layout}: preflight {looked:.1f} s", flush=True)
        folder = vm.check(["python3", "-I", "-c", _BEGIN]).stdout
        executor = _timed(vm, ["python3", "-I", "-m", "raidtui", "execute", folder, "build", plan.digest])
        test_script._equals_plan(vm, plan)
        ratio = executor["seconds"] / script["seconds"]
        print(
            f"{layout}: bare script {script['seconds']:.1f} s, executor {executor['seconds']:.1f} s with its start and "
            f"preflight, ratio {ratio:.2f} (at most {_MOST}); peak of the script's bash "
            f"{script['peak_kib'] / 1024:.0f} MiB, of the executor {executor['peak_kib'] / 1024:.0f} MiB",
            flush=True,
        )
        undone = _timed(vm, ["python3", "-I", "-m", "raidtui", "execute", folder, "undo", plan.digest])
        print(f"{layout}: taken back in {undone['seconds']:.1f} s")


def _timed(vm: Machine, argv: list[str]) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(vm.check(["python3", "-I", "-c", _TIMED, *argv], timeout=900).stdout)
    assert said["exit"] == 0, (said, vm.run("tail -n20 /var/lib/raidtui/*/log").stdout)
    return said


if __name__ == "__main__":
    main(*sys.argv[1:])
