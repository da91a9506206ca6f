"""The journal as text: one JSON object per line, each with a checksum over itself and the previous line's checksum.

An incomplete last line (power loss during the write) is ignored; damage before it is an error, since the course of the
run is then unknown.
"""

from __future__ import annotations

import hashlib

from raidtui.model.codec import canonical_json, from_json
from raidtui.model.errors import BadInput
from raidtui.model.run import Record

_OTHER = "the line is whole, so another release of raidtui wrote it: use that one for this run"
_SEAL = 16
"""hex digits of SHA-256 kept in each line"""


def line(record: Record, seal_before: str) -> tuple[str, str]:
    """One line with its line end, and its checksum."""
    body = canonical_json(record)
    seal = hashlib.sha256(f"{seal_before}{body}".encode()).hexdigest()[:_SEAL]
    return f"{seal} {body}\n", seal


def read(data: bytes, *, source: str, seal: str = "", before: int = 0) -> tuple[tuple[Record, ...], str, int]:
    """(records in `data`, checksum of the last, bytes they take); the bytes after them are an incomplete line.

    To continue after `before` records, the last with checksum `seal`, pass the bytes that follow them.
    Raises BadInput if a line before the last is damaged.
    """
    records: list[Record] = []
    used = 0
    for number, raw in enumerate(data.split(b"\n")[:-1], start=before + 1):
        given, _, body = raw.partition(b" ")
        if given != hashlib.sha256(seal.encode() + body).hexdigest()[:_SEAL].encode():
            if not data[used + len(raw) + 1 :].strip(b"\0"):
                break
            raise BadInput(
                f"{source}: line {number} is damaged",
                hint="keep the file; raidtui resume with the plan reads the state from the disks",
            )
        record = from_json(Record, body, source=f"{source}: line {number}", hint=_OTHER)
        if record.sequence != number:
            raise BadInput(f"{source}: line {number}: expected record {number}, found {record.sequence}")
        records.append(record)
        seal, used = given.decode(), used + len(raw) + 1
    return tuple(records), seal, used
