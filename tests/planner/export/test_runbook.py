import re

from hypothesis import given
from hypothesis import strategies as st

from raidtui.model.inventory import Place
from raidtui.planner.export.runbook import runbook
from tests.planner.plans import disk, plan_of
from tests.suite import examples


def headings(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("#")]


def test_the_runbook_of_a_small_array() -> None:
    plan = plan_of("(3+1)+1")
    text = runbook(plan)
    assert text.startswith("# Runbook: (3+1)+1 on host\n\n**5 disks will be erased.**")
    assert f"- digest `{plan.digest}`" in text
    assert f"`erase 5 {plan.digest[-8:]}`" in text and f"`undo 5 {plan.digest[-8:]}`" in text
    assert "\n| /dev/md/data | 42dbae94:1561526f:8ca5d025:9d816dee  | raid5, 4 members, 1 spare, " in text
    lines = text.splitlines()
    at = lines.index("## Disks")
    assert lines[at + 2 : at + 5] == [
        "| place | serial | model |    size | becomes          | path                                   |",
        "| ----- | ------ | ----- | ------: | ---------------- | -------------------------------------- |",
        "| -     | S001   | MODEL | 2.00 TB | member 0 of data | /dev/disk/by-id/wwn-0x5000c50000000001 |",
    ]
    for each in plan.steps:
        assert f"## {each.number}. " in text
    assert "```sh\nmdadm --create /dev/md/data --name=data" in text
    assert "# only if /dev/md/data has UUID 42dbae94:1561526f:8ca5d025:9d816dee\nmdadm --stop /dev/md/data" in text
    assert "The content that the disks had before is lost." in text


@given(st.text(min_size=1), st.text(min_size=1))
@examples(60)
def test_text_of_a_disk_stays_in_its_cell(serial: str, slot: str) -> None:
    plain = runbook(plan_of("raid1(2)"))
    text = runbook(plan_of("raid1(2)", (disk(1, serial=serial + "x", place=Place(slot=slot)), disk(2))))
    assert text.count("\n") == plain.count("\n")
    assert text.count("```") == plain.count("```")
    rows = [line for line in text.split("\n") if line.startswith("|") and "member 0 of data" in line]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", rows[0])) == 7


def test_links_and_markup_of_a_disk_are_shown_not_followed() -> None:
    text = runbook(plan_of("raid1(2)", (disk(1, serial="[x](http://y) <script> `a` # |"), disk(2))))
    assert "\\[x\\](http:\\//y) \\<script\\> \\`a\\` # \\|" in text
    assert len(headings(text)) == len(headings(runbook(plan_of("raid1(2)"))))
