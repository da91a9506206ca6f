"""cryptsetup: what it is called with, and what it prints (2.6.1, Debian 12, on a loop device)."""

from __future__ import annotations

from raidtui.programs import cryptsetup
from raidtui.steps.check_step import value_of
from raidtui.values.plan import PlanCrypt
from raidtui.values.prediction import CryptGeometry

CRYPT = PlanCrypt(
    name="data-luks",
    device="/dev/md/data",
    uuid="11111111-2222-3333-4444-555555555555",
    backup="/var/lib/raidtui/0f0f/data-luks.header",
)
GEOMETRY = CryptGeometry(offset_bytes=20 * 1024 * 1024, sector_bytes=4096, size_bytes=80 * 1024 * 1024)
STATUS = """\
/dev/mapper/data-luks is active.
  type:    LUKS2
  cipher:  aes-xts-plain64
  keysize: 512 bits
  key location: keyring
  device:  /dev/loop0
  loop:    /tmp/image
  sector size:  4096
  offset:  40960 sectors
  size:    163840 sectors
  mode:    read/write
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


def test_its_status_is_read() -> None:
    for key, value in cryptsetup.status_answers(GEOMETRY):
        assert value_of(key, 0, STATUS) == value


def test_the_names_of_the_mapping_and_of_its_unit() -> None:
    assert cryptsetup.mapping_answer(CRYPT) == "CRYPT-LUKS2-11111111222233334444555555555555-data-luks"
    unit = r"systemd-cryptsetup@data\x2dluks.service"
    assert cryptsetup.unit_question("data-luks") == ("systemctl", "show", "--property=FragmentPath", "--value", unit)
    assert cryptsetup.unit_answer("data-luks") == f"/run/systemd/generator/{unit}"


def test_the_line_of_crypttab() -> None:
    assert cryptsetup.line(CRYPT, "/etc/keys/data.key") == (
        "data-luks UUID=11111111-2222-3333-4444-555555555555 /etc/keys/data.key luks,nofail"
    )
