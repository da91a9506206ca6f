"""Tests of raidtui."""
