"""Every host that is asked is in the answer, with its inventory or the reason why not."""

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui import __version__
from raidtui.fleet.engine import Transport
from raidtui.fleet.look import look_at_hosts
from raidtui.machine.inventory import shipped
from raidtui.values.codec import to_json

pytestmark = pytest.mark.process


def test_simulated_hosts_answer_with_their_stored_inventory(tmp_path: Path) -> None:
    chassis = shipped.load("nas4")
    (tmp_path / "n1.json").write_text(to_json(chassis))
    (tmp_path / "n2.json").write_text("[")
    found = look_at_hosts(("n2", "n1", "n3"), Transport(simulated=tmp_path))
    assert [look.host for look in found.hosts] == ["n2", "n1", "n3"]
    assert found.inventories == {"n1": chassis}
    n2, n1, n3 = found.hosts
    assert (n1.state, n1.raidtui, n1.clock_ahead_s) == ("answered", __version__, 0)
    assert (n2.state, n3.state) == ("refused", "refused")
    assert n3.problem is not None
    assert n3.problem.sentence == f"{tmp_path}/n3.json: No such file or directory"


def test_every_failure_has_its_state(ssh: Transport) -> None:
    expected = {
        "good1": "answered", "refused1": "refused", "half1": "half",
        "absent1": "absent", "endless1": "too-large", "greeting1": "garbage", "other1": "other-host",
        "old1": "other-version", "deaf1": "failed", "closed1": "failed",
    }  # fmt: skip
    found = look_at_hosts(tuple(expected), replace(ssh, timeout_s=60, most_output=1 << 20))
    assert {look.host: look.state for look in found.hosts} == expected
    for look in found.problems:
        assert look.problem is not None
        assert look.problem.sentence.isprintable() and look.problem.hint


def test_a_host_that_stops_answering_is_late_or_half(ssh: Transport) -> None:
    found = look_at_hosts(("silent1", "stuck1"), replace(ssh, timeout_s=1))
    assert [look.state for look in found.hosts] == ["timed-out", "half"]


def test_a_host_on_the_same_machine_has_the_same_clock(tmp_path: Path) -> None:
    """The kernel rounds the start of a process down to a tick of 10 ms."""
    hosts = tuple(f"n{number}" for number in range(8))
    for host in hosts:
        (tmp_path / f"{host}.json").write_text(to_json(shipped.load("nas4")))
    found = look_at_hosts(hosts, Transport(simulated=tmp_path))
    assert [look.clock_ahead_s for look in found.hosts] == [0.0] * 8
