from raidtui.steps.build import as_planned
from raidtui.steps.disk_binding import contents, partitions
from raidtui.values.inventory import DiskContent, Signature, Use
from raidtui.values.plan import PlanPartition
from tests.planner.plans import disk, machine, plan_of


def table(where: str, number: int | None = None) -> Use:
    return Use(kind="partition-table", where=where, active=False, partition=number)


EXT4 = Signature(type="ext4", label="my disk", uuid="0146")
SWAP = Signature(type="swap", uuid="77")
LVM = Signature(type="LVM2_member", uuid="30-77")


def test_each_partition_keeps_what_lsblk_shows_of_it() -> None:
    found = disk(
        1,
        kernel_name="nvme0n1",
        state="content",
        partitions=(1, 2, 11),
        uses=(
            table("nvme0n1p1", 1),
            Use(kind="file-system", where="nvme0n1p1 ext4 my disk 0146", active=False, partition=1, signature=EXT4),
            table("nvme0n1p2", 2),
            Use(kind="swap", where="nvme0n1p11 swap 77", active=False, partition=11, signature=SWAP),
            table("nvme0n1p11", 11),
        ),
    )
    assert partitions(found) == (
        PlanPartition(number=1, holds="ext4 my disk 0146"),
        PlanPartition(number=2),
        PlanPartition(number=11, holds="swap 77"),
    )
    left = contents(found)[1]
    assert left == DiskContent(kind="file-system", where="ext4 my disk 0146", partition=1, signature=EXT4)
    assert str(left) == "file-system partition 1 ext4 my disk 0146"


def test_a_disk_as_it_was_planned_has_the_same_partitions() -> None:
    one = disk(
        1,
        state="content",
        partitions=(1, 2),
        uses=(
            table("gpt"),
            table("sd1p1", 1),
            Use(kind="lvm-pv", where="sd1p1 LVM2_member 30-77", active=False, partition=1, signature=LVM),
            table("sd1p2", 2),
        ),
    )
    plan = plan_of("raid1(2)", (one, disk(2)))
    wiped = as_planned(plan, machine(disk(1), disk(2)))
    assert partitions(wiped.disks[0]) == plan.disks[0].partitions == (
        PlanPartition(number=1, holds="LVM2_member 30-77"),
        PlanPartition(number=2),
    )  # fmt: skip
