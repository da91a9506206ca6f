"""Tests of raidtui/tui/screens/watch."""
