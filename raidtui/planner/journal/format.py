"""The journal as text: a JSON object a line, each sealed with a checksum over itself and the line before.

A torn last line (power cut while it was written) is left out; damage anywhere before is an error, for then
nobody knows what happened.
"""

from __future__ import annotations

import hashlib
import json

from raidtui.model.codec import from_json, plain
from raidtui.model.errors import BadInput
from raidtui.model.run import Record

_SEAL = 16
"""hex digits of SHA-256 kept in each line"""


def line(record: Record, seal_before: str) -> tuple[str, str]:
    """One line, line end included, and its seal."""
    body = json.dumps(plain(record), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    seal = hashlib.sha256(f"{seal_before}{body}".encode()).hexdigest()[:_SEAL]
    return f"{seal} {body}\n", seal


def read(data: bytes, *, source: str, seal: str = "", before: int = 0) -> tuple[tuple[Record, ...], str, int]:
    """The records in `data`, the last one's seal, and how many bytes they take; what lies behind is a torn line.

    A viewer that has read `before` records, the last with `seal`, gives what follows them.
    Raises BadInput when a line is damaged that others follow.
    """
    records: list[Record] = []
    used = 0
    for number, raw in enumerate(data.split(b"\n")[:-1], start=before + 1):
        given, _, body = raw.partition(b" ")
        if given != hashlib.sha256(seal.encode() + body).hexdigest()[:_SEAL].encode():
            if not data[used + len(raw) + 1 :].strip(b"\0"):
                break
            raise BadInput(
                f"{source}: line {number} is damaged", hint="keep the file; resume by the plan, which reads the disks"
            )
        record = from_json(Record, body, source=f"{source}: line {number}")
        if record.sequence != number:
            raise BadInput(f"{source}: line {number} is record {record.sequence}, not {number}")
        records.append(record)
        seal, used = given.decode(), used + len(raw) + 1
    return tuple(records), seal, used
