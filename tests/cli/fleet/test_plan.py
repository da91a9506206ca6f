"""`raidtui fleet plan`: inventories and a recipe become plans and a sheet; nothing else is written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.engine.runs import read_plan
from raidtui.fleet.values import FleetInventory, HostLook, HostProblem
from raidtui.values.codec import to_json
from raidtui.values.errors import Exit
from raidtui.values.inventory import Inventory
from tests.cli.commands import answer, document
from tests.planner.fleet.hosts import rack, with_files

RECIPE = 'layout = "raid5(3+1)"\nchunk = "256K"\nmail = "storage@example.org"\n'


def stored(folder: Path, hosts: Mapping[str, Inventory], silent: Mapping[str, str] = {}) -> str:
    """The file that `raidtui fleet disks --json` writes of these hosts."""
    looks = [HostLook(host=name, asked_at="x", answered_in_s=1, inventory=each) for name, each in hosts.items()]
    looks += [
        HostLook(host=name, asked_at="x", answered_in_s=1, problem=HostProblem(state="unreachable", sentence=why))
        for name, why in silent.items()
    ]
    path = folder / "fleet.json"
    path.write_text(to_json(FleetInventory(taken_at="x", hosts=tuple(looks))))
    return str(path)


def recipe(folder: Path, text: str = RECIPE) -> str:
    path = folder / "rack.toml"
    path.write_text(text)
    return str(path)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_order_of_the_build_is_signed_with_the_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    what = ["fleet", "plan", recipe(tmp_path), "--from", stored(tmp_path, rack(3))]
    usual = document(capsys, *what)
    assert usual["order"] == {"first": "node1", "wave_size": 8, "stop_after": 1}
    sheet = tmp_path / "sheet.json"
    sheet.write_text(json.dumps(usual))
    again = document(capsys, *what, "--sheet", str(sheet))
    other = document(capsys, *what, "--sheet", str(sheet), "--first", "node3", "--wave", "1", "--stop-after", "2")
    assert again["digest"] == usual["digest"] != other["digest"]
    assert [host["digest"] for host in other["hosts"]] == [host["digest"] for host in usual["hosts"]]
    shown = answer(capsys, *what, "--first", "node3", "--wave", "1", "--stop-after", "2")
    line = "node3 alone, then up to 1 host at a time; none further once node3 or 2 hosts ended badly"
    assert f"\nBuilt: {line}\n" in shown + "\n"
    out = str(tmp_path / "out")
    assert main([*what, "--first", "node3", "--wave", "1", "--stop-after", "2", "--out", out]) == Exit.DONE
    assert f"- build: `raidtui fleet build DIR`, {line}\n" in (tmp_path / "out" / "SHEET.md").read_text()


def test_a_first_host_without_a_plan_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    what = ["fleet", "plan", recipe(tmp_path), "--from", stored(tmp_path, rack(3)), "--out", str(tmp_path / "out")]
    assert main([*what, "--first", "node9"]) == Exit.USAGE
    assert capsys.readouterr().err == ("raidtui: --first node9: this host has no plan\n         one of node[1-3]\n")
    assert not (tmp_path / "out").exists()


def test_plans_and_sheet_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = stored(tmp_path, rack(3))
    out = tmp_path / "out"
    assert main(["fleet", "plan", recipe(tmp_path), "--from", source, "--out", str(out)]) == Exit.DONE
    assert files(tmp_path) == [
        "fleet.json",
        "out/SHEET.md",
        "out/node1/plan.json",
        "out/node2/plan.json",
        "out/node3/plan.json",
        "out/sheet.json",
        "rack.toml",
    ]
    sheet = json.loads((out / "sheet.json").read_text())
    plans = [read_plan(out / name / "plan.json") for name in ("node1", "node2", "node3")]
    assert [host["digest"] for host in sheet["hosts"]] == [plan.digest for plan in plans]
    assert [plan.host for plan in plans] == ["node1", "node2", "node3"]
    page = (out / "SHEET.md").read_text()
    assert page.startswith("# Fleet sheet: 3 hosts, 12 disks erased\n")
    assert sheet["digest"] in page
    assert all(plan.digest in page for plan in plans)
    assert (out.stat().st_mode & 0o777, (out / "sheet.json").stat().st_mode & 0o777) == (0o700, 0o600)


def test_each_plan_is_the_one_that_raidtui_plan_makes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = rack(2)
    out = tmp_path / "out"
    main(["fleet", "plan", recipe(tmp_path), "--from", stored(tmp_path, hosts), "--out", str(out)])
    capsys.readouterr()
    (tmp_path / "node2.json").write_text(to_json(hosts["node2"]))
    planned = read_plan(out / "node2" / "plan.json")
    monkeypatch.setattr("secrets.token_hex", lambda _: planned.run_id)
    alone = document(
        capsys, "plan", "raid5(3+1)", "--chunk", "256K", "--mail", "storage@example.org", "--initramfs", "debian",
        "--inventory", str(tmp_path / "node2.json"),
    )  # fmt: skip
    assert alone["digest"] == planned.digest


def undated(path: Path) -> str:
    return re.sub(r'"made": "[^"]*"', "", path.read_text())


def test_the_sheet_of_before_gives_the_same_plans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, what = stored(tmp_path, rack(2)), recipe(tmp_path)
    first, again, other = (tmp_path / name for name in ("first", "again", "other"))
    main(["fleet", "plan", what, "--from", source, "--out", str(first)])
    main(["fleet", "plan", what, "--from", source, "--out", str(again), "--sheet", str(first / "sheet.json")])
    main(["fleet", "plan", what, "--from", source, "--out", str(other)])
    for name in files(first):
        assert undated(first / name) == undated(again / name)
        assert undated(first / name) != undated(other / name)


def test_a_refused_host_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = stored(tmp_path, rack(3, changed={"node3": with_files(0)}), {"node4": "no route to \x1b[2Jhost"})
    before = files(tmp_path)
    what = recipe(tmp_path)
    assert main(["fleet", "plan", what, "--from", source, "--out", str(tmp_path / "out")]) == Exit.REFUSED
    shown = capsys.readouterr()
    assert files(tmp_path) == [*before, "rack.toml"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fleet.json", "rack.toml"]
    assert "node3: not like most hosts: 3 disks can be used, 4 on most hosts (bay 1: file-system ext4)" in shown.out
    assert "node4: no route to \\e[2Jhost" in shown.out
    assert "\x1b" not in shown.out + shown.err
    assert "2 hosts refused; nothing was written" in shown.err


def test_what_an_admin_sees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = stored(tmp_path, rack(3, changed={"node3": with_files(0)}), {"node4": "timed out"})
    what = recipe(tmp_path, RECIPE + 'differs = "skip"\n')
    head, *rest = answer(capsys, "fleet", "plan", what, "--from", source).splitlines()
    assert head.startswith("sheet ") and head.endswith(": 2 hosts planned, 2 left out; erases 8 disks; not executed")
    assert rest == [  # each host as `raidtui model '(3+1)' --inventory nas4 --chunk 256K` has it
        "",
        "HOSTS      LAYOUT  DISKS  USABLE EACH      READ     WRITE  REBUILD  LOSS A YEAR",
        "node[1-2]  (3+1)       4    10.73 TiB  370 MB/s  370 MB/s     23 h     1 in 170",
        "",
        "usable                      23 593 858 564 096 bytes, 21.46 TiB",
        "disks                       8, 0 of them hot spares; 31.7 TB raw",
        "reading, all hosts at once  741 MB/s",
        "writing, all hosts at once  741 MB/s",
        "slowest host                reading node1 370 MB/s, writing node1 370 MB/s",
        "disk failures a year        0.12 expected",
        "data loss, anywhere         1 in 87 a year, at worst 1 in 65",
        "spares on the shelf         0: enough 95 % of the time, 30 days to restock",
        "",
        "Built: node1 alone, then up to 8 hosts at a time; none further once node1 or 1 host ended badly",
        "",
        "Left out",
        "  node3: not like most hosts: 3 disks can be used, 4 on most hosts (bay 1: file-system ext4)",
        "  node4: timed out",
    ]


def test_what_fleet_disks_prints_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(Path(stored(tmp_path, rack(2))).read_text())
    look = {"schema": "raidtui/fleet-look/1", "inventory": found, "machines": []}
    (tmp_path / "look.json").write_text(json.dumps(look))
    sheet = document(capsys, "fleet", "plan", recipe(tmp_path), "--from", str(tmp_path / "look.json"))
    assert [host["state"] for host in sheet["hosts"]] == ["planned", "planned"]


def test_who_has_no_plan_is_named_where_plans_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = stored(tmp_path, rack(3, changed={"node3": with_files(0)}), {"node4": "timed out"})
    what = recipe(tmp_path, RECIPE + 'differs = "skip"\n')
    assert main(["fleet", "plan", what, "--from", source, "--out", str(tmp_path / "out")]) == Exit.DONE
    wrote, *left_out = capsys.readouterr().err.splitlines()[-3:]
    assert wrote == f"raidtui: wrote {tmp_path / 'out'}: 2 plans, sheet.json, SHEET.md"
    assert left_out[0].startswith("raidtui: left out: node3: not like most hosts: 3 disks can be used, 4 on most hosts")
    assert left_out[1] == "raidtui: left out: node4: timed out"


def test_hosts_of_the_file_can_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, what = stored(tmp_path, rack(3)), recipe(tmp_path, RECIPE + 'differs = "skip"\n')
    found = document(capsys, "fleet", "plan", what, "--from", source, "-w", "node[2-3,7]")
    assert [(host["host"], host["state"], host["reason"]) for host in found["hosts"]] == [
        ("node2", "planned", ""),
        ("node3", "planned", ""),
        ("node7", "left out", f"not in {source}"),
    ]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text.replace('"node2"', '"../node2"'), "'../node2' is not a host name"),
        (lambda text: text.replace('"node2"', '"node1"', 1), "a host is there twice"),
        (lambda text: text[:-20], "Invalid JSON"),
        (lambda text: text.replace("3960778588160", "99999999999999999999999"), "size_bytes"),
    ],
)  # fmt: skip
def test_a_hostile_file_of_inventories(
    damage: object, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path(stored(tmp_path, rack(2)))
    assert callable(damage)
    source.write_text(damage(source.read_text()))
    assert main(["fleet", "plan", recipe(tmp_path), "--from", str(source), "--out", str(tmp_path / "o")]) == Exit.USAGE
    assert said in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_a_sheet_that_was_changed_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, what, out = stored(tmp_path, rack(1)), recipe(tmp_path), tmp_path / "out"
    main(["fleet", "plan", what, "--from", source, "--out", str(out)])
    sheet = out / "sheet.json"
    sheet.write_text(sheet.read_text().replace('"disks": 4', '"disks": 3'))
    assert main(["fleet", "plan", what, "--from", source, "--sheet", str(sheet)]) == Exit.USAGE
    assert "was changed after it was written" in capsys.readouterr().err


def test_a_directory_that_exists_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").mkdir()
    assert main(["fleet", "plan", recipe(tmp_path), "--from", "x", "--out", str(tmp_path / "out")]) == Exit.REFUSED
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.process
def test_hosts_that_are_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, inventory in rack(2).items():
        (tmp_path / f"{name}.json").write_text(to_json(replace(inventory, origin="chassis")))
    what = recipe(tmp_path, RECIPE + 'differs = "skip"\n')
    found = document(capsys, "fleet", "plan", what, "-w", "node[1-3]", "--worker", f"local:{tmp_path}")
    assert [host["state"] for host in found["hosts"]] == ["planned", "planned", "left out"]
    assert found["sums"]["simulated"] == 2
