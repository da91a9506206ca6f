"""Tests of raidtui/tui/screens/report."""
