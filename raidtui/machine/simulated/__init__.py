"""Simulated machine: a stateful model of disks, md, LVM, file systems, boot and time; implements `Runner`."""
