"""Tests of raidtui/machine/inventory."""
