"""What is in flight bounds a rate too: requests in flight over the time of one (Little's law), bitmaps included.

Queues and seeks are fitted on one array (the 20 lines of one LUN with 256 KiB segments of KIPAC's E2660 survey;
tests/validation fits them and checks against the other 60): 1 MiB outstanding gave 451 MiB/s of reads and 275 of
writes; 32 streams on one group of rotating disks cost 62 % of the read and 27 % of the write rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, exp
from typing import TYPE_CHECKING

from raidtui.predict.speed.ceilings import DEEPER
from raidtui.predict.speed.confidence_bands import RANDOM_READ_DISK, Bound
from raidtui.predict.speed.operating_point import ArraySet, SpeedWork, piece_rate
from raidtui.predict.speed.raid_level_rates import PAGE, PartialWrite
from raidtui.values.prediction import ArrayGeometry, Prediction
from raidtui.values.speed import MEMBERS, DiskSpeed, Iops, Rate, Throughput
from raidtui.values.target import Version
from raidtui.values.units import GIB, MIB, exact_binary

if TYPE_CHECKING:
    from raidtui.values.bench import Job, Task

MEASURED_STREAMS = 32
"""most streams on a group that were measured"""
KNEE = 3.0
"""sharpness of the knee of sequential work, and of flash"""
RANDOM_KNEE = 1.5
"""the same of random requests on rotating disks, some of which wait while others have nothing to do: fitted to eight
disks behind one adapter, 1 to 1,024 requests in flight (`fio_plot_raid5.csv`); those behind the other judge it"""
LUN_READ = 451.0
"""bytes per second that each outstanding byte of a read from LUNs brings: 2.3 ms for 1 MiB"""
LUN_WRITE = 275.0
"""the same of a write, which passes the controllers' cache"""
LUN_FACTOR = 2.0
"""between controllers: lower and upper end (judgement; one array was measured)"""
READ_SLOPE = 0.052
"""relative time that each further reading stream adds on a group of rotating disks"""
WRITE_SLOPE = 0.012
"""the same for writing streams behind a write-back cache (page cache or controller)"""
KEPT_BUSY, KEPT_BUSY_LOW = 0.5, 0.25
"""busy share of the disk that serves one outstanding chunk: point and lower end. The array of the survey shows
0.91 and 0.44 for reads of 256 and 128 KiB chunks, 0.55 and 0.28 for writes, with disks of 130 MB/s. There is no
upper end: a drive's read-ahead hides the wait"""
LARGEST_REQUEST = 1280 * 1024
"""bytes of a request that the block layer gives a disk at most (max_sectors_kb; BLK_DEF_MAX_SECTORS of the kernel): a
larger one is several in flight"""
ONE_AT_A_TIME = 1.5
"""random operations per second at depth over those at depth 1, rotating disks (`disk_speed`)"""
FLASH_READ_S = 100e-6
"""seconds of one random read of 4 KiB: data sheets say 70 to 110 us (NVMe), up to 200 us (SATA); assumed"""
FLASH_WRITE_S = 1 / 68_800
"""of one write to an NVMe drive (`throughput.csv`, row 106)"""
NO_BITMAP = 20_600
"""writes per second of one writer of 4 KiB to RAID5 of five of them without a bitmap (row 105)"""
REQUEST_S = 100e-6
"""seconds of a request that a disk's cache serves, besides its transfer: the upper end of sequential work (assumed)"""
READ_AHEAD = 4.0
"""upper end of what an outstanding sequential request brings over the point: drives that read ahead are busy throughout
and the next member has its chunk ready. One array gave 2.1 (`throughput.csv`, source of row 124, when it was well)"""
SEEKS_SEEN = 1 / 3
"""upper end of many streams on disks: the part of the seeks between them that is not hidden (judgement: no
measurement of md; of one hardware array 60 rows with more than a stream on a group lie at most 1.2 above the point)"""
PARTIAL_LOW, PARTIAL_HIGH = 0.5, 2.5
"""ends of direct sequential writes of partial stripes over the point (judgement): (6+2) disks of 120 MB/s wrote 50 MB/s
in requests of 1 MiB and 147 in requests of 4 MiB, where the point is 54 and 133"""
DISK_LINK_RATE = 1_200_000_000
"""bytes per second of a member's link that is not known: SAS at 12 Gbit/s"""
FLASH_FACTOR = 2.0
"""between drives: lower and upper end of the wait for a request, besides its transfer"""
LEAST_MEASURED = 64 * MIB
"""mdadm's own least chunk of a bitmap since 3.1.1; sequential writes lose with finer ones: 115 MiB/s of RAID5 of four
disks became 22 (liw.fi; rows 265 and 266), none with 256 MiB on 45 disks (Hoffman)"""
FINE_LOW = 22 / 115
"""lower end of sequential writes with a finer one"""
_CLEARED_AFTER = 10.0
"""seconds until the bit of a region without writes is clear"""
_FLASH = ((128 * MIB, 174), (512 * MIB, 285), (GIB, 10_300), (2 * GIB, 17_000))
"""(largest chunk in bytes, writes per second with it) of the array of `NO_BITMAP` (Milivojevic, linux-raid; rows 98 to
104); 256 MiB was not measured and counts as 512 MiB. Drives that flush in milliseconds; with large chunks most bits are
still set"""
_POWER_SAFE_S = 1 / 15_700 - FLASH_WRITE_S
"""seconds of the update on drives whose cache outlives a power cut: RAID10 of four, 64 MiB (row 264)"""
_PART_OF_PAGE_S = 1 / 1_676 - FLASH_WRITE_S
"""the same before kernel 6.4, which wrote a part of the drive's page that it then read first (row 263)"""
WHOLE_PAGES: Version = (6, 4)
"""kernel that writes whole pages of a bitmap (commit 8745faa95611)"""
_FLUSH_FACTOR = 2.5
"""between drives: the time to flush a cache that does not outlive a power cut (judgement: 2 to 14 ms)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class InFlight:
    """What the requests in flight can reach, in the unit of the ceilings."""

    amount: float
    """bytes; random work: requests"""
    each: float
    """bytes (or requests) per second that each of them contributes"""
    low: float
    """lower end of the rate"""
    high: float = float("inf")
    """upper end"""
    text: str
    """`8 x 1 MiB`, `32 requests`"""
    requests: int = 1
    partial: bool = False
    """True if each stream writes less than a full stripe of a parity array at a time"""

    @property
    def reach(self) -> float:
        """Rate without any ceiling."""
        return self.amount * self.each


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedLoad:
    """What a program keeps in flight, direct I/O."""

    only_reads: bool
    """False: writes"""
    streams: int
    """jobs, files or clients"""
    depth: int
    """requests of each in flight"""
    block_bytes: int
    """size of a request"""


def queue_ceiling(outstanding_bytes: float, per_outstanding: float, most: float, k: float = KNEE) -> float:
    """Bytes per second of a path with `outstanding_bytes` in flight.

    `per_outstanding` is bytes per second per outstanding byte (one over the latency), `most` the rate of the saturated
    path, `k` the sharpness of the knee: ((q * b)**-k + most**-k)**(-1/k).
    """
    offered = outstanding_bytes * per_outstanding
    if offered <= 0 or most <= 0:
        return 0.0
    return float((offered**-k + most**-k) ** (-1 / k))


def reached(offered: float, most: float, knee: float, requests: int) -> float:
    """Rate of `requests` that would reach `offered` without ceiling `most`; one alone waits for no other."""
    return max(min(offered / requests, most), queue_ceiling(1, offered, most, knee))


def stream_share_read(streams: float, slope: float = READ_SLOPE) -> float:
    """Share of a group's sequential read rate that remains with `streams` readers on it; validated up to 32."""
    return 1 / (1 + slope * (max(streams, 1) - 1))


