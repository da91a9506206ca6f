"""Tests of raidtui/machine."""
