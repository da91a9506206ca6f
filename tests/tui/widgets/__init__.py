"""Tests of raidtui/tui/widgets."""
