"""Attacks on headers, keys, names and lines of an encrypted plan: each is refused or survived, and no byte of a disk of
others changes. What others do is done to the simulated machine's state, between two commands or two runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from raidtui.engine import survey as accepted_loss
from raidtui.simulated.devices import must_resolve
from raidtui.simulated.state import DiskMark, OpenCrypt
from raidtui.simulated.storage import below, put, seen
from raidtui.values.choices import CryptLayer
from raidtui.values.errors import MachineFailed, Refused, Stale
from raidtui.values.run import RunPurpose
from tests.machine.run.test_encrypted import KEY, Encrypted, cut

OTHER = "5f0d55a2-0000-4000-8000-000000000000"
CRYPTTAB = "/etc/crypttab"
CONTENT = "holds encrypted content (LUKS) that the plan did not create"
ELSEWHERE = "is open from another device than /dev/md/data-0"
JOINED = "a physical volume does not belong to the plan"
READABLE = "is a file, not empty, that root alone can read"


class Attack(NamedTuple):
    """What others do."""

    name: str
    does: Callable[[Encrypted], None]
    refused: str = ""
    """words of the refusal; empty: it is survived"""
    before: str = ""
    """command right before which it is done, or at which the build was killed before"""
    layout: str = "2x(2+1)"
    layer: CryptLayer = "volume"


def bystander(run: Encrypted) -> str:
    """Key of a disk that belongs to others."""
    ours = {disk.id for disk in run.plan.disks}
    return next(drive.key for drive in run.machine._state.drives if drive.disk.id not in ours)


def kept(run: Encrypted) -> dict[str, str]:
    """Digests of disks that belong to others."""
    ours = {disk.id for disk in run.plan.disks}
    return {name: digest for name, digest in run.machine.hashes().items() if name not in ours}


def volume(run: Encrypted) -> str:
    """Key of the device that the plan encrypts."""
    assert run.plan.crypts is not None
    return must_resolve(run.machine._state, run.plan.crypts[0].device)


def header(run: Encrypted) -> DiskMark:
    return next(mark for mark in seen(run.machine._state, volume(run)) if mark.kind == "crypto_LUKS")


def linked(path: str, content: str = "") -> Callable[[Encrypted], None]:
    """A symbolic link in place of a file, to a file of somebody with its content."""

    def does(run: Encrypted) -> None:
        state = run.machine._state
        state.files["/home/theirs"] = content or state.files.pop(path, "")
        state.files.pop(path, None)
        state.symlinks[path] = "/home/theirs"

    return does


def owned(path: str, text: str = "") -> Callable[[Encrypted], None]:
    """It belongs to a user, with this text or the one it has."""

    def does(run: Encrypted) -> None:
        run.machine._state.of_others.append(path)
        if text:
            run.machine._state.files[path] = text

    return does


def written(path: str, text: str) -> Callable[[Encrypted], None]:
    return lambda run: run.machine._state.files.update({path: text})


def removed(path: str) -> Callable[[Encrypted], None]:
    return lambda run: run.machine._state.files.__delitem__(path)


def readable(run: Encrypted) -> None:
    run.machine._state.modes[KEY] = 0o644


def opened(name: str, on: Callable[[Encrypted], str] = bystander) -> Callable[[Encrypted], None]:
    """Somebody opens a volume of his own under a name."""

    def does(run: Encrypted) -> None:
        run.machine._state.crypts.append(
            OpenCrypt(name=name, below=on(run), uuid=OTHER, start=2**24, sector=4096, minor=77, sequence=7777)
        )

    return does


def in_place_of_backup(run: Encrypted) -> None:
    assert run.plan.crypts is not None
    run.machine._state.files[run.plan.crypts[0].backup] = "theirs"


def other_header(run: Encrypted) -> None:
    """The volume is formatted anew by others."""
    for offset in (0, 16 * 1024):
        put(run.machine._state, volume(run), replace(header(run), uuid=OTHER, offset=offset))


def damaged(run: Encrypted) -> None:
    """Both copies of the header are overwritten."""
    for offset in (0, 16 * 1024):
        put(run.machine._state, volume(run), DiskMark(kind="data", offset=offset, length=4096))


def cloned(run: Encrypted) -> None:
    """Header and all on a disk of somebody: the same UUID twice."""
    for offset in (0, 16 * 1024):
        put(run.machine._state, bystander(run), replace(header(run), offset=offset, depth=0))


def clone_opened(run: Encrypted) -> None:
    """The copy is open under the plan's name, in place of the plan's volume, with what is on it, and is as large."""
    cloned(run)
    state, theirs = run.machine._state, bystander(run)
    crypt = state.crypts[0]
    inside = seen(state, crypt.key)
    crypt.start = below(state, theirs)[2] - below(state, crypt.key)[2]
    crypt.below = theirs
    for mark in inside:
        put(state, crypt.key, mark)


def luks1(run: Encrypted) -> None:
    """A disk of the plan has a header of LUKS1, which has no second copy."""
    drive = next(each for each in run.machine._state.drives if each.disk.id == run.plan.disks[2].id)
    put(run.machine._state, drive.key, DiskMark(kind="crypto_LUKS", offset=0, length=4096, uuid=OTHER))


def swapped(run: Encrypted) -> None:
    """Each of two arrays has the header of the other."""
    assert run.plan.crypts is not None
    state = run.machine._state
    keys = [must_resolve(state, crypt.device) for crypt in run.plan.crypts]
    marks = [next(mark for mark in seen(state, key) if mark.kind == "crypto_LUKS") for key in keys]
    for key, mark in zip(keys, reversed(marks), strict=True):
        for offset in (0, 16 * 1024):
            put(state, key, replace(mark, offset=offset))


def on_opened(kind: str, offset: int) -> Callable[[Encrypted], None]:
    """Somebody writes a signature of his own on what is open on the first array."""

    def does(run: Encrypted) -> None:
        mark = DiskMark(kind=kind, offset=offset, length=512, uuid=OTHER, facts={"pe_start": 2**20})
        put(run.machine._state, "luks:data-0-luks", mark)

    return does


def group_cloned(run: Encrypted) -> None:
    """Header and physical volume of the first array on a disk of somebody, not open."""
    cloned(run)
    state, start = run.machine._state, run.machine._state.crypts[0].start
    label = next(mark for mark in seen(state, "luks:data-0-luks") if mark.kind == "LVM2_member")
    put(state, bystander(run), DiskMark(kind="data", offset=start + label.offset, length=512))


def joined_group(run: Encrypted) -> None:
    """A disk of somebody is in the plan's volume group."""
    state = run.machine._state
    facts = {"pe_start": 2**20}
    mark = DiskMark(kind="LVM2_member", offset=0x218, length=512, uuid=OTHER, texts={"group": "data"}, facts=facts)
    put(state, bystander(run), mark)
    state.groups[0].physical.append(OTHER)


