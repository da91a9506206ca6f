"""cryptsetup as a plan uses it: LUKS2 made, opened, closed, erased, its header copied (2.6.1)."""

from __future__ import annotations

from dataclasses import replace
from hashlib import scrypt

from raidtui.programs.cryptsetup import CIPHER, KEY_BITS, KIND, NO_KEY
from raidtui.simulated.argv_parser import ProgramFailed, read, unknown
from raidtui.simulated.devices import busy, free_minor, must_resolve
from raidtui.simulated.mounts import followed
from raidtui.simulated.state import DiskMark, OpenCrypt, State
from raidtui.simulated.storage import array_of, below, put, seen, zero
from raidtui.values.units import KIB, MIB, SECTOR

_SECOND = 16 * KIB
"""where the copy of the binary header lies"""
_SLOTS_AT = 32 * KIB
_HEADER_AT = 0.3
"""share of luksFormat after which its header is written; its key slot comes later"""
_BACKUP = "LUKS header "
_FORMAT = frozenset(
    {"--type", "--uuid", "--cipher", "--key-size", "--sector-size", "--offset", "--pbkdf", "--key-file"}
)


def command(state: State, argv: tuple[str, ...], share: float = 1.0, stdin: str = "") -> str:
    """Carries out one of its actions with `stdin`; `share` below 1: it ended before that was whole."""
    match argv[1:]:
        case ("luksFormat", *_):
            return _format(state, argv, share, stdin)
        case _ if share < 1:
            return ""
        case ("luksAddKey", "--batch-mode", "--pbkdf=argon2id", key_file, device, "-"):
            key = must_resolve(state, device)
            mark = _unlocked(state, key, _secret(state, key_file.removeprefix("--key-file="), stdin))
            _put_header(state, key, _with_slot(mark, _secret(state, "-", stdin)))
            return ""
        case ("open", "--test-passphrase", "--type=luks2", "--key-file=-", device):
            _unlocked(state, must_resolve(state, device), _secret(state, "-", stdin))
            return ""
        case ("open", "--type=luks2", key_file, device, name) if key_file.startswith("--key-file="):
            secret = _secret(state, key_file.removeprefix("--key-file="), stdin)
            return _open(state, secret, must_resolve(state, device), name)
        case ("close", name):
            found = _mapping(state, name)
            if busy(state, found.key):
                raise ProgramFailed(f"Device {name} is still in use.", 5)
            state.crypts.remove(found)
            return ""
        case ("luksHeaderBackup", file, device) if file.startswith("--header-backup-file="):
            path = file.partition("=")[2]
            mark = _header(state, must_resolve(state, device), device)
            if path in state.files:
                raise ProgramFailed(f"Requested header backup file {path} already exists.")
            state.files[path], state.modes[path] = f"{_BACKUP}{mark.uuid}", 0o400
            state.unsynced.append(path)
            return ""
        case ("erase", "--batch-mode", device):
            key = must_resolve(state, device)
            mark = _header(state, key, device)
            _put_header(state, key, replace(mark, facts={**mark.facts, "slots": 0}))
            return ""
        case _:
            raise unknown(argv)


def question(state: State, argv: tuple[str, ...]) -> str:
    """What `luksUUID` and `luksDump` print."""
    match argv[1:]:
        case ("luksUUID", path):
            if (text := state.files.get(path)) is not None and text.startswith(_BACKUP):
                return f"{text.removeprefix(_BACKUP)}\n"
            return f"{_header(state, must_resolve(state, path), path).uuid}\n"
        case ("luksDump", device):
            mark = _header(state, must_resolve(state, device), device)
            segment = {
                "offset": f"{mark.facts['offset']} [bytes]", "length": "(whole device)", "cipher": CIPHER,
                "sector": f"{mark.facts['sector']} [bytes]",
            }  # fmt: skip
            lines = "".join(f"\t{key}: {value}\n" for key, value in segment.items())
            slots = (f"  {number}: luks2\n\tKey:        {KEY_BITS} bits\n" for number in range(mark.facts["slots"]))
            return (
                f"LUKS header information\nVersion:       \t2\nUUID:          \t{mark.uuid}\n\n"
                f"Data segments:\n  0: crypt\n{lines}\nKeyslots:\n{''.join(slots)}"
            )
        case _:
            raise unknown(argv)


