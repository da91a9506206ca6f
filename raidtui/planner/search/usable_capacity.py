"""Usable capacity of thousands of layouts over one pool, equal to `predict`; shared parts are computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from raidtui.model.design import Design
from raidtui.model.file_system import XFS_DEFAULTS
from raidtui.model.finding import errors
from raidtui.model.geometry import ArrayGeometry
from raidtui.model.layout import Layout, MdLayout, UnequalLayout
from raidtui.model.proposal import Constraints
from raidtui.model.units import TIB
from raidtui.planner.checks.design import check_design
from raidtui.planner.geometry import ext4, xfs
from raidtui.planner.geometry.array_request import outer_array_request
from raidtui.planner.geometry.lvm import lvm_geometry, striped_extents
from raidtui.planner.geometry.md import ArrayRequest, EqualMembers, array_geometry
from raidtui.planner.geometry.plain import common_lun, plain_geometry
from raidtui.planner.geometry.stripe import joined_stripe, true_stripe
from raidtui.planner.placement.disk_pool import DiskPool
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
        self.pool = pool
        self.constraints = constraints
        self.lun = common_lun(pool.disks)
        """the geometry of the LUNs, if all disks are LUNs of one"""
        self.options = Design(layout=Layout(level="raid0", members=2), fs_options=constraints.fs_options).options
        """of mkfs and mount"""
        self._quotas = len(quotas_of(constraints.fs_options.mount)) if constraints.fs_options else 0
        self.uniform = len({disk.size_bytes for disk in pool.disks}) < 2
        """True if all disks are of one size"""
        self.exact = self.uniform and len({disk.physical_sector_bytes for disk in pool.disks}) < 2
        """True if the capacities are those of `predict` whichever disks it is given"""
        self._arrays: dict[tuple[str, int, int, str, int], ArrayGeometry] = {}
        self._members: dict[tuple[str, int, str], EqualMembers] = {}
        self._refused: dict[tuple[str, bool, bool], bool] = {}
        self._equal: dict[tuple[str, int, int, str], EqualArrays] = {}

    def of(self, layout: MdLayout) -> Capacity | None:
        """Capacity of `layout` on the largest disks of the pool; None if md, LVM or mkfs would refuse it.

        Unequal arrays need disks of one size, and another stack than LVM.
        """
        if self.uniform and isinstance(layout, Layout) and not layout.plain:
            return self.equal_arrays(layout).of(layout.arrays, layout.spares)
        if self.refused(layout, several=layout.arrays > 1):
            return None
        design, arrays = self.design(layout), self._arrays_of(layout)
        sizes = self._devices(design, arrays)
        if min(sizes) <= 0 or arrays[0].array_bytes == 0:
            return None
        usable = self._usable(design, sizes, layout.disks)
        last = arrays[-1]
        return None if usable is None else Capacity(usable, last.component_bytes or last.array_bytes // last.members)

    def counted(self, array: Layout) -> Callable[[int, int], Capacity | None]:
        """`of` layouts of arrays shaped as `array`, as a function of the numbers of arrays and of spares."""
        if self.uniform:
            return self.equal_arrays(array).of
        return lambda arrays, spares: self.of(replace(array, arrays=arrays, spares=spares))

    def equal_arrays(self, layout: Layout) -> EqualArrays:
        """What layouts of arrays shaped as those of `layout` share on disks of one size."""
        key = layout.level, layout.members, layout.copies, layout.spread
        found = self._equal.get(key)
        if found is None:
            found = self._equal[key] = EqualArrays(self, layout)
        return found

    def design(self, layout: MdLayout) -> Design:
        """The design of `layout` with the constraints' chunk, stack and file system."""
        asked = self.constraints
        return Design(
            layout=layout,
            chunk_bytes=asked.chunk_bytes,
            stack=asked.stack,
            fs=asked.fs,
            fs_options=asked.fs_options,
        )

    def refused(self, layout: MdLayout, *, several: bool) -> bool:
        """True if the chunk is invalid; counts and widths are checked by the enumeration."""
        key = layout.level, several, isinstance(layout, UnequalLayout)
        if key not in self._refused:
            if isinstance(layout, Layout):
                layout = replace(layout, arrays=1 + several, spares=0)
            self._refused[key] = bool(errors(check_design(self.design(layout))))
        return self._refused[key]

    def _arrays_of(self, layout: MdLayout) -> Sequence[ArrayGeometry]:
        if isinstance(layout, UnequalLayout):
            size = self.pool.disks[0].size_bytes
            return [array for group in layout.groups for array in [self.array(group, size)] * group.arrays]
        count, members, disks = layout.disks, layout.members, self.pool.disks
        if layout.plain:
            return [plain_geometry(disk) for disk in disks[:count]]
        if layout.level == "raid0" and not self.uniform:
            sizes = tuple(disk.size_bytes for disk in reversed(disks[:count]))
            return [
                array_geometry(self._ask(layout, sizes[at : at + members]))
                for at in range(0, layout.arrays * members, members)
            ]
        return [self.array(layout, disks[count - 1 - array * members].size_bytes) for array in range(layout.arrays)]

    def members(self, layout: Layout) -> EqualMembers:
        """Arrays of the level of `layout` of the pool's largest disks, which are all of one size."""
        key = layout.level, layout.copies, layout.spread
        found = self._members.get(key)
        if found is None:
            found = self._members[key] = EqualMembers(self._ask(layout, (self.pool.disks[0].size_bytes,)))
        return found

    def array(self, layout: Layout, smallest: int) -> ArrayGeometry:
        """An array whose first and smallest disk has `smallest` bytes: larger members count as that one."""
        key = layout.level, layout.members, layout.copies, layout.spread, smallest
        found = self._arrays.get(key)
        if found is None:
            found = self._arrays[key] = array_geometry(self._ask(layout, (smallest,) * layout.members))
        return found

    def _ask(self, layout: Layout, sizes: tuple[int, ...]) -> ArrayRequest:
        return ArrayRequest(
            level=layout.md_level,
            member_bytes=sizes,
            chunk_bytes=self.constraints.chunk_bytes,
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

    def _usable(self, design: Design, sizes: Sequence[int], disks: int) -> int | None:
        made: dict[int, int] = {}
        for size in set(sizes):  # arrays of one size have one shape
            stripe = true_stripe(design, sizes.index(size), self.lun)
            available = self.available(size, stripe, disks)
            if available is None:
                return None
            made[size] = available
        return sum(made[size] for size in sizes)

    def available(self, size: int, stripe: tuple[int, int], disks: int) -> int | None:
        """Available bytes, as shown by df, on a device of `size` bytes over the `disks` largest disks.

        `stripe` as `true_stripe` gives it. None if mkfs refuses it; without a file system all of the device.
        """
        sunit, width = stripe
        match self.constraints.fs:
            case "none":
                return size
            case "ext4":
                options = self.options.ext4
                if not ext4.fits(size, sunit_bytes=sunit, options=options):
                    return None
                return ext4.planned_ext4(size, sunit_bytes=sunit, stripe_width=width, options=options).available_bytes
            case "xfs":
                return self._available_xfs(size, sunit, width, disks)

    def _available_xfs(self, size: int, sunit: int, width: int, disks: int) -> int | None:
        if sunit * width > xfs.LARGEST_SWIDTH_BYTES:
            return None
        options = self.options.xfs
        small = size < _SURELY_FITS or options != XFS_DEFAULTS
        if small and not xfs.fits(size, sunit_bytes=sunit, stripe_width=width, options=options):
            return None
        return xfs.available_bytes(
            size,
            sunit_bytes=sunit,
            stripe_width=width,
            sector_bytes=min(xfs.BLOCK, self.pool.physical_sector[disks]),
            options=options,
            quotas=self._quotas,
        )


class EqualArrays:
    """Capacity of any number of arrays of one shape on disks of one size."""

    def __init__(self, table: CapacityTable, layout: Layout) -> None:
        self._table = table
        self._layout = layout
        self._array_bytes, component, full_stripe = table.members(layout).of(layout.members)
        self._component = component or self._array_bytes // layout.members
        chunk, self._stack = table.constraints.chunk_bytes, table.constraints.stack
        self._extent, self._extents = striped_extents(self._array_bytes, full_stripe or chunk)
        self._single = joined_stripe(layout, 1, chunk, table.lun)
        self._pair = joined_stripe(layout, 2, chunk, table.lun)
        self._found: dict[tuple[int, int], Capacity | None] = {}

    @property
    def component(self) -> int:
        """Used size of a member."""
        return self._component

    def at_most(self, arrays: int) -> int:
        """Upper bound of the usable bytes of so many: nothing above the arrays holds more than they do."""
        return arrays * self._array_bytes

    def of(self, arrays: int, spares: int) -> Capacity | None:
        """Capacity of so many of them; None if md, LVM or mkfs would refuse it."""
        asked = arrays, spares
        if asked not in self._found:
            self._found[asked] = self._of(arrays, spares)
        return self._found[asked]

    def surely_less(self, arrays: int, one: EqualArrays) -> bool:
        """True if a volume over so many surely holds less than `one` array, which has a stripe as wide."""
        if self._stack != "lvm":
            return False
        size, stripe = self._device(arrays)
        larger, same = one._device(1)
        if stripe != same:
            return False
        match self._table.constraints.fs:
            case "none":
                return size < larger
            case "xfs":
                options = self._table.options.xfs
                return options.agcount is None and options.agsize_bytes is None and xfs.surely_less(size, larger)
            case "ext4":
                return False

    def _of(self, arrays: int, spares: int) -> Capacity | None:
        if self._table.refused(self._layout, several=arrays > 1):
            return None
        files = arrays if self._stack == "separate" else 1
        size, stripe = self._device(arrays // files)
        if size <= 0:
            return None
        available = self._table.available(size, stripe, arrays * self._layout.members + spares)
        return None if available is None else Capacity(files * available, self._component)

    def _device(self, joined: int) -> tuple[int, tuple[int, int]]:
        """(bytes, stripe) of a device over `joined` arrays; 0 bytes if there is no such device."""
        if joined == 1 or not self._array_bytes:
            return self._array_bytes, self._single
        unit, width = self._pair
        stripe = unit, width // 2 * joined
        if self._stack == "md":
            design = self._table.design(replace(self._layout, arrays=joined, spares=0))
            array = self._table.array(self._layout, self._table.pool.disks[0].size_bytes)
            return array_geometry(outer_array_request(design, [array] * joined)).array_bytes, stripe
        extents = joined * self._extents
        return extents * self._extent if extents <= _MOST_EXTENTS else 0, stripe
