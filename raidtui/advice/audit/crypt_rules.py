"""Rules about LUKS volumes on arrays: the key file, the copy of the header, sectors, discards."""

from __future__ import annotations

import shlex

from raidtui.advice.audit.facts import AuditFacts, EncryptedVolume, Said, found, unknown
from raidtui.programs import cryptsetup
from raidtui.sizes.luks import LARGE
from raidtui.values.safe import safe

_NEW_KEY = "make another file a key while a passphrase or key is left: cryptsetup luksAddKey"
_NEW_BACKUP = "cryptsetup luksHeaderBackup --header-backup-file"


def keys(facts: AuditFacts) -> Said:
    """Key files that a boot does not find, or that others than root can read."""
    for volume in facts.encrypted:
        line, key = volume.line, volume.key
        if line is None or key is None:
            continue
        path = safe(key.path)
        typed = shlex.quote(path)
        named = f"{cryptsetup.PATH} line {line.number} names the key file {path}"
        if key.why:
            yield unknown("key-file-missing", _name(volume), key.why)
            continue
        if not key.there:
            yield found(
                "error", "key-file-missing", _name(volume), f"{named}, which does not exist.",
                "A boot does not open the volume. Without another key its data is lost once it is closed.",
                f"put its copy back: root's, mode 0400; or {_NEW_KEY} {_path(volume)}",
            )  # fmt: skip
            continue
        if key.inside:
            yield found(
                "error", "key-file-inside", _name(volume), f"{named}, which is on the volume that it opens.",
                "A boot cannot read it before the volume is open.",
                f"copy it to the disk of the system, for example into /etc/keys, and name that in {cryptsetup.PATH}",
            )  # fmt: skip
        if not key.only_roots:
            yield found(
                "warning", "key-file-readable", _name(volume),
                f"{named}, which belongs to another user or has permissions for others than root.",
                "A reader of it can open the volume wherever its disks are.",
                f"chown root {typed}; chmod 0400 {typed}; if somebody read it: cryptsetup luksChangeKey "
                f"--key-file {typed} {_path(volume)} NEW",
            )  # fmt: skip


def backups(facts: AuditFacts) -> Said:
    """Copies of headers that raidtui made and that are gone, or that are on the volume itself."""
    for volume in facts.encrypted:
        backup = volume.backup
        if backup is None:
            continue
        if backup.why:
            yield unknown("header-backup", _name(volume), backup.why)
        elif not backup.there or backup.inside:
            what = "is on the encrypted volume itself" if backup.there else "does not exist"
            yield found(
                "warning", "header-backup", _name(volume),
                f"The copy of the LUKS header of {_path(volume)}, {safe(backup.path)}, {what}.",
                "If the header is damaged, all data is lost.",
                f"{_NEW_BACKUP} NEW {_path(volume)}, with NEW on another disk; keep a copy on another machine",
            )  # fmt: skip


def costs(facts: AuditFacts) -> Said:
    """Sectors smaller than the disks', discards."""
    for volume in facts.encrypted:
        if volume.why:
            yield unknown("luks-sectors", _name(volume), volume.why)
        elif volume.sector_bytes is not None and volume.sector_bytes < LARGE and _could_be_large(facts, volume):
            yield found(
                "note", "luks-sectors", _name(volume),
                f"{_path(volume)} is encrypted in sectors of {volume.sector_bytes} bytes, on disks with physical "
                f"sectors of {LARGE}.",
                f"The cipher is called {LARGE // volume.sector_bytes} times as often, which takes processor time.",
                f"cryptsetup luksFormat --sector-size={LARGE} once it is made anew; its content is lost by that",
            )  # fmt: skip
        if volume.line is not None and volume.line.discards:
            yield found(
                "note", "luks-discards", _name(volume),
                f"{cryptsetup.PATH} line {volume.line.number} lets discards through.",
                "Without the key the disks show which blocks are in use, and how much.",
                "leave the option discard where the disks need it; else remove it and open the volume again",
            )  # fmt: skip


def _could_be_large(facts: AuditFacts, volume: EncryptedVolume) -> bool:
    """True where each disk has physical sectors of 4096 bytes, and start and size allow them."""
    disks = facts.disks_of(volume.on)
    whole = volume.device.size_bytes
    large = all((disk.physical_sector_bytes or 0) >= LARGE for disk in disks)
    return bool(disks) and large and whole > 0 and whole % LARGE == 0 and volume.offset_bytes % LARGE == 0


def _name(volume: EncryptedVolume) -> str:
    return volume.device.name


def _path(volume: EncryptedVolume) -> str:
    return f"/dev/{safe(volume.device.name)}"
