"""Tests of raidtui/tui/screens/design."""
