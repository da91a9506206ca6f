"""Values of md's files as Linux 6.1 shows them."""

import sys

import pytest

from raidtui.programs import md


@pytest.mark.parametrize(
    ("text", "now", "before"),
    [("4 (3)", 4, 3), ("32768 (65536)", 32768, 65536), ("2 (18)", 2, 18), ("6", 6, 6), ("-1", -1, -1)],
)
def test_what_it_will_be_and_what_it_was(text: str, now: int, before: int) -> None:
    assert md.both(text) == (now, before)


@pytest.mark.parametrize("text", ["", "none", "4 (", "four", "4 (3) 2"])
def test_what_is_no_number_is_not_known(text: str) -> None:
    assert md.both(text) == (None, None)


def test_the_container_of_an_array() -> None:
    assert md.container("external:/md127/0") == ("md127", 0)
    assert md.container("external:-md127/12") == ("md127", 12)
    assert md.container("external:imsm") == md.container("1.2") == ("", None)


def test_a_uuid_in_md_s_form() -> None:
    assert md.md_uuid("ded28333-db32-ecdd-c2a2-6de1f2f62a4d") == "ded28333:db32ecdd:c2a26de1:f2f62a4d"
    assert md.md_uuid("00000000-0000-0000-0000-000000000000") == md.md_uuid("DEADBEEF") == ""


@pytest.mark.skipif(sys.byteorder != "little", reason="words of the other byte order are as they are printed")
def test_the_kernel_keeps_that_of_0_90_in_the_processor_s_byte_order() -> None:
    shown = "1aec5b5a-205ddc1f-795bf1b5-9c3f1f9a"
    assert md.kernel_uuid(shown, "0.90") == "5a5bec1a:1fdc5d20:b5f15b79:9a1f3f9c"
    assert md.kernel_uuid(shown, "1.2") == "1aec5b5a:205ddc1f:795bf1b5:9c3f1f9a"
