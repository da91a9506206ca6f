"""Tests of raidtui/machine/trials."""
