"""Findings about the file system on the volume: what it cannot hold, what it cannot write down, what it ignores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.design import Design
from raidtui.model.finding import Finding
from raidtui.model.units import TIB, binary_size, exact_binary
from raidtui.planner.findings import error, note, warning
from raidtui.planner.geometry import ext4, xfs


def check_file_system(design: Design, sizes: Sequence[int], stripe: tuple[int, int]) -> list[Finding]:
    """Findings about file systems on devices of `sizes` bytes, told a stripe of (unit bytes, units)."""
    if min(sizes) == 0:
        return []
    match design.fs:
        case "xfs":
            return list(_xfs(sizes, *stripe))
        case "ext4":
            return [*_ext4_size(sizes), *_ext4_stripe(*stripe)]
        case "none":
            return []


def _xfs(sizes: Sequence[int], sunit: int, width: int) -> Iterator[Finding]:
    if sunit * width > xfs.LARGEST_SWIDTH_BYTES:
        yield error(
            "xfs-stripe-too-wide",
            f"A full stripe of {binary_size(sunit * width)}: XFS takes less than 2 GiB.",
            "take a smaller chunk",
            "chunk",
        )
    elif not xfs.fits(min(sizes), sunit_bytes=sunit, stripe_width=width):
        yield error(
            "xfs-too-small",
            f"XFS needs {exact_binary(xfs.LEAST_BYTES)}, striped 513 MiB; the volume has {binary_size(min(sizes))}.",
            "take larger disks, or ext4",
            "fs",
        )


def _ext4_size(sizes: Sequence[int]) -> Iterator[Finding]:
    if min(sizes) < ext4.LEAST_BYTES:
        yield error(
            "ext4-too-small",
            f"The volume has {binary_size(min(sizes))}; ext4 is planned from {exact_binary(ext4.LEAST_BYTES)} on.",
            "take larger disks",
            "fs",
        )
    if max(sizes) > ext4.LARGEST_BYTES:
        yield error(
            "ext4-too-large",
            f"The volume has {binary_size(max(sizes))}; ext4 ends at {binary_size(ext4.LARGEST_BYTES)}.",
            "take XFS, or separate file systems",
            "fs",
        )
    elif max(sizes) >= 16 * TIB:
        yield note(
            "ext4-over-16-tib",
            f"ext4 of {binary_size(max(sizes))} needs 64bit and loses its resize inode; its files end at 16 TiB.",
            "XFS is at home at this size",
            "fs",
        )


def _ext4_stripe(sunit: int, width: int) -> Iterator[Finding]:
    stride = sunit // ext4.BLOCK
    if stride > ext4.LARGEST_STRIDE:
        yield error(
            "ext4-stride-too-large",
            f"A chunk of {exact_binary(sunit)} is a stride of {stride} blocks; ext4 knows {ext4.LARGEST_STRIDE}.",
            "take a smaller chunk",
            "chunk",
        )
    elif stride * width > ext4.LARGEST_STRIPE_WIDTH:
        yield warning(
            "ext4-stripe-ignored",
            f"A stripe width of {stride * width} blocks: the kernel ignores more than {ext4.LARGEST_STRIPE_WIDTH}.",
            "take a smaller chunk, or XFS",
            "chunk",
        )
    elif width & (width - 1):
        yield note(
            "ext4-odd-width",
            f"Full stripes of {width} chunks: ext4's allocator aligns well only to powers of two.",
            "XFS handles any width; or take 2, 4, 8 or 16 data disks",
            "fs",
        )
