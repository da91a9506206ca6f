"""Ports to a machine: protocols and their values. No system call, and no import of another package of machine/."""
