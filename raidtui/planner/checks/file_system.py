"""Findings about the file system on the volume: size limits, and stripes that it cannot record or ignores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.units import TIB, binary_size, exact_binary
from raidtui.planner.findings import error, note, warning
from raidtui.planner.geometry import ext4, xfs


def check_file_system(design: Design, sizes: Sequence[int], stripes: Sequence[tuple[int, int]]) -> list[Finding]:
    """Findings about file systems on devices of `sizes` bytes with `stripes` of (unit bytes, units), one each."""
    if min(sizes) == 0:
        return []
    found: list[Finding] = []
    if design.fs == "ext4":
        found += _ext4_size(sizes)
    for stripe in sorted(set(stripes), reverse=True):
        match design.fs:
            case "xfs":
                found += _xfs([size for size, own in zip(sizes, stripes, strict=True) if own == stripe], *stripe)
            case "ext4":
                found += _ext4_stripe(*stripe)
            case "none":
                pass
    return found


def _xfs(sizes: Sequence[int], sunit: int, width: int) -> Iterator[Finding]:
    if sunit * width > xfs.LARGEST_SWIDTH_BYTES:
        yield error(
            "xfs-stripe-too-wide",
            f"Full stripe of {binary_size(sunit * width)}: XFS supports less than 2 GiB.",
            "use a smaller chunk",
            "chunk",
        )
    elif not xfs.fits(min(sizes), sunit_bytes=sunit, stripe_width=width):
        yield error(
            "xfs-too-small",
            f"XFS needs {exact_binary(xfs.LEAST_BYTES)}, striped 513 MiB; the volume has {binary_size(min(sizes))}.",
            "use larger disks, or ext4",
            "fs",
        )


def _ext4_size(sizes: Sequence[int]) -> Iterator[Finding]:
    if min(sizes) < ext4.LEAST_BYTES:
        yield error(
            "ext4-too-small",
            f"The volume has {binary_size(min(sizes))}; raidtui supports ext4 from {exact_binary(ext4.LEAST_BYTES)}.",
            "use larger disks",
            "fs",
        )
    if max(sizes) > ext4.LARGEST_BYTES:
        yield error(
            "ext4-too-large",
            f"The volume has {binary_size(max(sizes))}; ext4 supports at most {binary_size(ext4.LARGEST_BYTES)}.",
            "use XFS, or separate file systems",
            "fs",
        )
    elif max(sizes) >= 16 * TIB:
        yield note(
            "ext4-over-16-tib",
            f"ext4 of {binary_size(max(sizes))} needs the 64bit feature and has no resize inode; files end at 16 TiB.",
            "consider XFS at this size",
            "fs",
        )


def _ext4_stripe(sunit: int, width: int) -> Iterator[Finding]:
    stride = sunit // ext4.BLOCK
    if stride > ext4.LARGEST_STRIDE:
        yield error(
            "ext4-stride-too-large",
            f"A chunk of {exact_binary(sunit)} is a stride of {stride} blocks; ext4 supports {ext4.LARGEST_STRIDE}.",
            "use a smaller chunk",
            "chunk",
        )
    elif stride * width > ext4.LARGEST_STRIPE_WIDTH:
        yield warning(
            "ext4-stripe-ignored",
            f"Stripe width of {stride * width} blocks: the kernel ignores values above {ext4.LARGEST_STRIPE_WIDTH}.",
            "use a smaller chunk, or XFS",
            "chunk",
        )
    elif width & (width - 1):
        yield note(
            "ext4-odd-width",
            f"Full stripes of {width} chunks: ext4's allocator aligns well only to powers of two.",
            "use XFS, which handles any width, or 2, 4, 8 or 16 data disks",
            "fs",
        )
