"""What an answer says, and what it does not."""

import pytest

from raidtui.steps.check_step import answer_value, holds
from raidtui.steps.step_builder import fact

EXPORT = "MD_LEVEL=raid6\nMD_UUID=1:2:3:4\n"
DETAIL = "/dev/md/data:\n      Chunk Size : 256K\n   Working Devices : 14   \n"


@pytest.mark.parametrize(
    ("key", "stdout", "value"),
    [
        ("MD_UUID", EXPORT, "1:2:3:4"),
        ("Chunk Size", DETAIL, "256K"),
        ("Working Devices", DETAIL, "14"),
        ("", "  active \n", "active"),
        ("UUID", EXPORT, None),
        ("Devices", DETAIL, None),
        ("MD_UUID", "", None),
        ("MD_UUID", "MD_UUID=\n", None),
    ],
)
def test_the_value_behind_a_key(key: str, stdout: str, value: str | None) -> None:
    assert answer_value(fact("ours", "", ("mdadm",), "", key=key), 0, stdout) == value


def test_an_exit_code_that_is_not_good_says_nothing() -> None:
    reading = fact("blank", "it is empty", ("find",), "", 0, 1)
    assert holds(reading, 1, "")
    assert not holds(reading, 2, "")
    assert answer_value(reading, 2, "x") is None
