"""What fio is told, written out in full."""

from dataclasses import replace

import pytest

from raidtui.programs.fio import filling, in_files, on_devices
from raidtui.values.bench import Job

MIB = 1024 * 1024
READ = Job(name="file-read", title="", target="files", pattern="read", block_bytes=MIB, streams=8, depth=4)
SURVEY = Job(name="survey", title="", target="files", pattern="write", block_bytes=MIB, streams=4, regions=4, depth=2)
DISK = Job(name="disk", title="", target="disk", pattern="read", block_bytes=MIB, depth=4)


def test_streams_on_files_of_their_own() -> None:
    assert in_files(READ, 64 * MIB, seed=7).argv() == (
        "fio", "--output-format=json", "--eta=never", "--readonly",
        "--thread=1", "--group_reporting=1", "--exitall_on_error=1", "--time_based=1", "--runtime=30", "--ramp_time=5",
        "--rw=read", "--bs=1048576", "--ioengine=libaio", "--iodepth=4", "--direct=1",
        "--randseed=7", "--fallocate=none", "--allow_file_create=0",
        "--name=file-read", "--filename_format=stream.$jobnum", "--size=67108864", "--numjobs=8",
    )  # fmt: skip


def test_their_files_are_written_before() -> None:
    assert filling(READ, 64 * MIB).argv() == (
        "fio", "--output-format=json", "--eta=never",
        "--thread=1", "--group_reporting=1", "--rw=write", "--bs=1048576",
        "--ioengine=libaio", "--iodepth=8", "--direct=1", "--end_fsync=1", "--fallocate=none", "--exitall_on_error=1",
        "--name=fill", "--filename_format=stream.$jobnum", "--size=67108864", "--numjobs=8",
    )  # fmt: skip


def test_regions_of_one_file() -> None:
    assert in_files(SURVEY, 16 * MIB).argv() == (
        "fio", "--output-format=json", "--eta=never",
        "--thread=1", "--group_reporting=1", "--exitall_on_error=1", "--time_based=1", "--runtime=30", "--ramp_time=5",
        "--rw=write", "--bs=1048576", "--ioengine=libaio", "--iodepth=2", "--direct=1", "--end_fsync=1",
        "--randseed=1", "--fallocate=none",
        "--name=survey", "--filename=regions", "--size=16777216", "--offset_increment=16777216", "--numjobs=4",
    )  # fmt: skip


def test_a_disk_is_read_by_a_name_that_fio_does_not_take_apart() -> None:
    assert on_devices(DISK, ("/dev/disk/by-id/pci-0000:03",)).argv() == (
        "fio", "--output-format=json", "--eta=never", "--readonly",
        "--thread=1", "--group_reporting=1", "--exitall_on_error=1", "--time_based=1", "--runtime=30", "--ramp_time=5",
        "--rw=read", "--bs=1048576", "--ioengine=libaio", "--iodepth=4", "--direct=1", "--allow_file_create=0",
        "--name=disk", "--filename=/dev/disk/by-id/pci-0000\\:03",
    )  # fmt: skip


def test_disks_at_once_have_a_section_each() -> None:
    assert on_devices(DISK, ("/dev/sda", "/dev/sdb")).argv()[-4:] == (
        "--name=disk-1", "--filename=/dev/sda", "--name=disk-2", "--filename=/dev/sdb",
    )  # fmt: skip


@pytest.mark.parametrize("pattern", ["randrw", "small-files"])
def test_a_device_is_read_or_written(pattern: str) -> None:
    job = Job(name="x", title="", target="disk", pattern=pattern, block_bytes=4096)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a job that reads or writes a block device"):
        on_devices(job, ("/dev/sda",))


@pytest.mark.parametrize("pattern", ["write", "randwrite"])
def test_what_is_written_to_a_device_is_zeros(pattern: str) -> None:
    job = Job(name="x", title="", target="disk", pattern=pattern, block_bytes=4096)  # type: ignore[arg-type]
    workload = on_devices(job, ("/dev/sda",))
    assert ("zero_buffers", "1") in workload.common
    assert not workload.read_only


def test_every_stream_has_its_own_region_of_each_device() -> None:
    job = replace(DISK, streams=4, regions=4, stream_bytes=16 * MIB)
    assert on_devices(job, ("/dev/md1", "/dev/md2")).argv()[-10:] == (
        "--name=disk-1", "--filename=/dev/md1", "--size=16777216", "--offset_increment=16777216", "--numjobs=4",
        "--name=disk-2", "--filename=/dev/md2", "--size=16777216", "--offset_increment=16777216", "--numjobs=4",
    )  # fmt: skip


def options(job: Job) -> tuple[str, ...]:
    """What stands between the timing and the file."""
    words = in_files(job, 4 * MIB).argv()
    return words[words.index(f"--rw={job.pattern}") : words.index("--randseed=1")]


def test_kinds_of_load() -> None:
    mixed = Job(name="m", title="", target="files", pattern="randrw", block_bytes=4096, depth=8, read_share=0.7)
    assert options(mixed) == (
        "--rw=randrw", "--bs=4096", "--ioengine=libaio", "--iodepth=8", "--direct=1", "--rwmixread=70",
        "--norandommap=1", "--end_fsync=1",
    )  # fmt: skip
    log = Job(name="l", title="", target="files", pattern="write", block_bytes=4096, sync_each=True)
    assert options(log) == ("--rw=write", "--bs=4096", "--ioengine=psync", "--direct=1", "--fdatasync=1")
    dd = Job(name="d", title="", target="files", pattern="write", block_bytes=MIB, direct=False)
    assert options(dd) == ("--rw=write", "--bs=1048576", "--ioengine=psync", "--direct=0", "--end_fsync=1")


def test_times_that_are_no_whole_seconds() -> None:
    job = Job(name="q", title="", target="files", pattern="read", block_bytes=4096, seconds=3, warm_up_seconds=1.5)
    assert in_files(job, MIB).argv()[8:10] == ("--runtime=3", "--ramp_time=1500ms")
    still = Job(name="q", title="", target="files", pattern="read", block_bytes=4096, seconds=2.25, warm_up_seconds=0)
    assert in_files(still, MIB).argv()[8:10] == ("--runtime=2250ms", "--rw=read")
