"""A build that is cut while it creates its array and its file system, the caches of all disks lost: resumed, undone."""

import pytest

from tests.lab.flush_cuts import Cut, machine, record, run
from tests.systems.roots import system

pytestmark = [pytest.mark.lab, pytest.mark.long]


def test_a_build_without_what_its_disks_had_in_their_caches() -> None:
    with machine(system("bookworm", "sid")) as vm:
        recording = record(vm)
        begun = {
            words: next(at for at, text in recording.records if words in text)
            for words in ("mdadm --create", "mkfs.xfs")
        }
        disks = recording.disks
        created = next(each for each in recording.boundaries if each > begun["mdadm --create"] + 10)
        cuts = [Cut(1, 0, created, disks, "resume"), Cut(1, 1, created, disks, "undo")]
        cuts += [Cut(1, 2, begun["mkfs.xfs"] + 200, disks, "resume"), Cut(1, 3, 1, disks, "resume")]
        found = [run(vm, recording, cut) for cut in cuts]
    assert found == [("completed", ""), ("rolled back", ""), ("completed", ""), ("built", "")]


def test_an_encrypted_build_without_what_its_disks_had_in_their_caches() -> None:
    """In the middle of its header, and while the copy of that may be in the guest's memory alone."""
    with machine(system("bookworm", "sid"), "encrypted") as vm:
        recording = record(vm, "encrypted")
        begun = {
            words: next(at for at, text in recording.records if "intent of step" in text and words in text)
            for words in ("cryptsetup luksFormat", "mkfs.xfs")
        }
        disks = recording.disks
        header = begun["cryptsetup luksFormat"] + 60
        cuts = [Cut(1, 0, header, disks, "resume"), Cut(1, 1, header, disks, "undo")]
        cuts += [Cut(1, 2, begun["mkfs.xfs"] + 200, disks, "resume"), Cut(1, 3, begun["mkfs.xfs"], disks, "undo")]
        found = [run(vm, recording, cut) for cut in cuts]
    assert found == [("completed", ""), ("rolled back", ""), ("completed", ""), ("rolled back", "")]
