"""mdadm.conf as mdadm's config.c and lib.c read it."""

from __future__ import annotations

import pytest

from raidtui.tools import mdadm_conf
from raidtui.tools.mdadm_conf import allows, array_lines, auto_denies, is_read, lasting, patterns, same_name, statements

UUID = "01234567:89abcdef:01234567:89abcdef"
TEXT = """\
# DEVICE /dev/not-this
DEVICE /dev/sd* partitions # all
dev   /dev/nvme*
  /dev/"disk with blanks"
#
ARRAY /dev/md/data metadata=1.2
	UUID=01234567:89abcdef:01234567:89abcdef spare-group=data
arr <ignore> UUID=0123456789ABCDEF-0123456789abcdef
HOMEHOST <system>
AUTO +1.x -all
part-policy domain=x
POL action=spare
MAILADDR root
unknown word
"""


def test_statements_have_their_line_keyword_and_words() -> None:
    found = [(each.line, each.keyword, each.words) for each in statements("conf", TEXT)]
    assert found == [
        (2, "devices", ("/dev/sd*", "partitions")),
        (3, "devices", ("/dev/nvme*", "/dev/disk with blanks")),
        (6, "array", ("/dev/md/data", "metadata=1.2", f"UUID={UUID}", "spare-group=data")),
        (8, "array", ("<ignore>", "UUID=0123456789ABCDEF-0123456789abcdef")),
        (9, "homehost", ("<system>",)),
        (10, "auto", ("+1.x", "-all")),
        (11, "part-policy", ("domain=x",)),
        (12, "policy", ("action=spare",)),
        (13, "mailaddr", ("root",)),
        (14, "other", ("word",)),
    ]
    assert statements("/etc/mdadm.conf", "\n\nDEV /dev/x\n")[0].place == "/etc/mdadm.conf line 3"


@pytest.mark.parametrize(
    ("words", "names", "allowed"),
    [
        ([], ["/dev/sda"], True),
        (["partitions"], ["/dev/sda"], True),
        (["PARTITIONS"], ["/dev/sda"], True),
        (["containers"], ["/dev/sda"], False),
        (["/dev/nvme*"], ["/dev/sda"], False),
        (["/dev/sd*"], ["/dev/sda"], True),
        (["/dev/*"], ["/dev/disk/by-id/wwn-0x5"], False),
        (["/dev/disk/by-id/wwn-*"], ["/dev/sda", "/dev/disk/by-id/wwn-0x5"], True),
        (["/dev/sd[^a]"], ["/dev/sda"], False),
        (["/dev/sd[^a]"], ["/dev/sdb"], True),
        (["/dev/sd?"], ["/dev/sdaa"], False),
        (["/dev/nvme*", "/dev/sda"], ["/dev/sda"], True),
    ],
)
def test_devices_are_allowed_by_any_of_their_names(words: list[str], names: list[str], allowed: bool) -> None:
    assert allows(words, names) is allowed


@pytest.mark.parametrize(
    ("words", "lasts"),
    [
        (["/dev/sd*"], True),
        (["/dev/sd[a-f]"], False),
        (["/dev/sda"], False),
        (["/dev/sda", "/dev/disk/by-id/wwn-*"], True),
        ([], True),
    ],
)
def test_a_name_of_today_is_not_one_that_lasts(words: list[str], lasts: bool) -> None:
    assert lasting(words, "/dev/sda", ["/dev/disk/by-id/wwn-0x5"]) is lasts


def test_words_on_a_device_line_that_are_no_device_count_for_nothing() -> None:
    found = statements("conf", "DEVICE sda style=0\n")
    assert patterns(found) == ()
    assert [word for word, _ in patterns(statements("conf", TEXT))] == [
        "/dev/sd*", "partitions", "/dev/nvme*", "/dev/disk with blanks",
    ]  # fmt: skip


def test_array_lines_match_by_uuid_or_by_devices() -> None:
    ours, ignoring = array_lines(statements("conf", TEXT))
    assert (ours.device, ours.uuid, ours.ignored, ignoring.ignored, ignoring.uuid) == (
        "/dev/md/data", UUID, False, True, UUID,
    )  # fmt: skip
    assert ours.matches(UUID, []) and not ours.matches("0" * 8, [])
    (by_devices,) = array_lines(statements("conf", "ARRAY <ignore> devices=/dev/sd*,/dev/x\n"))
    assert by_devices.matches("any", ["/dev/sda"]) and not by_devices.matches("any", ["/dev/nvme0n1"])
    (both,) = array_lines(statements("conf", f"ARRAY /dev/md/x UUID={UUID} devices=/dev/nvme*\n"))
    assert not both.matches(UUID, ["/dev/sda"]) and both.matches(UUID, ["/dev/nvme0n1"])
    (nothing,) = array_lines(statements("conf", "ARRAY /dev/md/x level=6\n"))
    assert not nothing.matches(UUID, ["/dev/sda"])


def test_names_are_compared_as_mdadm_does() -> None:
    assert same_name("/dev/md/data", "data") and same_name("/dev/data", "data")
    assert same_name("/dev/md0", "0") and same_name("/dev/md/0", "md0")
    assert not same_name("/dev/md/data", "data-0")


@pytest.mark.parametrize(
    ("line", "version", "denied"),
    [
        ("-all", "1.2", True),
        ("no", "1.2", True),
        ("+1.x -all", "1.2", False),
        ("-1.x", "1.2", True),
        ("-1.x", "0.90", False),
        ("+imsm homehost -all", "1.2", True),
        ("yes", "1.2", False),
        ("-0.90", "1.2", False),
    ],
)
def test_auto_lines(line: str, version: str, denied: bool) -> None:
    assert auto_denies(line.split(), version) is denied


def test_files_in_the_directory() -> None:
    assert [is_read(name) for name in ("a.conf", ".a.conf", ".conf", "a.conf~", "readme")] == [
        True, False, False, False, False,
    ]  # fmt: skip
    assert mdadm_conf.folder_of("/etc/mdadm/mdadm.conf") == "/etc/mdadm/mdadm.conf.d"
