"""A host made of answers written down in a test; what is not written down is not there."""

from __future__ import annotations

from collections.abc import Mapping

from raidtui.machine.inventory.block_tree import Tree, is_disk
from raidtui.machine.system.ports import Denied, Look, Openers, Ran
from raidtui.programs.lsblk import BlockDevice
from raidtui.programs.udevdb import UdevRecord


class Answers:
    """Texts, links and numbers by path; directories follow from them. A text of False is denied."""

    def __init__(
        self,
        texts: Mapping[str, str | bool] = {},
        links: Mapping[str, str] = {},
        numbers: Mapping[str, str] = {},
        *,
        own_paths: tuple[str, ...] = (),
        user: int = 0,
        runs: Mapping[tuple[str, ...], Ran] = {},
        opened: Openers = Openers(),  # noqa: B008 - frozen
    ) -> None:
        self._texts, self._links, self._numbers = texts, links, numbers
        self._own_paths, self._user, self._runs, self._opened = own_paths, user, runs, opened

    def text(self, path: str) -> str | None:
        answer = self._texts.get(path)
        if answer is False:
            raise Denied(path)
        return answer if isinstance(answer, str) else None

    def names(self, path: str) -> tuple[str, ...]:
        below = [key.removeprefix(f"{path}/") for key in (*self._texts, *self._links) if key.startswith(f"{path}/")]
        return tuple(sorted({rest.split("/")[0] for rest in below}))

    def link(self, path: str) -> str | None:
        answer = self._links.get(path)
        if answer == "denied":
            raise Denied(path)
        return answer

    def number(self, path: str) -> str | None:
        return self._numbers.get(path)

    def look(self, path: str, number: str, size: int) -> Look:
        return Look(error="not here")

    def run(self, argv: tuple[str, ...]) -> Ran | None:
        return self._runs.get(argv)

    def openers(self) -> Openers:
        return self._opened

    def euid(self) -> int:
        return self._user

    def own_paths(self) -> tuple[str, ...]:
        return self._own_paths


def block(name: str, number: str, *, kind: str = "disk", **fields: object) -> BlockDevice:
    """A 1 GiB block device."""
    common: dict[str, object] = dict.fromkeys(
        ("parent", "model", "serial", "wwn", "vendor", "revision", "transport", "hctl", "fstype", "label", "uuid",
         "table", "mount_point")
    )  # fmt: skip
    common |= {"size": 1 << 30, "read_only": False, "rotational": True, "logical_sector": 512, "physical_sector": 512}
    common |= {"optimal_io": 0, "zoned": "none", "name": name, "number": number, "type": kind}
    return BlockDevice(**{**common, **fields})  # type: ignore[arg-type]


def tree(
    *blocks: BlockDevice,
    above: Mapping[str, tuple[str, ...]] = {},
    partitions: Mapping[str, tuple[str, ...]] = {},
    records: Mapping[str, UdevRecord] = {},
    ways: Mapping[str, str] = {},
) -> Tree:
    """A tree of these devices."""
    disks = tuple(each for each in blocks if is_disk(each))
    return Tree(
        blocks={each.name: each for each in blocks},
        disks=disks,
        above=dict(above),
        partitions=dict(partitions),
        records=dict(records),
        ways=dict(ways),
        entries={each.name: ("holders", "queue") for each in disks},
    )