def closed_below(run: Encrypted) -> None:
    """Somebody unmounts, takes the volume down and closes one of two arrays."""
    state = run.machine._state
    state.mounts.clear()
    state.groups[0].volumes[0].active, state.groups[0].volumes[0].dormant = False, True
    state.crypts.pop()


def mounted_elsewhere(run: Encrypted) -> None:
    state = run.machine._state
    state.folders.append("/mnt/theirs")
    state.mounts.append(replace(state.mounts[-1], place="/mnt/theirs"))


def renamed(run: Encrypted) -> None:
    """Unmounted, closed, and opened again under another name, by others."""
    state = run.machine._state
    state.mounts.clear()
    state.crypts[0].name = "theirs"


def line_of_others(run: Encrypted) -> None:
    """The plan's line in crypttab leads to another device from now on."""
    state = run.machine._state
    state.files[CRYPTTAB] = state.files[CRYPTTAB].replace(header(run).uuid, OTHER)


BEFORE = (
    Attack("the key file is a link", linked(KEY), READABLE),
    Attack("the key file belongs to a user", owned(KEY), READABLE),
    Attack("the key file is readable by all", readable, READABLE),
    Attack("the key file is empty", written(KEY, ""), READABLE),
    Attack("the key file is gone", removed(KEY), READABLE),
    Attack("the directory of the key file belongs to a user", owned("/etc/keys"), "can be changed by root alone"),
    Attack("the name in device-mapper is taken", opened("data-luks"), "/dev/mapper/data-luks does not exist"),
    Attack("crypttab has the name for another device", written(CRYPTTAB, f"data-luks UUID={OTHER} none luks\n"),
           "/etc/crypttab has no volume data-luks"),
    Attack("a file is where the copy of the header goes", in_place_of_backup, "data-luks.header does not exist"),
    Attack("crypttab is a link", linked(CRYPTTAB, "x y\n"), "/etc/crypttab is a symbolic link to /home/theirs"),
    Attack("crypttab belongs to a user", owned(CRYPTTAB, "x y\n"), "/etc/crypttab belongs to user 1000"),
    Attack("a disk of the plan has a header of LUKS1", luks1, "holds dm-crypt crypto_LUKS"),
    Attack("the name of the second array is taken", opened("data-1-luks"), "/dev/mapper/data-1-luks does not exist",
           layer="arrays"),
)  # fmt: skip
MEANWHILE = (
    Attack("the key file becomes readable after the look", readable, READABLE, "lvcreate"),
    Attack("the key file becomes a link after the look", linked(KEY), READABLE, "lvcreate"),
    Attack("another key is put in its place after the look", written(KEY, "another"), "", "lvcreate"),
    Attack("the name is taken after the look", opened("data-luks"), "data-luks already exists", "cryptsetup open"),
    Attack("the file of the header's copy appears", in_place_of_backup, "already exists",
           "cryptsetup luksHeaderBackup"),
    Attack("the header is overwritten before it is opened", damaged, "not a valid LUKS device", "cryptsetup open"),
    Attack("others format it before it is opened", other_header, "has the LUKS header", "cryptsetup open"),
    Attack("a copy on a disk of others is open under its name", clone_opened,
           "is open from another device than /dev/md/data", "systemctl daemon-reload", "raid1(2)"),
    Attack("the name of the second array is taken after the look", opened("data-1-luks"), "data-1-luks already exists",
           "cryptsetup open", layer="arrays"),
    Attack("two arrays have each other's header", swapped, CONTENT, "pvcreate", layer="arrays"),
    Attack("two arrays have each other's header, and are a group", swapped, CONTENT, "lvcreate", layer="arrays"),
    Attack("a copy is open under an array's name", clone_opened, ELSEWHERE,
           "systemctl daemon-reload", layer="arrays"),
    Attack("others make a file system on what is open on an array", on_opened("ext4", 0x438),
           "signature detected", "pvcreate", layer="arrays"),
    Attack("others make a physical volume on what is open on an array", on_opened("LVM2_member", 0x218),
           "has the physical volume", "vgcreate", layer="arrays"),
)  # fmt: skip
RESUMED = (
    Attack("another key is in place of the first", written(KEY, "another"), "", "cryptsetup open"),
    Attack("the key file is gone", removed(KEY), READABLE, "cryptsetup open"),
    Attack("the key file belongs to a user", owned(KEY), READABLE, "cryptsetup open"),
    Attack("others formatted it", other_header, "its result has changed", "mkfs.xfs"),
    Attack("the header was overwritten", damaged, "its result has changed", "mkfs.xfs"),
    Attack("a copy on a disk of others is open under its name", clone_opened, "is open from another device",
           "mkfs.xfs", "raid1(2)"),
    Attack("the name is another device's", opened("data-luks"), "data-luks already exists", "cryptsetup open"),
    Attack("two arrays have each other's header", swapped, "has changed, and", "pvcreate", layer="arrays"),
    Attack("others formatted an array", other_header, "has changed, and", "mkfs.xfs", layer="arrays"),
    Attack("a copy is open under an array's name", clone_opened, ELSEWHERE, "pvcreate", layer="arrays"),
    Attack("a copy is open under an array's name, in the group", clone_opened, ELSEWHERE, "lvcreate", layer="arrays"),
    Attack("a copy is open below the volume", clone_opened, ELSEWHERE, "mkfs.xfs", layer="arrays"),
    Attack("a disk of others has a copy of an array", group_cloned, "", "mkfs.xfs", layer="arrays"),
    Attack("others made a file system on what is open on an array", on_opened("ext4", 0x438),
           "ext4 at 0x438", "pvcreate", layer="arrays"),
    Attack("a disk of others joined the group", joined_group, JOINED, "mkfs.xfs", layer="arrays"),
)  # fmt: skip
UNDONE = (
    Attack("others formatted it", other_header, "encrypted content"),
    Attack("others opened it under another name", renamed, "that the plan did not create: theirs"),
    Attack("it is mounted elsewhere too", mounted_elsewhere, "mounted at /mnt/theirs"),
    Attack("a volume with a detached header is on it", opened("detached", volume), "did not create: detached"),
    Attack(
        "a copy on a disk of others is open under its name", clone_opened, "data-luks is not running", layout="raid1(2)"
    ),
    Attack("a disk of others has a copy of it", cloned),
    Attack("the key file is gone", removed(KEY)),
    Attack("the line of crypttab leads elsewhere", line_of_others, "does not have the plan's lines"),
    Attack("others formatted an array", other_header, "encrypted content", layer="arrays"),
    Attack("two arrays have each other's header", swapped, "encrypted content", layer="arrays"),
    Attack("a copy is open below the volume", clone_opened, "/dev/data/data is in use", layer="arrays"),
    Attack(
        "a volume with a detached header is on an array",
        opened("detached", volume),
        "did not create: detached",
        layer="arrays",
    ),
    Attack("a disk of others has a copy of an array", group_cloned, layer="arrays"),
    Attack("a disk of others joined the group", joined_group, JOINED, layer="arrays"),
    Attack("one of two arrays is closed", closed_below, "data-1-luks is not running", layer="arrays"),
)


