import gzip
import json

import pytest

from raidtui.machine.inventory.capture import FORMAT, RecordingHost
from raidtui.machine.ports.host import Denied, Look, Ran
from raidtui.model.errors import BadInput
from raidtui.tools.signatures import FoundSignature
from tests.recorded_machines.captures import NAMES, capture, replay
from tests.recorded_machines.replay import NotRecorded, RecordedHost, read_capture

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
    inventory = probe(recording, smart=name == "sixty")
    again = read_capture(recording.capture_json().encode(), source="again")
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
