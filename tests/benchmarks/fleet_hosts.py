"""Writes inventories of simulated hosts: `python -m tests.benchmarks.fleet_hosts DIRECTORY COUNT`.

All have 60 disks of 2 TB with serial numbers of their own. The last host but two lacks a disk, the last two have other
firmware; of 12 hosts and more.
"""

import json
import sys
from pathlib import Path
from typing import Any

import raidtui

_CHASSIS = Path(raidtui.__file__).parent / "chassis" / "e2660.json"
_TARGET = {"kernel": "6.1.0-50-amd64", "mdadm": "4.2", "xfsprogs": "6.1", "e2fsprogs": "1.47"}


def write_hosts(folder: Path, count: int) -> tuple[str, ...]:
    """Writes node0001.json and so on; returns the hosts."""
    chassis = json.loads(_CHASSIS.read_text())
    hosts = tuple(f"node{number:04}" for number in range(1, count + 1))
    for number, host in enumerate(hosts):
        document = host_inventory(chassis, host, number)
        if number == count - 3:
            del document["disks"][18]
        if number >= count - 2:
            for disk in document["disks"]:
                disk["firmware"] = "0002"
        (folder / f"{host}.json").write_text(json.dumps(document))
    return hosts


def host_inventory(chassis: dict[str, Any], host: str, number: int) -> dict[str, Any]:
    """The chassis as a machine of its own: serial numbers, names and addresses occur once."""
    document: dict[str, Any] = json.loads(json.dumps(chassis))
    document |= {"origin": "machine", "name": host, "machine_id": f"{number + 1:032x}", "target": _TARGET}
    for place, disk in enumerate(document["disks"]):
        wwn = f"0x5000c500{number * 100 + place:08x}"
        disk |= {
            "id": f"wwn-{wwn}",
            "wwn": wwn,
            "serial": f"Z{number:04}{place:03}",
            "by_id": [f"wwn-{wwn}", f"scsi-3{wwn[2:]}"],
            "place": {**disk["place"], "enclosure": f"0x50050cc1{number:08x}"},
        }
    return document


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    write_hosts(Path(sys.argv[1]), int(sys.argv[2]))
