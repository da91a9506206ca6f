"""The last good look at each host stays until the next good one."""

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.fleet.look import keep_looks, last_looks
from raidtui.fleet.values import FleetInventory, HostLook, HostProblem
from raidtui.machine.inventory import shipped
from raidtui.values.errors import BadInput, Refused

NAS = shipped.load("nas4")


def fleet(*looks: HostLook) -> FleetInventory:
    return FleetInventory(taken_at="2026-11-22T10:00:00Z", hosts=looks)


def good(host: str, when: str) -> HostLook:
    return HostLook(host=host, asked_at=when, answered_in_s=1, inventory=NAS, raidtui="0.1.0", clock_ahead_s=0)


def test_a_failed_look_keeps_the_last_good_one(tmp_path: Path) -> None:
    root = tmp_path / "fleet"
    assert keep_looks(root, fleet(good("n1", "1"), good("n2", "1"))) == {}
    failed = HostLook(
        host="n1", asked_at="2", answered_in_s=9, problem=HostProblem(state="timed-out", sentence="no answer")
    )
    assert set(keep_looks(root, fleet(failed, good("n3", "2")))) == {"n1", "n2"}
    kept = last_looks(root)
    assert {host: look.asked_at for host, look in kept.items()} == {"n1": "1", "n2": "1", "n3": "2"}
    assert kept["n3"] == good("n3", "2")
    assert (root / "inventory.json").stat().st_mode & 0o777 == 0o600


def test_a_damaged_or_foreign_file_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "fleet"
    keep_looks(root, fleet(good("n1", "1")))
    (root / "inventory.json").write_text('{"schema": "raidtui/fleet-inventory/1"')
    with pytest.raises(BadInput, match=r"inventory\.json"):
        last_looks(root)
    keep_looks(tmp_path / "other", fleet(replace(good("n1", "1"), inventory=None)))
    (tmp_path / "other" / "inventory.json").chmod(0o666)
    with pytest.raises(Refused, match="writable by others"):
        last_looks(tmp_path / "other")
