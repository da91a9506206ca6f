"""Tests of raidtui/machine/run."""
