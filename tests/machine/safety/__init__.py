"""Tests of raidtui/machine/safety."""
