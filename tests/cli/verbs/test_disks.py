"""`raidtui disks`: its JSON can be read again, and text of disks is shown harmless."""

import json
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.values.codec import from_json
from raidtui.values.inventory import Inventory
from tests.cli.commands import answer


def test_disks_json_is_an_inventory_that_can_be_fed_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = answer(capsys, "disks", "--inventory", "trio", "--json")
    assert [disk.size_bytes for disk in from_json(Inventory, text, source="x").disks] == [
        250059350016,
        1000204886016,
        1000204886016,
    ]
    file = tmp_path / "trio.json"
    file.write_text(text)
    assert answer(capsys, "disks", "--inventory", str(file), "--json") == text


def test_hostile_text_of_a_disk_is_shown_not_obeyed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\u202e$(reboot)\n"
    inventory = {
        "schema": "raidtui/inventory/1",
        "origin": "machine",
        "name": hostile,
        "disks": [{"id": "x", "size_bytes": 10**12, "model": hostile, "serial": hostile}],
        "unread": [hostile],
    }
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(inventory))
    assert main(["disks", "--inventory", str(file)]) == 0
    out, err = capsys.readouterr()
    assert "\\e]0;owned\\x07\\u202e" in out
    assert all(char.isprintable() or char == "\n" for char in out + err)


def test_disks_of_another_machine_cannot_be_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["disks", "--inventory", "trio", "--measure"]) == 2
    assert "not attached here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--record", "x.json", "--inventory", "trio"), "--record saves what is read from this machine"),
        (("--record", "x.json", "--disks", "2x2TB"), "--record saves what is read from this machine"),
        (("--mask", "--inventory", "trio"), "--mask is about what --record saves"),
    ],
)
def test_options_that_are_declined(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str) -> None:
    assert main(["disks", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.process
def test_what_was_read_is_saved_once_and_named_by_its_whole_path(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["disks", "--json", "--record", "here.json"]) == 0
    assert f"raidtui: wrote {tmp_path}/here.json\n" in capsys.readouterr().err
    before = (tmp_path / "here.json").read_bytes()
    assert main(["disks", "--json", "--record", "here.json"]) == 1
    assert "raidtui: here.json exists already\n" in capsys.readouterr().err
    assert (tmp_path / "here.json").read_bytes() == before


def test_measured_figures_of_an_inventory_are_used_shown_and_ignored_on_request(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    document = json.loads(answer(capsys, "disks", "--inventory", "trio", "--json"))
    for disk in document["disks"]:
        disk["measured"] = {"outer_bytes_per_s": 50_000_000, "day": "2026-01-31", "kernel": "6.1.0", "error": 1.02}
    file = tmp_path / "measured.json"
    file.write_text(json.dumps(document))
    shown = answer(capsys, "disks", "--inventory", str(file))
    assert "50.0 MB/s outer" in shown
    assert "read alone on 2026-01-31, kernel 6.1.0" in shown
    words = ("model", "raid0(3)", "--inventory", str(file), "--json")
    assert json.loads(answer(capsys, *words))["throughput"]["disk"]["read_bytes_per_s"] == 50_000_000
    plain = json.loads(answer(capsys, "model", "raid0(3)", "--inventory", "trio", "--json"))
    assert json.loads(answer(capsys, *words, "--no-measured"))["throughput"] == plain["throughput"]
    document["disks"][0]["measured"]["error"] = 0.1
    file.write_text(json.dumps(document))
    assert main(["disks", "--inventory", str(file)]) == 2
    assert "disks.0.measured.error: out of range: 1 to 10" in capsys.readouterr().err


@pytest.mark.parametrize("verb", [("disks",), ("model", "raid6(4+2)"), ("propose",), ("plan", "raid6(4+2)")])
def test_hostile_text_of_measured_figures_is_shown_harmless(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, verb: tuple[str, ...]
) -> None:
    document = json.loads(answer(capsys, "disks", "--inventory", "jbod84", "--json"))
    hostile = "\x1b]0;owned\x07\n\u202e"
    said = {"day": hostile, "kernel": hostile}
    for disk in document["disks"]:
        disk["measured"] = {"outer_bytes_per_s": 50_000_000, "changed": hostile, **said}
    figure = {"bytes_per_s": 1_000_000_000, "error": 1.1, "how": hostile, **said}
    slot = f"PCIe slot {document['controllers'][0]['pci']}"
    shared = {"disks": ["a", "b"], "bytes_per_s": 10**8, "alone_bytes_per_s": 10**9, "at_least": False, "error": 1.02}
    document["figures"] = {
        "links": [{"limit": slot, **shared, **said}, {"limit": f"expander {hostile}", **shared, **said}],
        "scatter": [{"work": "disk sequential", "ratio": 0.9, "figures": 2, **said}],
        "kernel_now": hostile,
    } | dict.fromkeys(("memory", "one_reader", "raid6", "xor"), figure)
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(document))
    assert main([*verb, "--inventory", str(file)]) == 0
    out, err = capsys.readouterr()
    assert all(char.isprintable() or char == "\n" for char in out + err)
