"""fio(1): the load of one job as a command line and as a job file. What fio prints is read in `fio_json`.

One process with threads (`thread`), so that ending it ends all of it; JSON, no progress. Sequential jobs of depth 1
use psync, as dd and most programs do; deeper ones libaio. Writes end with an fsync that counts (`end_fsync`): a rate
is that of data on disk. Options as of fio 3.1 and later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.model.bench import Job
from raidtui.model.units import MIB

PROGRAM = "fio"
_FLAGS = ("--output-format=json", "--eta=never")
FILES = "stream.$jobnum"
"""name of each stream's own file, in the directory fio is started in"""
FILENAME = "filename"
"""option that names the device or file of a section"""
REGIONS = "regions"
"""name of the one file whose regions the streams work on"""
_FILL_DEPTH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FioWorkload:
    """Input of fio: global options, and a section for each device (one for files)."""

    common: tuple[tuple[str, str], ...]
    """option and value of all sections"""
    sections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """name of each section and its own options"""
    read_only: bool
    """fio itself refuses to write"""

    def argv(self) -> tuple[str, ...]:
        """The command line."""
        words = [PROGRAM, *_FLAGS, *(["--readonly"] if self.read_only else [])]
        words += [f"--{name}={value}" for name, value in self.common]
        for section, options in self.sections:
            words += [f"--name={section}", *(f"--{name}={value}" for name, value in options)]
        return tuple(words)


def on_devices(job: Job, paths: Sequence[str]) -> FioWorkload:
    """`job` on whole block devices, all at once; each stream has its own region of every device.

    A job that writes writes zeros only, so that a blank device stays blank. Raises ValueError for one that does both.
    """
    if job.pattern not in ("read", "randread", "write", "randwrite"):
        raise ValueError(f"expected a job that reads or writes a block device, found {job.pattern}")
    bound = (("size", str(job.stream_bytes)),) if job.streams > 1 or _bounded(job) else ()
    apart = (("offset_increment", str(job.stream_bytes)),) if job.streams > 1 else ()
    own = (*bound, *apart, *_streams(job, "", 0))
    sections = tuple(
        (job.name if len(paths) == 1 else f"{job.name}-{number}", ((FILENAME, escaped(path)), *own))
        for number, path in enumerate(paths, start=1)
    )
    zeros = () if job.only_reads else (("zero_buffers", "1"),)
    return FioWorkload(
        common=(*_timing(job), *_load(job), *zeros, ("allow_file_create", "0")), sections=sections,
        read_only=job.only_reads,
    )  # fmt: skip


def written_bytes(job: Job, device_bytes: int) -> int:
    """Bytes from the start of each device that `on_devices` writes; 0 where it only reads."""
    if job.only_reads:
        return 0
    return min(job.stream_bytes * job.streams, device_bytes) if _bounded(job) or job.streams > 1 else device_bytes


def _bounded(job: Job) -> bool:
    """True for one stream that writes: it keeps to a region that was read; one that reads may go over all."""
    return not job.only_reads and job.stream_bytes > 0


def in_files(job: Job, stream_bytes: int, *, seed: int = 1) -> FioWorkload:
    """`job` on files of its own in the directory that fio is started in, `stream_bytes` for each stream or region.

    Files that are read, or written at random places, must have been filled. `seed` says which random places.
    """
    reads = job.only_reads
    common = (*_timing(job), *_load(job), ("randseed", str(seed)), ("fallocate", "none"))
    if reads:
        common = (*common, ("allow_file_create", "0"))
    return FioWorkload(common=common, sections=((job.name, _streams(job, "files", stream_bytes)),), read_only=reads)


def filling(job: Job, stream_bytes: int) -> FioWorkload:
    """Writes the files that `in_files` of the same job and size works on, once and in order."""
    common = (
        ("thread", "1"),
        ("group_reporting", "1"),
        ("rw", "write"),
        ("bs", str(MIB)),
        *_engine(_FILL_DEPTH, direct=job.direct),
        ("end_fsync", "1"),
        ("fallocate", "none"),
        ("exitall_on_error", "1"),
    )
    return FioWorkload(common=common, sections=(("fill", _streams(job, "files", stream_bytes)),), read_only=False)


def _timing(job: Job) -> tuple[tuple[str, str], ...]:
    warm_up = (("ramp_time", _seconds(job.warm_up_seconds)),) if job.warm_up_seconds > 0 else ()
    return (
        ("thread", "1"),
        ("group_reporting", "1"),
        ("exitall_on_error", "1"),
        ("time_based", "1"),
        ("runtime", _seconds(job.seconds)),
        *warm_up,
    )


def _load(job: Job) -> tuple[tuple[str, str], ...]:
    found = [("rw", job.pattern), ("bs", str(job.block_bytes)), *_engine(job.depth, direct=job.direct)]
    if job.pattern == "randrw":
        found.append(("rwmixread", str(round(job.read_share * 100))))
    if job.random:
        found.append(("norandommap", "1"))
    if job.sync_each:
        found.append(("fdatasync", "1"))
    elif job.pattern in ("write", "randwrite", "randrw"):
        found.append(("end_fsync", "1"))
    return tuple(found)


def _engine(depth: int, *, direct: bool) -> tuple[tuple[str, str], ...]:
    if depth == 1 or not direct:  # libaio is asynchronous past the page cache only (fio(1), ioengine)
        return (("ioengine", "psync"), ("direct", str(int(direct))))
    return (("ioengine", "libaio"), ("iodepth", str(depth)), ("direct", "1"))


def _streams(job: Job, place: str, stream_bytes: int) -> tuple[tuple[str, str], ...]:
    """How many streams, and where each works: on its own file, its own region, or all on the whole device."""
    count = (("numjobs", str(job.streams)),)
    if not place:
        return count if job.streams > 1 else ()
    if job.regions > 1 or job.streams == 1:
        apart = (("offset_increment", str(stream_bytes)),) if job.regions > 1 else ()
        return (("filename", REGIONS), ("size", str(stream_bytes)), *apart, *count)
    return (("filename_format", FILES), ("size", str(stream_bytes)), *count)


def _seconds(value: float) -> str:
    """fio's times are whole seconds; milliseconds where there is a rest."""
    return str(round(value)) if value == round(value) else f"{round(value * 1000)}ms"


def escaped(path: str) -> str:
    """`path` as fio's filename: a colon parts file names (fio(1), filename)."""
    return path.replace("\\", "\\\\").replace(":", "\\:")
