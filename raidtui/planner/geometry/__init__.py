"""Geometry: sizes to the byte of md, LVM, XFS and ext4, as their sources compute them. Uses the planner root."""
