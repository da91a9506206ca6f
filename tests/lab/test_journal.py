"""A write journal on real md: built by a plan, booted, failed, exchanged with a cut in between, taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab import guest_watch, journal_sizes
from tests.lab.disk import lab_disks
from tests.lab.geometry_measure import prepare
from tests.lab.guest import Guest
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine
from tests.lab.test_build import WATCH, _confirmed, _planned, _taken_back, _why
from tests.lab.test_script import _build, _plan, _put, _skip_initramfs, _undo

pytestmark = pytest.mark.lab

SERIALS = [f"LAB{number:04d}" for number in range(1, 6)]
_SUMS = "sha256sum --check --quiet /root/sum"
_STARTED = """
for look in $(seq 200); do
  [ "$(grep -c '^md.* : active' /proc/mdstat)" = 2 ] && exit 0; sleep 1
done
cat /proc/mdstat; exit 1
"""
_CUT = """
old=$(basename $(readlink -f {old}))
setsid raidtui {words} --begin --yes --confirm {digest} > /root/replace 2>&1 &
for look in $(seq 6000); do grep -q "$old\\[" /proc/mdstat || break; sleep 0.005; done
pkill -KILL -f '^[^ ]*python[^ ]* .*(replace|changes|living)'
sleep 1; cat /proc/mdstat
"""


@pytest.fixture(scope="module")
def vm(lab_image: Image) -> Iterator[QuickMachine]:
    """Seven disks that sync in seconds, and two that belong to somebody."""
    disks = [*lab_disks(7, bytes=256 * MIB), *lab_disks(2, prefix="BY", bytes=64 * MIB)]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None) as machine:
        install(machine, Path(guest_watch.__file__))
        _skip_initramfs(machine)
        yield machine


def _of(vm: Guest, name: str) -> str:
    return vm.check(f"cat /sys/block/$(basename $(readlink -f /dev/md/data))/md/{name}").stdout.strip()


def _built(vm: QuickMachine, layout: str, journal: int = 1) -> Plan:
    plan = _planned(
        vm, layout, [f"LAB{number:04d}" for number in range(1, 5 + journal)], f"--journal {journal} --fs ext4"
    )
    built = _confirmed(vm, "build /root/plan/plan.json --wait-for-sync", plan)
    assert built.exit == 0, _why(vm, built)
    vm.check("dd if=/dev/urandom of=/srv/data/f bs=4k count=4k status=none; sha256sum /srv/data/f > /root/sum; sync")
    return plan


def _audited(vm: Guest) -> list[str]:
    audited = vm.run("raidtui audit --json")
    assert audited.exit in (0, 1), audited
    return [each["code"] for each in json.loads(audited.stdout)["findings"]]


def _exchanged(vm: Guest, words: str) -> None:
    digest = json.loads(vm.check(f"raidtui {words} --json").stdout)["digest"]
    begun = vm.run(f"raidtui {words} --begin --yes --confirm {digest}", timeout=300)
    assert begun.exit == 0, begun.stderr
    assert "(J)" in vm.check("cat /proc/mdstat").stdout


def test_it_is_built_started_by_a_boot_and_taken_back(vm: QuickMachine) -> None:
    others = vm.hash_disks(["BY0001", "BY0002"])
    plan = _built(vm, "(3+1)")
    kernel = vm.check(f"basename $(readlink -f {vm.disk_path('LAB0005')})").stdout.strip()
    assert (_of(vm, "consistency_policy"), _of(vm, f"dev-{kernel}/state")) == ("journal", "journal")
    assert int(vm.check("blockdev --getsize64 /dev/md/data").stdout) == plan.prediction.arrays[0].array_bytes
    vm.reboot(permute=3)
    vm.check(f"udevadm settle; systemctl start srv-data.mount; {_SUMS}", timeout=240)
    assert _of(vm, "consistency_policy") == "journal"
    assert not {"journal-lost", "journal-missing", "plan-drift", "no-bitmap"} & {*_audited(vm)}
    _taken_back(vm, plan, "--lose-files 1")
    assert vm.hash_disks(["BY0001", "BY0002"]) == others


def test_on_a_mirror_it_is_built_started_by_a_boot_and_taken_back(vm: QuickMachine) -> None:
    others = vm.hash_disks(["BY0001", "BY0002"])
    plan = _built(vm, "(3+1)", journal=2)
    mirror = vm.check("basename $(readlink -f /dev/md/data-log)").stdout.strip()
    assert (_of(vm, "consistency_policy"), _of(vm, f"dev-{mirror}/state")) == ("journal", "journal")
    assert plan.prediction.journals is not None
    size = plan.prediction.journals[0].array_bytes
    assert int(vm.check("blockdev --getsize64 /dev/md/data-log").stdout) == size
    vm.reboot(permute=3)
    vm.check(f"udevadm settle; systemctl start srv-data.mount; {_SUMS}", timeout=240)
    assert _of(vm, "consistency_policy") == "journal"
    assert not {"journal-lost", "journal-missing", "plan-drift", "no-bitmap", "array-degraded"} & {*_audited(vm)}
    _taken_back(vm, plan, "--lose-files 1")
    assert vm.hash_disks(["BY0001", "BY0002"]) == others


@pytest.mark.long
def test_it_fails_and_is_exchanged_twice_once_with_a_cut(vm: QuickMachine) -> None:
    others = vm.hash_disks(["BY0001", "BY0002"])
    _built(vm, "(2+2)")
    vm.check(f"mdadm /dev/md/data --fail {vm.disk_path('LAB0005')}; udevadm settle")
    assert vm.run("dd if=/dev/zero of=/srv/data/g bs=4k count=64 oflag=direct conv=fsync status=none").exit != 0
    vm.check(f"echo 3 > /proc/sys/vm/drop_caches; {_SUMS}")
    assert "journal-lost" in _audited(vm)

    vm.check("umount /srv/data; mdadm --readonly /dev/md/data; udevadm settle")
    _exchanged(vm, "replace data --member LAB0005 --with LAB0006")
    vm.check(f"mount /srv/data; {_SUMS}; touch /srv/data/h; sync")

    vm.check("umount /srv/data; mdadm --readonly /dev/md/data; udevadm settle")
    words = "replace data --member LAB0006 --with LAB0007"
    digest = json.loads(vm.check(f"raidtui {words} --json").stdout)["digest"]
    cut = vm.check(_CUT.format(old=vm.disk_path("LAB0006"), words=words, digest=digest), timeout=300).stdout
    assert "(J)" not in cut, cut  # the old one is out, and no other is in
    _exchanged(vm, words)
    vm.check(f"mount /srv/data; {_SUMS}; test -e /srv/data/h; touch /srv/data/i; sync")
    assert vm.hash_disks(["BY0001", "BY0002"]) == others


def _cleared(vm: QuickMachine) -> None:
    """Nothing of a build before is left."""
    vm.check("umount /srv/data || true; for each in 1 2; do mdadm --stop --scan || true; udevadm settle; done")
    vm.check("! grep '^md' /proc/mdstat")
    vm.check("sed -i '/raidtui/,/raidtui/d' /etc/fstab /etc/mdadm/mdadm.conf; rm -rf /var/lib/raidtui")
    vm.check("rm -f /etc/udev/rules.d/*raidtui*; udevadm control --reload")
    vm.erase_disks([serial for serial in vm.serials if serial.startswith("LAB")])
    vm.check("udevadm trigger --settle --subsystem-match=block")


@pytest.mark.long
@pytest.mark.parametrize(
    ("layout", "disks", "stated"), [("(2+1)", 5, "--journal 2 --fs ext4"), ("2x(2+1)", 6, "--stack md --fs ext4")]
)
@pytest.mark.parametrize("power", [False, True])
def test_a_build_cut_while_an_array_over_arrays_is_made_goes_on(
    vm: QuickMachine, layout: str, disks: int, stated: str, power: bool
) -> None:
    """What mdadm has left of it on a mirror, or on the legs of a stripe, is the plan's own; they are blank again."""
    _cleared(vm)
    plan = _planned(vm, layout, [f"LAB{number:04d}" for number in range(1, disks + 1)], stated)
    sniper = vm.start_command(f"{WATCH} kill intent 'mdadm --create /dev/md/data --'", timeout=300)
    _confirmed(vm, "build /root/plan/plan.json --during-sync", plan)
    assert sniper.wait().exit == 0
    if power:
        vm.power_cut()
        vm.start(permute=3)
        _skip_initramfs(vm)
    resumed = vm.run(f"raidtui resume {plan.run_id[:8]} --during-sync", timeout=600)
    assert resumed.exit == 0, _why(vm, resumed)
    _taken_back(vm, plan)


