"""The md arrays and device-mapper volumes of a machine, from /sys (Documentation/admin-guide/md.rst)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from raidtui.model.assumptions import DEFAULTS, Assumptions
from raidtui.model.choices import FileSystem
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.units import SECTOR
from raidtui.planner.design.infer_from_arrays import (
    ArrayFacts,
    InferredDesign,
    NotALayout,
    VolumeFacts,
    infer_design,
    predict_inferred,
)


def arrays(root: str | Path = "/") -> tuple[ArrayFacts, ...]:
    """Every running array, by name."""
    found = (_array(folder) for folder in sorted(Path(root, "sys/block").glob("md*/md")))
    return tuple(array for array in found if array is not None)


def volumes(root: str | Path = "/") -> tuple[VolumeFacts, ...]:
    """Every device-mapper device with a lower device, by name."""
    return tuple(
        VolumeFacts(
            name=folder.name,
            below=tuple(sorted(each.name for each in (folder / "slaves").iterdir())),
            io_min_bytes=_number(folder / "queue/minimum_io_size"),
            io_opt_bytes=_number(folder / "queue/optimal_io_size"),
        )
        for folder in sorted(Path(root, "sys/block").glob("dm-*"))
        if (folder / "slaves").is_dir()
    )


def members(inventory: Inventory, found: tuple[ArrayFacts, ...], root: str | Path = "/") -> dict[str, Disk]:
    """Disk by kernel name of every member; a partition is its disk with the partition's size."""
    disks = {disk.kernel_name: disk for disk in inventory.disks if disk.kernel_name}
    names = {name for array in found for name in (*array.members, *array.spares) if name}
    known = {}
    for name in names:
        if name in disks:
            known[name] = disks[name]
            continue
        parent, sectors = _partition(Path(root), name)
        if parent in disks:
            known[name] = replace(disks[parent], size_bytes=sectors * SECTOR)
    return known


def prediction_of(
    top: str,
    inventory: Inventory,
    *,
    fs: FileSystem = "none",
    root: str | Path = "/",
    assumptions: Assumptions = DEFAULTS,
) -> tuple[InferredDesign, Prediction] | NotALayout:
    """Predicted throughput of the device `top` (kernel name) as it is built; or the reason why there is none."""
    known = arrays(root)
    built = infer_design(top, known, volumes(root), members(inventory, known, root), fs=fs)
    return built if isinstance(built, NotALayout) else (built, predict_inferred(built, inventory, assumptions))


def _array(folder: Path) -> ArrayFacts | None:
    level, count = _text(folder / "level"), _number(folder / "raid_disks")
    if not level or not count:
        return None
    roles: Mapping[str, str] = {
        each.name.removeprefix("dev-"): _text(each / "slot") for each in sorted(folder.glob("dev-*"))
    }
    by_role = {slot: name for name, slot in roles.items()}
    faulty = {name for name in roles if "faulty" in _text(folder / f"dev-{name}" / "state").split(",")}
    bitmap = _text(folder / "bitmap/location")
    return ArrayFacts(
        name=folder.parent.name,
        level=level,
        members=tuple(by_role.get(str(role), "") for role in range(count)),
        spares=tuple(name for name, slot in roles.items() if slot == "none" and name not in faulty),
        chunk_bytes=_number(folder / "chunk_size"),
        layout=_number(folder / "layout"),
        metadata=_text(folder / "metadata_version"),
        bitmap=bitmap not in ("", "none"),
        ppl=_text(folder / "consistency_policy") == "ppl",
    )


def _partition(root: Path, name: str) -> tuple[str, int]:
    """The disk that a partition is on, and its sectors."""
    found = next(root.glob(f"sys/block/*/{name}/partition"), None)
    return ("", 0) if found is None else (found.parent.parent.name, _number(found.parent / "size"))


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int:
    words = _text(path).split()
    return int(words[0]) if words and words[0].isdigit() else 0
