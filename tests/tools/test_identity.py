import pytest

from raidtui.programs import identity


def test_a_disk_is_asked_who_it_is() -> None:
    assert identity.disk_question("/dev/a", alone=False) == (
        "lsblk", "--noheadings", "--pairs", "--output=TYPE,MOUNTPOINT,MODEL,SERIAL,WWN", "/dev/a",
    )  # fmt: skip
    assert identity.disk_question("/dev/a", alone=True)[1] == "--nodeps"
    assert identity.disk_answer("M 1", "S1", None) == 'TYPE="disk" MOUNTPOINT="" MODEL="M 1" SERIAL="S1" WWN=""'
    assert identity.numbers_answer("/dev/disk/by-id/wwn-0x5", 4096, 10**12) == "disk 1000000000000 4096 0"
    assert (
        identity.tree_answer(("/dev/disk/by-id/wwn-0x5",), 1) == 'TYPE="disk" MOUNTPOINT=""\nTYPE="part" MOUNTPOINT=""'
    )


def test_a_multipath_map_is_what_lsblk_calls_mpath() -> None:
    path = "/dev/disk/by-id/dm-uuid-mpath-35000c50033330001"
    assert identity.numbers_answer(path, 512, 2**30) == "mpath 1073741824 512 0"
    assert identity.tree_answer((path, "/dev/disk/by-id/wwn-0x5")) == (
        'TYPE="mpath" MOUNTPOINT=""\nTYPE="disk" MOUNTPOINT=""'
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('a"b', "a\\x22b"),
        ("a\\b", "a\\x5cb"),
        ("$(a)`", "\\x24(a)\\x60"),
        ("\x1b\n", "\\x1b\\x0a"),
        ("ü", "\\xc3\\xbc"),
    ],
)
def test_odd_text_is_compared_as_lsblk_writes_it(text: str, shown: str) -> None:
    assert f'SERIAL="{shown}"' in identity.disk_answer(None, text, None)


def test_digest_of_a_file_with_its_line_end() -> None:
    assert identity.digest_answer("/etc/x", "hello") == (
        "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  /etc/x"
    )
