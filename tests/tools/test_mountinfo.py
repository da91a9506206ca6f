import pytest

from raidtui.programs.mount import Mount, holding, parse, parse_swaps, parsed
from raidtui.values.errors import MachineFailed

TEXT = r"""22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 propagate_from:2 - ext3 /dev/sdb1 rw,errors=continue
41 29 0:38 / /srv/with\040blank\012line rw,relatime - btrfs /dev/sdc\040x rw
"""


def test_mounts_with_and_without_optional_fields() -> None:
    assert parse(TEXT) == (
        Mount(number="254:0", point="/", fstype="ext4", source="/dev/root", shared="1", id=22, options="rw"),
        Mount(
            number="98:0",
            point="/mnt2",
            fstype="ext3",
            source="/dev/sdb1",
            root="/mnt1",
            master="1",
            id=36,
            options="rw,errors=continue",
        ),
        Mount(number="0:38", point="/srv/with blank\nline", fstype="btrfs", source="/dev/sdc x", id=41, options="rw"),
    )


@pytest.mark.parametrize(
    ("kind", "options", "stripe"),
    [
        ("xfs", "rw,attr2,inode64,sunit=128,swidth=512,noquota", (65536, 262144)),
        ("xfs", "rw,attr2,inode64,noquota", (None, None)),
        ("ext4", "rw,stripe=256", (None, 256)),
        ("ext4", "rw,stripe=x", (None, None)),
    ],
)
def test_the_stripe_that_a_mounted_file_system_shows(kind: str, options: str, stripe: tuple[int, int]) -> None:
    assert Mount(number="9:0", point="/", fstype=kind, source="/dev/md0", options=options).stripe == stripe


@pytest.mark.parametrize(
    "line",
    ["22 1 254:0 - ext4 /dev/root rw", "22 1 254:0 / / rw,relatime - ext4", " - ", "22 1 254:0 / / rw,relatime",
     "x 1 254:0 / / rw - ext4 /dev/root rw", "22 1 254 / / rw - ext4 /dev/root rw"],
)  # fmt: skip
def test_a_torn_line_is_an_error_and_not_taken_for_no_mount(line: str) -> None:
    with pytest.raises(MachineFailed, match="a line of an unknown form"):
        parse(TEXT + line + "\n")
    mounts, torn = parsed(TEXT + line + "\n")
    assert (mounts, torn) == (parse(TEXT), (line,))


def test_swaps() -> None:
    text = (
        "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
        "/dev/sdaa                               partition\t1048572\t\t0\t\t-2\n"
        "/swap\\040file                           file\t\t1048572\t\t0\t\t-3\n"
    )
    assert parse_swaps(text) == ("/dev/sdaa", "/swap file")
    assert parse_swaps("") == ()


@pytest.mark.parametrize(
    ("path", "point"), [("/", "/"), ("/mnt2", "/mnt2"), ("/mnt2/a/b", "/mnt2"), ("/mnt22/a", "/"), ("/mnt", "/")]
)
def test_the_mount_that_a_path_lies_on(path: str, point: str) -> None:
    mount = holding(parse(TEXT), path)
    assert mount is not None
    assert mount.point == point


def test_a_later_mount_hides_an_earlier_one() -> None:
    over = Mount(number="0:99", point="/", fstype="overlay", source="overlay")
    assert holding((*parse(TEXT), over), "/etc") == over
    assert holding((), "/etc") is None
