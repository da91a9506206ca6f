"""Tests of raidtui/tui/state."""
