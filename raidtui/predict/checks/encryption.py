"""Findings about LUKS2 below the file systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.values.design import Design, key_file_problem
from raidtui.values.findings import Finding, error, note
from raidtui.values.prediction import CryptGeometry
from raidtui.values.units import exact_binary

_CODE = "encryption"


def check_encryption(design: Design) -> Iterator[Finding]:
    """What an encrypted design lacks, or what cannot be encrypted, whatever its disks are."""
    if design.encryption is None or design.trial is not None:
        return
    if design.layout.plain:
        yield error(
            "encryption-without-md", "Disks without md are not encrypted.", "leave --encrypt out", _CODE
        )  # fmt: skip
    if design.fs == "none":
        yield error(
            "encryption-without-file-system",
            "Without a file system nothing shows what an encrypted volume holds.",
            "choose --fs xfs or ext4, or leave --encrypt out and encrypt by hand",
            _CODE,
        )
    if design.encrypts_arrays and design.stack == "md":
        yield error(
            "encryption-below-md",
            "An md stripe over encrypted arrays is not built: a boot would assemble it only after they are opened.",
            "choose --stack lvm, or --encrypt volume, which encrypts the stripe",
            _CODE,
        )
    if problem := key_file_problem(design.encryption):
        way_out = "name it in Key file, or with --key-file /etc/keys/data.key; without one a passphrase is asked for"
        yield error("encryption-key-file", f"{problem}.", way_out, _CODE)
    elif not design.encryption.key_file:
        yield note(
            "encryption-passphrase",
            "A boot does not wait for the passphrase: the file system is mounted once somebody has typed it.",
            "--key-file PATH opens it at every boot without a person",
            _CODE,
        )


def check_crypt_sizes(design: Design, crypts: Sequence[CryptGeometry]) -> Iterator[Finding]:
    """What encryption costs, and devices that its header fills."""
    if any(crypt.size_bytes == 0 for crypt in crypts):
        offset = exact_binary(max(crypt.offset_bytes for crypt in crypts))
        yield error(
            "encryption-too-small", f"The LUKS2 header takes {offset}, all of the device.", "use larger disks", _CODE
        )
        return
    yield from _check_layer(design, len(crypts))
    yield note(
        "encryption-rate",
        "Each byte passes the processors' AES once; the predicted rates count it only with --cipher-rate.",
        "cryptsetup benchmark --cipher aes-xts-plain64 --key-size 512 shows the rate of one core; state that of all",
        _CODE,
    )
    if any(crypt.sector_bytes == 512 for crypt in crypts):
        yield note(
            "encryption-small-sectors",
            "Encrypted in sectors of 512 bytes: the size of the device is no multiple of 4096.",
            "stripes whose size is a multiple of 4 KiB allow sectors of 4096 bytes, which cost less",
            _CODE,
        )


def _check_layer(design: Design, count: int) -> Iterator[Finding]:
    """What encrypting the arrays gains and costs, or that it is the same as encrypting the volume."""
    if design.encrypts_arrays:
        yield note(
            "encryption-arrays",
            f"Each of {count} arrays has its own LUKS2: LVM's metadata is encrypted too, and further arrays can join.",
            f"{count} headers to keep, {count} key derivations at each boot; --encrypt volume has one of each",
            _CODE,
        )
    elif design.encryption is not None and design.encryption.layer == "arrays":
        yield note(
            "encryption-same-layer",
            "Nothing joins the arrays: --encrypt arrays and --encrypt volume build the same here.",
            "either word",
            _CODE,
        )
