"""Usable capacity of thousands of layouts over one pool, equal to `predict`; shared parts are computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from raidtui.model.design import Design
from raidtui.model.finding import errors
from raidtui.model.geometry import ArrayGeometry
from raidtui.model.layout import Layout, MdLayout, UnequalLayout
from raidtui.model.proposal import Constraints
from raidtui.model.units import TIB
from raidtui.planner.checks.design import check_design
from raidtui.planner.geometry import ext4, xfs
from raidtui.planner.geometry.array_request import outer_array_request
from raidtui.planner.geometry.lvm import lvm_geometry
from raidtui.planner.geometry.md import ArrayRequest, array_geometry
from raidtui.planner.geometry.plain import common_lun, plain_geometry
from raidtui.planner.geometry.stripe import true_stripe
from raidtui.planner.search.disk_pool import DiskPool
from raidtui.tools.mount_options import quotas_of

_SURELY_FITS = TIB
"""from this device size on XFS' log fits with any stripe, so only the stripe's width must be checked"""
_MOST_EXTENTS = 2**32 - 1


class Capacity(NamedTuple):
    """Usable and used bytes of a layout."""

    usable: int
    """available bytes as shown by df, over all file systems; without a file system the volume's size"""
    component: int
    """used size of a member of the largest array"""


class CapacityTable:
    """Capacity of layouts over one pool. Arrays of one shape on disks of one size are computed once."""

    def __init__(self, pool: DiskPool, constraints: Constraints) -> None:
        self._pool = pool
        self._constraints = constraints
        self._lun = common_lun(pool.disks)
        self._quotas = len(quotas_of(constraints.fs_options.mount)) if constraints.fs_options else 0
        self._uniform = len({disk.size_bytes for disk in pool.disks}) < 2
        self.exact = self._uniform and len({disk.physical_sector_bytes for disk in pool.disks}) < 2
        """True if the capacities are those of `predict` whichever disks it is given"""
        self._arrays: dict[tuple[str, int, int, str, int], ArrayGeometry] = {}
        self._refused: dict[tuple[str, bool, bool], bool] = {}

    def of(self, layout: MdLayout) -> Capacity | None:
        """Capacity of `layout` on the largest disks of the pool; None if md, LVM or mkfs would refuse it.

        Unequal arrays need disks of one size, and another stack than LVM.
        """
        design = self._design(layout)
        if self._chunk_refused(design):
            return None
        arrays = self._arrays_of(layout)
        sizes = self._devices(design, arrays)
        if min(sizes) <= 0 or arrays[0].array_bytes == 0:
            return None
        usable = self._usable(design, sizes, self._pool.physical_sector[layout.disks])
        last = arrays[-1]
        return None if usable is None else Capacity(usable, last.component_bytes or last.array_bytes // last.members)

    def _design(self, layout: MdLayout) -> Design:
        asked = self._constraints
        return Design(
            layout=layout,
            chunk_bytes=asked.chunk_bytes,
            stack=asked.stack,
            fs=asked.fs,
            fs_options=asked.fs_options,
        )

    def _chunk_refused(self, design: Design) -> bool:
        """True if the chunk is invalid; counts and widths are checked by the enumeration."""
        key = design.layout.level, design.layout.arrays > 1, isinstance(design.layout, UnequalLayout)
        if key not in self._refused:
            self._refused[key] = bool(errors(check_design(design)))
        return self._refused[key]

    def _arrays_of(self, layout: MdLayout) -> Sequence[ArrayGeometry]:
        if isinstance(layout, UnequalLayout):
            size = self._pool.disks[0].size_bytes
            return [array for group in layout.groups for array in [self._array(group, size)] * group.arrays]
        count, members, disks = layout.disks, layout.members, self._pool.disks
        if layout.plain:
            return [plain_geometry(disk) for disk in disks[:count]]
        if layout.level == "raid0" and not self._uniform:
            sizes = tuple(disk.size_bytes for disk in reversed(disks[:count]))
            return [
                array_geometry(self._ask(layout, sizes[at : at + members]))
                for at in range(0, layout.arrays * members, members)
            ]
        if self._uniform:
            return [self._array(layout, disks[0].size_bytes)] * layout.arrays
        return [self._array(layout, disks[count - 1 - array * members].size_bytes) for array in range(layout.arrays)]

    def _array(self, layout: Layout, smallest: int) -> ArrayGeometry:
        """An array whose first and smallest disk has `smallest` bytes: larger members count as that one."""
        key = layout.level, layout.members, layout.copies, layout.spread, smallest
        found = self._arrays.get(key)
        if found is None:
            found = self._arrays[key] = self._made(layout, smallest)
        return found

    def _made(self, layout: Layout, size: int) -> ArrayGeometry:
        """An array on disks of one size; RAID0 is computed by multiplication, which is faster than summation."""
        if layout.level != "raid0":
            return array_geometry(self._ask(layout, (size,) * layout.members))
        one = array_geometry(self._ask(layout, (size,)))
        many = layout.members
        return replace(
            one, members=many, array_bytes=one.array_bytes * many, full_stripe_bytes=one.full_stripe_bytes * many
        )

    def _ask(self, layout: Layout, sizes: tuple[int, ...]) -> ArrayRequest:
        return ArrayRequest(
            level=layout.md_level,
            member_bytes=sizes,
            chunk_bytes=self._constraints.chunk_bytes,
            copies=layout.copies,
            spread=layout.spread,
        )

    def _devices(self, design: Design, arrays: Sequence[ArrayGeometry]) -> Sequence[int]:
        """Bytes of every device that gets a file system."""
        if len(arrays) == 1 or design.stack == "separate":
            return [array.array_bytes for array in arrays]
        if design.stack == "md":
            return [array_geometry(outer_array_request(design, arrays)).array_bytes]
        full_stripe = arrays[0].full_stripe_bytes or design.chunk_bytes
        sizes = [array.array_bytes for array in arrays]
        lvm = lvm_geometry(sizes, full_stripe=full_stripe, stripe_bytes=design.chunk_bytes)
        return [lvm.extents * lvm.extent_bytes if lvm.extents <= _MOST_EXTENTS else 0]

    def _usable(self, design: Design, sizes: Sequence[int], physical_sector: int) -> int | None:
        if design.fs == "none":
            return sum(sizes)
        made: dict[int, int] = {}
        for size in set(sizes):  # arrays of one size have one shape
            available = self._available(design, size, physical_sector, sizes.index(size))
            if available is None:
                return None
            made[size] = available
        return sum(made[size] for size in sizes)

    def _available(self, design: Design, size: int, physical_sector: int, number: int) -> int | None:
        """Available bytes, as shown by df, on device `number`, of `size` bytes; None if mkfs refuses it."""
        sunit, width = true_stripe(design, number, self._lun)
        if design.fs == "ext4":
            options = design.options.ext4
            if not ext4.fits(size, sunit_bytes=sunit, options=options):
                return None
            return ext4.planned_ext4(size, sunit_bytes=sunit, stripe_width=width, options=options).available_bytes
        if sunit * width > xfs.LARGEST_SWIDTH_BYTES:
            return None
        if size < _SURELY_FITS and not xfs.fits(size, sunit_bytes=sunit, stripe_width=width):
            return None
        return xfs.available_bytes(
            size,
            sunit_bytes=sunit,
            stripe_width=width,
            sector_bytes=min(xfs.BLOCK, physical_sector),
            options=design.options.xfs,
            quotas=self._quotas,
        )
