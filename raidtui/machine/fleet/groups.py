"""Node sets with the groups of the admin's ClusterShell configuration (groups.conf), which may run its commands."""

from __future__ import annotations

from raidtui.tools.nodeset import parse_nodeset


def hosts_of(text: str) -> tuple[str, ...]:
    """Hosts of a node set that may name groups, `@rack1`. Raises BadInput as `parse_nodeset` does."""
    from ClusterShell.NodeSet import std_group_resolver  # an extra, for these verbs only

    return parse_nodeset(text, resolver=std_group_resolver())
