"""Tests of raidtui/machine/bench/hosts."""
