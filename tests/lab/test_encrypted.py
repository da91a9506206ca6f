"""LUKS2 on real md, LVM and dm-crypt: built, read back, opened by a boot, cut and resumed, taken back.

What is asked of the guest is asked in other words than the executor's: the tables of device-mapper, the JSON of the
header, bytes on the disks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.answers.confirm import phrase
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.lab import crypt_sizes, guest_watch
from tests.lab.agent import Result
from tests.lab.disk import lab_disks
from tests.lab.guest import Guest
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine
from tests.lab.test_build import BYSTANDERS, WATCH, _confirmed, _planned, _taken_back, _why
from tests.lab.test_script import _skip_initramfs

pytestmark = pytest.mark.lab

KEY = "/etc/keys/data.key"
STATED = f"--encrypt volume --key-file {KEY}"
SERIALS = [f"LAB{number:04d}" for number in range(1, 9)]
STORED = {"not-in-crypttab", "not-in-fstab", "key-file-missing", "key-file-readable", "header-backup", "luks-sectors",
          "stripe-geometry"}  # fmt: skip
"""what an audit would find of a file system and its encryption"""
SECRET = "a line that no disk may show as it is"


@pytest.fixture(scope="module")
def vm(lab_image: Image) -> Iterator[QuickMachine]:
    """Eight disks that sync in seconds, and four that belong to somebody."""
    disks = [*lab_disks(8, bytes=512 * MIB), *lab_disks(4, prefix="BY", bytes=64 * MIB)]
    with QuickMachine(disks, using=lab_image, sync_limit_kib=None, memory_mib=2048) as machine:
        install(machine, Path(guest_watch.__file__))
        _skip_initramfs(machine)
        machine.check(f"install -m 0700 -d /etc/keys; head -c 64 /dev/urandom > {KEY}; chmod 0400 {KEY}")
        yield machine


@pytest.mark.parametrize(
    ("layout", "more", "devices", "full_stripe"),
    [
        pytest.param("2x(2+1)", "", {"data-luks": "/dev/data/data"}, 4 * 64 * 1024, marks=pytest.mark.long),
        ("2x(3+1)", "--encrypt arrays", {f"data-{n}-luks": f"/dev/md/data-{n}" for n in (0, 1)}, 3 * 64 * 1024),
        pytest.param("(3+1)", "--fs ext4", {"data-luks": "/dev/md/data"}, 3 * 64 * 1024, marks=pytest.mark.long),
        pytest.param("2x raid1(2)", "--stack md", {"data-luks": "/dev/md/data"}, 2 * 64 * 1024, marks=pytest.mark.long),
    ],
)
def test_it_is_built_opened_by_a_boot_and_taken_back(
    vm: QuickMachine, layout: str, more: str, devices: dict[str, str], full_stripe: int
) -> None:
    others = vm.hash_disks(BYSTANDERS)
    plan = _planned(vm, layout, SERIALS, f"{STATED} {more}")
    built = _confirmed(vm, "build /root/plan/plan.json --wait-for-sync", plan)
    assert built.exit == 0, _why(vm, built)
    assert plan.crypts is not None and plan.prediction.crypts is not None
    assert {crypt.name: crypt.device for crypt in plan.crypts} == devices
    for geometry in plan.prediction.crypts:
        assert (geometry.offset_bytes % full_stripe, geometry.offset_bytes >= 16 * MIB) == (0, True)
    encrypted_as_planned(vm, plan)
    audited = json.loads(vm.run("raidtui audit --json").stdout)
    assert not {each["code"] for each in (*audited["findings"], *audited["unchecked"])} & STORED, audited
    size = int(vm.check("echo $(($(stat -f -c '%S * %b' /srv/data)))").stdout)
    assert size == plan.prediction.filesystems[0].total_bytes
    key = vm.check(["base64", "-w0", KEY]).stdout
    assert vm.run(f"grep -rqF -e '{key}' /var/lib/raidtui /var/log").exit == 1

    vm.check(f"yes '{SECRET}' | head -n 20000 > /srv/data/marker; sync")
    members = " ".join(f"{disk.path}" for disk in plan.disks)
    assert vm.run(f"cat {members} | tr '\\0' '\\n' | grep -aqF '{SECRET}'", timeout=300).exit == 1
    vm.reboot(permute=7)
    mounted = plan.filesystems[0].device
    opened = f"for second in $(seq 120); do test -e {mounted} && break; sleep 1; done; udevadm settle"
    vm.check(f"{opened}; systemctl start srv-data.mount", timeout=240)  # this boot starts no mounts of fstab
    assert vm.check("head -n 1 /srv/data/marker").stdout == f"{SECRET}\n"
    _skip_initramfs(vm)
    again = _confirmed(vm, f"undo {plan.run_id[:8]}", plan)
    assert (again.exit, "/srv/data" in again.stdout) == (1, True), again
    assert vm.check("head -n 1 /srv/data/marker").stdout == f"{SECRET}\n"
    _gone(vm, plan, "--lose-files 1")
    assert vm.hash_disks(BYSTANDERS) == others


def encrypted_as_planned(vm: Guest, plan: Plan, key: str = KEY) -> None:
    """Header, mapping, the header's copy and the lines of crypttab of each volume; `key` as crypttab names it."""
    crypts = plan.crypts or ()
    for crypt, geometry in zip(crypts, plan.prediction.crypts or (), strict=True):
        device = crypt.device
        segment = json.loads(vm.check(f"cryptsetup luksDump --dump-json-metadata {device}").stdout)["segments"]["0"]
        offset = int(segment["offset"])
        assert (segment["sector_size"], segment["encryption"]) == (4096, "aes-xts-plain64")
        assert offset == geometry.offset_bytes
        whole = int(vm.check(f"blockdev --getsize64 {device}").stdout)
        assert int(vm.check(f"blockdev --getsize64 {crypt.path}").stdout) == whole - offset == geometry.size_bytes
        table = vm.check(f"dmsetup table {crypt.name}").stdout
        assert re.fullmatch(
            rf"0 {(whole - offset) // 512} crypt aes-xts-plain64 \S+ 0 \S+ {offset // 512} 1 sector_size:4096\n", table
        )
        assert vm.check(["blkid", "-o", "value", "-s", "UUID", device]).stdout.strip() == crypt.uuid
        assert (
            vm.check(f"stat -c '%a %U' {crypt.backup}; cryptsetup luksUUID {crypt.backup}").stdout
            == f"400 root\n{crypt.uuid}\n"
        )
    lines = "".join(f"{crypt.name} UUID={crypt.uuid} {key} luks,nofail\n" for crypt in crypts)
    assert not crypts or vm.check("grep -v '^#' /etc/crypttab").stdout == lines


