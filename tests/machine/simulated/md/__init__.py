"""Tests of raidtui/machine/simulated/md."""
