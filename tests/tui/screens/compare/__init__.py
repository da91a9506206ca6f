"""Tests of raidtui/tui/screens/compare."""