def stream_share_write(streams: float, slope: float = WRITE_SLOPE) -> float:
    """Share of a group's sequential write rate that remains with `streams` writers on it."""
    return stream_share_read(streams, slope)


def outstanding(prediction: Prediction, speed: Throughput, figure: Rate | Iops, task: Task) -> InFlight | None:
    """Outstanding requests of `task`; None if unknown: buffered I/O, and random work on flash."""
    job, disk = task.job, speed.disk
    if not job.direct or not prediction.arrays or not job.block_bytes:
        return None
    array = max(prediction.arrays, key=lambda array: array.full_stripe_bytes)
    if task.target.kind == "arrays":
        job = replace(job, streams=job.streams * max(1, len(task.target.paths)))
    if isinstance(figure, Iops):
        requests, each = job.streams * job.depth, _page_alone(array, disk, job)
        low = RANDOM_READ_DISK.low * requests * each
        text = f"{requests} requests"
        return InFlight(amount=requests, each=each, low=low, text=text) if disk.rotational else None
    return in_order(array, disk, job)


def in_order(array: ArrayGeometry, disk: DiskSpeed, job: QueuedLoad | Job) -> InFlight:
    """Outstanding sequential requests, in bytes, by the busy share of disks alone."""
    requests = job.streams * job.depth
    unit = min(array.chunk_bytes or LARGEST_REQUEST, job.block_bytes)
    busy = (disk.read_bytes_per_s if job.only_reads else disk.write_bytes_per_s) / unit
    amount = requests * job.block_bytes
    partial = _on_parity(array, job) and job.depth * job.block_bytes < array.full_stripe_bytes
    low = amount * busy * KEPT_BUSY_LOW
    return InFlight(
        amount=amount,
        each=busy * KEPT_BUSY,
        low=min(low, requests * _page_alone(array, disk, job) * job.block_bytes) if partial else low,
        text=f"{requests} x {exact_binary(job.block_bytes)}",
        requests=requests,
        partial=partial,
    )


