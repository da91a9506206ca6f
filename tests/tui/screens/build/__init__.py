"""Tests of raidtui/tui/screens/build."""
