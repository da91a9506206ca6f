"""Disks of a machine: identity, content, users and attachment. Reads only."""
