"""Tests of raidtui/tui/terminal."""
