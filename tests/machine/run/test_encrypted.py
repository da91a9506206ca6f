"""LUKS2 below the file systems on a simulated machine: built, cut at every moment, resumed, read and taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.engine import journal
from raidtui.engine import survey as accepted_loss
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out
from raidtui.engine.site import SimulatedSite
from raidtui.engine.standing import lose_phrase
from raidtui.engine.survey import survey
from raidtui.machine.system.passphrase import Passphrase
from raidtui.simulated.devices import must_resolve
from raidtui.values.choices import CryptLayer
from raidtui.values.design import Encryption
from raidtui.values.errors import Refused, Stale
from raidtui.values.plan import Plan
from raidtui.values.run import RecordKind, RunPurpose, Standing
from tests.faults.scene import plan_on, with_bystanders
from tests.planner.plans import disks
from tests.simulated.fault_model import Fault, FaultKind, FaultSide, Killed

KEY = "/etc/keys/data.key"
BY_FILE = Encryption(key_file=KEY)
LAYOUTS = {"volume": "2x(2+1)", "array": "(2+1)", "mirrors": "2x raid1(2)"}
UUIDS = "cryptsetup luksUUID"


class Encrypted:
    """A machine with a key file, and the run of an encrypted plan on it."""

    def __init__(
        self, root: Path, layout: str = "2x(2+1)", *, mode: int = 0o400, layer: CryptLayer = "volume",
        encryption: Encryption = BY_FILE, **design: Any,
    ) -> None:  # fmt: skip
        self.machine = with_bystanders(tuple(disks(16)), targets=8)
        self.machine._state.modes[KEY] = mode
        self.plan: Plan = plan_on(self.machine, layout, encryption=replace(encryption, layer=layer), **design)
        self.site = SimulatedSite(root, self.machine)
        self.folder = journal.create(root, self.plan)
        self.hashes = self.machine.hashes()

    def does(self, purpose: RunPurpose, typed: str = "") -> int:
        book, passphrase = Journal(self.folder, purpose), Passphrase(typed) if typed else None
        try:
            return carry_out(self.plan, self.site, self.machine, book, ControlRequest, passphrase)
        finally:
            book.close()

    def survey(self) -> Standing:
        return survey(self.plan, self.machine, journal.records(self.folder))

    def answer(self, *argv: str) -> str:
        return self.machine.ask(argv).stdout.strip()

    def gone(self) -> bool:
        """Nothing of the plan is left: no mapping, no line, no backup of a header, no signature."""
        files = self.machine._state.files
        left = [path for path, text in files.items() if self.plan.run_id in text or self.plan.run_id in path]
        ours = {disk.id for disk in self.plan.disks}
        blank = all(disk.state == "blank" for disk in self.machine.inventory().disks if disk.id in ours)
        return blank and not left and not self.machine._state.crypts


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fs", ["xfs", "ext4"])
def test_it_is_built_survives_a_boot_and_is_taken_back(layout: str, fs: str, tmp_path: Path) -> None:
    run = Encrypted(tmp_path, LAYOUTS[layout], fs=fs)
    assert run.does("build") == 0
    device = "/dev/md/data" if layout == "array" else "/dev/data/data"
    uuid = run.answer(*UUIDS.split(), device)
    assert run.machine._state.files["/etc/crypttab"].splitlines()[1] == f"data-luks UUID={uuid} {KEY} luks,nofail"
    (seen,) = run.survey().filesystems
    assert (seen.device, seen.mount_point, seen.files) == ("/dev/mapper/data-luks", "/srv/data", 0)
    run.machine.write_text("/srv/data/letter.txt", "x", 0o644)
    run.machine.reboot()
    assert run.machine.read_text("/srv/data/letter.txt") == "x"
    assert (run.survey().foreign, lose_phrase(run.plan, run.survey())) == ((), "lose 1 file")
    with pytest.raises(Refused, match="1 file"):
        run.does("undo")
    accepted_loss.write(run.folder, run.plan, run.survey())
    assert run.does("undo") == 0
    assert run.gone()


def test_separate_arrays_are_each_encrypted(tmp_path: Path) -> None:
    run = Encrypted(tmp_path, "2x(2+1)", stack="separate")
    assert run.does("build") == 0
    assert sorted(each.name for each in run.machine._state.crypts) == ["data-0-luks", "data-1-luks"]
    uuids = [run.answer(*UUIDS.split(), f"/dev/md/data-{number}") for number in (0, 1)]
    lines = run.machine._state.files["/etc/crypttab"].splitlines()[1:3]
    assert lines == [f"data-{number}-luks UUID={uuids[number]} {KEY} luks,nofail" for number in (0, 1)]
    assert run.does("undo") == 0
    assert run.gone()


@pytest.mark.parametrize(
    ("layout", "start"), [("2x(2+1)", 2**20), ("3x raid1(2)", 2**20), ("(2+1)+(3+1)", 3 * 2**20)]
)  # fmt: skip
def test_arrays_below_lvm_are_each_encrypted(layout: str, start: int, tmp_path: Path) -> None:
    run = Encrypted(tmp_path, layout, layer="arrays")
    assert run.does("build") == 0
    state, count = run.machine._state, len(run.plan.arrays)
    assert {each.name: each.below for each in state.crypts} == {
        f"data-{number}-luks": must_resolve(state, f"/dev/md/data-{number}") for number in range(count)
    }
    uuids = [run.answer(*UUIDS.split(), f"/dev/md/data-{number}") for number in range(count)]
    assert state.files["/etc/crypttab"].splitlines()[1:-1] == [
        f"data-{number}-luks UUID={uuid} {KEY} luks,nofail" for number, uuid in enumerate(uuids)
    ]
    asked = ("pvs", "--noheadings", "--nosuffix", "--units=b", "--options=pe_start")
    assert [run.answer(*asked, f"/dev/mapper/{each.name}") for each in state.crypts] == [str(start)] * count
    run.machine.write_text("/srv/data/letter.txt", "x", 0o644)
    run.machine.reboot()
    assert run.machine.read_text("/srv/data/letter.txt") == "x"
    (seen,) = run.survey().filesystems
    assert (seen.device, seen.mount_point, run.survey().foreign) == ("/dev/data/data", "/srv/data", ())
    with pytest.raises(Refused, match="1 file"):
        run.does("undo")
    accepted_loss.write(run.folder, run.plan, run.survey())
    assert run.does("undo") == 0
    assert run.gone()


CUTS = (
    "cryptsetup luksFormat",
    "cryptsetup luksHeaderBackup",
    "cryptsetup open",
    "mkfs.xfs",
    "mount",
    "systemctl daemon-reload",
)


@pytest.mark.parametrize("words", CUTS)
@pytest.mark.parametrize("side", ["before", "during", "after"])
@pytest.mark.parametrize("kind", ["power", "kill"])
def test_a_build_that_was_cut_goes_on(words: str, side: FaultSide, kind: FaultKind, tmp_path: Path) -> None:
    run = Encrypted(tmp_path)
    cut(run, words, side, kind)
    assert run.does("resume") == 0
    assert [each.name for each in run.machine._state.crypts] == ["data-luks"]
    (seen,) = run.survey().filesystems
    assert (seen.mount_point, run.survey().foreign) == ("/srv/data", ())
    assert run.does("undo") == 0
    assert run.gone()


@pytest.mark.parametrize("words", CUTS)
@pytest.mark.parametrize("side", ["before", "during", "after"])
@pytest.mark.parametrize("kind", ["power", "kill"])
def test_a_build_that_was_cut_is_taken_back(words: str, side: FaultSide, kind: FaultKind, tmp_path: Path) -> None:
    run = Encrypted(tmp_path)
    cut(run, words, side, kind)
    accepted_loss.write(run.folder, run.plan, run.survey())
    assert run.does("undo") == 0
    assert run.gone()


def cut(run: Encrypted, words: str, side: FaultSide, kind: FaultKind, typed: str = "") -> None:
    run.machine.arm(Fault(kind=kind, words=tuple(words.split()), side=side))
    with pytest.raises(Killed):
        run.does("build", typed)
    run.machine.revive()


@pytest.mark.parametrize("layer", ["volume", "arrays"])
def test_a_volume_that_no_command_wrote_to_is_taken_back_without_a_loss(
    layer: CryptLayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut after the journal has the step and before it has the command: what is open reads as noise."""
    first = {"volume": "mkfs.xfs", "arrays": "pvcreate"}[layer]
    written = Journal.write

    def write(self: Journal, kind: RecordKind, **facts: Any) -> None:
        if kind == "intent" and facts["argv"][0] == first:
            raise Killed
        written(self, kind, **facts)

    run = Encrypted(tmp_path, layer=layer)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Journal, "write", write)
        run.does("build")
    assert journal.records(run.folder)[-1].kind == "step"
    run.machine.reboot()
    assert run.does("undo") == 0
    assert run.gone()


