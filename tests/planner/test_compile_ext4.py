"""What the plan says to mke2fs, said to the real one on a sparse file: it makes what was predicted."""

import subprocess
from pathlib import Path

import pytest

from raidtui.programs import mkfs_ext4
from raidtui.sizes.ext4 import ext4_geometry


@pytest.mark.needs("mkfs.ext4")
@pytest.mark.parametrize("size", [1024**3, 10 * 1024**3, 500107862016])
def test_mke2fs_makes_what_was_predicted(size: int, tmp_path: Path) -> None:
    geometry = ext4_geometry(size, sunit_bytes=65536, stripe_width=3)
    file = tmp_path / "device"
    with file.open("wb") as device:
        device.truncate(size)
    uuid = "cd19a11b-da88-51d3-a705-c404cb18264b"
    path = {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin", "LC_ALL": "C"}
    subprocess.run(mkfs_ext4.mkfs(str(file), uuid, geometry).argv, check=True, capture_output=True, env=path)
    question = mkfs_ext4.geometry_question(str(file))
    shown = subprocess.run(question, check=True, capture_output=True, text=True, env=path).stdout
    said = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in shown.splitlines())}
    for key, value in mkfs_ext4.geometry_answers(geometry):
        assert said[key] == value
    assert said["Filesystem UUID"] == uuid
    assert int(said["Free blocks"]) == geometry.statfs_free_blocks
