"""Tests of raidtui/tui/screens/arrays."""
