"""Lines of mdadm.conf about arrays that exist, which may do without any."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.advice.boot.next_boot import check_boot
from tests.planner.boot.test_removed import MIRROR, UUID, arrays, boot, said

ARRAY = replace(MIRROR, removed=())


@pytest.mark.parametrize(
    "conf",
    [
        "", f"ARRAY /dev/md/data UUID={UUID}\n", f"ARRAY /dev/md0 metadata=1.2 UUID={UUID} name=host:data\n",
        "AUTO homehost -all\n", "AUTO +1.x -all\n", "HOMEHOST <ignore>\n", "CREATE owner=root mode=0660 auto=yes\n",
        f"AUTO -all\nARRAY any UUID={UUID}\n", "HOMEHOST host\n", "POLICY domain=a action=spare\n",
    ],
)  # fmt: skip
def test_lines_that_leave_it_be(conf: str) -> None:
    assert said(ARRAY, conf) == []


def test_an_array_without_a_line_where_auto_keeps_mdadm_from_it() -> None:
    assert said(ARRAY, "AUTO -all\n") == [
        (
            "error", "auto-line",
            "/etc/mdadm/mdadm.conf line 1: 'AUTO -all' keeps mdadm from assembling arrays without an ARRAY line, and "
            "/dev/md/data has none. A boot would not assemble it.",
        )
    ]  # fmt: skip
    foreign = replace(ARRAY, label="elsewhere:data")
    assert [each[1] for each in said(foreign, "AUTO homehost -all\n")] == ["auto-line"]


def test_two_lines_that_match_it_and_one_that_has_it_ignored() -> None:
    twice = f"ARRAY /dev/md/data UUID={UUID}\nARRAY /dev/md/old UUID={UUID}\n"
    assert said(ARRAY, twice) == [
        (
            "error", "array-line-conflict",
            f"/etc/mdadm/mdadm.conf line 2: 'ARRAY /dev/md/old UUID={UUID}' is a second match for /dev/md/data: mdadm "
            "would not assemble it at boot.",
        )
    ]  # fmt: skip
    ((severity, _, message),) = said(ARRAY, f"ARRAY <ignore> UUID={UUID}\n")
    assert (severity, "makes mdadm ignore /dev/md/data" in message) == ("error", True)


def test_a_line_that_names_its_devices_does_not_name_a_new_one() -> None:
    line = "ARRAY /dev/md/data devices=/dev/sdc,/dev/sdx\n"
    ((severity, code, message),) = said(ARRAY, line)
    assert (severity, code) == ("warning", "array-line-devices")
    assert message == (
        "/etc/mdadm/mdadm.conf line 1: devices= does not name /dev/sdd (serial D) of /dev/md/data: mdadm takes them "
        "for members of an array without an ARRAY line."
    )
    (finding,) = check_boot(arrays(ARRAY), boot(line))
    assert finding.way_out == f"write UUID={UUID} instead"
    ((severity, _, message),) = said(ARRAY, f"AUTO -all\n{line}")
    assert (severity, message.endswith(": /etc/mdadm/mdadm.conf line 1 keeps mdadm from them.")) == ("error", True)
    assert said(ARRAY, f"ARRAY /dev/md/data UUID={UUID} devices=/dev/sd*\n") == []


def test_spares_and_names_of_before() -> None:
    found = said(ARRAY, f"ARRAY /dev/md/data UUID={UUID} spares=1 name=other:data\n")
    assert found == [
        (
            "note", "array-line-spares",
            "/etc/mdadm/mdadm.conf line 1 says spares=1, /dev/md/data has 0: the monitor reports missing spares.",
        ),
        (
            "warning", "array-line-name",
            "/etc/mdadm/mdadm.conf line 1 says name=other:data, the superblocks of /dev/md/data host:data: mdadm up to "
            "4.2 does not take the line for its.",
        ),
    ]  # fmt: skip


def test_a_name_of_another_array_and_another_home() -> None:
    other = "ARRAY data UUID=00000000:00000000:00000000:00000001\n"
    assert [each[:2] for each in said(ARRAY, other)] == [("warning", "array-name-taken")]
    assert said(ARRAY, "HOMEHOST elsewhere\n") == [
        (
            "note", "homehost-line",
            "/etc/mdadm/mdadm.conf line 1: HOMEHOST is elsewhere, /dev/md/data is made for host and has no ARRAY line: "
            "a boot gives it another name.",
        )
    ]  # fmt: skip
    assert said(replace(ARRAY, label="elsewhere:data"), "HOMEHOST elsewhere\n") == []
