"""What an audit reads of encrypted volumes: crypttab, the key file, the copy of the header, the header itself."""

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.advice.audit.rules import audit
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.arrays.settings import audit_facts
from raidtui.simulated.state import State
from raidtui.values.errors import MachineFailed
from tests.machine.run.test_encrypted import KEY, Encrypted
from tests.recorded_machines.captures import ROOT, capture
from tests.recorded_machines.take import findings

CODES = {"key-file-missing", "key-file-inside", "key-file-readable", "header-backup", "luks-sectors", "luks-discards"}


@pytest.fixture
def run(tmp_path: Path) -> Encrypted:
    built = Encrypted(tmp_path)
    assert built.does("build") == 0
    return built


def found(run: Encrypted) -> dict[str, str]:
    """Evidence by code."""
    look = ArraysLook(run.machine, run.machine.inventory())
    audited = audit(audit_facts(look, look.take(), [run.plan]))
    assert not CODES & {each.code for each in audited.unchecked}
    return {each.code: each.evidence for each in audited.findings if each.code in CODES}


def crypttab(state: State, line: str) -> None:
    state.files["/etc/crypttab"] = f"data-luks UUID={state.crypts[0].uuid} {line}\n"


def test_as_it_was_built_nothing_is_found(run: Encrypted) -> None:
    assert found(run) == {}
    run.machine.reboot()
    assert found(run) == {}


def test_the_key_file_is_gone(run: Encrypted) -> None:
    del run.machine._state.files[KEY]
    assert found(run) == {
        "key-file-missing": f"/etc/crypttab line 2 names the key file {KEY}, which does not exist."
    }  # fmt: skip


@pytest.mark.parametrize("how", ["mode", "owner"])
def test_the_key_file_is_not_roots_alone(run: Encrypted, how: str) -> None:
    if how == "mode":
        run.machine._state.modes[KEY] = 0o440
    else:
        run.machine._state.of_others.append(KEY)
    assert list(found(run)) == ["key-file-readable"]


def test_the_key_file_is_on_the_volume_that_it_opens_also_through_a_link(run: Encrypted) -> None:
    state = run.machine._state
    run.machine.write_text("/srv/data/k", "key", 0o400)
    state.modes["/srv/data/k"] = 0o400
    crypttab(state, "/srv/data/k luks")
    assert list(found(run)) == ["key-file-inside"]
    state.symlinks["/etc/keys/link"] = "/srv/data/k"
    crypttab(state, "/etc/keys/link luks")
    assert list(found(run)) == ["key-file-inside"]


def test_the_copy_of_the_header_is_gone(run: Encrypted) -> None:
    assert run.plan.crypts is not None
    (crypt,) = run.plan.crypts
    del run.machine._state.files[crypt.backup]
    assert found(run) == {
        "header-backup": f"The copy of the LUKS header of /dev/mapper/data-data, {crypt.backup}, does not exist."
    }  # fmt: skip


@pytest.mark.parametrize("key", ["none", "-", "/dev/urandom", "/key:LABEL=stick"])
def test_what_is_no_key_file_of_this_machine_is_not_looked_for(run: Encrypted, key: str) -> None:
    crypttab(run.machine._state, f"{key} luks,discard")
    assert found(run) == {"luks-discards": "/etc/crypttab line 1 lets discards through."}


def test_a_chip_or_a_script_has_the_key(run: Encrypted) -> None:
    crypttab(run.machine._state, "/no/such luks,tpm2-device=auto")
    assert found(run) == {}


def test_small_sectors_are_found_on_disks_with_large_ones_alone(run: Encrypted) -> None:
    state = run.machine._state
    for mark in (mark for drive in state.drives for mark in drive.marks if mark.kind == "crypto_LUKS"):
        mark.facts["sector"] = 512
    assert found(run) == {}
    for drive in state.drives:
        drive.disk = replace(drive.disk, physical_sector_bytes=4096)
    assert list(found(run)) == ["luks-sectors"]


def test_what_this_user_may_not_read_is_unknown(run: Encrypted, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> tuple[str, ...]:
        if path == "/etc/keys":
            raise MachineFailed(f"{path}: Permission denied", hint="make it readable for root")
        return names(path)

    names = run.machine.names
    monkeypatch.setattr(run.machine, "names", refuse)
    del run.machine._state.files[KEY]
    look = ArraysLook(run.machine, run.machine.inventory())
    audited = audit(audit_facts(look, look.take(), [run.plan]))
    assert [each.why for each in audited.unchecked if each.code in CODES] == ["/etc/keys: Permission denied"]


def test_a_recorded_machine_with_a_readable_key_file_and_discards() -> None:
    """Real md and dm-crypt, built by raidtui; then chmod 0444 of the key file, and discard in crypttab."""
    assert findings(capture("encrypted")) == (ROOT / "encrypted" / "findings.txt").read_text("utf-8")
