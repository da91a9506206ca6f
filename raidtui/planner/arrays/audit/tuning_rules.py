"""Rules about what makes arrays slow: file systems that do not know the stripe, read-ahead, stripe cache."""

from __future__ import annotations

from raidtui.model.safe import safe
from raidtui.model.units import KIB, binary_size, exact_binary
from raidtui.planner.arrays import words
from raidtui.planner.arrays.audit.facts import PARITY_LEVELS, AuditFacts, FileSystemStripe, Said, found, unknown
from raidtui.planner.arrays.layout import design_of
from raidtui.planner.design.infer_from_arrays import NotALayout
from raidtui.planner.design.predict import predict

_EXT4_BLOCKS = (1024, 2048, 4096)
_PAGE = 4096
_ROWS = 4
"""stripes that the cache should hold for a writer"""


def stripe_geometry(facts: AuditFacts) -> Said:
    """File systems whose stripe is not that of what they stand on, also after it has grown."""
    for held in facts.stripes:
        shown = safe(held.shown)
        if held.why:
            yield unknown("stripe-geometry", shown, held.why)
            continue
        built = design_of(held.device, facts.seen.arrays, facts.seen.volumes, facts.inventory)
        if isinstance(built, NotALayout):
            yield unknown("stripe-geometry", shown, f"the stripe below it is not known: {built.reason}")
            continue
        predicted = predict(built.design, built.disks)
        unit, width = predicted.true_sunit_bytes, predicted.true_sunit_bytes * predicted.true_stripe_width
        if width <= unit or _fits(held, unit, width):
            continue
        where = f"at {shown}" if held.point else f"on {shown}, not mounted,"
        yield found(
            "warning", "stripe-geometry", shown,
            f"The {held.kind} {where} {_shown(held)}; a full stripe below it is "
            f"{exact_binary(width)} of {exact_binary(unit)} chunks.",
            "Its writes do not fill stripes: parity levels then read before they write.", _corrected(held, unit, width),
        )  # fmt: skip


def _corrected(held: FileSystemStripe, unit: int, width: int) -> str:
    """How the file system gets this stripe: XFS takes it at a mount, and not at a remount."""
    path, point = safe(held.path), safe(held.point)
    again = f"umount {point}; " if point else ""
    if held.kind == "ext4":
        options = f"stride={unit // 4096},stripe_width={width // 4096}"
        return f"tune2fs -E {options} {path}, then {'unmount and mount it' if point else 'mount it'}"
    if not held.width:  # xfs_mount.c: without the bit of data alignment in its superblock the mount fails
        return (
            "an XFS that was made without a stripe takes none at a mount: where its speed matters, mkfs.xfs makes it "
            f"anew with -d su={unit // KIB}k,sw={width // unit}"
        )
    options = f"sunit={unit // 512},swidth={width // 512}"
    return f"{again}mount -o {options} {path} {point or 'MOUNTPOINT'}; the same options in its line of fstab keep it"


def _fits(held: FileSystemStripe, unit: int, width: int) -> bool:
    if held.kind == "xfs":
        return held.unit_bytes == unit and held.width == width
    return held.width is not None and any(held.width * block == width for block in _EXT4_BLOCKS)


def _shown(held: FileSystemStripe) -> str:
    if held.width is None:
        return "has no stripe"
    if held.kind == "xfs":
        return f"has stripes of {exact_binary(held.width)} in units of {exact_binary(held.unit_bytes or 0)}"
    return f"has stripes of {held.width} blocks"


def caches(facts: AuditFacts) -> Said:
    """Read-ahead below two stripes, a stripe cache that holds hardly any."""
    for array in facts.running:
        if not array.chunk_bytes or array.devices is None:
            continue
        name = words.name(array)
        parity = {"raid6": 2}.get(array.level, 1 if array.level in PARITY_LEVELS else 0)
        stripe = array.chunk_bytes * max(1, array.devices - parity)
        ahead = facts.read_ahead.get(name)
        if ahead is not None and ahead * KIB < stripe:
            yield found(
                "note", "read-ahead", name,
                f"{name} is read ahead by {exact_binary(ahead * KIB)}; a full stripe has {exact_binary(stripe)}.",
                "One sequential reader does not keep all members busy.",
                f"blockdev --setra {4 * stripe // 1024} /dev/{name}, kept by a udev rule",
            )  # fmt: skip
        pages = facts.caches.get(name)
        if pages is not None and array.level in PARITY_LEVELS and pages * _PAGE < _ROWS * array.chunk_bytes:
            wanted = _ROWS * array.chunk_bytes // _PAGE
            yield found(
                "note", "stripe-cache", name,
                f"The stripe cache of {name} has {pages} pages: {pages * _PAGE / array.chunk_bytes:.2g} chunks of each "
                "member.",
                "Writers leave the cache before their stripes are full, and md reads what is missing.",
                f"echo {wanted} > /sys/block/{name}/md/stripe_cache_size ("
                f"{binary_size(wanted * _PAGE * array.devices)} of memory), kept by a udev rule",
            )  # fmt: skip
