"""Screens of `raidtui fleet show`: all hosts, and the disks and the build of one."""
