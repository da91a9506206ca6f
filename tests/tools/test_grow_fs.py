import pytest

from raidtui.programs import file_systems
from raidtui.values.plan import Command


def test_commands() -> None:
    assert file_systems.grow("xfs", "/dev/md127", "/srv/d", 1000) == Command(
        argv=("xfs_growfs", "-d", "/srv/d"), effect="change", devices=("/dev/md127",), place="/srv/d"
    )
    assert file_systems.grow("ext4", "/dev/md127", "/srv/d", 1000) == Command(
        argv=("resize2fs", "/dev/md127", "1000"), effect="change", devices=("/dev/md127",), place="/srv/d"
    )


@pytest.mark.parametrize(
    ("kind", "blocks", "most"),
    [
        ("xfs", 4 * 16384 + 63, 4 * 16384),  # no allocation group of fewer than 64 blocks
        ("xfs", 4 * 16384 + 64, 4 * 16384 + 64),
        ("xfs", 4 * 16384, 4 * 16384),
        ("ext4", 3 * 32768 + 4095, 3 * 32768),
        ("ext4", 3 * 32768 + 4096, 3 * 32768 + 4096),
    ],
)
def test_a_last_group_that_is_too_small_is_left_out(kind: str, blocks: int, most: int) -> None:
    group = 16384 if kind == "xfs" else 32768
    assert file_systems.most_blocks(kind, blocks * 4096 + 100, 4096, group) == most  # type: ignore[arg-type]
