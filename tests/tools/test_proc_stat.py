import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.programs.proc import array_of, machine, thread


def test_share_of_processors_that_was_not_idle() -> None:
    recorded = b"cpu  2840977 8875 392079 1810694 11101 0 5145 6797 0 0\ncpu0 1389788 5692 193941 943651 2216 0 545"
    assert machine(recorded) == (3253873, 5075668)


def test_guest_time_is_in_user_time_already() -> None:
    assert machine(b"cpu  100 0 0 100 0 0 0 0 90 5\n") == (100, 200)


@pytest.mark.parametrize("data", [b"", b"cpu0 1 2 3 4", b"cpu  x", b"intr 5 6 7 8"])
def test_no_processors(data: bytes) -> None:
    assert machine(data) == (0, 0)


def test_a_kernel_thread() -> None:
    line = b"734 (md127_raid6) S 2 0 0 0 -1 2129984 0 0 0 0 12 3012 0 0 20 0 1 0 4242 0 0 18446744073709551615 0\n"
    assert thread(line) == ("md127_raid6", 3024)


def test_a_name_that_wants_to_be_the_rest_of_the_line() -> None:
    assert thread(b"9 (md_) S 2 0) S 2 0 0 0 -1 64 0 0 0 0 1 2 0 0 20 0 1 0\n") == ("md_) S 2 0", 3)


@pytest.mark.parametrize(
    "data", [b"", b"734 (md0_raid6", b"734 (md0_raid6) S 2 0", b"1 (a) S 2 0 0 0 -1 6 0 0 0 0 x 2 0 0"]
)
def test_no_thread(data: bytes) -> None:
    assert thread(data) is None


ARRAYS = frozenset({"md0", "md127", "md_backup", "md_b"})


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("md127_raid6", "md127"),
        ("md0_raid10", "md0"),
        ("md0_resync", "md0"),
        ("md0_reshape", "md0"),
        ("md_backup_raid6", "md_backup"),
        ("md_backup_resync", "md_backup"),  # 5.17 and later tell the whole name
        ("md_backup_resyn", "md_backup"),
        ("md_backup_recla", "md_backup"),
        ("md", None),
        ("md127", None),
        ("md1_raid6", None),
        ("md0_raid6x", None),
        ("raid5wq", None),
        ("kworker/u8:3-raid5wq", None),
        ("md_b_whatever_el", None),
    ],
)
def test_the_array_that_a_thread_works_for(name: str, array: str | None) -> None:
    assert array_of(name, ARRAYS) == array


@given(st.binary(max_size=200))
def test_no_bytes_bring_it_down(data: bytes) -> None:
    busy, whole = machine(data)
    assert 0 <= busy <= whole
    found = thread(data)
    assert found is None or array_of(found[0], ARRAYS) in {*ARRAYS, None}
