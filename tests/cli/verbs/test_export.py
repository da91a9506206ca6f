"""`raidtui export`: the file on stdout or in --out, losses on stderr, the whole answer as JSON."""

import json
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.installers.exported import Export
from raidtui.values.choices import EXPORT_FORMATS
from raidtui.values.codec import from_json
from tests.cli.commands import answer

RAID60 = ["2x(4+2)+1", "--chunk", "64K", "--inventory", "jbod84"]


def test_the_file_goes_to_stdout_and_the_losses_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "kickstart", *RAID60]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("# Kickstart commands for the data disks of this plan. Made by raidtui for jbod84")
    assert "\nraid pv.00 --device=data-0 --level=RAID6 --spares=1 --chunksize=64 raid.0000 " in out
    assert (
        "SIMULATED  kickstart (native): 8 attributes carried, 5 as the installer's default, 7 lost, 2 unused\n" in err
    )
    assert "volume (LVM stripe over 2 arrays, 64 KiB) becomes linear" in err
    assert "raidtui export\nSIMULATED      kickstart --adopt PLAN." in err


def test_a_plan_s_file_gives_the_same_as_its_layout(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["plan", *RAID60, "--out", str(tmp_path / "build")])
    capsys.readouterr()
    plan = str(tmp_path / "build" / "plan.json")
    made = from_json(Export, answer(capsys, "export", "disko", plan, "--json"), source="stdout")
    assert made.digest == json.loads(Path(plan).read_text())["digest"]
    assert made.files[0].text == answer(capsys, "export", "disko", plan)
    assert any(each.figures for each in made.attributes)  # the shipped chassis is found by the plan's host


def test_out_names_an_absolute_path_and_never_overwrites(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", "autoinstall", *RAID60, "--out", "user-data"]) == 0
    out, err = capsys.readouterr()
    assert out == "" and f"wrote {tmp_path}/user-data" in err
    assert (tmp_path / "user-data").read_text().startswith("#cloud-config\n")
    assert main(["export", "autoinstall", *RAID60, "--out", "user-data"]) == 1
    assert f"{tmp_path}/user-data exists already" in capsys.readouterr().err


def test_several_files_go_to_a_new_directory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "files"
    partitioned = ["(4+2)", "--inventory", "jbod84", "--members", "partitions"]
    assert main(["export", "systemd", *partitioned, "--out", str(target)]) == 0
    found = sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())
    assert found[:3] == [
        "etc/mdadm/mdadm.conf", "etc/systemd/system/srv-data.mount", "etc/udev/rules.d/90-raidtui-data.rules",
    ]  # fmt: skip
    assert len(found) == 3 + 6 and found[3].startswith("repart.d/wwn-")
    capsys.readouterr()
    assert main(["export", "systemd", *partitioned, "--out", str(target)]) == 1
    assert f"{target} exists already" in capsys.readouterr().err


def test_a_refusal_names_the_other_way(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "ignition", *RAID60]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "Ignition cannot build this plan: it has no volume over several arrays" in err
    assert "build first, then: raidtui export ignition --adopt PLAN" in err


def test_disks_that_are_not_here_give_no_figures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["plan", *RAID60, "--out", str(tmp_path / "build")])
    capsys.readouterr()
    plan = str(tmp_path / "build" / "plan.json")
    made = json.loads(answer(capsys, "export", "kickstart", plan, "--inventory", "pod45", "--json"))
    assert not any(each["figures"] for each in made["attributes"])


@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_every_format_has_a_file_for_a_mirror(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "export", name, "raid1(2)", "--inventory", "jbod84").isascii()
