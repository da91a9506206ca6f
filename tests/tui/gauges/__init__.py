"""Tests of raidtui/tui/gauges."""
