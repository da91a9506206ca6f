"""What an admin writes, what it means, and what is refused with which column."""

import pytest

from raidtui.values.errors import BadInput
from raidtui.values.layout import Band, HybridDisks, Layout
from raidtui.values.notation import parse, show

RAID60 = Layout.of(level="raid6", members=14, arrays=4, spares=4)


@pytest.mark.parametrize(
    ("written", "meant", "canonical"),
    [
        ("4x(12+2)+4", RAID60, "4x(12+2)+4"),
        ("4×(12+2) RAID6 + 4 spares", RAID60, "4x(12+2)+4"),
        ("raid6 4 X ( 12 + 2 ) + 4", RAID60, "4x(12+2)+4"),
        ("4x raid6(12+2) + 4 Spares", RAID60, "4x(12+2)+4"),
        ("(41+2)+2", Layout.of(level="raid6", members=43, spares=2), "(41+2)+2"),
        ("raid6(41+2)+2", Layout.of(level="raid6", members=43, spares=2), "(41+2)+2"),
        ("raid5(3+1)", Layout.of(level="raid5", members=4), "(3+1)"),
        ("(3+1)", Layout.of(level="raid5", members=4), "(3+1)"),
        ("raid4(3+1)", Layout.of(level="raid4", members=4), "raid4(3+1)"),
        ("raid0(43)", Layout.of(level="raid0", members=43), "raid0(43)"),
        ("raid1(3)", Layout.of(level="raid1", members=3), "raid1(3)"),
        ("raid10(3,f2)", Layout.of(level="raid10", members=3, spread="f"), "raid10(3,f2)"),
        ("raid10(5,o3)", Layout.of(level="raid10", members=5, spread="o", copies=3), "raid10(5,o3)"),
        ("raid10(8)", Layout.of(level="raid10", members=8), "raid10(8)"),
        ("raid10(8,n2)", Layout.of(level="raid10", members=8), "raid10(8)"),
        ("6x raid1(2)+1", Layout.of(level="raid1", members=2, arrays=6, spares=1), "6x raid1(2)+1"),
        ("6*raid1(2)+1 spare", Layout.of(level="raid1", members=2, arrays=6, spares=1), "6x raid1(2)+1"),
    ],
)
def test_written_meant_and_shown(written: str, meant: Layout, canonical: str) -> None:
    assert parse(written) == meant
    assert show(meant) == canonical


