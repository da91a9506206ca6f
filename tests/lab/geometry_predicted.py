"""What raidtui says of a case, in the keys of its record, so that both can be compared as they are."""

from __future__ import annotations

from typing import Any

from raidtui.predict.design import predict
from raidtui.values.design import Design
from raidtui.values.inventory import Disk
from raidtui.values.layout import ArrayShape, HybridDisks, Layout
from raidtui.values.prediction import ArrayGeometry, Ext4Geometry, LvmGeometry, StripeGeometry, XfsGeometry
from tests.lab.geometry_cases import Case

Facts = dict[str, Any]
QUICK_OPTIMAL = 512
"""optimal I/O size in bytes that each disk of a quick machine reports; those of QEMU report none"""


def predicted(case: Case, optimal: int = 0) -> dict[str, Facts | list[Facts]]:
    """Figures of every array, of the volume and of the file system. `optimal`: what each disk reports, bytes."""
    prediction = predict(design_of(case), disks_of(case, optimal))
    answer: dict[str, Facts | list[Facts]] = {"arrays": [_array(array) for array in prediction.arrays]}
    match prediction.volume:
        case LvmGeometry() as lvm:
            answer["volume"] = {
                "pe_start_bytes": [lvm.pe_start_bytes] * lvm.stripes,
                "lv_bytes": lvm.extents * lvm.extent_bytes,
            }
        case StripeGeometry(array=outer):
            answer["volume"] = {name: value for name, value in _array(outer).items() if name != "component_kib"}
        case None:
            pass
    match prediction.filesystem:
        case XfsGeometry() as xfs:
            answer["filesystem"] = _xfs(xfs)
        case Ext4Geometry() as ext4:
            answer["filesystem"] = _ext4(ext4)
        case None:
            pass
    return answer


def measured(record: dict[str, Any], said: dict[str, Facts | list[Facts]]) -> dict[str, Facts | list[Facts]]:
    """The same figures out of a record: the keys that `said` has."""
    answer: dict[str, Facts | list[Facts]] = {
        "arrays": [
            _same_keys(array, like)
            for array, like in zip(record["stack"]["arrays_results"], said["arrays"], strict=True)
        ]
    }
    if "volume" in record["stack"]:
        answer["volume"] = _same_keys(record["stack"]["volume"], said["volume"])
    if "filesystem" in record["result"]:
        answer["filesystem"] = _same_keys(record["result"]["filesystem"], said["filesystem"])
    return answer


def predicted_bands(record: dict[str, Any], optimal: int = 0) -> Facts:
    """What raidtui says of the disks of a record of `band_geometry`, in its keys."""
    fs: Any = record["fs"]
    layout = Layout.over(HybridDisks(disks=len(record["disk_bytes"]), failures=record["failures"]))
    design = Design(layout=layout, chunk_bytes=record["chunk_kib"] * 1024, fs=fs)
    prediction = predict(design, [_disk(number, size, optimal) for number, size in enumerate(record["disk_bytes"])])
    lvm, filesystem = prediction.volume, prediction.filesystem
    assert isinstance(lvm, LvmGeometry)
    assert filesystem is not None
    return {
        "bands": [
            {"members": list(band.members), "start_bytes": band.start_bytes, "size_bytes": band.size_bytes}
            for band in prediction.bands or ()
        ],
        "arrays": [_array(each) for each in prediction.arrays],
        "volume": {
            "pe_start_bytes": [lvm.pe_start_bytes] * len(prediction.arrays),
            "lv_bytes": prediction.volume_bytes,
            "stripes": lvm.stripes,
            "stripe_bytes": lvm.stripe_bytes,
            "extent_bytes": lvm.extent_bytes,
        },
        "filesystem": _xfs(filesystem) if isinstance(filesystem, XfsGeometry) else _ext4(filesystem),
    }


def measured_bands(record: dict[str, Any]) -> Facts:
    """The same figures out of the record."""
    said = predicted_bands(record)
    return {
        "bands": record["bands"],
        "arrays": [_same_keys(each, like) for each, like in zip(record["arrays"], said["arrays"], strict=True)],
        "volume": _same_keys(record["volume"], said["volume"]),
        "filesystem": _same_keys(record["filesystem"], said["filesystem"]),
    }


def _same_keys(found: Facts, like: Any) -> Facts:
    return {name: found[name] for name in like}


def design_of(case: Case) -> Design:
    """The design of a case."""
    layout: Any = case.layout or "n2"
    level: Any = case.level
    metadata: Any = case.metadata
    bitmap: Any = "auto" if case.bitmap == "default" else case.bitmap
    return Design(
        layout=Layout.joined(
            [ArrayShape(level=level, members=width, copies=int(layout[1:]), spread=layout[0]) for width in case.widths],
            case.spares * case.stack.arrays,
        ),
        chunk_bytes=(case.chunk_kib or 512) * 1024,
        metadata=metadata,
        bitmap=bitmap,
        bitmap_chunk_bytes=case.bitmap_chunk_kib * 1024 if case.bitmap_chunk_kib else None,
        data_offset_bytes=case.data_offset_kib * 1024 if case.data_offset_kib else None,
        ppl=case.consistency_policy == "ppl",
        stack="md" if case.stack.kind == "md" else "lvm",
        fs=case.fs.type,
    )


def disks_of(case: Case, optimal: int = 0) -> list[Disk]:
    """In raidtui's order: members of every array first, then one spare of each array after the other."""
    shares = list(zip(case.arrays, case.widths, strict=True))
    members = [size for share, width in shares for size in share[:width]]
    spares = [share[width + turn] for turn in range(case.spares) for share, width in shares]
    return [_disk(number, size, optimal) for number, size in enumerate([*members, *spares])]


def _disk(number: int, size: int, optimal: int) -> Disk:
    return Disk(id=f"disk-{number}", size_bytes=size, state="blank", rotational=True, optimal_io_bytes=optimal)


def _array(array: ArrayGeometry) -> Facts:
    return {
        "array_sectors": array.sectors,
        "io_min_bytes": array.io_min_bytes,
        "io_opt_bytes": array.io_opt_bytes,
        "read_ahead_kib": array.read_ahead_kib,
        "data_offset_sectors_first_member": array.data_offset_sectors or None,
        "component_kib": array.component_bytes // 1024 if array.component_bytes else None,
        "bitmap_chunk_kib": array.bitmap_chunk_bytes // 1024 if array.bitmap_chunk_bytes else None,
    }


def _xfs(xfs: XfsGeometry) -> Facts:
    return {
        "blocks": xfs.blocks,
        "agcount": xfs.agcount,
        "agsize_blocks": xfs.agsize_blocks,
        "sunit_blocks": xfs.sunit_blocks,
        "swidth_blocks": xfs.swidth_blocks,
        "log_blocks": xfs.log_blocks,
        "log_sunit_blocks": xfs.log_sunit_blocks,
        "imaxpct": xfs.imaxpct,
        "statfs_blocks": xfs.statfs_blocks,
        "statfs_available": xfs.statfs_available_blocks,
    }


def _ext4(ext4: Ext4Geometry) -> Facts:
    return {
        "blocks": ext4.blocks,
        "reserved_blocks": ext4.reserved_blocks,
        "inodes": ext4.inodes,
        "stride_blocks": ext4.stride_blocks or None,
        "stripe_width_blocks": ext4.stripe_width_blocks or None,
        "journal_blocks": ext4.journal_blocks,
        "statfs_blocks": ext4.statfs_blocks,
        "statfs_free": ext4.statfs_free_blocks,
        "statfs_available": ext4.statfs_available_blocks,
    }
