"""Releases of Debian as whole systems, each with every kernel: what differs from what is predicted and promised."""