CUTS_BELOW = ("cryptsetup luksFormat", "cryptsetup open", "pvcreate", "vgcreate", "lvcreate", "mkfs.xfs")


@pytest.mark.parametrize("then", ["resume", "undo"])
@pytest.mark.parametrize("words", CUTS_BELOW)
@pytest.mark.parametrize("side", ["during", "after"])
@pytest.mark.parametrize("kind", ["power", "kill"])
def test_a_build_with_encrypted_arrays_that_was_cut(
    words: str, side: FaultSide, kind: FaultKind, then: str, tmp_path: Path
) -> None:
    run = Encrypted(tmp_path, layer="arrays")
    cut(run, words, side, kind)
    if then == "resume":
        assert run.does("resume") == 0
        assert sorted(each.name for each in run.machine._state.crypts) == ["data-0-luks", "data-1-luks"]
        (seen,) = run.survey().filesystems
        assert (seen.mount_point, run.survey().foreign) == ("/srv/data", ())
    else:
        accepted_loss.write(run.folder, run.plan, run.survey())
    assert run.does("undo") == 0
    assert run.gone()


def test_a_boot_that_opens_nothing_leaves_it_to_the_resume(tmp_path: Path) -> None:
    """Cut after the volume was made: without crypttab's lines the resume opens the arrays and activates the volume."""
    run = Encrypted(tmp_path, layer="arrays")
    run.machine.arm(Fault(kind="power", words=("mkfs.xfs",), side="before"))
    with pytest.raises(Killed):
        run.does("build")
    run.machine.revive()
    state = run.machine._state
    for name in list(state.crypts):
        state.groups[0].volumes[0].active = False
        state.crypts.remove(name)
    assert run.machine.pin("/dev/data/data") is None
    assert run.does("resume") == 0
    assert [each.place for each in state.mounts] == ["/srv/data"]