KILLED = [
    (words, power)
    for words in ("cryptsetup luksFormat", "cryptsetup luksHeaderBackup", "cryptsetup open", "mkfs.xfs")
    for power in (False, True)
]


@pytest.mark.parametrize(
    ("words", "power"),
    [
        pytest.param(*case, marks=() if case == ("cryptsetup open", True) else pytest.mark.long) for case in KILLED
    ],
)  # fmt: skip
def test_a_build_that_was_killed_goes_on(vm: QuickMachine, words: str, power: bool) -> None:
    """Killed right after the intent was written, that is before or in the middle of the command; `power`: then off."""
    plan = _planned(vm, "2x(2+1)", SERIALS, STATED)
    sniper = vm.start_command(f"{WATCH} kill intent '{words}'", timeout=300)
    _confirmed(vm, "build /root/plan/plan.json", plan)
    assert sniper.wait().exit == 0
    if power:
        vm.power_cut()
        vm.start(permute=3)
        _skip_initramfs(vm)
    resumed = vm.run(f"raidtui resume {plan.run_id[:8]}", timeout=600)
    assert resumed.exit == 0, _why(vm, resumed)
    assert vm.check("findmnt -no SOURCE /srv/data").stdout == "/dev/mapper/data-luks\n"
    _gone(vm, plan)


PHRASE = "eight wet snowmen, no key"


def _typed(vm: Guest, words: str, *answers: tuple[str, str]) -> Result:
    """raidtui on a terminal of its own, where each answer is typed at its words."""
    return vm.run(f"{WATCH} type raidtui {words}", stdin=json.dumps(answers), timeout=900)


