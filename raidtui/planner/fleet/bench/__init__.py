"""A benchmark of many hosts: when each job begins, what the figures of all hosts come to, and its texts."""
