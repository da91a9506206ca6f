"""cryptsetup: what it is called with, and what it prints (2.6.1, Debian 12, on a loop device)."""

from __future__ import annotations

from raidtui.programs import cryptsetup
from raidtui.steps.check_step import answer_value, value_of
from raidtui.values.plan import PlanCrypt, Question, Reading
from raidtui.values.prediction import CryptGeometry

CRYPT = PlanCrypt(
    name="data-luks",
    device="/dev/md/data",
    uuid="11111111-2222-3333-4444-555555555555",
    backup="/var/lib/raidtui/0f0f/data-luks.header",
)
GEOMETRY = CryptGeometry(offset_bytes=20 * 1024 * 1024, sector_bytes=4096, size_bytes=80 * 1024 * 1024)
DUMP = """\
LUKS header information
Version:       \t2
Epoch:         \t3
Metadata area: \t16384 [bytes]
Keyslots area: \t16744448 [bytes]
UUID:          \t11111111-2222-3333-4444-555555555555
Label:         \t(no label)
Subsystem:     \t(no subsystem)
Flags:       \t(no flags)

Data segments:
  0: crypt
\toffset: 20971520 [bytes]
\tlength: (whole device)
\tcipher: aes-xts-plain64
\tsector: 4096 [bytes]

Keyslots:
  0: luks2
\tKey:        512 bits
\tPriority:   normal
\tCipher:     aes-xts-plain64
\tCipher key: 512 bits
\tPBKDF:      argon2id
\tArea offset:32768 [bytes]
\tArea length:258048 [bytes]
\tDigest ID:  0
Tokens:
Digests:
  0: pbkdf2
"""


def test_the_header_is_made_with_everything_stated_and_no_key_on_the_command_line() -> None:
    made = cryptsetup.luks_format(CRYPT, GEOMETRY, "/etc/keys/data.key")
    assert " ".join(made.argv) == (
        "cryptsetup luksFormat --batch-mode --type=luks2 --uuid=11111111-2222-3333-4444-555555555555 "
        "--cipher=aes-xts-plain64 --key-size=512 --sector-size=4096 --offset=40960 --pbkdf=argon2id "
        "--key-file=/etc/keys/data.key /dev/md/data"
    )
    assert (made.effect, made.devices, made.stdin) == ("destroy", ("/dev/md/data",), None)


def test_it_is_opened_closed_erased_and_its_header_copied() -> None:
    opened = cryptsetup.open_device(CRYPT, "/etc/keys/data.key")
    assert " ".join(opened.argv) == "cryptsetup open --type=luks2 --key-file=/etc/keys/data.key /dev/md/data data-luks"
    assert (opened.devices, opened.makes) == (("/dev/md/data",), "/dev/mapper/data-luks")
    assert cryptsetup.close("data-luks").argv == ("cryptsetup", "close", "data-luks")
    assert cryptsetup.erase("/dev/md/data").argv == ("cryptsetup", "erase", "--batch-mode", "/dev/md/data")
    assert " ".join(cryptsetup.header_backup(CRYPT).argv) == (
        "cryptsetup luksHeaderBackup --header-backup-file=/var/lib/raidtui/0f0f/data-luks.header /dev/md/data"
    )


def test_its_header_is_read() -> None:
    assert cryptsetup.dump_question("/dev/md/data") == ("cryptsetup", "luksDump", "/dev/md/data")
    assert cryptsetup.dump_answers(GEOMETRY, 1) == (
        ("offset", "20971520 [bytes]"), ("length", "(whole device)"), ("cipher", "aes-xts-plain64"),
        ("sector", "4096 [bytes]"), ("Key", "512 bits"),
    )  # fmt: skip
    for key, value in cryptsetup.dump_answers(GEOMETRY, 1):
        assert value_of(key, 0, DUMP) == value


def test_each_key_slot_is_counted() -> None:
    slots = Reading(role="predicted", what="", question=Question(argv=("x",)), key="Key", every=True, answer="")
    two = DUMP.replace("Tokens:", "  1: luks2\n\tKey:        512 bits\n\tCipher key: 512 bits\nTokens:")
    assert [answer_value(slots, 0, text) for text in (DUMP, two, "Keyslots:\nTokens:\n")] == [
        "512 bits", "512 bits 512 bits", None,
    ]  # fmt: skip
    assert cryptsetup.dump_answers(GEOMETRY, 2)[-1] == ("Key", "512 bits 512 bits")


def test_a_passphrase_is_read_from_standard_input_alone() -> None:
    """- is all bytes of standard input: without it cryptsetup would stop at a line end (cryptsetup(8), 2.6.1)."""
    made, opened = cryptsetup.luks_format(CRYPT, GEOMETRY, ""), cryptsetup.open_device(CRYPT, "")
    assert made.argv[-2:] == ("--key-file=-", "/dev/md/data")
    assert " ".join(opened.argv) == "cryptsetup open --type=luks2 --key-file=- /dev/md/data data-luks"
    second = cryptsetup.add_passphrase(CRYPT, "/etc/keys/data.key")
    assert " ".join(second.argv) == (
        "cryptsetup luksAddKey --batch-mode --pbkdf=argon2id --key-file=/etc/keys/data.key /dev/md/data -"
    )
    assert [each.passphrase for each in (made, opened, second)] == [True, True, True]
    assert cryptsetup.open_device(CRYPT, "/etc/keys/data.key").passphrase is None
    assert " ".join(cryptsetup.try_passphrase("/dev/md/data")) == (
        "cryptsetup open --test-passphrase --type=luks2 --key-file=- /dev/md/data"
    )


def test_the_names_of_the_mapping_and_of_its_unit() -> None:
    assert cryptsetup.mapping_answer(CRYPT) == "CRYPT-LUKS2-11111111222233334444555555555555-data-luks"
    unit = r"systemd-cryptsetup@data\x2dluks.service"
    assert cryptsetup.unit_question("data-luks") == ("systemctl", "show", "--property=FragmentPath", "--value", unit)
    assert cryptsetup.unit_answer("data-luks") == f"/run/systemd/generator/{unit}"


def test_lines_of_crypttab_are_read() -> None:
    text = "# name device\n\ndata UUID=1-2 /etc/keys/k luks,discard more\nbare /dev/sdx\nshort\n"
    assert cryptsetup.lines_of(text) == (
        (3, "data", "UUID=1-2", "/etc/keys/k", "luks,discard"), (4, "bare", "/dev/sdx", "none", ""),
    )  # fmt: skip


def test_the_line_of_crypttab() -> None:
    assert cryptsetup.line(CRYPT, "/etc/keys/data.key") == (
        "data-luks UUID=11111111-2222-3333-4444-555555555555 /etc/keys/data.key luks,nofail"
    )
    assert cryptsetup.line(CRYPT, "") == "data-luks UUID=11111111-2222-3333-4444-555555555555 none luks,nofail"
