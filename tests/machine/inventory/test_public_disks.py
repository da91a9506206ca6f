"""Disks that strangers published: what each is known by, and why it may not be chosen."""

from __future__ import annotations

import pytest

from raidtui.machine.inventory.probe import probe
from tests.recorded_machines.from_disks import capture_of, published
from tests.recorded_machines.shelf import ShelfHost

MACHINES = published()
WHY = {
    "twin": "another disk has the same identity: a second path to it, or a clone",
    "nameless": "it has neither a world-wide name nor a unique serial number, so it cannot be identified",
}
"""reasons that many have"""


@pytest.mark.parametrize("name", MACHINES)
def test_each_disk_is_known_by_what_is_its_own_or_refused(name: str) -> None:
    given = [disk for disk in MACHINES[name]["disks"] if not disk.get("hidden")]
    inventory = probe(ShelfHost(capture_of(MACHINES[name])))
    found = {disk.kernel_name: disk for disk in inventory.disks}
    assert sorted(found) == sorted(disk["name"] for disk in given)
    for disk in given:
        seen, why = found[disk["name"]], disk.get("why", "")
        assert (seen.id, seen.not_selectable or "") == (disk["id"], WHY.get(why, why)), disk["name"]
        if "link" in disk:
            assert seen.path == f"/dev/disk/by-id/{disk['link']}"
        if "ata" in disk:
            assert seen.speaks_ata == disk["ata"], disk["name"]
    assert not inventory.users_unread
