"""Tests of raidtui/tui/screens/disks."""
