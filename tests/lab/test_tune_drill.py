"""Trials before the decision and a drill after it, on real md: by the command line, with fio, and taken back.

The geometry of arrays on a slice of each disk is what mdadm makes of `--size`, not what anybody wrote down.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from raidtui.steps.trials import TrialRequest, tuning
from raidtui.values.codec import from_json
from raidtui.values.design import Design
from raidtui.values.inventory import Inventory
from raidtui.values.notation import parse
from raidtui.values.plan import Command, Plan
from raidtui.values.units import KIB, MIB
from tests.lab.agent import Result
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine
from tests.lab.test_script import END, _equals_plan, _inventory, _skip_initramfs

pytestmark = pytest.mark.lab

SERIALS = ["LAB0001", "LAB0002", "LAB0003", "LAB0004"]
LIMIT = "/proc/sys/dev/raid/speed_limit_max"
BYSTANDERS = ["BY0001", "BY0002"]
LARGE = ["BIG0001", "BIG0002", "BIG0003", "BIG0004"]
PHASES = ["create", "create and sync", "list", "read", "delete"]
ONLY = " ".join(f"--only {serial}" for serial in SERIALS)
PROFILE: dict[str, Any] = {
    "schema": "raidtui/profile/1",
    "name": "lab",
    "title": "short",
    "purpose": "that figures come",
    "jobs": [
        {
            "name": name, "title": name, "target": "files", "pattern": name, "block_bytes": 128 * KIB, "seconds": 1.0,
            "warm_up_seconds": 0.0, "repeats": 1, "stream_bytes": 16 * MIB,
        }
        for name in ("write", "read")
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def bench(lab_image: Image) -> Iterator[QuickMachine]:
    """Four disks that sync in seconds, four of 2 TB, and two that belong to somebody."""
    disks = [
        *lab_disks(4, bytes=512 * MIB),
        *lab_disks(4, prefix="BIG"),
        *lab_disks(2, prefix="BY", bytes=256 * MIB),
    ]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        _skip_initramfs(vm)
        ext4, volume = vm.disk_paths(BYSTANDERS).values()
        vm.check(f"mkfs.ext4 -q {ext4} && mount {ext4} /mnt && cp -r /etc /mnt && umount /mnt")
        vm.check(f"pvcreate -q {volume} && vgcreate -q theirs {volume}; udevadm settle; sync")
        vm.put("/root/profile.json", json.dumps(PROFILE).encode())
        vm.put("/root/one.json", json.dumps({**PROFILE, "jobs": PROFILE["jobs"][1:]}).encode())
        yield vm


@pytest.mark.long
def test_tuned_and_taken_back(bench: QuickMachine) -> None:
    vm = bench
    others = vm.hash_disks([*BYSTANDERS, *LARGE])
    words = f"tune '(2+1)+1' {ONLY} --chunks 64K,512K --slice 320M --profile /root/profile.json --repeats 1 --json"
    dry = json.loads(vm.check(f"raidtui {words} --dry-run", timeout=120).stdout)
    said = vm.run(f"raidtui {words} --yes --confirm {dry['tuning']['digest']}", timeout=600)
    assert said.exit == 0, _why(vm, said)
    tuned = json.loads(said.stdout)
    assert [variant["name"] for variant in tuned["tuning"]["variants"]] == ["64 KiB xfs", "512 KiB xfs"]
    assert [(each["outcome"], each["undone"]) for each in tuned["trials"]] == [("measured", True)] * 2
    assert all(work["figure"]["median"] > 1e6 for each in tuned["trials"] for work in each["workloads"])
    assert [len(each["workloads"]) for each in tuned["trials"]] == [2, 2]
    _blank(vm, SERIALS)
    assert vm.hash_disks([*BYSTANDERS, *LARGE]) == others


@pytest.mark.long
def test_chunks_blocks_and_mount_options_in_one_table(bench: QuickMachine) -> None:
    """Two chunks, two block sizes and two sets of mount options: two arrays, and four file systems on each of them."""
    vm = bench
    others = vm.hash_disks([*BYSTANDERS, *LARGE])
    sets = "--fs ext4 --mkfs ';block=1K' --mount-options 'noatime;data=writeback,nodelalloc'"
    words = (
        f"tune '(2+1)+1' {ONLY} --chunks 64K,256K {sets} --slice 320M --profile /root/profile.json --repeats 2 --json"
    )
    dry = json.loads(vm.check(f"raidtui {words} --dry-run", timeout=120).stdout)
    said = vm.run(f"raidtui {words} --yes --confirm {dry['tuning']['digest']}", timeout=900)
    assert said.exit == 0, _why(vm, said)
    tuned = json.loads(said.stdout)
    variants = tuned["tuning"]["variants"]
    assert [variant["name"] for variant in variants] == [
        f"{chunk} KiB ext4 {options}"
        for chunk in (64, 256)
        for options in (
            "noatime", "data=writeback,nodelalloc", "block=1K noatime", "block=1K data=writeback,nodelalloc"
        )
    ]  # fmt: skip
    assert len({variant["run_id"] for variant in variants}) == 2
    assert [(each["outcome"], each["undone"]) for each in tuned["trials"]] == [("measured", True)] * 8
    assert [len(work["figure"]["repeats"]) for each in tuned["trials"] for work in each["workloads"]] == [2] * 16
    _blank(vm, SERIALS)
    assert vm.hash_disks([*BYSTANDERS, *LARGE]) == others


@pytest.mark.long
def test_a_tree_is_measured_on_real_md_and_leaves_nothing(bench: QuickMachine) -> None:
    """A directory and a tar of it with a member that leads out; both as often as asked, and nothing is left."""
    vm = bench
    others = vm.hash_disks([*BYSTANDERS, *LARGE])
    plan = _built(vm)
    vm.check(
        "mkdir -p /root/tree/a/b && for i in $(seq 300); do head -c $((i * 40)) /dev/urandom > /root/tree/a/b/$i; done"
    )
    vm.check("ln -s /etc /root/tree/link; tar -P -czf /root/tree.tgz -C /root tree /etc/hostname")
    for source, folders, skipped in (("/root/tree", 2, "link: a link"), ("/root/tree.tgz", 3, "/etc/hostname: a name")):
        vm.check("rm -rf /root/out")
        words = f"bench {plan.run_id[:8]} --tree {source} --repeats 3 --yes --out /root/out --json"
        said = vm.run(f"raidtui {words}", timeout=600)
        assert said.exit == 0, _why(vm, said)
        assert f"tree of 300 files in {folders} directories" in said.stderr and f"skipped {skipped}" in said.stderr
        result = json.loads(vm.get("/root/out/result.json"))
        (figure,) = result["figures"]
        assert (result["outcome"], figure["unit"], len(figure["repeats"])) == ("finished", "files/s", 3)
        assert all(list(each["parts"]) == PHASES and min(each["parts"].values()) > 0 for each in figure["repeats"])
        assert "cached" not in figure["labels"]
        assert vm.check("ls -A /srv/data").stdout.split() == []
    undone = vm.run(f"raidtui undo {plan.run_id[:8]} --yes --confirm {plan.digest}", timeout=300)
    assert undone.exit == 0, _why(vm, undone)
    _blank(vm, SERIALS)
    assert vm.hash_disks([*BYSTANDERS, *LARGE]) == others


@pytest.mark.long
def test_built_drilled_with_a_kill_and_taken_back(bench: QuickMachine) -> None:
    vm = bench
    others = vm.hash_disks([*BYSTANDERS, *LARGE])
    plan = _built(vm)
    run = plan.run_id[:8]
    # md stops half-way until the drill that was killed is back at work, however slow the emulated machine is today
    most = "/sys/block/$(basename $(readlink -f /dev/md/data))/md/sync_max"
    vm.check(f"echo 60000 > {LIMIT}; echo {256 * MIB // 512} > {most}")
    vm.check(f"{_drill(run, plan)} --detach", timeout=120)
    _killed_in_the_rebuild(vm, plan)
    journal = f"/var/lib/raidtui/{plan.run_id}/drill-0-1/journal"
    told = f"[ $(tr '\\0' '\\n' < {journal} | grep -c -e 'waits for the rebuild' -e 'workloads during') -ge 3 ]"
    vm.check(f"(for i in $(seq 1500); do {told} && break; sleep 0.2; done; echo max > {most}) >/dev/null 2>&1 &")
    drilled = vm.run(f"{_drill(run, plan)} --json", timeout=600)
    assert drilled.exit == 0, _why(vm, drilled)
    result = json.loads(drilled.stdout)
    assert (result["outcome"], result["restored"], result["mismatches"]) == ("finished", True, 0), result
    assert [each["stage"] for each in result["passes"]] == ["rebuild", "replace", "check"]
    assert [each["whole"] for each in result["passes"]] == [False, True, True]
    assert (result["failed_serial"], result["spare_serial"]) == ("LAB0001", "LAB0004")
    assert [work["job"] for work in result["workloads"]] == ["read"]
    assert "syncing" in result["workloads"][0]["figure"]["labels"]
    rates = [result["passes"][0].get(name) for name in ("bytes_per_s", "loaded_bytes_per_s")]
    assert any(rate is not None and 1e6 < rate < 1e9 for rate in rates), result["passes"]
    _equals_plan(vm, plan)

    undone = vm.run(f"raidtui undo {run} --yes --confirm {plan.digest}", timeout=300)
    assert undone.exit == 0, _why(vm, undone)
    _blank(vm, SERIALS)
    assert vm.hash_disks([*BYSTANDERS, *LARGE]) == others


@pytest.mark.parametrize(
    ("layout", "chunk_kib", "slice_mib", "metadata"),
    [
        ("(2+1)", 4, 100, "1.2"),
        ("(2+2)", 1024, 333, "1.2"),
        ("raid10(3,n2)", 512, 101, "1.2"),
        ("raid10(3,o2)", 1024, 65, "1.0"),
        ("(3+1)", 64, 2049, "0.90"),
    ],
)
def test_the_slice_that_mdadm_takes(
    bench: QuickMachine, layout: str, chunk_kib: int, slice_mib: int, metadata: str
) -> None:
    """Size, offset and used part of each member of 2 TB equal the prediction; the readings of the plan hold."""
    vm = bench
    inventory = _inventory(vm)
    disks = tuple(next(disk for disk in inventory.disks if disk.serial == serial) for serial in LARGE)
    design = Design(layout=parse(layout), metadata=metadata, bitmap="none")  # type: ignore[arg-type]
    ask = TrialRequest(
        design=design, chunks=(chunk_kib * KIB,), file_systems=("ext4",), slice_bytes=slice_mib * MIB, first_sync=False,
        profile="lab", seconds=None,
    )  # fmt: skip
    _, (plan,) = tuning(ask, inventory, disks, host="raidlab")
    create = next(step for step in plan.steps if step.stage == "create")
    try:
        for action in create.actions:
            assert isinstance(action, Command)
            vm.check(action.argv)
        geometry = plan.prediction.arrays[0]
        device = plan.arrays[0].device
        assert int(vm.check(["blockdev", "--getsize64", device]).stdout) == geometry.array_bytes
        shown = vm.check(["mdadm", "--examine", plan.disks[0].path]).stdout
        detail = vm.check(["mdadm", "--detail", device]).stdout
        used = int(detail.split("Used Dev Size :")[1].split()[0])
        assert used * KIB == geometry.component_bytes, detail
        assert vm.check(f"cat /sys/block/$(basename $(readlink -f {device}))/md/sync_action").stdout == "idle\n"
        if metadata == "1.2":
            assert f"Data Offset : {geometry.data_offset_sectors} sectors" in shown, shown
    finally:
        vm.check("mdadm --stop /dev/md/trial; udevadm settle")
        vm.erase_disks(LARGE)


def _built(vm: QuickMachine) -> Plan:
    vm.check(f"raidtui plan '(2+1)+1' --chunk 64K {ONLY} --out /root/plan", timeout=120)
    plan = from_json(Plan, vm.get("/root/plan/plan.json"), source="the guest")
    built = vm.run(f"raidtui build /root/plan/plan.json --yes --confirm {plan.digest}", timeout=600)
    assert built.exit == 0, _why(vm, built)
    return plan


def _drill(run: str, plan: Plan) -> str:
    return f"raidtui drill {run} --yes --confirm {plan.digest} --profile /root/one.json"


def _killed_in_the_rebuild(vm: QuickMachine, plan: Plan) -> None:
    """The executor is killed while md rebuilds; md goes on by itself."""
    journal = f"/var/lib/raidtui/{plan.run_id}/drill-0-1/journal"
    vm.check(f"for i in $(seq 600); do grep -q 'waits for the rebuild' {journal} && break; sleep 0.1; done")
    vm.check("systemctl kill --signal=KILL raidtui-drill-0-.service")
    vm.check("for i in $(seq 100); do systemctl is-active raidtui-drill-0-.service || break; sleep 0.1; done")
    told = vm.check(f"tr '\\0' '\\n' < {journal} | grep -c -e finished -e failed || true").stdout
    assert told == "0\n"


def _blank(vm: QuickMachine, serials: list[str]) -> None:
    """Every disk blank at both ends as the host sees it, and nothing of it in any file."""
    vm.check("sync; udevadm settle")
    assert "md" not in vm.check("grep ^md /proc/mdstat || true").stdout
    assert vm.run("ls /dev/md/trial* /dev/md/data*").exit == 2
    assert vm.run("grep -rl raidtui /etc/fstab /etc/mdadm /etc/udev/rules.d").exit == 1
    assert vm.run("findmnt --noheadings --list --output=TARGET | grep /var/lib/raidtui").exit == 1
    seen: Inventory = _inventory(vm)
    for disk in seen.disks:
        if disk.serial in serials:
            assert disk.unsigned, disk  # what the file system wrote is still between the ends
            backing = vm.backing(disk.serial or "")
            assert backing.is_blank(0, END) and backing.is_blank(disk.size_bytes - END)
    vm.erase_disks(serials)  # blank for the next test


def _why(vm: QuickMachine, result: Result) -> str:
    said: Any = vm.run(
        "tail -n20 /var/lib/raidtui/*/executor /var/lib/raidtui/*/*/executor; "
        "ls -t /var/lib/raidtui/*/output/* /var/lib/raidtui/*/*/output/* | head -1 | xargs cat; cat /proc/mdstat"
    )
    return f"{str(result)[-3000:]}\n{said}"
