"""A predicate over certificates that several tests ask."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.predict.placement.certificate import certify
from raidtui.predict.placement.domains import domain_names
from raidtui.values.inventory import Disk
from raidtui.values.layout import Layout
from raidtui.values.location import DomainKind


def survives_loss(layout: Layout, disks: Sequence[Disk], kind: DomainKind) -> bool:
    """True when it is proven that the arrays outlive the loss of any one domain of that kind."""
    domains = {name for name in domain_names(disks, kind) if name is not None}
    proven = [each for each in certify(layout, disks) if each.kind == kind and each.verdict != "lost"]
    return bool(domains) and len(proven) == len(domains)
