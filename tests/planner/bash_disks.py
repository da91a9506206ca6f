"""Runs an exported script against disks that are sparse files, with programs that print what a test says.

The script is unedited but for: the folders of its disks and its state, PATH, direct reads (not every file system has
them), the root and container checks, and the lock.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from raidtui.model.plan import Plan

_START = re.compile(r"^\[\[ (?:\$EUID|! -e /run/systemd).*\n|^for tool in .*\n(?:.*\n){2}|^take_lock\n", re.MULTILINE)
_PROGRAMS = {
    "dd": 'exec /bin/dd "${@/iflag=direct,/iflag=}"',
    "lsblk": 'cat "$STUBS/lsblk.txt"',
    "wipefs": 'cat "$STUBS/wipefs.txt"',
    "find": 'cat "$STUBS/find.txt"; [[ ! -e $STUBS/found ]] || exit 1',
    "sleep": ":",
    "uname": "echo host",
    "cat": 'if [[ $* == /etc/machine-id ]]; then printf "%032d\\n" 0 | tr 0 f; else exec /bin/cat "$@"; fi',
    "vgs": ":",
    "findmnt": "exit 1",
    "grep": 'case $* in */etc/*|*mountinfo*) exit 1 ;; esac; exec /bin/grep "$@"',
}
_HELP = {
    "wipefs --help": "--lock --backup --noheadings",
    "sfdisk --help": "--lock --wipe-partitions",
    "blkdiscard --help": "--zeroout",
    "findmnt --help": "--mountpoint",
    "mdadm --create --help": "--data-offset --consistency-policy",
    "mkfs.xfs": "maxpct= reflink=0|1 rmapbt=0|1 finobt=0|1 inobtcnt=0|1",
    "pvcreate --help": "--dataalignment --norestorefile",
    "lvcreate --help": "--wipesignatures",
}
"""what the help of each program names, shortened"""


class FakeDisks:
    """The disks of a plan as sparse files in a directory, and what the tools print of them."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.folder = plan, folder
        self.stubs = folder / "stubs"
        self.stubs.mkdir()
        for disk in plan.disks:
            with self.file(disk.path).open("wb") as file:
                file.truncate(disk.size_bytes)
        for name, body in {**{call.split()[0]: ":" for call in _HELP}, **_PROGRAMS}.items():
            self.program(name, body)
        for name in ("wipefs", "find"):
            self.prints(name, "")
        self.prints("lsblk", self.lsblk())

    def file(self, path: str) -> Path:
        return self.folder / path.rpartition("/")[2]

    def program(self, name: str, body: str) -> None:
        file = self.stubs / name
        asks = [
            f'if [[ "{name}${{*:+ $*}}" == "{call}" ]]; then echo "{words}"; exit; fi'
            for call, words in _HELP.items()
            if call.split()[0] == name
        ]
        file.write_text("\n".join(("#!/bin/bash", *asks, body, "")))
        file.chmod(0o755)

    def prints(self, name: str, text: str) -> None:
        (self.stubs / f"{name}.txt").write_text(text)

    def put(self, path: str, offset: int, data: bytes) -> None:
        with self.file(path).open("r+b") as file:
            file.seek(offset)
            file.write(data)

    def lsblk(self, more: Mapping[str, str] | None = None) -> str:
        """A line for each disk; `more` gives other columns to one, by its path."""
        lines = []
        for number, disk in enumerate(self.plan.disks):
            columns = {
                "KNAME": self.file(disk.path).name, "PKNAME": "", "TYPE": "disk", "SIZE": str(disk.size_bytes),
                "LOG-SEC": "512", "RO": "0", "MAJ:MIN": f"  8:{16 * number}", "MOUNTPOINT": "", "FSTYPE": "",
                "LABEL": "", "UUID": "", "PTTYPE": "", "MODEL": disk.model or "", "SERIAL": disk.serial or "",
                "WWN": disk.wwn or "",
            }  # fmt: skip
            columns.update({key: value for key, value in (more or {}).items() if disk is self.plan.disks[0]})
            lines.append(" ".join(f'{key}="{value}"' for key, value in columns.items()))
        return "\n".join(lines) + "\n"

    def run(self, text: str, *options: str, typed: str | None = None) -> subprocess.CompletedProcess[str]:
        text = _START.sub("", text.replace("/dev/disk/by-id/", f"{self.folder}/"))
        text = text.replace("/sys/class/block", f"{self.folder}/sys")
        text = text.replace("PATH=/usr/sbin:/usr/bin:/sbin:/bin", f"STUBS={self.stubs} PATH={self.stubs}:$PATH")
        text = text.replace("/var/lib/raidtui", f"{self.folder}/var/lib/raidtui")
        text = text.replace("-t 0", "-n x") if typed else text
        script = self.folder / "script.sh"
        script.write_text(text)
        return subprocess.run(
            ["bash", str(script), *options], input=typed or "", capture_output=True, text=True, check=False, timeout=60
        )
