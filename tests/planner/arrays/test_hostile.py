"""Names, labels and mount points of arrays are anybody's text: shown, never obeyed."""

from raidtui.model.arrays import ArrayMember, KnownBy, ObservedArray, ObservedArrays, OnArray
from raidtui.model.inventory import Inventory
from raidtui.planner.arrays.document import machine_blocks
from raidtui.planner.report.plain import plain_lines
from raidtui.planner.text.findings import unpainted

EVIL = "\x1b]0;owned\x07\u202e[/]\n"


def test_no_text_of_an_array_reaches_the_terminal() -> None:
    known = KnownBy(answer="no", why=EVIL)
    on = OnArray(
        device="md0", name=EVIL, type=EVIL, depth=0, content=EVIL, label=EVIL, group=EVIL, mount_points=(EVIL,)
    )
    array = ObservedArray(
        name="", label=EVIL, made_for=EVIL, path=EVIL, uuid="", states=("foreign", "inactive"), level=EVIL,
        metadata=EVIL, members=(ArrayMember(state="dropped", device=EVIL, serial=EVIL, unread=EVIL),),
        stands_on_it=(on,), unread=(EVIL,), last_action=EVIL,
        in_conf=known, in_initramfs=known, in_fstab=known, monitored=known,
    )  # fmt: skip
    seen = ObservedArrays(host=EVIL, simulated=False, time="", arrays=(array,))
    lines = plain_lines(machine_blocks(seen, Inventory(origin="machine", name="x")), unpainted, 80)
    assert any("\\e]0;owned" in line for line in lines)
    assert all(char.isprintable() for line in lines for char in line)
