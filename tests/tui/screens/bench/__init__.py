"""Tests of raidtui/tui/screens/bench."""
