"""What was replaced stays with the array's superblock: shown, judged and named before a boot starts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.advice.arrays.age import why
from raidtui.advice.audit.rules import audit
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.arrays.settings import audit_facts
from raidtui.values.arrays import Audit
from tests.machine.simulation import Run, built_run, do

CONF = "/etc/mdadm/mdadm.conf"


@pytest.fixture
def mirror(tmp_path: Path) -> Run:
    """A mirror of sda and sdb whose mdadm.conf names both in a DEVICE line."""
    run = built_run(tmp_path, "raid1(2)", name="data", after=100_000)
    paths = " ".join(disk.path for disk in run.plan.disks)
    run.machine.write_text(CONF, f"DEVICE {paths}\n{run.machine.read_text(CONF)}", 0o644)
    return run


def replaced(run: Run, folder: Path, old: str, new: str) -> None:
    """By mdadm's own commands, as an admin would."""
    for words in (("--add-spare", new), ("--replace", old, "--with", new)):
        assert do(run.machine, folder, "mdadm", "--manage", "/dev/md127", *words)[0] == 0
    run.machine.advance(100_000)
    assert do(run.machine, folder, "mdadm", "--manage", "/dev/md127", "--remove", old)[0] == 0


def audited(run: Run) -> tuple[ArraysLook, Audit]:
    look = ArraysLook(run.machine, run.machine.inventory())
    return look, audit(audit_facts(look, look.take()))


def codes(run: Run) -> dict[str, str]:
    boot = ("device-line", "old-member-starts", "member-dropped", "mdadm-conf-twice", "not-in-conf")
    return {each.code: each.severity for each in audited(run)[1].findings if each.code in boot}


def test_both_members_were_replaced_past_a_device_line(mirror: Run, tmp_path: Path) -> None:
    assert codes(mirror) == {}
    replaced(mirror, tmp_path, "/dev/sda", "/dev/sdx")
    assert codes(mirror) == {"device-line": "error", "member-dropped": "warning"}
    replaced(mirror, tmp_path, "/dev/sdb", "/dev/sdy")
    look, found = audited(mirror)
    assert {each.code: each.severity for each in found.findings if "device" in each.code or "old" in each.code} == {
        "device-line": "error", "old-member-starts": "error",
    }  # fmt: skip
    (array,) = look.take().arrays
    assert array.at_boot.answer == "no"
    assert array.at_boot.why.startswith("/etc/mdadm/mdadm.conf line 1: 'DEVICE /dev/disk/by-id/")
    assert (array.states, [each.device for each in array.members]) == (("clean",), ["sdx", "sdy"])
    assert [each.device for each in array.dropped] == ["sda", "sdb"]
    assert {each.code for each in why(array)} == {"member-dropped"}
    mirror.machine.write_text(CONF, (mirror.machine.read_text(CONF) or "").partition("\n")[2], 0o644)
    assert {code: codes(mirror).get(code) for code in ("device-line", "old-member-starts")} == {
        "device-line": None, "old-member-starts": None,
    }  # fmt: skip
    (array,) = audited(mirror)[0].take().arrays
    assert (array.at_boot.answer, array.at_boot.why) == ("yes", "mdadm may look at all of its members")


def test_a_second_mdadm_conf_that_is_not_read_is_no_answer(mirror: Run) -> None:
    """Both were taken for one: what only the other file names counted as known."""
    text = mirror.machine.read_text(CONF) or ""
    mirror.machine.write_text(CONF, "HOMEHOST <system>\n", 0o644)
    mirror.machine.write_text("/etc/mdadm.conf", text, 0o644)
    (array,) = ArraysLook(mirror.machine, mirror.machine.inventory()).take().arrays
    assert (array.in_conf.answer, array.in_conf.why) == ("no", f"no ARRAY line in {CONF}")
    assert codes(mirror) == {"mdadm-conf-twice": "warning", "not-in-conf": "warning"}


def test_where_it_is_not_known_which_one_is_read_nothing_is_claimed(
    mirror: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = mirror.machine.read_text(CONF) or ""
    mirror.machine.write_text(CONF, "HOMEHOST <system>\n", 0o644)
    mirror.machine.write_text("/etc/mdadm.conf", text, 0o644)
    monkeypatch.setattr("raidtui.programs.mdadm_conf.preferred", lambda _: "")
    look, found = audited(mirror)
    (array,) = look.take().arrays
    assert array.in_conf.answer == "unknown"
    assert array.in_conf.why.startswith("which mdadm.conf is read is not known (/sbin/mdadm does not show its order): ")
    assert "mdadm-conf-unclear" in {each.code for each in found.findings}
    assert "not-in-conf" in {each.code for each in found.unchecked}
