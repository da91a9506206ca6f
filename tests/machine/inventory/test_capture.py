import gzip
import json
from typing import cast

import pytest

from raidtui.machine.inventory.capture import FORMAT, RecordingHost, RecordingReader, masked
from raidtui.machine.system.ports import Denied, Host, Look, MachineReader, Ran
from raidtui.programs.signatures import FoundSignature
from raidtui.values.errors import BadInput, MachineFailed
from raidtui.values.inventory import Disk, Inventory
from tests.recorded_machines.captures import NAMES, capture, replay
from tests.recorded_machines.replay import NotRecorded, RecordedHost, RecordedReader, read_capture

GPT = FoundSignature(type="gpt", offset=512)
CAPTURE = {
    "format": FORMAT,
    "texts": {"/a": "text\x1b\n", "/absent": None, "/secret": False},
    "names": {"/dir": ["a", "b"], "/secret": False},
    "links": {"/link": "../a", "/absent": None},
    "numbers": {"/dev/sda": "8:0", "/file": None},
    "looks": {
        "/dev/sda 8:0 4096": {"zero": False, "locked": True, "signatures": [{"type": "gpt", "offset": 512}]},
        "/dev/sdb 8:16 4096": {"error": "permission denied"},
    },
    "runs": {'["lsblk"]': {"exit": 0, "stdout": "{}", "stderr": ""}, '["smartctl"]': None},
    "self": {"euid": 1000, "own_paths": ["/here"]},
}


def test_what_was_recorded_is_answered() -> None:
    host = RecordedHost(CAPTURE)
    assert (host.text("/a"), host.text("/absent")) == ("text\x1b\n", None)
    assert host.names("/dir") == ("a", "b")
    assert (host.link("/link"), host.link("/absent")) == ("../a", None)
    assert (host.number("/dev/sda"), host.number("/file")) == ("8:0", None)
    assert host.look("/dev/sda", "8:0", 4096) == Look(zero=False, locked=True, signatures=(GPT,))
    assert host.look("/dev/sdb", "8:16", 4096) == Look(error="permission denied")
    assert host.run(("lsblk",)) == Ran(exit=0, stdout="{}", stderr="")
    assert host.run(("smartctl",)) is None
    assert (host.euid(), host.own_paths()) == (1000, ("/here",))


def test_what_was_denied_is_denied_again() -> None:
    for ask in (RecordedHost(CAPTURE).text, RecordedHost(CAPTURE).names):
        with pytest.raises(Denied):
            ask("/secret")


def test_what_was_not_recorded_is_an_error() -> None:
    host = RecordedHost(CAPTURE)
    for ask in (host.text, host.names, host.link, host.number):
        with pytest.raises(NotRecorded, match="/elsewhere"):
            ask("/elsewhere")
    with pytest.raises(NotRecorded):
        host.look("/dev/sda", "8:0", 8192)
    with pytest.raises(NotRecorded):
        host.run(("lsblk", "--all"))


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_of_a_replay_is_the_capture_that_was_replayed(name: str) -> None:
    from raidtui.machine.inventory.probe import probe

    original = capture(name)
    recording = RecordingHost(RecordedHost(original))
    inventory = probe(cast(Host, recording), smart=name == "sixty")
    again = read_capture(json.dumps(recording.capture()).encode(), source="again")
    assert replay(again, smart=name == "sixty") == inventory
    assert again["runs"] == original["runs"]
    without = {"fingerprint": ""}  # the captures are from before disks had one
    assert again["looks"] == {key: without | look for key, look in original["looks"].items()}


@pytest.mark.parametrize(
    "data", [b"", b"no", b"[]", b"{}", b'{"format": "other"}', b"\x1f\x8bno", gzip.compress(b"x", mtime=0)]
)
def test_a_file_that_is_no_capture(data: bytes) -> None:
    with pytest.raises(BadInput, match=r"bug\.json is no capture"):
        read_capture(data, source="bug.json")


def test_gzipped_or_not() -> None:
    plain = json.dumps(CAPTURE).encode()
    assert read_capture(plain, source="x") == read_capture(gzip.compress(plain), source="x") == CAPTURE


SMALL = Inventory(
    origin="machine",
    name="backup",
    disks=(
        Disk(id="wwn-0x5000c50011110001", size_bytes=10**12, serial="ZX41A2", by_id=("wwn-0x5000c50011110001",)),
        Disk(id="ata-B", size_bytes=10**12, serial="77", by_id=("ata-B_77",)),
    ),
)


def test_masked_names_nobody_and_keeps_lengths() -> None:
    document = {
        "runs": {'["lsblk", "/dev/disk/by-id/wwn-0x5000c50011110001"]': {"stdout": "SERIAL=ZX41A2 XZX41A2 77"}},
        "texts": {"/etc/hostname": "backup\n", "/srv/backups": "root@backup.example.com", "/size": 10**12, "/no": None},
    }
    assert masked(document, SMALL) == {
        "runs": {'["lsblk", "/dev/disk/by-id/wwn-0x5000c50000000001"]': {"stdout": "SERIAL=M00002 XZX41A2 77"}},
        "texts": {"/etc/hostname": "M00003\n", "/srv/backups": "somebody@example.org", "/size": 10**12, "/no": None},
    }


@pytest.mark.parametrize("name", ["sixty", "stack", "leftovers", "multipath"])
def test_a_masked_machine_is_the_same_machine(name: str) -> None:
    plain = capture(name)
    before = replay(plain, smart=name == "sixty")
    after = replay(masked(plain, before), smart=name == "sixty")
    assert [(disk.kernel_name, disk.size_bytes, disk.state) for disk in after.disks] == [
        (disk.kernel_name, disk.size_bytes, disk.state) for disk in before.disks
    ]
    serials = [disk.serial for disk in before.disks if disk.serial and len(disk.serial) > 5]
    assert serials
    assert not [disk.serial for disk in after.disks if disk.serial in serials]


class Answers:
    """A reader of two files and one program that fails."""

    simulated = False

    def read_text(self, path: str) -> str | None:
        texts = {
            "/etc/fstab": "# mine\nUUID=7 /srv xfs defaults 0 0\n//nas/a /a cifs username=me,password=secret 0 0\n",
            "/proc/7/cmdline": "mysqld\0--password=secret\0",
            "/proc/8/cmdline": "/sbin/mdadm\0--monitor\0--scan\0",
        }
        return texts.get(path)

    def ask(self, argv: tuple[str, ...]) -> Ran:
        raise MachineFailed(f"{argv[0]} is missing")


def test_what_may_hold_a_password_is_left_out_and_the_rest_is_answered_again() -> None:
    recording = RecordingReader(cast(MachineReader, Answers()))
    for path in ("/etc/fstab", "/proc/7/cmdline", "/proc/8/cmdline", "/none"):
        recording.read_text(path)
    with pytest.raises(MachineFailed):
        recording.ask(("mdadm", "--detail"))
    assert "secret" not in json.dumps(recording.answers)
    again = RecordedReader(json.loads(json.dumps(recording.answers)))
    assert again.read_text("/etc/fstab") == "# mine\nUUID=7 /srv xfs defaults 0 0\n"
    assert [again.read_text(f"/proc/{pid}/cmdline") for pid in (7, 8)] == ["", "/sbin/mdadm\0--monitor\0--scan\0"]
    assert again.read_text("/none") is None
    with pytest.raises(MachineFailed, match="mdadm is missing"):
        again.ask(("mdadm", "--detail"))
