"""Tests of raidtui/machine/system."""
