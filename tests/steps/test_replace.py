"""How a member is replaced: which disk, by which, by what commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.answers.acts import replacement_blocks
from raidtui.answers.plain_text import plain_lines, unpainted
from raidtui.machine.arrays.read import observe
from raidtui.steps.replace import array_named, replacement
from raidtui.values.acts import Replacement
from raidtui.values.arrays import ArrayMember, ArrayState, MemberState, MemberSuperblock
from raidtui.values.codec import from_json, to_json
from raidtui.values.errors import BadInput
from raidtui.values.plan import PartInArray
from tests.machine.living import carried_out
from tests.machine.simulation import Run, built_run, do


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return built_run(tmp_path, "raid6(4+2)", name="data", after=100_000)


def asked(run: Run, *, member: str | None = None, new: str | None = None, array: str = "data") -> Replacement:
    inventory = run.machine.inventory()
    return replacement(observe(run.machine, inventory), inventory, array, member=member, new=new)


def typed(found: Replacement) -> list[str]:
    return [" ".join(command.argv) for step in found.steps for command in step.commands]


SDB, SDX = "/dev/disk/by-id/wwn-0x3000013300000002", "/dev/disk/by-id/wwn-0x3000013300000018"


@pytest.mark.parametrize("member", ["sdb", "/dev/sdb", "SIME26600002", "drawer 1 slot 02"])
@pytest.mark.parametrize("array", ["data", "md127", "/dev/md127", "/dev/md/data"])
def test_a_member_that_works_is_copied(run: Run, member: str, array: str) -> None:
    found = asked(run, member=member, new="sdx", array=array)
    assert (found.way, found.slot, found.survives, found.findings) == ("copy", 1, 2, ())
    assert typed(found) == [
        f"mdadm --manage /dev/md127 --add-spare {SDX}",
        f"mdadm --manage /dev/md127 --replace {SDB} --with {SDX}",
        f"mdadm --manage /dev/md127 --remove {SDB}",
        f"mdadm --zero-superblock {SDB}",
        "mdadm --misc --action=check /dev/md127",
    ]
    # degraded, beside it, stays above 0 where another member fails meanwhile
    assert (found.steps[2].waits_for, found.steps[2].then) == ("/dev/md127", (part(SDX, "in-sync"),))
    assert found.steps[3].before == (part(SDB, "faulty"), part(SDX, "in-sync", "spare"))
    assert (found.steps[6].light, found.steps[6].purpose) == (
        SDB, "The serial number on the label is SIME26600002; then pull it.",
    )  # fmt: skip


def part(device: str, *parts: MemberState) -> PartInArray:
    return PartInArray(array="/dev/md127", device=device, parts=parts)


def test_a_member_that_is_gone_is_rebuilt(run: Run) -> None:
    run.machine.unplug(run.plan.disks[1].id)
    run.machine.advance(10)
    found = asked(run, new="sdx")
    assert (found.way, found.slot, found.survives) == ("rebuild", 1, 1)
    assert found.old is not None
    assert (found.old.device, found.old.path) == ("", "")
    assert typed(found) == [
        f"mdadm --manage /dev/md127 --add-spare {SDX}",
        "mdadm --misc --action=check /dev/md127",
    ]
    assert found.hours is not None
    assert found.least_hours is not None
    assert found.most_hours is not None
    assert found.least_hours < found.hours < found.most_hours


def test_the_limit_of_the_array_bounds_the_rate(run: Run) -> None:
    run.machine.set_sync_limit("md127", 10_000)
    found = asked(run, member="sdb", new="sdx")
    assert found.least_hours == pytest.approx(54.26, abs=0.01)  # 2 000 263 667 712 bytes at 10 000 KiB/s


def test_another_member_waits_until_the_missing_one_is_replaced(run: Run) -> None:
    run.machine.unplug(run.plan.disks[1].id)
    run.machine.advance(10)
    found = asked(run, member="sdc", new="sdx")
    assert [each.code for each in found.findings] == ["other-member-first"]
    assert found.steps == ()


@pytest.mark.parametrize(("new", "code"), [("sda", "new-is-member"), ("sdb", "new-is-member")])
def test_a_disk_of_the_array_is_refused(run: Run, new: str, code: str) -> None:
    found = asked(run, member="sdb", new=new)
    assert ([each.code for each in found.findings], found.steps) == ([code], ())


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"size_bytes": 2_000_263_577_599}, "new-too-small"),
        ({"logical_sector_bytes": 4096}, "new-sector-size"),
        ({"state": "content"}, "new-not-blank"),
        ({"state": "unknown"}, "new-not-blank"),
        ({"not_selectable": "mounted at /srv"}, "new-in-use"),
        ({"protected": True}, "new-in-use"),
    ],
)
def test_a_disk_that_does_not_fit_is_refused(run: Run, change: dict[str, object], code: str) -> None:
    inventory = run.machine.inventory()
    disks = tuple(replace(each, **change) if each.kernel_name == "sdx" else each for each in inventory.disks)  # type: ignore[arg-type]
    seen = observe(run.machine, inventory)
    found = replacement(seen, replace(inventory, disks=disks), "data", member="sdb", new="sdx")
    assert ([each.code for each in found.findings], found.steps) == ([code], ())


def test_a_disk_does_not_join_encrypted_members_as_it_is(run: Run) -> None:
    inventory = run.machine.inventory()
    seen = observe(run.machine, inventory)
    (array,) = (each for each in seen.arrays if each.name == "md127")
    members = tuple(replace(each, device=f"dm-{number}") for number, each in enumerate(array.members))
    found = replacement(
        replace(seen, arrays=(replace(array, members=members),)), inventory, "data", member="sdb", new="sdx"
    )
    (problem,) = found.findings
    assert (problem.code, problem.message, found.steps) == (
        "new-unmapped",
        "md127 is made of dm-0, which is over sda: LUKS or dm-integrity, for example. sdx would join as it is.",
        (),
    )
    assert problem.way_out == (
        "prepare and open the disk as the others, then mdadm /dev/md127 --add /dev/mapper/NAME (raidtui help luks, "
        "raidtui help integrity)"
    )


def test_a_dropped_member_is_no_new_disk(run: Run) -> None:
    pulled = run.plan.disks[1].id
    run.machine.unplug(pulled)
    run.machine.advance(10)
    run.machine.plug(pulled)
    found = asked(run, new="SIME26600002")
    assert found.steps == ()
    assert {each.code for each in found.findings} == {"new-is-member"}


def test_none_is_chosen_where_several_fit(run: Run) -> None:
    found = asked(run, member="sdb")
    assert (found.new, found.steps, len(found.candidates)) == (None, (), 54)
    assert [(each.code, each.severity) for each in found.findings] == [("new-not-chosen", "note")]


def test_an_array_without_superblocks_is_not_changed(run: Run) -> None:
    seen = observe(run.machine, run.machine.inventory())
    bare = replace(seen, arrays=tuple(replace(each, uuid="") for each in seen.arrays))
    with pytest.raises(BadInput, match="has no UUID: it was made without superblocks"):
        array_named(bare, bare.arrays[0].name)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ({"array": "md9"}, "md9 is not an array on this machine"),
        ({}, "md127 has no missing member"),
        ({"member": "sdx"}, "sdx is no member of md127"),
        ({"member": "sdb", "new": "nvme9"}, "nvme9 is no disk of this machine"),
        ({"array": "md9\x1b[2J"}, "md9\\e[2J is not an array on this machine"),
    ],
)
def test_names_that_are_none(run: Run, words: dict[str, str], text: str) -> None:
    with pytest.raises(BadInput) as refused:
        asked(run, **words)
    assert str(refused.value) == text


def test_raid0_is_refused(tmp_path: Path) -> None:
    built = built_run(tmp_path, "raid0(4)", name="data")
    found = asked(built, member="sdb", new="sdx")
    assert [each.code for each in found.findings] == ["no-redundancy"]


def test_the_document_and_its_text(run: Run) -> None:
    found = asked(run, member="sdb", new="sdx")
    assert from_json(Replacement, to_json(found), source="x") == found
    lines = plain_lines(replacement_blocks(found), unpainted, 100)
    assert lines[:5] == [
        "md127 (raid6)",
        "  goes        sdb (member 1, drawer 1 slot 02, serial SIME26600002)",
        "  comes       sdx (drawer 2 slot 12, serial SIME26600024)",
        "  needs       2 000 398 843 904 bytes or more",
        "  how         copied while the old member works: redundancy does not drop",
    ]


def test_where_a_spare_has_the_place_the_new_disk_becomes_the_spare(tmp_path: Path) -> None:
    """Also once its rebuild has ended: nothing would ever be copied to the new disk."""
    built = built_run(tmp_path, "raid6(4+2)+1", name="data", after=100_000)
    assert do(built.machine, tmp_path, "mdadm", "--manage", "/dev/md127", "--fail", "/dev/sdb")[0] == 0
    ways = []
    for seconds in (10, 100_000):
        built.machine.advance(seconds)
        found = asked(built, member="sdb", new="sdx")
        ways.append((found.way, [step.title for step in found.steps][:2]))
    spare = ("spare", ["Add the new disk as a spare of md127", "Take the old member out"])
    assert ways == [spare, spare]
    carried_out(found, built.machine, tmp_path)
    inventory = built.machine.inventory()
    (array,) = observe(built.machine, inventory).arrays
    assert {each.device: each.state for each in array.members} == {
        **dict.fromkeys(("sda", "sdg", "sdc", "sdd", "sde", "sdf"), "in-sync"), "sdx": "spare",
    }  # fmt: skip


SDW = "/dev/disk/by-id/wwn-0x3000013300000017"
ADDED = [f"mdadm --manage /dev/md127 --add-journal {SDX}", "mdadm --misc --action=check /dev/md127"]


BLOCK = MemberSuperblock(
    level="raid6",
    devices=6,
    role=None,
    events=4,
    updated="Thu",
    clean=True,
    roster="AAAAAA",
    features=0x200,
    journal=True,
)


def of_journal(
    run: Run, state: MemberState, *states: ArrayState, member: str | None = None, now: MemberState = "missing",
    size: int | None = None,
) -> Replacement:  # fmt: skip
    """The answer where the array has, or had, the disk sdw as its write journal; `now`: what sdx is, which comes, and
    `size` its bytes."""
    inventory = run.machine.inventory()
    seen = observe(run.machine, inventory)
    if size is not None:
        sized = (replace(each, size_bytes=size) if each.kernel_name == "sdx" else each for each in inventory.disks)
        inventory = replace(inventory, disks=tuple(sized))
    (array,) = seen.arrays
    members = list(array.members)
    for name, part in (("sdw", state), ("sdx", now)):
        disk = next(each for each in inventory.disks if each.kernel_name == name)
        flags = ("faulty", "journal") if part == "faulty" else ("journal",) if part == "journal" else ()
        journal = ArrayMember(
            state=part, device=name, disk=name, disk_id=disk.id, serial=disk.serial, path=disk.path, place=disk.place,
            flags=flags, superblock=BLOCK if part == "dropped" else None,
        )  # fmt: skip
        members += [journal] if part != "missing" else []
    array = replace(array, consistency="journal", states=states, members=tuple(members))
    return replacement(replace(seen, arrays=(array,)), inventory, "data", member=member, new="sdx")


@pytest.mark.parametrize("member", ["sdw", "/dev/sdw", "SIME26600023", "drawer 2 slot 11"])
def test_a_journal_that_works_goes_while_the_array_is_read_only(run: Run, member: str) -> None:
    found = of_journal(run, "journal", "read-only", member=member)
    assert (found.way, found.findings, found.members) == ("journal", (), (SDW,))
    assert typed(found) == [
        f"mdadm --manage /dev/md127 --fail {SDW}",
        f"mdadm --manage /dev/md127 --remove {SDW}",
        ADDED[0],
        f"mdadm --zero-superblock {SDW}",
        ADDED[1],
    ]
    fails, takes, erases, _ = found.steps
    assert (fails.before, fails.then) == ((part(SDW, "journal", "faulty"),), (part(SDW, "missing"),))
    asks = fails.commands[0].only_if
    assert asks is not None
    assert (asks.question.argv[-1], asks.answer) == ("/sys/block/md127/md/array_state", "readonly")
    assert (takes.then, erases.before) == ((part(SDX, "journal"),), (part(SDW, "missing"),))
    assert "is lost" not in takes.purpose


@pytest.mark.parametrize(
    ("state", "member", "way_out"),
    [
        ("journal", "sdw", "unmount what is on it; mdadm --readonly /dev/md127; then the same again"),
        ("faulty", None, f"unmount what is on it; mdadm /dev/md127 --remove {SDW}; mdadm --readonly /dev/md127; then "
         "the same again"),
        ("missing", None, "unmount what is on it; mdadm --readonly /dev/md127; then the same again"),
    ],
)  # fmt: skip
def test_a_journal_is_refused_while_the_array_can_be_written(
    run: Run, state: MemberState, member: str | None, way_out: str
) -> None:
    found = of_journal(run, state, "clean", member=member)
    assert [(each.code, each.way_out) for each in found.findings] == [("journal-needs-read-only", way_out)]
    assert found.steps == ()


@pytest.mark.parametrize(("size", "codes"), [(202_375_167, ["new-too-small"]), (202_375_168, [])])
def test_a_journal_needs_room_behind_the_data_offset_of_the_members(run: Run, size: int, codes: list[str]) -> None:
    found = of_journal(run, "journal", "read-only", member="sdw", size=size)
    assert [each.code for each in found.findings] == codes


def test_a_lost_journal_is_taken_out_and_replaced(run: Run) -> None:
    found = of_journal(run, "faulty", "journal-lost", "read-only")
    assert typed(found) == [f"mdadm --manage /dev/md127 --remove {SDW}", *ADDED]
    assert found.steps[1].purpose.endswith("What the old journal alone held is lost.")
    found = of_journal(run, "missing", "journal-lost", "read-only")
    assert (typed(found), found.members) == (ADDED, ())


@pytest.mark.parametrize("member", ["sdw", None])
def test_the_exchange_of_a_journal_goes_on_where_it_was_cut(run: Run, member: str | None) -> None:
    """Once the old one is out it may be named; what it alone holds is of use until the new one is there."""
    found = of_journal(run, "dropped", "journal-lost", "read-only", member=member)
    assert (found.findings, typed(found)) == ((), ADDED)


def test_the_exchange_of_a_journal_ends_where_the_new_one_is_the_journal(run: Run) -> None:
    found = of_journal(run, "dropped", "clean", member="sdw", now="journal")
    assert (found.findings, typed(found)) == ((), [f"mdadm --zero-superblock {SDW}", ADDED[1]])
    ended = of_journal(run, "missing", "clean", member="sdw", now="journal")
    assert ([each.code for each in ended.findings], ended.steps) == (["nothing-to-replace"], ())


def test_a_journal_of_before_is_not_taken_for_the_one_that_works(run: Run) -> None:
    inventory = run.machine.inventory()
    seen = observe(run.machine, inventory)
    (array,) = seen.arrays
    disks = {each.kernel_name: each for each in inventory.disks}
    before, works, others = (
        ArrayMember(
            state="dropped", device=name, disk=name, disk_id=disks[name].id, path=disks[name].path, superblock=BLOCK
        )
        for name in ("sdw", "sdv", "sdu")
    )
    works = replace(works, state="journal")
    members = (*array.members, others, before, works)
    seen = replace(seen, arrays=(replace(array, consistency="journal", states=("clean",), members=members),))
    with pytest.raises(BadInput, match=r"^sdw is no member of md127 any more: its journal is sdv$"):
        replacement(seen, inventory, "data", member="sdw", new="sdx")
    ended = replacement(seen, inventory, "data", member="sdw", new="sdv")
    assert typed(ended) == [f"mdadm --zero-superblock {SDW}", ADDED[1]]
    without = replace(array, states=("clean",), members=(*array.members, before))
    with pytest.raises(BadInput, match=r"^sdw is no member of md127$"):
        replacement(replace(seen, arrays=(without,)), inventory, "data", member="sdw", new="sdx")


def test_a_member_beside_a_journal_is_replaced_as_ever(run: Run) -> None:
    assert of_journal(run, "journal", "clean", member="sdb").way == "copy"
    refused = of_journal(run, "faulty", "journal-lost", "clean", member="sdb")
    assert [each.code for each in refused.findings] == ["journal-lost"]
