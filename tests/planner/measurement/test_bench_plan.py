"""What profiles come to: tasks, estimates, refusals."""

from dataclasses import replace

import pytest

from raidtui.bench import prepare
from raidtui.bench.plan import BenchFacts, BenchOptions, BenchPlan, bench_plan, profile_problem
from raidtui.values.bench import Job, Profile, Target

MIB, GIB = 1024**2, 1024**3
FACTS = BenchFacts(
    memory_bytes=8 * GIB, free_bytes=1000 * GIB, free_files=10**9, read_bytes_per_s=1e9, write_bytes_per_s=5e8
)
FILES = Target(kind="files", name="/srv/data", paths=("/srv/data",), disks=("a", "b"), size_bytes=1000 * GIB)
DISKS = tuple(
    Target(kind="disk", name=name, paths=(f"/dev/{name}",), disks=(name,), size_bytes=10**12) for name in ("a", "b")
)
ARRAYS = (
    Target(kind="array", name="md1", paths=("/dev/md1",), disks=("a",), size_bytes=10**12),
    Target(kind="arrays", name="both", paths=("/dev/md1", "/dev/md2"), disks=("a", "b"), size_bytes=2 * 10**12),
)
JOB = Job(name="read", title="", target="files", pattern="read", block_bytes=MIB, streams=4)


def profile(*jobs: Job) -> Profile:
    return Profile(name="mine", title="", purpose="", jobs=jobs)


def codes(plan: BenchPlan) -> list[tuple[str, str]]:
    return [(finding.severity, finding.code) for finding in plan.findings]


def test_a_job_runs_on_every_target_of_its_kind() -> None:
    disk = Job(name="disk", title="", target="disk", pattern="read", block_bytes=MIB, repeats=1)
    plan = bench_plan(profile(disk, JOB), (*DISKS, FILES), FACTS)
    assert [(task.number, task.job.name, task.target.name) for task in plan.tasks] == [
        (1, "disk", "a"), (2, "disk", "b"), (3, "read", "/srv/data"),
    ]  # fmt: skip
    assert [task.bytes_used for task in plan.tasks[:2]] == [0, 0]
    assert [task.seconds for task in plan.tasks[:2]] == [38.0, 38.0]  # 5 s warm-up, 30 s, 3 s to rest
    assert codes(plan) == []


def test_files_take_half_of_the_room_at_most() -> None:
    plan = bench_plan(profile(JOB), (FILES,), replace(FACTS, free_bytes=8 * GIB))
    assert plan.bytes_used == 4 * GIB


def test_the_page_cache_needs_four_times_memory() -> None:
    dd = replace(JOB, streams=1, direct=False, pattern="write")
    plan = bench_plan(profile(dd), (FILES,), FACTS)
    assert (plan.bytes_used, codes(plan)) == (33378 * MIB, [])  # the 35 GB that a repeat may move are more
    slow = bench_plan(profile(dd), (FILES,), replace(FACTS, read_bytes_per_s=1e8, write_bytes_per_s=1e8))
    assert (slow.bytes_used, codes(slow)) == (32 * GIB, [])
    small = bench_plan(profile(dd), (FILES,), replace(FACTS, free_bytes=20 * GIB))
    assert (small.bytes_used, codes(small)) == (10 * GIB, [("warning", "cached")])


def test_too_little_room_is_refused() -> None:
    plan = bench_plan(profile(replace(JOB, stream_bytes=GIB)), (FILES,), replace(FACTS, free_bytes=4 * GIB))
    assert codes(plan) == [("error", "no-room")]
    assert plan.findings[0].message == "'read' needs 4.000 GiB of 4.000 GiB free; 256.0 MiB must stay free"
    fits = bench_plan(profile(replace(JOB, stream_bytes=GIB)), (FILES,), replace(FACTS, free_bytes=4 * GIB + 256 * MIB))
    assert codes(fits) == []
    tiny = bench_plan(profile(JOB), (FILES,), replace(FACTS, free_bytes=100 * MIB))
    assert codes(tiny) == [("error", "no-room")]


def test_small_files_take_inodes_too() -> None:
    job = Job(name="small", title="", target="files", pattern="small-files", block_bytes=5734, files=6000)
    plan = bench_plan(profile(job), (FILES,), replace(FACTS, free_files=7000))
    assert codes(plan) == [("error", "no-inodes")]
    (task,) = bench_plan(profile(job), (FILES,), FACTS).tasks
    assert task.bytes_used == 6000 * (5734 + 4096 + 512) + 1000 * 4096
    assert task.seconds == 3 * (4 * 6000 / 2000 + 3)


def test_what_has_no_target_is_left_out_and_said() -> None:
    array = Job(name="array", title="", target="array", pattern="read", block_bytes=MIB)
    plan = bench_plan(profile(array, JOB), (FILES,), FACTS)
    assert codes(plan) == [("note", "job-left-out")]
    assert plan.findings[0].message == "job 'array' is skipped: no readable md array below the target"
    assert codes(bench_plan(profile(array), (FILES,), FACTS)) == [("note", "job-left-out"), ("error", "nothing-to-run")]


