"""Tests of raidtui/machine/report."""
