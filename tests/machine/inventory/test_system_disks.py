from raidtui.machine.inventory.disk_content import protected
from raidtui.machine.inventory.mounts import MountClaims
from raidtui.machine.system.ports import Look
from raidtui.programs.signatures import FoundSignature
from raidtui.programs.udevdb import UdevRecord
from tests.machine.answers import Answers, block, tree

GROUP = "abcdef0123456789abcdef0123456789"


def mounted(**system: tuple[str, ...]) -> MountClaims:
    return MountClaims(claims=(), system=system, complete=True)


def test_root_on_a_partition_protects_the_disk_and_not_its_namesake() -> None:
    found = tree(
        block("sda", "8:0"), block("sda1", "8:1", kind="part"), block("sdaa", "65:160"), above={"sda": ("sda1",)}
    )
    assert protected(Answers(), found, mounted(sda1=("/", "/usr")), {}) == {"sda": "/, /usr"}


def test_root_on_lvm_on_md_protects_every_member_and_every_disk_of_the_group() -> None:
    found = tree(
        block("sda", "8:0"),
        block("sdb", "8:16"),
        block("sdc", "8:32"),
        block("sdd", "8:48"),
        block("sde", "8:64"),
        block("md0", "9:0", kind="raid1"),
        block("dm-0", "252:0", kind="lvm"),
        block("dm-1", "252:1", kind="lvm"),
        above={"sda": ("md0",), "sdb": ("md0",), "md0": ("dm-0",), "sdc": ("dm-1",)},
    )
    answers = Answers({f"/sys/class/block/dm-{at}/dm/uuid": f"LVM-{GROUP}{at:032d}\n" for at in (0, 1)})
    idle = FoundSignature(type="LVM2_member", offset=512, label="vg", uuid="abcdef-0123-4567-89ab-cdef-0123-456789")
    looks = {"sdd": Look(zero=False, signatures=(idle,)), "sde": Look(zero=True)}
    shares = f"shares volume group {GROUP} with the system"
    assert protected(answers, found, mounted(**{"dm-0": ("/",)}), looks) == {
        "sda": "/", "sdb": "/", "sdc": shares, "sdd": shares,
    }  # fmt: skip


def test_a_member_that_fell_out_of_the_systems_array_is_protected_too() -> None:
    uuid = "e90f4b4c:f56c256d:21d546d2:7da2707b"
    found = tree(
        block("sda", "8:0"),
        block("sdb", "8:16"),
        block("sdc", "8:32"),
        block("sdc1", "8:33", kind="part"),
        block("md0", "9:0", kind="raid1"),
        above={"sda": ("md0",), "sdc": ("sdc1",)},
        partitions={"sdc": ("sdc1",)},
        records={
            "sdc1": UdevRecord(
                links=(),
                properties={"ID_FS_TYPE": "linux_raid_member", "ID_FS_UUID": "e90f4b4c-f56c-256d-21d5-46d27da2707b"},
            )
        },
    )
    member = Look(zero=False, signatures=(FoundSignature(type="linux_raid_member", offset=4096, uuid=uuid),))
    shares = f"shares array {uuid} with the system"
    assert protected(Answers(), found, mounted(md0=("/",)), {"sda": member, "sdb": member}) == {
        "sda": "/", "sdb": shares, "sdc": shares,
    }  # fmt: skip


def test_root_on_zfs_protects_the_pool() -> None:
    label = FoundSignature(type="zfs_member", offset=0, label="rpool")
    looks = {"sda": Look(zero=False, signatures=(label,)), "sdb": Look(zero=True)}
    found = tree(block("sda", "8:0"), block("sdb", "8:16"))
    assert protected(Answers(), found, mounted(rpool=("/",)), looks) == {"sda": "/"}
