"""All rules of the audit, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import get_args

from raidtui.advice.audit import array_rules, crypt_rules, disk_rules, state_rules, system_rules
from raidtui.advice.audit.facts import AuditFacts, Said
from raidtui.values.arrays import Audit, AuditFinding, Unchecked
from raidtui.values.findings import Severity

RULES: dict[str, Callable[[AuditFacts], Said]] = {
    "array-down array-stopped": state_rules.down,
    "array-degraded slots-in-reserve": state_rules.degraded,
    "journal-lost": state_rules.journal,
    "reshape-halted reshape-running": state_rules.reshape,
    "member-faulty": state_rules.faulty,
    "sync-pending array-read-only": state_rules.pending,
    "state-unknown": state_rules.unknown_state,
    "member-dropped": state_rules.dropped,
    "member-errors": state_rules.troubled,
    "bad-blocks": state_rules.bad_blocks,
    "name-twice": state_rules.names,
    "mismatches": array_rules.mismatches,
    "not-in-conf not-in-initramfs not-in-fstab not-in-crypttab": system_rules.configuration,
    system_rules.AT_BOOT: system_rules.next_boot,
    "not-monitored alerts-unheard check-not-scheduled": system_rules.monitor,
    "kernel-door": system_rules.kernels,
    "no-bitmap": array_rules.no_bitmap,
    "spare-too-small spare-not-shared no-spare": array_rules.spares,
    "smart one-batch": disk_rules.health,
    "error-recovery": disk_rules.error_recovery,
    "link-slow": disk_rules.links,
    "path-lost": disk_rules.paths,
    "failure-domain": disk_rules.domains,
    "stripe-geometry": array_rules.stripe_geometry,
    "members-share-disk": array_rules.one_disk,
    "sector-sizes slow-member": array_rules.members_alike,
    "member-misaligned": array_rules.misaligned,
    "replacement-too-small": array_rules.replacement,
    "raid5-large": array_rules.large_raid5,
    "read-ahead stripe-cache": array_rules.caches,
    "key-file-missing key-file-inside key-file-readable": crypt_rules.keys,
    "header-backup": crypt_rules.backups,
    "luks-sectors luks-discards": crypt_rules.costs,
    "metadata-old": array_rules.old_metadata,
    "array-foreign": state_rules.foreign,
    "plan-drift": system_rules.drift,
}
"""by the codes that each gives"""
CODES = tuple(code for codes in RULES for code in codes.split())
_GRAVEST: tuple[Severity, ...] = get_args(Severity)


def audit(facts: AuditFacts, known: Collection[tuple[str, str]] = ()) -> Audit:
    """Every rule applied; findings that `known` (code, subject) has are counted and left out."""
    said = [each for rule in RULES.values() for each in rule(facts)]
    findings = dict.fromkeys(each for each in said if isinstance(each, AuditFinding))
    new = [each for each in findings if each.key not in known]
    return Audit(
        host=facts.seen.host,
        simulated=facts.seen.simulated,
        time=facts.seen.time,
        arrays=len(facts.seen.arrays),
        rules=CODES,
        findings=tuple(sorted(new, key=lambda each: _GRAVEST.index(each.severity))),
        known=len(findings) - len(new),
        unchecked=tuple(dict.fromkeys(each for each in said if isinstance(each, Unchecked))),
    )
