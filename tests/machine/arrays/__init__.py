"""Tests of raidtui/machine/arrays."""
