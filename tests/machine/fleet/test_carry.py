"""Hosts without raidtui: what a look needs is carried there, runs on plain Python and leaves nothing behind."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.fleet.archive import look_carrier
from raidtui.fleet.engine import Transport
from raidtui.fleet.look import look_at_hosts

pytestmark = pytest.mark.process


def test_the_archive_is_small_and_the_same_every_time() -> None:
    carrier = look_carrier()
    assert carrier.content == look_carrier().content
    assert len(carrier.content) < 260_000
    names = zipfile.ZipFile(io.BytesIO(carrier.content)).namelist()
    assert {"__main__.py", "raidtui/__init__.py", "raidtui/machine/inventory/probe.py"} < set(names)
    assert not [name for name in names if name.startswith(("raidtui/tui", "raidtui/cli", "raidtui/engine/"))]


def test_a_host_without_raidtui_is_looked_at_and_left_as_it_was(ssh: Transport, tmp_path: Path) -> None:
    assert [look.state for look in look_at_hosts(("bare1", "good1"), ssh).hosts] == ["absent", "answered"]
    bare, good = look_at_hosts(("bare1", "good1"), ssh, "missing").hosts
    assert (bare.state, bare.carried, good.carried) == ("answered", True, False)
    assert bare.inventory is not None and good.inventory is not None
    assert [disk.id for disk in bare.inventory.disks] == [disk.id for disk in good.inventory.disks]
    assert list((tmp_path / "left").iterdir()) == []


def test_what_was_carried_is_removed_when_the_connection_is_lost(ssh: Transport, tmp_path: Path) -> None:
    found = look_at_hosts(("lost1",), ssh, "always")
    assert found.hosts[0].state == "unreachable"
    assert list((tmp_path / "left").iterdir()) == []


@pytest.mark.parametrize(
    ("host", "state", "sentence"),
    [
        ("old-python1", "absent", "neither raidtui nor Python 3.11 is installed there"),
        ("full1", "failed", "no temporary directory there"),
    ],
)
def test_why_it_cannot_be_carried(ssh: Transport, host: str, state: str, sentence: str) -> None:
    (look,) = look_at_hosts((host,), ssh, "always").hosts
    assert look.problem is not None
    assert look.problem.state == state and look.problem.sentence.startswith(sentence)


def test_a_file_that_arrives_in_part_does_not_run(ssh: Transport, tmp_path: Path) -> None:
    carrier = look_carrier()

    class Cut(type(carrier)):  # type: ignore[misc]
        @property
        def argv(self) -> tuple[str, ...]:
            return carrier.argv

    (look,) = look_at_hosts(("bare1",), replace(ssh, carrier=Cut(content=carrier.content[:40_000]))).hosts
    assert look.problem is not None and look.problem.sentence.startswith("the file did not arrive whole")
    assert list((tmp_path / "left").iterdir()) == []
