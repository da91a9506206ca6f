"""Tests of raidtui/tui/screens/commands."""
