"""Reads of a machine that may fail: what could not be read is a note, and the look goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from raidtui.machine.ports.host import Ran
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Inventory
from raidtui.tools import sfdisk, sysfs

T = TypeVar("T")


class Reads:
    """Files, directories and programs of one machine."""

    def __init__(self, reader: MachineReader) -> None:
        self.reader = reader
        self.unread: list[str] = []
        """why each of them could not be read"""

    def tried(self, ask: Callable[[], T], otherwise: T) -> T:
        """The answer of `ask`; `otherwise` where the machine fails."""
        try:
            return ask()
        except MachineFailed as problem:
            self.unread.append(str(problem))
            return otherwise

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory."""
        nothing: tuple[str, ...] = ()
        return self.tried(lambda: self.reader.names(path), nothing)

    def text(self, path: str) -> str | None:
        """Content of a file; None where there is none, or it could not be read."""
        return self.tried(lambda: self.reader.read_text(path), None)

    def word(self, path: str) -> str:
        """Content of a file without spaces around it; empty where there is none."""
        return sysfs.word(self.text(path))

    def number(self, path: str) -> int | None:
        """The number in a file; None where there is none."""
        return sysfs.count(self.text(path))


def tables_of(reader: MachineReader, inventory: Inventory) -> dict[str, sfdisk.Dump]:
    """Partition tables by kernel name of the disk; of what cannot be read an empty one."""
    reads, nothing = Reads(reader), Ran(exit=1, stdout="", stderr="")
    names = [disk.kernel_name for disk in inventory.disks if disk.partitions and disk.kernel_name]
    return {
        name: sfdisk.parse(reads.tried(partial(reader.ask, sfdisk.dump(f"/dev/{name}")), nothing).stdout)
        for name in names
    }
