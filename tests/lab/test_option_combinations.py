"""What raidtui accepts, the real tools make: no option fails only after disks were wiped."""

import shlex

import pytest

from tests.lab.option_combinations import inventory_of, machine, outcomes

pytestmark = [pytest.mark.lab, pytest.mark.long]


def test_no_accepted_combination_of_options_fails_late() -> None:
    with machine() as vm:
        found = list(outcomes(vm, inventory_of(vm), 100, seed=22))
    late = [f"{shlex.join(each.words)}\n{each.failed}" for each in found if each.failed]
    assert not late, "\n\n".join(late)
    assert sum(not each.accepted for each in found) > 10, "the options hardly contradict each other"
