"""Tests of raidtui/tui/screens/guide."""
