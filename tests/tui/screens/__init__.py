"""Tests of raidtui/tui/screens."""
