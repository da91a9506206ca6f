from raidtui.model.inventory import Use
from raidtui.model.plan import PlanPartition
from raidtui.planner.compile.disk_content import contents, partitions
from raidtui.planner.compile.recompile import as_planned
from tests.planner.plans import disk, machine, plan_of


def used(kind: str, where: str) -> Use:
    return Use(kind=kind, where=where, active=False)  # type: ignore[arg-type]


def test_each_partition_keeps_what_lsblk_shows_of_it() -> None:
    found = disk(
        1,
        kernel_name="nvme0n1",
        state="content",
        partitions=(1, 2, 11),
        uses=(
            used("partition-table", "nvme0n1p1"),
            used("file-system", "nvme0n1p1 ext4 my disk 0146"),
            used("partition-table", "nvme0n1p2"),
            used("swap", "nvme0n1p11 swap 77"),
            used("partition-table", "nvme0n1p11"),
        ),
    )
    assert partitions(found) == (
        PlanPartition(number=1, holds="ext4 my disk 0146"),
        PlanPartition(number=2),
        PlanPartition(number=11, holds="swap 77"),
    )
    assert contents(found)[1] == "file-system partition 1 ext4 my disk 0146"


def test_a_disk_as_it_was_planned_has_the_same_partitions() -> None:
    one = disk(
        1,
        state="content",
        partitions=(1, 2),
        uses=(
            used("partition-table", "gpt"),
            used("partition-table", "sd1p1"),
            used("lvm-pv", "sd1p1 LVM2_member 30-77"),
            used("partition-table", "sd1p2"),
        ),
    )
    plan = plan_of("raid1(2)", (one, disk(2)))
    wiped = as_planned(plan, machine(disk(1), disk(2)))
    assert partitions(wiped.disks[0]) == plan.disks[0].partitions == (
        PlanPartition(number=1, holds="LVM2_member 30-77"),
        PlanPartition(number=2),
    )  # fmt: skip
