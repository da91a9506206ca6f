"""`raidtui plan`: the plan as text and JSON, and the files that it writes."""

from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.values.codec import from_json
from raidtui.values.plan import Plan
from tests.cli.commands import answer, document
from tests.machine.owners import SOMEBODY, as_root, owned_by

RAID60 = ["4x(12+2)+4", "--chunk", "256K", "--inventory", "e2660"]


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


def test_root_writes_no_plan_below_a_directory_of_others(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    as_root(monkeypatch)
    owned_by(monkeypatch, {tmp_path / "home": SOMEBODY})
    assert main(["plan", *RAID60, "--out", str(tmp_path / "home" / "new")]) == 1
    assert capsys.readouterr().err.splitlines()[-2:] == [
        f"raidtui: {tmp_path / 'home'} belongs to user {SOMEBODY}, who could change what is in it",
        f"         check its content, then chown root {tmp_path / 'home'}; or use another directory",
    ]
    assert list((tmp_path / "home").iterdir()) == []


def test_plan_json_is_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    plan = from_json(Plan, answer(capsys, "plan", *RAID60, "--json"), source="x")
    assert plan.simulated
    assert len(plan.disks) == 60


def test_a_plan_names_the_versions_that_it_was_made_for(capsys: pytest.CaptureFixture[str]) -> None:
    versions = ("--kernel", "6.1.0-50-amd64", "--mdadm", "4.2")
    said = document(capsys, "plan", *RAID60, *versions)
    assert said["design"]["target"] == {"kernel": "6.1.0-50-amd64", "mdadm": "4.2"}
    first = answer(capsys, "plan", *RAID60, *versions).splitlines()[0]
    assert "(simulated disks) (Linux 6.1.0-50-amd64, mdadm 4.2): erases 60 disks" in first
    made = document(capsys, "model", "(4+2)", "--disks", "6x2TB", "--xfsprogs", "5.9", "--mkfs", "bigtime=1", code=1)
    assert "mkfs-option-unknown" in {each["code"] for each in made["findings"]}
    assert "target" not in document(capsys, "plan", *RAID60)["design"]
    assert main(["plan", *RAID60, "--mdadm", "four"]) == 2
    assert "--mdadm: invalid version 'four'" in capsys.readouterr().err


def test_an_export_prints_the_warnings_of_its_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    versions = ("--kernel", "5.10", "--xfsprogs", "6.13")
    assert main(["plan", "raid1(2)", "--disks", "2x2TB", *versions, "--out", str(tmp_path / "made")]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[4:] == [
        "",
        "warning: Linux 5.10 does not mount an XFS with nrext64 for writing, unless its distribution added it. "
        "[kernel-without-xfs-feature]",
        "    use Linux 5.19 or later, or --mkfs nrext64=0",
    ]


def test_every_new_plan_has_new_uuids(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (document(capsys, "plan", *RAID60) for _ in range(2))
    assert {array["uuid"] for array in first["arrays"]} & {array["uuid"] for array in second["arrays"]} == set()


def test_exports_name_their_absolute_path_and_replace_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", "(3+1)", "--disks", "4x2TB", "--out", "made"]) == 0
    names = ("plan.json", "build.sh", "undo.sh", "runbook.md")
    assert capsys.readouterr().err.splitlines() == [
        *(f"raidtui: wrote {tmp_path}/made/{name}" for name in names),
        "",
        "warning: A rebuild must read 6.00 TB without a bad sector (disks of 2.00 TB). [raid5-large-disks]",
        "    use RAID6: one more disk, and it survives an unreadable sector",
    ]
    before = [(tmp_path / "made" / name).read_bytes() for name in names]
    assert main(["plan", "(3+1)", "--disks", "4x2TB", "--out", "made", "--chunk", "64K"]) == 1
    assert [(tmp_path / "made" / name).read_bytes() for name in names] == before
