"""The tool that rebuilds the initramfs on the host of a plan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.machine.arrays import boot
from raidtui.machine.arrays.boot import initramfs_tool
from raidtui.machine.inventory.shipped import load
from raidtui.session.session import Session


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ({"dracut"}, "dracut"),
        ({"update-initramfs"}, "debian"),
        ({"dracut", "update-initramfs"}, "debian"),
        (set(), "debian"),
    ],
)
def test_found_for_disks_of_this_machine_only(
    installed: set[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boot, "find", lambda name, _places: name if name in installed else None)
    recorded = load("trio")
    assert initramfs_tool(replace(recorded, origin="machine")) == expected
    assert initramfs_tool(recorded) == "debian"


def test_the_plan_of_the_app_names_it_as_the_verb_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boot, "find", lambda name, _places: name if name == "dracut" else None)
    assert Session(replace(load("trio"), origin="machine"), run_id="0" * 32).plan().initramfs == "dracut"
