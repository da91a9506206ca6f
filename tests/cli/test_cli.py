"""The verbs as a script sees them: what is printed where, and the exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.cli import main
from raidtui.model.codec import from_json
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.plan import Plan

RAID60 = ["4x(12+2)+4", "--chunk", "256K", "--inventory", "e2660"]


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    return json.loads(answer(capsys, *arguments, "--json", code=code))


def test_model_answers_what_the_outside_relies_on(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "model", "4x(12+2)+4", "--chunk", "256K", "--disks", "60x2000398934016")
    assert said["layout"] == "4x(12+2)+4"
    assert len(said["arrays"]) == 4
    first = said["arrays"][0]
    assert {name: first[name] for name in first if name not in ("md_layout", "read_ahead_kib")} == {
        "level": "raid6",
        "members": 14,
        "spares": 1,
        "chunk_bytes": 262144,
        "data_offset_sectors": 264192,
        "component_bytes": 2000263577600,
        "array_bytes": 24003162931200,
        "io_min_bytes": 262144,
        "io_opt_bytes": 3145728,
        "full_stripe_bytes": 3145728,
        "bitmap_chunk_bytes": 67108864,
    }
    assert said["volume_bytes"] == 187524685824 * 512
    xfs = said["filesystem"]
    assert (xfs["type"], xfs["blocks"], xfs["block_bytes"]) == ("xfs", 23440585728, 4096)
    assert (xfs["sunit_blocks"], xfs["swidth_blocks"]) == (64, 3072)
    assert (xfs["agcount"], xfs["agsize_blocks"], xfs["log_blocks"]) == (88, 268435392, 521728)
    assert xfs["total_bytes"] == 23440064000 * 4096
    assert xfs["available_bytes"] == 23276627604 * 4096


def test_ext4_says_stride_and_stripe_width(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "model", "(3+1)", "--inventory", "nas4", "--fs", "ext4")
    assert said["filesystem"]["type"] == "ext4"
    assert (said["filesystem"]["stride_blocks"], said["filesystem"]["stripe_width_blocks"]) == (128, 384)


def test_the_nas_in_the_field_had_chunks_of_64k_once(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "model", "(3+1)", "--inventory", "nas4", "--chunk", "64K")
    assert said["arrays"][0]["array_bytes"] == 11603447232 * 1024


def test_a_refused_layout_still_answers(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "model", "(12+2)", "--disks", "3x2TB", code=1)
    assert [finding["code"] for finding in said["findings"] if finding["severity"] == "error"] == ["not-enough-disks"]
    assert all(finding["way_out"] for finding in said["findings"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["model", "(12+3)", "--disks", "15x2TB"], "column 5: 3 parity disks: md supports 1 (RAID5) and 2 (RAID6)"),
        (["model", "(3+1)", "--disks", "4x2XB"], "'4x2XB'"),
        (["model", "(3+1)", "--chunk", "lots", "--disks", "4x2TB"], "--chunk: invalid size 'lots'"),
        (["model", "(3+1)", "--disks", "4x2TB", "--sector", "520"], "invalid sector size 520"),
        (["disks", "--inventory", "no-such"], "no-such"),
        (["script", "/no/such/plan.json"], "/no/such/plan.json cannot be read: No such file"),
    ],
)
def test_wrong_usage_names_the_place_and_the_way_out(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 2, "a sentence and a way out"


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


def test_options_of_disks_stand_before_or_after_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    before = answer(capsys, "--inventory", "trio", "disks")
    assert before == answer(capsys, "disks", "--inventory", "trio")


def test_plan_writes_four_files_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "build"
    assert main(["plan", *RAID60, "--out", str(folder)]) == 0
    assert capsys.readouterr().out == ""
    names = {path.name: oct(path.stat().st_mode & 0o777) for path in folder.iterdir()}
    assert names == {"plan.json": "0o600", "build.sh": "0o700", "undo.sh": "0o700", "runbook.md": "0o600"}
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(["plan", *RAID60, "--out", str(folder)]) == 1
    assert "already holds" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_script_comes_again_from_the_plan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["plan", *RAID60, "--out", str(tmp_path)])
    capsys.readouterr()
    plan = str(tmp_path / "plan.json")
    assert answer(capsys, "script", plan) == (tmp_path / "build.sh").read_text()
    assert answer(capsys, "script", plan, "--undo") == (tmp_path / "undo.sh").read_text()
    assert answer(capsys, "script", plan, "--runbook") == (tmp_path / "runbook.md").read_text()


def test_a_plan_that_was_changed_is_not_believed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["plan", *RAID60, "--out", str(tmp_path)])
    file = tmp_path / "plan.json"
    file.write_text(file.read_text().replace("--level=6", "--level=0", 1))
    assert main(["script", str(file)]) == 2
    assert "its digest does not match" in capsys.readouterr().err


def test_plan_json_is_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    plan = from_json(Plan, answer(capsys, "plan", *RAID60, "--json"), source="x")
    assert plan.simulated
    assert len(plan.disks) == 60


def test_every_new_plan_has_new_uuids(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (document(capsys, "plan", *RAID60) for _ in range(2))
    assert {array["uuid"] for array in first["arrays"]} & {array["uuid"] for array in second["arrays"]} == set()


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


def test_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(answer(capsys, "schema", "plan"))["title"] == "Plan"


def opened_on(monkeypatch: pytest.MonkeyPatch, found: Inventory | MachineFailed, *arguments: str) -> Inventory:
    """The inventory that the app is given on a machine where the probe answers `found`."""
    shown: list[Inventory] = []

    def probe(*_: object, **__: object) -> Inventory:
        if isinstance(found, MachineFailed):
            raise found
        return found

    def run(inventory: Inventory, **_: object) -> int:
        shown.append(inventory)
        return 0

    monkeypatch.setattr("raidtui.machine.system.host.SystemHost.begin", lambda *_: None)
    monkeypatch.setattr("raidtui.machine.inventory.probe.probe", probe)
    monkeypatch.setattr("raidtui.cli.verbs.app.run", run)
    assert main(arguments) == 0
    return shown[0]


SYSTEM = Disk(id="wwn-0x1", size_bytes=10**12, protected=True, not_selectable="/")
NAMELESS = Disk(id="", size_bytes=10**12, not_selectable="it has no world-wide name and no serial number")
SPARE = Disk(id="wwn-0x2", size_bytes=10**12, not_selectable="not read: needs root")


def test_the_app_opens_on_the_machine_that_has_spare_disks(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Inventory(origin="machine", name="stor01", disks=(SYSTEM, SPARE))
    assert opened_on(monkeypatch, machine) is machine


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (Inventory(origin="machine", name="laptop", disks=(SYSTEM,)), "no spare disks here"),
        (Inventory(origin="machine", name="cloud", disks=(NAMELESS,)), "no spare disks here"),
        (MachineFailed("lsblk is not installed"), "lsblk is not installed"),
    ],
)
def test_where_no_disk_is_spare_it_opens_on_a_simulated_chassis_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: Inventory | MachineFailed,
    reason: str,
) -> None:
    shown = opened_on(monkeypatch, found)
    assert (shown.name, shown.simulated, len(shown.disks)) == ("e2660", True, 60)
    assert capsys.readouterr().err == f"raidtui: {reason}; showing the simulated chassis e2660\n"


def test_the_app_opens_on_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened_on(monkeypatch, MachineFailed("x"), "--inventory", "trio").name == "trio"