def _on_parity(array: ArrayGeometry, job: QueuedLoad | Job) -> bool:
    return not job.only_reads and array.parity > 0


def _page_alone(array: ArrayGeometry, disk: DiskSpeed, job: QueuedLoad | Job) -> float:
    """Random requests per second that one outstanding one gets; a partial parity write reads, then writes."""
    iops = disk.read_iops if job.only_reads else disk.write_iops
    return iops / ONE_AT_A_TIME / (2 if _on_parity(array, job) else 1)


def in_flight(
    array_set: ArraySet, array: ArrayGeometry, work: SpeedWork, load: QueuedLoad, part: PartialWrite
) -> InFlight:
    """What direct requests of `load` reach; `part`: what writes in order read since they do not fill stripes."""
    if not work.random:
        return _sequential(array_set, array, work, load, part)
    requests, rotational = load.streams * load.depth, array_set.rotational
    alone = _alone(array_set, array, work, load)
    bitmap = bitmap_seconds(array_set, array, work, load)
    waits = 1 / (1 / alone + bitmap)
    rate, low, high = alone, waits, alone  # not measured on disks: the bitmap lowers the lower end alone
    if not rotational:
        slow, fast = (_alone(array_set, array, work, load, times) for times in (FLASH_FACTOR, 1 / FLASH_FACTOR))
        factor = FLASH_FACTOR if array_set.slowest.flush_s is None else _FLUSH_FACTOR
        most = bitmap_seconds(array_set, array, work, load, oldest=True)
        rate, low, high = waits, 1 / (1 / slow + factor * most), 1 / (1 / fast + bitmap / factor)
    least = requests * low
    if rotational and not array.parity and bitmap:
        least = min(least, load.streams / bitmap)  # a program that submits to a mirror waits, whatever its depth
    text = f"{requests} x {exact_binary(load.block_bytes)}"
    return InFlight(amount=requests, each=rate, low=least, high=requests * high, text=text, requests=requests)


def _sequential(
    array_set: ArraySet, array: ArrayGeometry, work: SpeedWork, load: QueuedLoad, part: PartialWrite
) -> InFlight:
    """Requests that follow each other, in bytes.

    What a stream writes of a stripe is unplugged before the stripe is whole (raid5.c, handle_stripe_dirtying): `part`
    says how often md reads before it writes. Each time costs what a random write costs.
    """
    disk = array_set.slowest
    found = in_order(array, disk, load)
    if array_set.lun_drives:  # their controllers answer, not a drive
        each = LUN_READ if load.only_reads else LUN_WRITE
        return replace(found, each=each, low=found.amount * each / LUN_FACTOR, high=found.amount * each * LUN_FACTOR)
    piece = min(load.block_bytes, array.chunk_bytes or load.block_bytes)
    link = min((rates.link for rates in array_set.member_rates if rates.link is not None), default=None)
    served = 1 / (REQUEST_S + piece / (link or DISK_LINK_RATE))
    each = min(found.each, served)
    here = array.level in ("disk", "raid1") and array_set.rotational
    if here:  # the next request is where the head is, and the drive reads ahead
        transfer = disk.read_bytes_per_s if load.only_reads else disk.write_bytes_per_s
        each = min(served, 1 / (REQUEST_S + piece / transfer))
    least = max(found.low, KEPT_BUSY * found.amount * each) if here else found.low
    low, most = min(least, found.amount * each), found.amount * min(served, READ_AHEAD * found.each)
    if not array_set.rotational:
        slow, usual, fast = (
            _flash_time(array_set, array, load, piece, times) for times in (FLASH_FACTOR, 1.0, 1 / FLASH_FACTOR)
        )
        low, each, most = found.amount / slow, 1 / usual, found.amount / fast
    if part.phases:
        size = load.depth * load.block_bytes
        each_member = size * (array.chunk_bytes or 0) / array.full_stripe_bytes
        more = max(0.0, each_member - piece) if array_set.rotational else 0.0
        waits = 1 / each + more / disk.write_bytes_per_s
        waits += part.phases / _alone(array_set, array, work, load)
        each = 1 / waits
        low, most = min(low, PARTIAL_LOW * found.amount * each), min(most, PARTIAL_HIGH * found.amount * each)
    return replace(found, each=each, low=low, high=most)


