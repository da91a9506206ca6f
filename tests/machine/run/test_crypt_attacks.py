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
from raidtui.values.errors import MachineFailed, Refused, Stale
from raidtui.values.run import RunPurpose
from tests.machine.run.test_encrypted import KEY, Encrypted, cut

OTHER = "5f0d55a2-0000-4000-8000-000000000000"
CRYPTTAB = "/etc/crypttab"
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
    """The copy is open under the plan's name, in place of the plan's volume, and is as large."""
    cloned(run)
    state, theirs = run.machine._state, bystander(run)
    (crypt,) = state.crypts
    crypt.start = below(state, theirs)[2] - below(state, crypt.key)[2]
    crypt.below = theirs


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
    judge(attack, strike(Encrypted(tmp_path), attack, "build"))


@pytest.mark.parametrize("attack", MEANWHILE, ids=lambda each: each.name)
def test_between_two_commands(attack: Attack, tmp_path: Path) -> None:
    judge(attack, strike(Encrypted(tmp_path, attack.layout), attack, "build"))


@pytest.mark.parametrize("attack", RESUMED, ids=lambda each: each.name)
def test_before_a_resume(attack: Attack, tmp_path: Path) -> None:
    run = Encrypted(tmp_path, attack.layout)
    cut(run, attack.before, "before", "kill")
    judge(attack, strike(run, attack, "resume"))


@pytest.mark.parametrize("attack", UNDONE, ids=lambda each: each.name)
def test_before_an_undo(attack: Attack, tmp_path: Path) -> None:
    run = Encrypted(tmp_path, attack.layout)
    assert run.does("build") == 0
    accepted_loss.write(run.folder, run.plan, run.survey())
    judge(attack, strike(run, attack, "undo"))