@pytest.mark.long
def test_a_mirror_outlives_a_disk_at_a_boot_and_gets_another(vm: QuickMachine) -> None:
    others = vm.hash_disks(["BY0001", "BY0002"])
    _cleared(vm)
    _built(vm, "(3+1)", journal=2)
    vm.power_off()
    vm.start(without=["LAB0005"])
    try:
        vm.check(_STARTED, timeout=300)  # mdadm's timers: half a minute, and up to a minute more
        codes = _audited(vm)
        assert "array-degraded" in codes
        if "(J)" not in vm.check("cat /proc/mdstat").stdout:  # the array's timer was first
            assert {"journal-lost", "member-dropped"} <= {*codes}
            assert _of(vm, "array_state") == "readonly"
            vm.check(
                "umount /srv/data || true; mdadm --stop /dev/md/data && { mdadm --assemble --scan; udevadm settle; }"
            )
        assert "(J)" in vm.check("cat /proc/mdstat").stdout
        vm.check(f"systemctl start srv-data.mount && {_SUMS} && touch /srv/data/g && sync", timeout=240)
        assert _of(vm, "consistency_policy") == "journal"
        assert not {"journal-lost", "journal-missing", "member-dropped"} & {*_audited(vm)}
        words = "replace data-log --with LAB0007"
        digest = json.loads(vm.check(f"raidtui {words} --json").stdout)["digest"]
        begun = vm.run(f"raidtui {words} --begin --yes --confirm {digest}", timeout=300)
        assert begun.exit == 0, begun.stderr
        assert "[2/2] [UU]" in vm.check("cat /proc/mdstat").stdout
        vm.reboot()
        vm.check(f"udevadm settle; systemctl start srv-data.mount && {_SUMS} && test -e /srv/data/g", timeout=240)
        assert not {"journal-lost", "journal-missing", "array-degraded"} & {*_audited(vm)}
    finally:
        vm.plug("LAB0005")
    assert vm.hash_disks(["BY0001", "BY0002"]) == others


@pytest.mark.long
@pytest.mark.parametrize(("layout", "journal"), [("(2+1)+1", 1), ("(2+1)", 2)])
def test_the_scripts_build_it_and_take_it_back(vm: QuickMachine, layout: str, journal: int) -> None:
    _cleared(vm)
    plan = _plan(vm, layout, SERIALS, chunk=64, fs="ext4", journal=journal)
    _put(vm, plan)
    _build(vm, plan)
    assert _of(vm, "consistency_policy") == "journal"
    _undo(vm, plan)


@pytest.mark.long
def test_md_gives_the_recorded_sizes_again(lab_image: Image) -> None:
    with QuickMachine(journal_sizes.pool(), using=lab_image) as machine:
        prepare(machine)
        found = [json.loads(line) for line in journal_sizes.read(machine)]
    recorded = [json.loads(line) for line in journal_sizes.FILE.read_text().splitlines()]
    assert [_without_state(each) for each in found] == [_without_state(each) for each in recorded]


def _without_state(case: dict[str, Any]) -> dict[str, Any]:
    """Without how far its first sync is."""
    return {**case, "detail": case["detail"][:3]}
