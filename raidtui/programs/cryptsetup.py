"""cryptsetup and dmsetup: LUKS2 on a device, its header, the device-mapper target that opens it, crypttab (2.6.1).

No passphrase and no key is ever an argument: cryptsetup reads a key from a file, and a passphrase from standard input.
With `--key-file=-` it takes all bytes as they are, a line end too (tools_get_key, src/utils_password.c); so what is
typed at a boot, which has none, opens the same slot. `--batch-mode` answers the one question of luksFormat, and of
erase: the device is the plan's and blank, or has the plan's UUID, right before it.
Discards stay off, cryptsetup's default: they would show which blocks are in use.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from raidtui.values.plan import Command, PlanCrypt
from raidtui.values.prediction import CryptGeometry
from raidtui.values.units import SECTOR

PATH = "/etc/crypttab"
KIND = "crypto_LUKS"
"""libblkid's name of a LUKS header"""
CIPHER = "aes-xts-plain64"
KEY_BITS = 512
"""two AES-256 keys: XTS halves it"""
OPENER = "/usr/lib/systemd/systemd-cryptsetup"
"""what the units that systemd makes of crypttab start (systemd-cryptsetup@.service(8))"""
_ARGON = ("--pbkdf=argon2id",)
NO_KEY = 2
"""exit code where a passphrase opens no key slot"""
LONGEST = 512
"""bytes of a passphrase that cryptsetup and a boot read from a terminal (DEFAULT_PASSPHRASE_SIZE_MAX)"""


def luks_format(crypt: PlanCrypt, geometry: CryptGeometry, key_file: str) -> Command:
    """Writes a LUKS2 header with the plan's UUID; its first key slot opens with the content of `key_file`, of an empty
    one with the passphrase."""
    argv = (
        "cryptsetup", "luksFormat", "--batch-mode", "--type=luks2", f"--uuid={crypt.uuid}", f"--cipher={CIPHER}",
        f"--key-size={KEY_BITS}", f"--sector-size={geometry.sector_bytes}",
        f"--offset={geometry.offset_bytes // SECTOR}", *_ARGON, f"--key-file={key_file or '-'}", crypt.device,
    )  # fmt: skip
    return Command(argv=argv, effect="destroy", devices=(crypt.device,), passphrase=not key_file or None)


def add_passphrase(crypt: PlanCrypt, key_file: str) -> Command:
    """Adds a key slot that opens with the passphrase."""
    argv = ("cryptsetup", "luksAddKey", "--batch-mode", *_ARGON, f"--key-file={key_file}", crypt.device, "-")
    return Command(argv=argv, effect="change", devices=(crypt.device,), passphrase=True)


def open_device(crypt: PlanCrypt, key_file: str) -> Command:
    """Maps the data behind the header as /dev/mapper/NAME; without a key file by the passphrase."""
    argv = ("cryptsetup", "open", "--type=luks2", f"--key-file={key_file or '-'}", crypt.device, crypt.name)
    return Command(
        argv=argv, effect="change", devices=(crypt.device,), makes=crypt.path, passphrase=not key_file or None
    )


def try_passphrase(device: str) -> tuple[str, ...]:
    """Opens nothing: ends with 0 where the passphrase on standard input opens a key slot, with `NO_KEY` where none."""
    return ("cryptsetup", "open", "--test-passphrase", "--type=luks2", "--key-file=-", device)


def close(name: str) -> Command:
    """Removes the mapping and its key from memory; refused while it is open."""
    return Command(argv=("cryptsetup", "close", name), effect="change", retry="while busy")


def header_backup(crypt: PlanCrypt) -> Command:
    """Copies header and key slots into a new file that root alone can read; refused where the file exists. It is not
    synced (lib/luks2/luks2_json_metadata.c, LUKS2_hdr_backup)."""
    argv = ("cryptsetup", "luksHeaderBackup", f"--header-backup-file={crypt.backup}", crypt.device)
    return Command(argv=argv, effect="change", devices=(crypt.device,))


def erase(device: str) -> Command:
    """Overwrites all key slots: from then on nothing but a backup of the header opens what is behind it."""
    return Command(argv=("cryptsetup", "erase", "--batch-mode", device), effect="destroy", devices=(device,))


