"""Tests of raidtui/machine/gauges."""
