"""What is found of a disk is kept by the object, and the last answer by the objects that were asked about."""

from __future__ import annotations

from raidtui.predict.disks.kinds import PerDisk
from raidtui.values.inventory import Disk
from raidtui.values.members import same_again
from tests.planner.topologies import disk


def test_an_answer_is_given_again_for_the_same_objects_alone() -> None:
    asked: list[tuple[object, ...]] = []

    def find(*given: object) -> int:
        asked.append(given)
        return len(asked)

    again = same_again(find)
    one, equal = [1, 2], [1, 2]
    assert [again(one), again(one), again(equal), again(equal, one), again(one)] == [1, 1, 2, 3, 4]
    assert asked == [([1, 2],), ([1, 2],), ([1, 2], [1, 2]), ([1, 2],)]


def test_disks_that_agree_share_what_is_found_and_equal_disks_are_looked_at_each() -> None:
    seen: list[str] = []

    def enclosure(found: Disk) -> list[str]:
        seen.append(found.id)
        return [found.place.enclosure or ""]

    table = PerDisk(enclosure, like=lambda found: found.place.enclosure)
    a, b, c = disk(1, enclosure="e"), disk(2, enclosure="f"), disk(3, enclosure="e")
    first, second, third = table.each([a, b, c])
    assert (first, second) == (["e"], ["f"]) and third is first
    assert seen == [a.id, b.id]
    assert table.of_arrays([(a, b), (c,)]) == ((first, second), (third,))
    assert table.distinct([(c, a), (b,)]) == [first, second]
    assert table.of(disk(4, enclosure="g")) == ["g"]


def test_a_list_that_has_changed_is_looked_at_again() -> None:
    table = PerDisk(lambda found: found.id)
    asked = [disk(1), disk(2)]
    assert table.of_arrays([asked]) == ((asked[0].id, asked[1].id),)
    asked.reverse()
    assert table.of_arrays([asked]) == ((asked[0].id, asked[1].id),)
    assert table.each(asked) == (asked[0].id, asked[1].id)
