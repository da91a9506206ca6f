"""Steps that encrypt what file systems are made on: LUKS2, opened now and at every boot by a key file or passphrase."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.programs import cryptsetup, identity, systemd, wipefs
from raidtui.programs.names import Names, crypt_names
from raidtui.steps.boot_steps import roots_alone
from raidtui.steps.step_builder import StepContext, block, block_facts, fact, only_if
from raidtui.values.design import Encryption
from raidtui.values.errors import BadInput
from raidtui.values.plan import PlanCrypt, Reading, Step
from raidtui.values.units import exact_binary


def crypts_of(minted: Names, devices: list[str]) -> tuple[PlanCrypt, ...]:
    """The encrypted volume on each of `devices`."""
    return tuple(
        PlanCrypt(
            name=name,
            device=device,
            uuid=str(minted.uuid_of(f"luks:{number}")),
            backup=f"{minted.state}/{name}.header",
        )
        for number, (name, device) in enumerate(zip(crypt_names(minted.name, len(devices)), devices, strict=True))
    )


def require_key_elsewhere(encryption: Encryption, places: Sequence[str]) -> None:
    """Raises BadInput for a key file on the file systems that it opens."""
    path = encryption.key_file
    if any(path.startswith(f"{place}/") for place in places):
        raise BadInput(
            f"the key file {path} would be on the encrypted file system itself", hint="keep it for example in /etc/keys"
        )


def encrypt_steps(context: StepContext) -> tuple[Step, ...]:
    """One step for each encrypted volume; crypttab is written by the last, when all of them are open."""
    crypts = context.crypts
    return tuple(_encrypt_step(context, number, last=number == len(crypts) - 1) for number in range(len(crypts)))


def crypttab_text(context: StepContext) -> str:
    """The plan's lines in crypttab."""
    return "\n".join(cryptsetup.line(crypt, _key_file(context)) for crypt in context.crypts)


def opened_by(encryption: Encryption, what: str) -> str:
    """What opens `what`, in words."""
    second = ", and so does a passphrase" if encryption.slots > 1 else ""
    return f"{encryption.key_file or 'A passphrase'} opens {what}, now and by crypttab at every boot{second}"


def key_readings(encryption: Encryption) -> tuple[Reading, ...]:
    """The key file, if there is one, can be read and changed by root alone, so that its path names one file."""
    path = encryption.key_file
    if not path:
        return ()
    only = f"{path} is a file, not empty, that root alone can read"
    return (fact("key file", only, cryptsetup.key_question(path), path), roots_alone(path))


def names_free(context: StepContext) -> tuple[Reading, ...]:
    """What must be so before the first write: free names, a key file, a systemd that reads crypttab."""
    encryption = context.design.encryption
    if not context.crypts or encryption is None:
        return ()
    found = [*key_readings(encryption)]
    opener = cryptsetup.OPENER
    found.append(fact("opener", f"systemd opens encrypted volumes: {opener}", ("test", "-x", opener), ""))
    path = cryptsetup.PATH
    mine = identity.mention_question(context.names.begin, path)
    found.append(fact("name free", f"{path} has no lines of this plan", mine, "", 0, 1, 2))
    for crypt in context.crypts:
        pattern = f"^[[:blank:]]*{crypt.name}[[:blank:]]"
        taken = identity.mention_question(pattern, path)
        found += [
            fact("name free", f"{crypt.path} does not exist", identity.absent_question(crypt.path), ""),
            fact("name free", f"{path} has no volume {crypt.name}", taken, "", 0, 1, 2),
            fact("name free", f"{crypt.backup} does not exist", identity.absent_question(crypt.backup), ""),
        ]
    return tuple(found)


