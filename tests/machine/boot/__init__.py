"""Tests of raidtui/machine/boot."""