def strike(run: Encrypted, attack: Attack, purpose: RunPurpose) -> str:
    """Does it and carries the purpose out; returns the refusal, empty for none. Disks of others stay as they were
    after the attack itself."""
    marked: list[dict[str, str]] = []

    def do() -> None:
        attack.does(run)
        marked.append(kept(run))

    if not attack.before or purpose != "build":
        do()
        hashes = run.machine.hashes()
    else:
        ran, words = run.machine._carry_out, tuple(attack.before.split())

        def carry_out(argv: tuple[str, ...], *more: object, **named: object) -> tuple[int, str]:
            if argv[: len(words)] == words and not marked:
                do()
            return ran(argv, *more, **named)  # type: ignore[arg-type]

        run.machine._carry_out = carry_out  # type: ignore[method-assign]
        hashes = {}
    refusal = ""
    try:
        assert run.does(purpose) == 0
    except (Refused, Stale, MachineFailed) as problem:
        refusal = f"{problem} {problem.hint}"
    assert marked and kept(run) == marked[0]
    if refusal and purpose == "build" and hashes:
        assert run.machine.hashes() == hashes  # before the first write
    return refusal


def judge(attack: Attack, refusal: str) -> None:
    assert attack.refused in refusal
    assert bool(refusal) == bool(attack.refused), refusal


