"""What has to be shown before a run writes to a disk: that it is the disk meant, that its content is the plan's or
accepted, that nobody uses it, and what stands on it.
"""
