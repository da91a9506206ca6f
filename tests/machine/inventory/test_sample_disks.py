"""All disks are looked at together, and each look is the one of its disk."""

import re
import threading

from raidtui.machine.inventory.capture import Noting
from raidtui.machine.inventory.probe import look_at
from raidtui.machine.system.ports import Denied, Look
from raidtui.values.errors import MachineFailed
from tests.machine.answers import Answers, block

DISKS = [block(f"sd{number}", f"8:{number}") for number in range(70)]


def test_looks_are_by_disk_in_their_order_and_at_the_same_time() -> None:
    together = threading.Barrier(5, timeout=60)

    class Host(Answers):
        def look(self, path: str, number: str, size: int) -> Look:
            if path in ("/dev/sd0", "/dev/sd1", "/dev/sd2", "/dev/sd3", "/dev/sd4"):
                together.wait()  # returns only when five looks are under way
            return Look(error=f"{path} {number}")

    found = look_at(Host(), DISKS)
    assert list(found) == [f"sd{number}" for number in range(70)]
    assert all(look.error == f"/dev/{name} 8:{name[2:]}" for name, look in found.items())
    assert look_at(Host(), []) == {}


def test_what_a_look_raises_costs_its_disk_alone() -> None:
    class Host(Answers):
        def look(self, path: str, number: str, size: int) -> Look:
            if path == "/dev/sd7":
                raise MachineFailed("it hangs")
            if path == "/dev/sd8":
                raise Denied(path)
            if path == "/dev/sd9":
                raise ZeroDivisionError("no size")
            return Look(zero=True)

    noting = Noting(Host())
    found = look_at(noting, DISKS)
    assert [name for name, look in found.items() if look.unread] == ["sd7", "sd8", "sd9"]
    assert [found[f"sd{number}"].unread for number in (7, 8, 9)] == [
        "it hangs",
        "permission denied",
        "it gave no answer",
    ]
    (unread,) = noting.unread_of("sd9")
    assert re.fullmatch(
        r"the ends of sd9 \(ZeroDivisionError: no size in test_sample_disks.py, line \d+\)", str(unread)
    )
