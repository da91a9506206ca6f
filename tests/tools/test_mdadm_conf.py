"""mdadm.conf as mdadm's config.c and lib.c read it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from raidtui.programs import mdadm_conf
from raidtui.programs.mdadm_conf import (
    allows,
    array_lines,
    auto_denies,
    is_read,
    lasting,
    patterns,
    same_name,
    statements,
)

DEBIAN, UPSTREAM = "/etc/mdadm/mdadm.conf", "/etc/mdadm.conf"
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


@pytest.mark.parametrize(
    ("offsets", "place"),
    [
        # Debian's packages: 4.1-11, 4.2-5, 4.4-11+deb13u1, 4.6-3; strace shows which file each opens first
        ("569456:{d2} 569488:{f2} 569504:{d1} 569536:{f1}", DEBIAN),
        ("585840:{d2} 585872:{f2} 585888:{d1} 585920:{f1}", DEBIAN),
        ("622688:{d1} 622720:{f1} 622752:{d2} 622784:{f2}", UPSTREAM),
        ("630880:{d1} 630912:{f1} 630944:{d2} 630976:{f2}", UPSTREAM),
        # built here of 4.2 with upstream's Makefile: gcc -O0, gcc -O2 -flto, clang -O2; with Debian's places: clang
        ("701696:{f2} 701712:{d2} 701744:{f1} 701776:{d1}", UPSTREAM),
        ("580240:{d1} 580272:{f1} 580304:{d2} 580560:{f2}", UPSTREAM),
        ("566464:{f2} 566480:{d2} 566512:{f1} 566544:{d1}", UPSTREAM),
        ("566464:{f1} 566496:{d1} 566528:{f2} 566544:{d2}", DEBIAN),
        # none that is known: an order of its own, a place of its own, a wrapper, nothing
        ("1:{d1} 2:{f2} 3:{d2} 4:{f1}", ""),
        ("1:{f1} 2:{f2} 3:{d1} 4:{d2}", ""),
        ("1:{f1} 2:{d1} 3:{f1} 4:{d1}", ""),
        ("1:{f1} 2:{d1} 3:{f2}", ""),
        ("1:{f1}", ""),
        ("", ""),
    ],
)
def test_which_file_a_mdadm_prefers_shows_in_the_order_of_its_strings(offsets: str, place: str) -> None:
    words = offsets.format(f1=DEBIAN, d1=f"{DEBIAN}.d", f2=UPSTREAM, d2=f"{UPSTREAM}.d").split()
    assert mdadm_conf.preferred("".join(f"{word}\0" for word in words)) == place


def test_the_question_finds_whole_strings_alone() -> None:
    assert mdadm_conf.preference_question("/sbin/mdadm") == (
        "grep", "--null-data", "--text", "--byte-offset", "--line-regexp", "--extended-regexp",
        "/etc/mdadm(/mdadm)?[.]conf([.]d)?", "/sbin/mdadm",
    )  # fmt: skip


@pytest.mark.process
def test_grep_answers_it_for_a_program(tmp_path: Path) -> None:
    binary = tmp_path / "mdadm"
    strings = (f"{UPSTREAM}.d", UPSTREAM, f"{DEBIAN}.d", DEBIAN, f"       {DEBIAN}", f"see {UPSTREAM}")
    binary.write_bytes(b"\x7fELF\0\n\xff\xfe\0" + b"\0\0\0".join(each.encode() for each in strings) + b"\0\n\0")
    answer = subprocess.run(mdadm_conf.preference_question(str(binary)), capture_output=True, text=True, check=True)
    assert mdadm_conf.preferred(answer.stdout) == DEBIAN


def test_one_place_is_read() -> None:
    assert mdadm_conf.places_read([DEBIAN], "") == (DEBIAN,)
    assert mdadm_conf.places_read([f"{DEBIAN}.d/a.conf", UPSTREAM], DEBIAN) == (UPSTREAM,)
    assert mdadm_conf.places_read([DEBIAN, UPSTREAM], UPSTREAM) == (UPSTREAM,)
    assert mdadm_conf.places_read([DEBIAN, UPSTREAM], "") == (DEBIAN, UPSTREAM)
    assert mdadm_conf.places_read([], DEBIAN) == (DEBIAN,)  # for the sake of its directory
    assert mdadm_conf.places_read([], "") == (DEBIAN, UPSTREAM)


def test_auto_homehost_allows_what_was_made_for_this_host() -> None:
    words = ("+imsm", "homehost", "-all")
    assert mdadm_conf.auto_denies(words, "1.2")
    assert not mdadm_conf.auto_denies(words, "1.2", local=True)
    assert mdadm_conf.auto_denies(("-1.x", "homehost", "-all"), "1.2", local=True)  # it comes before homehost