def test_bands_of_other_disks_are_no_layout() -> None:
    first = Band(members=(0, 1, 2), start_bytes=1, size_bytes=1)
    for wrong in ((), (Band(members=(0, 1), start_bytes=1, size_bytes=1),),
                  (first, Band(members=(0, 3), start_bytes=2, size_bytes=1)),
                  (first, Band(members=(0,), start_bytes=2, size_bytes=1))):  # fmt: skip
        with pytest.raises(ValueError, match="expected"):
            HybridDisks(disks=3, bands=wrong)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("(12+3)", "column 5: 3 parity disks: md supports 1 (RAID5) and 2 (RAID6)"),
        ("raid5(12+2)", "column 10: raid5 has 1 parity, not 2; md has 1 (RAID5) and 2 (RAID6)"),
        ("(8)", "column 1: missing level: write raid0(N), raid1(N), raid10(N) or (data+parity)"),
        ("4x", "column 3: expected '(' and the members of an array"),
        ("", "column 1: empty layout"),
        ("  raid7(3)", "column 3: unknown level raid7: expected raid0, raid1, raid4, raid5, raid6, raid10"),
        ("raid10(2,n3)", "column 8: raid10 with 3 copies needs at least 3 members, found 2"),
        ("raid10(4,f1)", "column 11: RAID10 needs at least 2 copies"),
        ("(1+2)", "column 2: raid6 needs at least 4 members, found 3"),
        ("(0+1)", "column 2: there must be at least one data disk"),
        ("raid1(1)", "column 7: raid1 needs at least 2 members, found 1"),
        ("raid0(4,f2)", "column 9: near, far and offset copies are for raid10, not raid0"),
        ("raid0(4+1)", "column 9: raid0 has no parity disks; write raid0(5)"),
        ("0x(3+1)", "column 1: there must be at least one array"),
        ("raid6(14)", "column 7: raid6 is written data+parity, for example raid6(12+2)"),
        ("raid6(12+2)raid5", "column 12: raid5 contradicts raid6"),
        ("(3+1)+1+1", "column 8: expected the end of the layout, found '+'"),
        ("(3+1", "column 5: expected ')'"),
        ("raid6(8+2)+raid5(4+1)", "column 12: raid6 and raid5 in one layout: all arrays need one level"),
        ("(8+2)+(4+1)", "column 10: raid6 and raid5 in one layout"),
        ("(8+2)+raid5(4+1)", "column 4: raid5 and raid6 in one layout"),
        ("raid10(8,f2)+raid10(6)", "column 20: f2 and n2 in one layout"),
        ("(4+2)+(1+2)", "column 8: raid6 needs at least 4 members, found 3"),
        ("(4+2)+", "column 7: expected a number of spares, or another group of arrays"),
        ("(4+2)+2+(5+2)", "column 8: expected the end of the layout, found '+'"),
        ("2000x(4+2)+2000x(5+2)", "column 1: 26000 disks exceed the limit of"),
        ("12+2", "column 3: expected 'x' after the number of arrays"),
        ("(99999999+2)", "column 2: number 99999999 is too large"),
        ("hybrid(3,3)", "column 10: 3 failed disks: every array survives 1 (RAID5, RAID1) or 2 (RAID6)"),
        ("hybrid(2,2)", "column 8: hybrid needs at least 3 disks to survive 2, found 2"),
        ("hybrid(1)", "column 8: hybrid needs at least 2 disks to survive 1, found 1"),
        ("hybrid(3", "column 9: expected ')'"),
        ("2x hybrid(3)", "column 1: the sizes of the disks give the levels and arrays; write hybrid(5)"),
        ("hybrid(3)+1 raid5", "column 13: expected the end of the layout, found 'raid5'"),
        ("hybrid(2000)+3000", "column 1: 5000 disks exceed the limit of"),
        ("4x(12+2); rm", "column 9: unexpected character ';'"),
    ],
)
def test_refused_with_reason_and_column(written: str, reason: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(written)
    assert reason in str(caught.value)
    assert "4x(12+2)+4" in caught.value.hint


@pytest.mark.parametrize(
    ("written", "way_out"),
    [
        ("raid60", "RAID60 is written 4x(12+2): arrays of 12 data and 2 parity disks below one stripe"),
        ("RAID 50(3)", "RAID50 is written 4x(6+1): arrays of 6 data and 1 parity disk below one stripe"),
        ("raidz2(12)", "RAID-Z is ZFS's; what RAID-Z2 over 12 disks survives, (10+2) survives"),
        ("raid1+0", "md has RAID10 for that: raid10(8) over 8 disks"),
        ("raid6", "its disks are missing: (12+2) is a RAID6 of 12 data and 2 parity disks"),
        ("12+2", "data and parity stand in parentheses: 4x(12+2)+4"),
        ("raid6 12+2", "data and parity stand in parentheses: 4x(12+2)+4"),
        ("12d+2p", "data and parity are written (12+2), with arrays and spares 4x(12+2)+4"),
        ("SHR2", "disks of mixed size are written hybrid(5), or hybrid(6,2) to survive 2 failed disks"),
        ("mirror", "a mirror of two disks is written raid1(2)"),
    ],
)
def test_what_is_written_elsewhere_is_told_how_it_is_written_here(written: str, way_out: str) -> None:
    with pytest.raises(BadInput) as mistake:
        parse(written)
    assert mistake.value.hint == way_out
