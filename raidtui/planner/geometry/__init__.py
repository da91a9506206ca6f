"""Sizes to the byte: md, LVM, XFS and ext4. Uses nothing else of the planner but its root."""
