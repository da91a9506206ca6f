"""A benchmark of many hosts: the host's side of it, and the control host's view and files."""
