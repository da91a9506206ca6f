"""Tests of raidtui/machine/bench."""
