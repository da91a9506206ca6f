"""What figures depend on, from a copy of /sys."""

from pathlib import Path

import pytest

from raidtui.bench.run import conditions
from raidtui.values.gauges import Scene, WatchedArray

SCENE = Scene(
    host="testhost",
    disks=(),
    arrays=(WatchedArray(name="md0", level="raid6", members=("sda", "sdb")),),
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    files = {
        "md0/md/level": "raid6", "md0/md/chunk_size": "262144", "md0/md/stripe_cache_size": "4096",
        "md0/md/group_thread_cnt": "4", "md0/md/sync_action": "idle", "md0/queue/read_ahead_kb": "6144",
        "sda/queue/scheduler": "none [mq-deadline] kyber", "sdb/queue/scheduler": "[none] mq-deadline",
        "sda/queue/write_cache": "write back", "sdb/queue/write_cache": "write back",
        "sda/queue/read_ahead_kb": "128\x1b[2J", "sdb/queue/read_ahead_kb": "128\x1b[2J",
    }  # fmt: skip
    for name, text in files.items():
        path = tmp_path / "sys/block" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    monkeypatch.setattr("raidtui.bench.run._version", lambda name: f"{name}-1.0")
    return str(tmp_path)


def test_versions_arrays_and_disks(root: str) -> None:
    """What all disks share is said once; what comes from outside is made harmless; what is not there is left out."""
    found = conditions(SCENE, ("sda", "sdb"), root)
    assert found.pop("kernel")
    assert found == {
        "fio": "fio-1.0",
        "mdadm": "mdadm-1.0",
        "md0 level": "raid6",
        "md0 chunk": "262144",
        "md0 stripe_cache_size": "4096",
        "md0 group_thread_cnt": "4",
        "md0 sync": "idle",
        "md0 read_ahead_kb": "6144",
        "sda scheduler": "mq-deadline",
        "sdb scheduler": "none",
        "disks write_cache": "write back",
        "disks read_ahead_kb": "128\\e[2J",
    }
