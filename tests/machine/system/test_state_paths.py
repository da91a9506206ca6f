from pathlib import Path

import pytest

import raidtui
from raidtui.machine.system import places


@pytest.fixture(autouse=True)
def _user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.machine.system.places.os.geteuid", lambda: 1000)
    monkeypatch.setenv("HOME", "/home/nobody")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)


def test_a_user_keeps_measurements_and_simulated_runs_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    home = "/home/nobody/.local/state/raidtui"
    assert str(places.speeds_path()) == f"{home}/speeds.json"
    assert str(places.benches_root()) == f"{home}/benches"
    assert str(places.benches_root(simulated=True)) == f"{home}/simulated/benches"
    assert [str(each) for each in places.run_roots()] == ["/var/lib/raidtui", f"{home}/simulated"]
    assert [str(each) for each in places.all_benches_roots()] == [
        f"{home}/benches", "/var/lib/raidtui/benches", f"{home}/simulated/benches",
    ]  # fmt: skip
    monkeypatch.setenv("XDG_STATE_HOME", "/srv/state")
    assert str(places.simulated_root()) == "/srv/state/raidtui/simulated"


def test_root_keeps_measurements_for_the_whole_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidtui.machine.system.places.os.geteuid", lambda: 0)
    assert str(places.speeds_path()) == "/var/lib/raidtui/speeds.json"
    assert str(places.simulated_root()) == "/home/nobody/.local/state/raidtui/simulated"
    assert [str(each) for each in places.all_benches_roots()] == [
        "/var/lib/raidtui/benches", "/home/nobody/.local/state/raidtui/simulated/benches",
    ]  # fmt: skip


def test_one_module_knows_where_state_is_kept() -> None:
    product = Path(raidtui.__file__).parent
    names = {path for path in product.rglob("*.py") if "XDG_STATE_HOME" in path.read_text()}
    assert {str(path.relative_to(product)) for path in names} == {"machine/system/places.py"}