def mapping_uuid(state: State, name: str) -> str:
    """device-mapper's UUID of a mapping."""
    found = next((each for each in state.crypts if each.name == name), None)
    if found is None:
        raise ProgramFailed("Device does not exist.\nCommand failed.")
    return f"CRYPT-LUKS2-{found.uuid.replace('-', '')}-{name}\n"


def _format(state: State, argv: tuple[str, ...], share: float, stdin: str) -> str:
    given = read(argv[1:], flags={"--batch-mode"}, values=_FORMAT, least=1, most=1)
    (device,) = given.operands
    key = must_resolve(state, device)
    secret = _secret(state, given.values["--key-file"], stdin)
    if busy(state, key):
        raise ProgramFailed(f"Cannot use device {device} which is in use (already mapped or mounted).", 5)
    offset, sector = given.number("--offset") * SECTOR, given.number("--sector-size")
    if below(state, key)[2] % sector:
        raise ProgramFailed("Device size is not aligned to requested sector size.")
    zero(state, key, 0, 16 * MIB)
    if share < _HEADER_AT:
        return ""
    facts = {"offset": offset, "sector": sector, "slots": 0}
    header = DiskMark(kind=KIND, offset=0, length=4 * KIB, uuid=given.values["--uuid"], facts=facts)
    _put_header(state, key, _with_slot(header, secret) if share >= 1 else header)
    return ""


def _with_slot(mark: DiskMark, secret: str) -> DiskMark:
    """The header with one more key slot."""
    slots = mark.facts["slots"]
    return replace(
        mark, facts={**mark.facts, "slots": slots + 1}, texts={**mark.texts, f"key {slots}": secret}
    )  # fmt: skip


def _put_header(state: State, key: str, mark: DiskMark) -> None:
    for offset in (0, _SECOND):
        put(state, key, replace(mark, offset=offset))
    put(state, key, DiskMark(kind="data", offset=_SLOTS_AT, length=4 * KIB))


def _unlocked(state: State, key: str, secret: str) -> DiskMark:
    """The header on a device. Failed where no key slot opens with `secret`."""
    mark = _header(state, key, key)
    if secret not in (mark.texts[f"key {number}"] for number in range(mark.facts["slots"])):
        raise ProgramFailed("No key available with this passphrase.", NO_KEY)
    return mark


def _open(state: State, secret: str, key: str, name: str) -> str:
    mark = _header(state, key, key)
    if any(each.name == name for each in state.crypts):
        raise ProgramFailed(f"Device {name} already exists.", 5)
    _unlocked(state, key, secret)
    if busy(state, key):
        raise ProgramFailed("Cannot use device which is in use (already mapped or mounted).", 5)
    array = array_of(state, key)
    if array is not None:
        array.waiting = False
    state.crypts.append(
        OpenCrypt(
            name=name, below=key, uuid=mark.uuid, start=mark.facts["offset"], sector=mark.facts["sector"],
            minor=free_minor(state), sequence=state.number(),
        )
    )  # fmt: skip
    return ""


def _secret(state: State, key_file: str, stdin: str) -> str:
    """What stands for a key: a slow digest of the file's content, for - of `stdin`."""
    text = stdin if key_file == "-" else state.files.get(followed(state, key_file))
    if text is None:
        raise ProgramFailed("Failed to open key file.")
    if not text:
        raise ProgramFailed("Nothing to read on input.")
    return scrypt(text.encode("utf-8", "surrogateescape"), salt=b"simulated", n=2**12, r=8, p=1).hex()


def _header(state: State, key: str, path: str) -> DiskMark:
    found = next((mark for mark in seen(state, key) if mark.kind == KIND), None)
    if found is None:
        raise ProgramFailed(f"Device {path} is not a valid LUKS device.")
    return found


def _mapping(state: State, name: str) -> OpenCrypt:
    found = next((each for each in state.crypts if each.name == name), None)
    if found is None:
        raise ProgramFailed(f"Device {name} is not active.", 4)
    return found
