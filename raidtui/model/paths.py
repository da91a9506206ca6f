"""Paths on a machine that its plans, their scripts and raidtui itself share."""

STATE_FOLDER = "/var/lib/raidtui"
"""what a run keeps: its log, saved signatures, configuration files as they were"""
LOCK_FILE = "/run/raidtui.lock"
"""the lock of the one run at a time"""
