"""`--bind-by-path`: libvirt's default disks, which have no serial number, from the plan to the undo."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.values.codec import from_json, to_json
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.plan import Plan
from tests.cli.commands import FAST, called, document

pytestmark = pytest.mark.process


def disk(number: int, **more: object) -> Disk:
    fields: dict[str, object] = {
        "id": "", "size_bytes": 20 * 10**9, "kernel_name": f"vd{'abcdef'[number]}", "transport": "virtio",
        "by_path": f"pci-0000:0{number}:00.0", "rotational": True, "state": "blank",
        "not_selectable": "it has neither a world-wide name nor a unique serial number, so it cannot be identified",
    }  # fmt: skip
    return Disk(**{**fields, **more})  # type: ignore[arg-type]


def stored(folder: Path, *disks: Disk) -> str:
    path = folder / "machine.json"
    path.write_text(to_json(Inventory(origin="chassis", name="guest", disks=disks)))
    return str(path)


@pytest.mark.thorough
def test_four_disks_without_names_are_planned_built_and_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = stored(tmp_path, *(disk(number) for number in range(1, 5)))
    refused = called("model", "(2+2)", "--inventory", file)
    assert refused.returncode != 0
    shown = document(capsys, "disks", "--inventory", file, "--bind-by-path")
    assert [each["id"] for each in shown["disks"]] == [f"path-pci-0000:0{number}:00.0" for number in range(1, 5)]
    out = tmp_path / "out"
    asked = ("plan", "(2+2)", "--inventory", file, "--bind-by-path")
    assert "An equal disk that is attached there instead is taken for it. [disk-bound-by-path]" in called(*asked).stdout
    planned = called(*asked, "--out", str(out))
    assert planned.returncode == 0, planned
    plan = from_json(Plan, (out / "plan.json").read_text(), source="plan.json")
    assert [each.path for each in plan.disks] == [
        f"/dev/disk/by-path/pci-0000:0{number}:00.0" for number in range(1, 5)
    ]
    assert "\ndata  0  by-path/pci-0000:01:00.0  " in (out / "build.sh").read_text()

    path = str(out / "plan.json")
    built = called("build", path, "--inventory", file, "--yes", "--confirm", plan.digest, FAST)
    assert (built.returncode, "FINISHED" in built.stdout) == (0, True), built
    (run,) = json.loads(called("status", "--json").stdout)["runs"]
    assert (run["run_id"], run["outcome"]) == (plan.run_id, "finished")
    undone = called("undo", plan.run_id[:8], "--yes", "--confirm", plan.digest, FAST)
    assert undone.returncode == 0, undone


def test_an_unequal_disk_at_the_place_is_refused(tmp_path: Path) -> None:
    disks = [disk(number) for number in range(1, 5)]
    file = stored(tmp_path, *disks)
    planned = called("plan", "(2+2)", "--inventory", file, "--bind-by-path", "--out", str(tmp_path / "out"))
    assert planned.returncode == 0, planned
    stored(tmp_path, replace(disks[0], size_bytes=30 * 10**9), *disks[1:])
    path = tmp_path / "out" / "plan.json"
    digest = from_json(Plan, path.read_text(), source="plan.json").digest
    built = called("build", str(path), "--inventory", file, "--yes", "--confirm", digest, FAST)
    assert (built.returncode, "bytes 30 000 000 000, planned 20 000 000 000" in built.stderr) == (4, True), built