@pytest.mark.parametrize("attack", BEFORE, ids=lambda each: each.name)
def test_before_the_first_write(attack: Attack, tmp_path: Path) -> None:
    judge(attack, strike(Encrypted(tmp_path, attack.layout, layer=attack.layer), attack, "build"))


@pytest.mark.parametrize("attack", MEANWHILE, ids=lambda each: each.name)
def test_between_two_commands(attack: Attack, tmp_path: Path) -> None:
    judge(attack, strike(Encrypted(tmp_path, attack.layout, layer=attack.layer), attack, "build"))


@pytest.mark.parametrize("attack", RESUMED, ids=lambda each: each.name)
def test_before_a_resume(attack: Attack, tmp_path: Path) -> None:
    run = Encrypted(tmp_path, attack.layout, layer=attack.layer)
    cut(run, attack.before, "before", "kill")
    judge(attack, strike(run, attack, "resume"))


@pytest.mark.parametrize("attack", UNDONE, ids=lambda each: each.name)
def test_before_an_undo(attack: Attack, tmp_path: Path) -> None:
    run = Encrypted(tmp_path, attack.layout, layer=attack.layer)
    assert run.does("build") == 0
    accepted_loss.write(run.folder, run.plan, run.survey())
    judge(attack, strike(run, attack, "undo"))
