"""`raidtui fleet resume`: order, wave and limit are those of the sheet that was confirmed, whatever a host answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.cli import main
from raidtui.fleet.cli import rollout as verb
from raidtui.fleet.cli.rollout import Chosen
from raidtui.fleet.engine import Transport
from raidtui.fleet.host_acts import serve_run
from raidtui.fleet.roll_out import HostProgress, RolloutFollower, starts_nothing
from raidtui.fleet.sheet_files import plan_of, sheet_in
from raidtui.fleet.stage import rollout_of
from raidtui.fleet.values import BuildOrder, Claim, HostRun, Rollout
from raidtui.machine.inventory import shipped
from raidtui.machine.system import places
from raidtui.values.codec import to_json
from raidtui.values.errors import Exit, Refused
from tests.cli.fleet.test_plan import recipe, stored

HOSTS = tuple(f"n{number}" for number in range(1, 7))
FEW = ("--wave", "1", "--stop-after", "1", "--first", "n2")
FAST = "1e7"


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sheet of six hosts, n2 first, then one by one; nothing is written to it."""
    folder = tmp_path_factory.mktemp("planned")
    source = stored(folder, dict.fromkeys(HOSTS, shipped.load("nas4")))
    what = recipe(folder, 'layout = "raid1(2)"\nmail = "root"\n')
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(places, "SPARED", tuple(tmp_path_factory.getbasetemp().parents))
        assert main(["fleet", "plan", what, "--from", source, "--out", str(folder / "sheet"), *FEW]) == Exit.DONE
    return folder / "sheet"


@pytest.fixture
def chosen(planned: Path, capsys: pytest.CaptureFixture[str]) -> Chosen:
    sheet = sheet_in(planned)
    capsys.readouterr()
    return Chosen(folder=planned, sheet=sheet, hosts=sheet.hosts, transport=Transport())


def some(chosen: Chosen, *names: str) -> Chosen:
    return replace(chosen, hosts=tuple(host for host in chosen.sheet.hosts if host.host in names))


def asked(chosen: Chosen, said: Mapping[str, Rollout]) -> RolloutFollower:
    """What came of asking the hosts how far they are: these have begun, and say what was confirmed."""
    view = starts_nothing(chosen.sheet, chosen.hosts, chosen.transport)
    for host, rollout in said.items():
        claim = Claim(control="one", token="1" * 32, since="2026-01-31T12:00:00Z", rollout=rollout)
        view.progress[host] = HostProgress(host=host, stage="built", state=HostRun(claim=claim))
    return view


def test_the_order_is_that_of_the_sheet(chosen: Chosen) -> None:
    whole = Rollout(sheet_digest=chosen.sheet.digest, hosts=HOSTS, canary="n2", wave_size=1, stop_after=1)
    assert rollout_of(chosen.sheet, chosen.names) == whole
    assert verb._begun_rollout(chosen, asked(chosen, {"n2": whole})) == whole
    part = some(chosen, "n3", "n5")
    assert verb._begun_rollout(part, asked(part, {"n3": whole})) == replace(whole, hosts=("n3", "n5"), canary="n3")


@pytest.mark.parametrize(
    "changed",
    [
        {"wave_size": 60}, {"stop_after": 60}, {"canary": "n1"}, {"hosts": tuple(reversed(HOSTS))},
        {"hosts": (*HOSTS, "n7")}, {"hosts": ("-oProxyCommand=x",)}, {"hosts": ()},
    ],
)  # fmt: skip
def test_a_host_that_says_another_order_ends_it_before_anything_starts(chosen: Chosen, changed: dict[str, Any]) -> None:
    whole = rollout_of(chosen.sheet, chosen.names)
    with pytest.raises(Refused) as refused:
        verb._begun_rollout(chosen, asked(chosen, {"n2": replace(whole, **changed), "n3": whole}))
    assert str(refused.value) == "n2 says another order than the sheet that was confirmed; nothing was started"
    assert refused.value.hint == (
        "find out who changed fleet-claim.json of the run there; with -w the others go on without it"
    )
    rest = some(chosen, "n1", "n3", "n4", "n5", "n6")
    assert verb._begun_rollout(rest, asked(rest, {"n3": whole})).wave_size == 1


def test_a_build_of_some_hosts_is_resumed_for_them_alone(chosen: Chosen) -> None:
    part = rollout_of(chosen.sheet, ("n1", "n2", "n3"))
    with pytest.raises(Refused) as refused:
        verb._begun_rollout(chosen, asked(chosen, {"n2": part}))
    assert str(refused.value) == "n2: n[4-6] is not in the build that was confirmed; nothing was started"
    assert refused.value.hint == "name the hosts that you confirmed: -w 'n[1-3]'"
    same = some(chosen, "n1", "n2", "n3")
    assert verb._begun_rollout(same, asked(same, {"n2": part})) == part


def test_hosts_of_another_sheet_and_hosts_that_have_not_begun(chosen: Chosen) -> None:
    with pytest.raises(Refused, match="no host has begun this build"):
        verb._begun_rollout(chosen, asked(chosen, {}))
    other = replace(rollout_of(chosen.sheet, chosen.names), sheet_digest="0" * 64)
    with pytest.raises(Refused, match=r"^n2 builds another sheet$"):
        verb._begun_rollout(chosen, asked(chosen, {"n2": other}))


@pytest.mark.process
@pytest.mark.parametrize("says", [{}, {"wave_size": 60, "stop_after": 60}], ids=["as confirmed", "all at once"])
def test_one_host_does_not_decide_the_rollout(
    chosen: Chosen, says: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Another control host goes on after the first host has begun, and that host's claim was edited."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "two"))
    inventories = tmp_path / "hosts"
    inventories.mkdir()
    for name in HOSTS[:3]:
        (inventories / f"{name}.json").write_text(to_json(shipped.load("nas4")))
    rollout = rollout_of(chosen.sheet, HOSTS[:3])
    claim = Claim(control="one", token="1" * 32, since="2026-01-31T12:00:00Z", rollout=rollout)
    host = next(each for each in chosen.sheet.hosts if each.host == "n2")
    order = BuildOrder(plan=plan_of(chosen.folder, host), claim=claim, speed_up=float(FAST))
    serve_run("build", to_json(order), inventories / "n2.json")
    (file,) = inventories.glob("n2.runs/*/fleet-claim.json")
    kept = json.loads(file.read_text())
    file.write_text(json.dumps({**kept, "rollout": {**kept["rollout"], **says}}))

    words = ["fleet", "resume", str(chosen.folder), "-w", "n[1-3]", "--worker", f"local:{inventories}"]
    code = main([*words, "--interval", "0.1", "--speed-up", FAST])
    said = capsys.readouterr().err
    begun = sorted(path.parts[-3].removesuffix(".runs") for path in inventories.glob("*/*/plan.json"))
    if says:
        assert (code, begun) == (Exit.REFUSED, ["n2"])
        assert "n2 says another order than the sheet that was confirmed; nothing was started" in said
    else:
        assert (code, begun) == (Exit.DONE, ["n1", "n2", "n3"])
        assert "starting n1\n" in said and "starting n3\n" in said
