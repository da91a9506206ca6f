"""Tests of raidtui/machine/simulated."""