def uuid_question(path: str) -> tuple[str, ...]:
    """UUID in the LUKS header on a device, or in the backup of one; fails where there is none."""
    return ("cryptsetup", "luksUUID", path)


def dump_question(device: str) -> tuple[str, ...]:
    """The header in words: UUID, data segments, key slots; fails where there is none. `status` shows as much of what is
    open, but cryptsetup 2.8 prints it in other units."""
    return ("cryptsetup", "luksDump", device)


OFFSET, SECTORS = "offset", "sector"
"""keys of a data segment in the answer to `dump_question`, of LUKS2 alone: `20971520 [bytes]`"""
SLOT = "Key"
"""key of each key slot in the answer to `dump_question`: `512 bits`"""


def dump_answers(geometry: CryptGeometry, slots: int) -> tuple[tuple[str, str], ...]:
    """What `dump_question` answers for the header of a plan, in its order; a key slot is one line `SLOT`."""
    return (
        (OFFSET, f"{geometry.offset_bytes} [bytes]"),
        ("length", "(whole device)"),
        ("cipher", CIPHER),
        (SECTORS, f"{geometry.sector_bytes} [bytes]"),
        (SLOT, " ".join([f"{KEY_BITS} bits"] * slots)),
    )


def mapping_question(name: str) -> tuple[str, ...]:
    """device-mapper's own UUID of a mapping: the kernel's, of what is open now; fails where there is none."""
    return ("dmsetup", "info", "--columns", "--noheadings", "--options=uuid", name)


def mapping_answer(crypt: PlanCrypt) -> str:
    """What `mapping_question` answers for the plan's mapping (cryptsetup lib/libdevmapper.c, dm_prepare_uuid)."""
    return f"CRYPT-LUKS2-{crypt.uuid.replace('-', '')}-{crypt.name}"


def key_question(path: str) -> tuple[str, ...]:
    """The path, where it is a file that is not empty, root's, and readable by root alone."""
    return ("find", path, "-maxdepth", "0", "-type", "f", "-user", "root", "!", "-perm", "/077", "-size", "+0")


def line(crypt: PlanCrypt, key_file: str) -> str:
    """The line of crypttab(5); without a key file the boot asks. nofail: a boot does not wait for it."""
    return f"{crypt.name} UUID={crypt.uuid} {key_file or 'none'} luks,nofail"


class CrypttabLine(NamedTuple):
    """A volume in crypttab; raw text."""

    number: int
    """of the line, from 1"""
    name: str
    """in device-mapper"""
    device: str
    """path, or UUID=..."""
    key: str = "none"
    """path of a key file; none or -: the boot asks for a passphrase"""
    options: str = ""
    """separated by commas"""

    @property
    def has_key_file(self) -> bool:
        """True if it names a file on this machine; not for `PATH:DEVICE`, devices, keys of a chip or a script."""
        by_others = re.search(r"(?:^|,)(?:keyscript|tpm2-device|fido2-device|pkcs11-uri)=", self.options)
        return self.key[:1] == "/" and self.key[:5] != "/dev/" and ":" not in self.key and not by_others

    @property
    def discards(self) -> bool:
        """True if what is freed on the volume is shown to the device below."""
        return "discard" in self.options.split(",")


def lines_of(text: str) -> tuple[CrypttabLine, ...]:
    """Each volume in crypttab."""
    numbered = ((number, line.split()) for number, line in enumerate(text.splitlines(), 1))
    return tuple(CrypttabLine(at, *words[:4]) for at, words in numbered if len(words) > 1 and words[0][:1] != "#")


def unit(name: str) -> str:
    """The unit that systemd-cryptsetup-generator(8) makes of the line."""
    escaped = "".join(each if each.isalnum() or each in ":_." else f"\\x{ord(each):02x}" for each in name)
    return f"systemd-cryptsetup@{escaped}.service"


def unit_question(name: str) -> tuple[str, ...]:
    """The file that systemd has loaded that unit from; nothing where it has none."""
    return ("systemctl", "show", "--property=FragmentPath", "--value", unit(name))


def unit_answer(name: str) -> str:
    """What `unit_question` answers where crypttab has the line."""
    return f"/run/systemd/generator/{unit(name)}"