def _twice(first: str = PHRASE, again: str = PHRASE) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("volumes of data: ", first), ("again: ", again)


def _shown_nowhere(vm: Guest, *seen: str) -> None:
    """The passphrase is in no file of the guest, in no command line or environment, and in nothing that was shown."""
    found = vm.run(f"{WATCH} search", stdin=PHRASE, timeout=900).stdout.splitlines()
    assert len(found) == 1 and int(found[0].split()[0]) > 1000, found
    assert not [text for text in seen if PHRASE in text or PHRASE[-6:] in text]


@pytest.mark.parametrize("power", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_passphrase_is_typed_and_shown_nowhere(vm: QuickMachine, power: bool) -> None:
    """Typed at a terminal, first not the same twice; cut, asked again, refused where it is another; taken back."""
    others = vm.hash_disks(BYSTANDERS)
    plan = _planned(vm, "2x(2+1)", SERIALS, "--encrypt volume")
    alone = _confirmed(vm, "build /root/plan/plan.json", plan)
    assert (alone.exit, "the passphrase of data is typed at a terminal; nothing was written" in alone.stderr) == (
        1,
        True,
    )
    seeker = vm.start_command(f"{WATCH} search intent 'cryptsetup open'", stdin=PHRASE, timeout=900)
    sniper = vm.start_command(f"{WATCH} kill intent 'mkfs.xfs'", timeout=900)
    begin = ("to begin", phrase(plan)), *_twice(again="another"), *_twice()
    built = _typed(vm, "build /root/plan/plan.json", *begin)
    assert sniper.wait().exit == 0, _why(vm, built)
    assert "the two are not the same: type it again" in built.stdout
    assert re.fullmatch(r"\d+ looked at\n", seeker.wait().stdout)
    assert vm.check("cryptsetup luksDump /dev/data/data | grep -cP '^\\tKey:'").stdout == "1\n"
    if power:
        vm.power_cut()
        vm.start(permute=3)
        _skip_initramfs(vm)
        wrong = _typed(vm, f"resume {plan.run_id[:8]}", *_twice("another", "another"))
        assert "this passphrase does not open /dev/data/data; nothing was written" in wrong.stdout, wrong
        resumed = _typed(vm, f"resume {plan.run_id[:8]}", *_twice())
    else:  # what was opened is open: nothing is asked
        resumed = vm.run(f"raidtui resume {plan.run_id[:8]}", timeout=600)
    assert resumed.exit == 0, _why(vm, resumed)
    assert vm.check("findmnt -no SOURCE /srv/data").stdout == "/dev/mapper/data-luks\n"
    encrypted_as_planned(vm, plan, "none")
    vm.check("cryptsetup open --test-passphrase /dev/data/data", stdin=f"{PHRASE}\n")  # as it is typed at a boot
    assert vm.run("cryptsetup open --test-passphrase /dev/data/data", stdin="another\n").exit == 2
    _shown_nowhere(vm, built.stdout, resumed.stdout)
    _gone(vm, plan)
    assert vm.hash_disks(BYSTANDERS) == others


def test_a_passphrase_beside_the_key_file_opens_it_too(vm: QuickMachine) -> None:
    plan = _planned(vm, "2x(2+1)", SERIALS, f"{STATED} --passphrase")
    built = _typed(vm, "build /root/plan/plan.json", ("to begin", phrase(plan)), *_twice())
    assert built.exit == 0, _why(vm, built)
    assert plan.crypts is not None
    for header in ("/dev/data/data", f"--header {plan.crypts[0].backup} /dev/data/data"):
        vm.check(f"cryptsetup open --test-passphrase {header}", stdin=f"{PHRASE}\n")
        vm.check(f"cryptsetup open --test-passphrase --key-file {KEY} {header}")
    slots = json.loads(vm.check("cryptsetup luksDump --dump-json-metadata /dev/data/data").stdout)["keyslots"]
    assert sorted(slots) == ["0", "1"]
    _shown_nowhere(vm, built.stdout)
    _gone(vm, plan)


def test_the_script_asks_once_for_a_passphrase(vm: QuickMachine) -> None:
    plan = _planned(vm, "2x raid1(2)", SERIALS, "--encrypt volume --stack separate")
    words = f"bash /root/plan/build.sh {plan.digest[-8:]}"
    twice = ("Passphrase: ", PHRASE), ("again: ", PHRASE)
    built = vm.run(f"{WATCH} type {words}", stdin=json.dumps(twice), timeout=900)
    assert (built.exit, "Built and read back." in built.stdout) == (0, True), built
    for number in (0, 1):
        vm.check(f"cryptsetup open --test-passphrase /dev/md/data-{number}", stdin=f"{PHRASE}\n")
    _shown_nowhere(vm, built.stdout)
    undone = vm.run(f"bash /root/plan/undo.sh undo-{plan.digest[-8:]}", timeout=300)
    assert (undone.exit, "no signature or line of the plan is left" in undone.stdout) == (0, True), undone
    vm.erase_disks(SERIALS)
    vm.check("find /srv -mindepth 1 -depth -type d -empty -delete")


@pytest.mark.long
def test_the_printed_measurement_of_the_cipher_works(vm: QuickMachine) -> None:
    measured = vm.check("cryptsetup benchmark --cipher aes-xts-plain64 --key-size 512", timeout=300).stdout
    assert re.search(r"aes-xts +512b +[\d.]+ MiB/s +[\d.]+ MiB/s", measured), measured


def _gone(vm: Guest, plan: Plan, more: str = "") -> None:
    """Undone: also what encrypts is gone."""
    _taken_back(vm, plan, more)
    closed(vm, plan)


def closed(vm: Guest, plan: Plan) -> None:
    """No mapping, no line of crypttab, no backup of the header."""
    assert vm.run("ls /dev/mapper/*luks*").exit == 2
    assert plan.run_id not in vm.run("cat /etc/crypttab").stdout
    assert vm.run(f"ls /var/lib/raidtui/{plan.run_id}/*.header").exit == 2


@pytest.mark.long
def test_real_sizes_are_the_recorded_ones(vm: QuickMachine) -> None:
    assert crypt_sizes.read(vm, SERIALS[0]) == crypt_sizes.FILE.read_text("ascii").splitlines()
    vm.erase_disks(SERIALS[:1])


@pytest.mark.long
def test_real_stacks_are_the_recorded_ones(lab_image: Image) -> None:
    with QuickMachine(lab_disks(1, bytes=64 * 1024 * MIB), using=lab_image) as machine:
        made = crypt_sizes.read_stacks(machine, SERIALS[0])
    assert made == crypt_sizes.STACKS.read_text("ascii").splitlines()


@pytest.mark.parametrize(
    "layout", [pytest.param("2x(2+1)", marks=pytest.mark.long), "2x raid1(2) --stack separate"]
)  # fmt: skip
def test_the_scripts_build_it_and_take_it_back(vm: QuickMachine, layout: str) -> None:
    words, _, more = layout.partition(" --")
    plan = _planned(vm, words, SERIALS, f"{STATED} {more and f'--{more}'}")
    built = vm.run(f"bash /root/plan/build.sh {plan.digest[-8:]}", timeout=600)
    assert (built.exit, "Built and read back." in built.stdout) == (0, True), built
    assert plan.crypts is not None
    for crypt, made in zip(plan.crypts, plan.filesystems, strict=True):
        assert vm.check(f"findmnt -no SOURCE {made.mount_point}").stdout == f"{crypt.path}\n"
        assert vm.check(f"cryptsetup luksUUID {crypt.device}").stdout == f"{crypt.uuid}\n"
        vm.check(f"echo still here > {made.mount_point}/marker")
    looked = vm.run("bash /root/plan/undo.sh", timeout=120)
    lost = f"undo-{plan.digest[-8:]} lose-{len(plan.crypts)}-files"
    assert (looked.exit, lost in looked.stdout) == (0, True), looked
    undone = vm.run(f"bash /root/plan/undo.sh {lost}", timeout=300)
    assert (undone.exit, "no signature or line of the plan is left" in undone.stdout) == (0, True), undone
    assert vm.run("ls /dev/mapper/*luks*").exit == 2
    assert vm.run(f"grep -r {plan.run_id} /etc/crypttab /etc/fstab").exit == 1
    vm.erase_disks(SERIALS)
    vm.check("find /srv -mindepth 1 -depth -type d -empty -delete")