def _alone(array_set: ArraySet, array: ArrayGeometry, work: SpeedWork, load: QueuedLoad, slower: float = 1.0) -> float:
    """Random requests per second of one client that waits for each, without a bitmap; `slower` as in `_flash_time`."""
    disk = array_set.slowest
    if not disk.rotational:
        return 1 / _flash_time(array_set, array, load, work.request.piece_bytes, slower)
    page = _page_alone(array, disk, load)
    if load.only_reads and array_set.lun_drives:
        page /= array_set.lun_drives  # one of them seeks
    return piece_rate(work.request, page, disk.read_bytes_per_s if load.only_reads else disk.write_bytes_per_s)


def _flash_time(array_set: ArraySet, array: ArrayGeometry, load: QueuedLoad, piece: int, slower: float = 1.0) -> float:
    """Seconds of a request of `piece` bytes to a drive; `slower`: times the usual wait, at that end of its rate."""
    disk = array_set.slowest
    end = disk.low if slower > 1 else disk.high if slower < 1 else 1.0
    rate = end * (disk.read_bytes_per_s if load.only_reads else disk.write_bytes_per_s)
    return max(slower * flash_seconds(array, load), PAGE / rate) + max(piece - PAGE, 0) / rate


def flash_seconds(array: ArrayGeometry, load: QueuedLoad) -> float:
    """Seconds of one request of 4 KiB to a usual drive."""
    if load.only_reads:
        return FLASH_READ_S
    return 1 / NO_BITMAP if array.parity else FLASH_WRITE_S


def bitmap_seconds(
    array_set: ArraySet, array: ArrayGeometry, work: SpeedWork, load: QueuedLoad, *, oldest: bool = False
) -> float:
    """Seconds that a write-intent bitmap adds to a random write that is waited for: its bit is written first.

    Writers that wait together share the update: at depth RAID10 of NVMe lost 5 % (rows 49 and 50). On flash it is the
    time to flush the drive's cache; `oldest`: with what the target's kernel may add to it.

    Rotating disks: not measured. A bit is cleared after one to two rounds of the daemon, 5 s each (md-bitmap.c), so a
    write finds it set where its region was written in the last ten seconds; otherwise one more operation comes first.
    The program that submits to a mirror waits for it whatever its depth (raid1.c and raid10.c, the unplug callback): a
    blog found arrays of disks no faster at random writes than one disk until it removed the bitmap (louwrentius.com,
    2020; no figures in the text, so no row).
    """
    chunk = array.bitmap_chunk_bytes
    if load.only_reads or chunk is None:
        return 0.0
    if not array_set.rotational:
        measured = next((rate for most, rate in _FLASH if chunk <= most), _FLASH[-1][1])
        flushed = 1 / measured - 1 / NO_BITMAP
        if array_set.slowest.flush_s is not None:
            return flushed
        kernel = array_set.kernel
        part = oldest and kernel is not None and kernel < WHOLE_PAGES
        return min(flushed, _PART_OF_PAGE_S if part else _POWER_SAFE_S)
    alone = _alone(array_set, array, work, load)
    regions = max(1.0, (array.component_bytes or 0) / chunk)
    return exp(-alone * _CLEARED_AFTER / regions) / alone


def seek_share(array_set: ArraySet, work: SpeedWork) -> float:
    """Share of the members' rate left after seeks between streams; separate volumes have their share of the streams."""
    if work.random or work.streams is None or not array_set.rotational:
        return 1.0
    each = work.streams if array_set.striped else ceil(work.streams / len(array_set.member_rates))
    if work.kind == "read" and array_set.layout.level == "raid1":
        each = ceil(each / min(shape.members for shape in array_set.shapes))  # each member serves streams of its own
    return stream_share_read(each) if work.kind == "read" else stream_share_write(each)


def after_seeks(found: Sequence[Bound], array_set: ArraySet, work: SpeedWork, load: QueuedLoad) -> list[Bound]:
    """The bounds `found`, the members' after seeks between streams.

    Of the upper end less is lost: the page cache collects writes, large requests and deep queues hide seeks. A member
    reads what is in flight of one stream, or two chunks that md reads ahead, before its head moves on. The controllers
    of LUNs read ahead as they like.
    """
    share = hidden = seek_share(array_set, work)
    if share == 1:
        return list(found)
    if array_set.lun_drives or (work.kind == "write" and not work.direct):
        hidden = 1.0
    else:
        disk, chunk = array_set.slowest, array_set.design.chunk_bytes
        widest = max(shape.data for shape in array_set.kinds)
        run = max(load.depth * load.block_bytes / widest, chunk) if work.direct else 2 * chunk
        read = work.kind == "read"
        transfer = run / (disk.read_bytes_per_s if read else disk.write_bytes_per_s)
        moving = 1 / (DEEPER * (disk.read_iops if read else disk.write_iops))
        hidden = max(transfer / (transfer + moving), 1 / (1 + SEEKS_SEEN * (1 / share - 1)))
    words = f"{share:.2f} left after seeks"
    return [bound.lowered(share, hidden, words) if bound.ceiling.name == MEMBERS else bound for bound in found]
