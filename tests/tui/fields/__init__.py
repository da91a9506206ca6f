"""Tests of raidtui/tui/fields."""