def crypt_readings(context: StepContext, number: int) -> tuple[Reading, ...]:
    """The header is the plan's; what is open has the predicted offset, sectors and size; the backup is of it."""
    crypt, encryption = context.crypts[number], context.design.encryption
    assert context.prediction.crypts is not None and encryption is not None
    geometry = context.prediction.crypts[number]
    dump = cryptsetup.dump_question(crypt.device)
    return (
        header_is_ours(crypt),
        mapping_is_ours(crypt),
        *(
            fact("predicted", f"{crypt.device}: {key} {value}", dump, value, key=key, every=True)
            for key, value in cryptsetup.dump_answers(geometry, encryption.slots)
        ),
        fact(
            "predicted",
            f"{crypt.path} has {geometry.size_bytes} bytes",
            identity.size_question(crypt.path),
            str(geometry.size_bytes),
        ),
        _backup_is_ours(crypt),
    )


def known_readings(context: StepContext) -> tuple[Reading, ...]:
    """crypttab has the plan's lines, and systemd a unit for each."""
    if not context.crypts:
        return ()
    units = (
        fact(
            "setting", f"systemd opens {crypt.name} at boot", cryptsetup.unit_question(crypt.name),
            cryptsetup.unit_answer(crypt.name),
        )
        for crypt in context.crypts
    )  # fmt: skip
    return (block_facts(context, cryptsetup.PATH, crypttab_text(context)), *units)


def header_is_ours(crypt: PlanCrypt) -> Reading:
    """The device has the plan's LUKS header."""
    return fact(
        "ours", f"{crypt.device} has the LUKS header {crypt.uuid}", identity.uuid_question(crypt.device), crypt.uuid,
        key="UUID",
    )  # fmt: skip


def mapping_is_ours(crypt: PlanCrypt) -> Reading:
    """What is open under that name is the plan's."""
    question, answer = cryptsetup.mapping_question(crypt.name), cryptsetup.mapping_answer(crypt)
    return fact("ours", f"{crypt.path} is the open volume {crypt.uuid}", question, answer)


def _backup_is_ours(crypt: PlanCrypt) -> Reading:
    what = f"{crypt.backup} is a backup of the header {crypt.uuid}"
    return fact("setting", what, cryptsetup.uuid_question(crypt.backup), crypt.uuid)


def _key_file(context: StepContext) -> str:
    return "" if context.design.encryption is None else context.design.encryption.key_file


def _encrypt_step(context: StepContext, number: int, *, last: bool) -> Step:
    crypt, key, encryption = context.crypts[number], _key_file(context), context.design.encryption
    assert context.prediction.crypts is not None and encryption is not None
    geometry = context.prediction.crypts[number]
    text = crypttab_text(context)
    second = (cryptsetup.add_passphrase(crypt, key),) if encryption.slots > 1 else ()
    there = fact("setting", f"{crypt.backup} exists", ("test", "-e", crypt.backup), "")
    return Step(
        number=0,
        stage="encrypt",
        title=f"Encrypt {crypt.device} as {crypt.path}",
        purpose=f"LUKS2, {cryptsetup.CIPHER}, sectors of {geometry.sector_bytes} bytes; the data starts on a full "
        f"stripe, at {exact_binary(geometry.offset_bytes)}. {opened_by(encryption, 'it')}. A copy "
        f"of the header is in {crypt.backup}: without a header all data is lost. Keep a copy on another machine. "
        "No discards: they would show which blocks are in use.",
        actions=(
            cryptsetup.luks_format(crypt, geometry, key),
            *second,
            cryptsetup.header_backup(crypt),
            identity.sync_file(crypt.backup),
            cryptsetup.open_device(crypt, key),
            systemd.settle(),
            *((block(cryptsetup.PATH, text), systemd.daemon_reload()) if last else ()),
        ),
        after=(
            *crypt_readings(context, number),
            *(known_readings(context) if last else ()),
        ),
        undo=(
            only_if(mapping_is_ours(crypt), cryptsetup.close(crypt.name)),
            only_if(header_is_ours(crypt), cryptsetup.erase(crypt.device)),
            only_if(header_is_ours(crypt), wipefs.wipe_locked(crypt.device)),
            only_if(there, identity.remove((crypt.backup,))),
            *((block(cryptsetup.PATH, ""), systemd.daemon_reload()) if last else ()),
        ),
        undo_note="All key slots are overwritten and the backup of the header is removed. Nothing opens the data "
        "again but a copy of that backup.",
    )