@pytest.mark.parametrize("mode", [0o440, 0o644])
def test_a_key_file_that_others_can_read_is_refused_before_the_first_write(mode: int, tmp_path: Path) -> None:
    run = Encrypted(tmp_path, mode=mode)
    with pytest.raises(Refused, match=f"{KEY} is a file, not empty, that root alone can read"):
        run.does("build")
    assert run.machine.hashes() == run.hashes


def test_a_header_of_others_is_not_ours_to_erase(tmp_path: Path) -> None:
    """Somebody formats the volume anew, under another UUID: it is his, and an undo writes nothing."""
    run = Encrypted(tmp_path)
    assert run.does("build") == 0
    device = "/dev/data/data"
    for argv in (
        ("umount", "/srv/data"),
        ("cryptsetup", "close", "data-luks"),
        (
            "cryptsetup", "luksFormat", "--batch-mode", "--type=luks2", "--uuid=5f0d55a2-0000-4000-8000-000000000000",
            "--cipher=aes-xts-plain64", "--key-size=512", "--sector-size=4096", "--offset=32768", "--pbkdf=argon2id",
            f"--key-file={KEY}", device,
        ),
    ):  # fmt: skip
        with Path("/dev/null").open("wb") as nothing:
            assert run.machine.run(argv, nothing.fileno()) == 0
    (found,) = run.survey().foreign
    assert (found.kind, found.owner) == ("luks", "crypto_LUKS 5f0d55a2-0000-4000-8000-000000000000")
    before = run.machine.hashes()
    accepted_loss.write(run.folder, run.plan, run.survey())
    with pytest.raises(Refused, match="encrypted content"):
        run.does("undo")
    assert run.machine.hashes() == before


def test_a_mapping_of_others_under_our_name_is_not_formatted(tmp_path: Path) -> None:
    """Between two commands somebody closes ours and opens his own under its name."""
    run = Encrypted(tmp_path)
    run.machine.arm(Fault(kind="kill", words=("mkfs.xfs",), side="before"))
    with pytest.raises(Killed):
        run.does("build")
    run.machine.revive()
    run.machine._state.crypts[0].uuid = "5f0d55a2-0000-4000-8000-000000000000"
    before = run.machine.hashes()
    with pytest.raises((Refused, Stale)):
        run.does("resume")
    assert run.machine.hashes() == before
