# Copyright: raidtui developers
# MIT License (see https://opensource.org/licenses/MIT)
"""One request to the raidtui of this host: a JSON document on its standard input, one on its standard output."""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from typing import Any

COMMAND = ["raidtui", "fleet-host"]


class Refused(Exception):
    """The host does not do what is asked; `hint` is what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def ask(module: Any, command: list[str], kind: str, content: Any = None) -> dict[str, Any]:
    """The answer to a request of `kind`. Raises Refused; ends the module where raidtui gives no answer."""
    nonce = uuid.uuid4().hex
    request = {"schema": "raidtui/host-request/1", "kind": kind, "host": "localhost", "nonce": nonce}
    if content is not None:
        request["content"] = json.dumps(content)
    code, out, err = module.run_command(list(command), data=json.dumps(request) + "\n")
    answer: Any
    try:
        answer = json.loads(out)
    except ValueError:
        answer = None
    if code != 0 or not isinstance(answer, dict) or answer.get("nonce") != nonce:
        module.fail_json(msg="raidtui gave no answer; is the same version installed here?", rc=code, stderr=err[-2000:])
    if answer.get("refused"):
        raise Refused(answer["refused"], answer.get("hint") or "")
    document: dict[str, Any] = answer
    return document


def result(answer: dict[str, Any]) -> dict[str, Any]:
    """The document that an answer holds."""
    document: dict[str, Any] = json.loads(answer["content"])
    return document


def claim(plan: dict[str, Any], control: str) -> dict[str, Any]:
    """Who follows the build, as the host keeps it; `control` names the one that tells."""
    return {
        "control": control,
        "token": hashlib.sha256(("ansible " + control).encode("utf-8")).hexdigest()[:32],
        "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "rollout": {
            "schema": "raidtui/rollout/1",
            "sheet_digest": plan["digest"],
            "hosts": [plan["host"]],
            "canary": plan["host"],
            "wave_size": 1,
            "stop_after": 1,
        },
    }
