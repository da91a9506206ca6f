"""dmsetup 1.02.185 on Linux 6.1: multipathd 0.9.4 made the maps in the lab."""

from raidtui.programs import multipath

TWO_GROUPS = """\
mpatha: 0 589824 multipath 2 0 0 0 2 1 A 0 1 2 8:16 A 0 0 1 E 0 1 2 8:0 A 0 0 1 
mpathb: 0 589824 multipath 2 0 0 0 1 1 A 0 1 2 8:64 A 0 0 1 
"""  # noqa: W291 - as printed
ONE_GROUP = "mpatha: 0 589824 multipath 2 0 0 0 1 1 A 0 2 0 8:16 A 0 8:0 F 1 \n"


def test_the_group_that_is_used_and_the_state_of_each_path() -> None:
    assert multipath.states(TWO_GROUPS) == {"8:16": (True, True), "8:0": (True, False), "8:64": (True, True)}
    assert multipath.states(ONE_GROUP) == {"8:16": (True, True), "8:0": (False, True)}


def test_the_selector_of_each_path() -> None:
    text = (
        "mpatha: 0 589824 multipath 1 queue_if_no_path 0 1 1 round-robin 0 2 1 8:16 1 8:0 1 \n"
        "mpathb: 0 589824 multipath 3 pg_init_retries 50 queue_if_no_path 1 rdac 2 1 service-time 0 1 2 8:64 1 1 "
        "queue-length 0 1 1 8:32 1 \n"
    )
    assert multipath.policies(text) == {
        "8:16": "round-robin", "8:0": "round-robin", "8:64": "service-time", "8:32": "queue-length",
    }  # fmt: skip


def test_nothing_is_concluded_from_lines_that_end_early() -> None:
    assert multipath.states("") == multipath.states("No devices found\n") == {}
    assert multipath.states("a: 0 8 multipath 2 0 0 0 1 1 A 0 2 0 8:16\n") == {}
    assert multipath.states("a: 0 8 multipath x\nb: 0 8 multipath 2 0 0 0 1 1 A 0 1 0 8:0 F 3 \n") == {
        "8:0": (False, True)
    }
