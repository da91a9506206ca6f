"""Who hears of a failed disk: what a plan writes into mdadm.conf for mdadm --monitor."""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidtui.model.codec_rules import Value

_MAIL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}(?:@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)?")
_PROGRAM = re.compile(r"(?:/[A-Za-z0-9_][A-Za-z0-9._+-]*)+")
_LONGEST_PATH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert(Value):
    """Recipient of mdadm's alarms; at least one of both."""

    mail: str = ""
    """MAILADDR: one address, or the name of a local user; empty: root"""
    program: str = ""
    """PROGRAM: absolute path of what mdadm starts with event, array and member; empty: none"""


NOBODY = Alert()
"""no recipient of the plan's own"""


def problem_of(alert: Alert) -> str:
    """Why these words may not go into mdadm.conf; empty if they may."""
    if alert.mail and not _MAIL.fullmatch(alert.mail):
        return f"'{alert.mail}' is not a mail address: expected one such as storage@example.org, or a user's name"
    if alert.program and (not _PROGRAM.fullmatch(alert.program) or len(alert.program) > _LONGEST_PATH):
        return f"'{alert.program}' is not the path of a program: expected an absolute path of letters, digits, . _ + -"
    return ""