def test_without_direct_access_everything_goes_through_the_cache() -> None:
    plan = bench_plan(profile(replace(JOB, depth=16)), (FILES,), replace(FACTS, direct=False))
    assert (plan.tasks[0].job.direct, plan.tasks[0].job.depth) == (False, 1)
    assert ("warning", "no-direct") in codes(plan)


def test_preconditioning_fills_most_of_the_room_twice() -> None:
    """700 GiB in four files; written twice at 500 MB/s."""
    plan = bench_plan(profile(JOB), (FILES,), FACTS, BenchOptions(precondition=True))
    assert plan.bytes_used == 700 * GIB
    assert plan.seconds == pytest.approx(3 * 38 + 2 * 700 * GIB / 5e8, abs=1)
    assert codes(plan) == [("warning", "precondition")]


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (
            replace(JOB, name="Read"),
            "jobs.0.name: invalid 'Read', expected at most 40 lower-case letters, digits and hyphens",
        ),
        (replace(JOB, name="-x; rm"), "jobs.0.name: invalid '-x; rm', expected at most 40 lower-case"),
        (replace(JOB, target="array", pattern="write"), "jobs.0.streams: on a block device each direct stream"),
        (replace(JOB, target="volume", pattern="randrw"), "jobs.0.pattern: a block device is either read or written"),
        (replace(JOB, target="volume", pattern="write", streams=1), "jobs.0.pattern: a volume is only read"),
        (replace(JOB, target="disk"), "jobs.0.streams: on a block device each direct stream has a region"),
        (replace(JOB, block_bytes=1000), "jobs.0.block_bytes: expected a multiple of 512, found 1000"),
        (replace(JOB, block_bytes=0), "jobs.0.block_bytes: expected 512 to 1073741824, found 0"),
        (replace(JOB, seconds=float("nan")), "jobs.0.seconds: expected 1 to 86400, found nan"),
        (
            replace(JOB, regions=3),
            "jobs.0.regions: expected 1 (one file per stream) or the number of streams 4, found 3",
        ),
        (replace(JOB, files=7), "jobs.0.files: expected a number above 0 for pattern small-files, and 0 for others"),
        (replace(JOB, pattern="small-files"), "jobs.0.files: expected a number above 0 for pattern small-files"),
        (replace(JOB, sync_each=True), "jobs.0.sync_each: only valid for a job that writes"),
        (replace(JOB, stream_bytes=512), "jobs.0.stream_bytes: expected at least one block (1048576), found 512"),
    ],
)
def test_profiles_that_cannot_be_run(job: Job, said: str) -> None:
    assert profile_problem(profile(job)).startswith(said)


def test_profiles_need_jobs_with_different_names() -> None:
    assert profile_problem(profile()) == "jobs: the profile has no job"
    assert profile_problem(profile(JOB, JOB)) == "jobs.1.name: duplicate job name read"
    assert profile_problem(profile(JOB)) == ""


def test_devices_are_written_to_only_where_that_was_confirmed() -> None:
    write = Job(name="w", title="", target="disk", pattern="write", block_bytes=MIB)
    refused = bench_plan(profile(write), DISKS, FACTS)
    assert (refused.tasks, codes(refused)) == ((), [("note", "job-left-out"), ("error", "nothing-to-run")])
    allowed = bench_plan(profile(write), DISKS, FACTS, BenchOptions(raw_writes=True))
    assert [task.target.name for task in allowed.tasks] == ["a", "b"]


def test_the_shipped_profiles() -> None:
    """Every one can be run on files, and the figures of all but the short ones take 30 s."""
    assert prepare.names() == (
        "quick", "ladder", "streams", "survey", "raw", "survey-raw", "random", "mixed", "small-files", "dd-like",
        "dd-sizes",
    )  # fmt: skip
    for name in prepare.names():
        shipped = prepare.load(name)
        assert profile_problem(shipped) == ""
        assert shipped.name == name
        plan = bench_plan(shipped, (FILES, *ARRAYS), FACTS, BenchOptions(raw_writes=True))
        short = {code for severity, code in codes(plan) if severity != "note"}
        assert short == ({"short"} if name == "quick" else set())
    assert [job.target for job in prepare.load("ladder").jobs] == [
        "disk", "disks", "array", "volume", "files", "files",
    ]  # fmt: skip
    assert [(job.block_bytes, job.direct, job.predicted) for job in prepare.load("dd-sizes").jobs] == [
        (size, False, "seq_write_one_stream") for size in (61440, 262144, MIB, 4 * MIB)
    ]
    survey = {(job.regions, job.streams * job.depth, job.pattern) for job in prepare.load("survey").jobs}
    assert survey == {
        (crg, thr, pattern)
        for crg, thr in ((1, 1), (1, 4), (4, 4), (4, 16), (16, 16), (16, 64), (64, 64), (64, 256))
        for pattern in ("read", "write")
    }
