"""Tests of raidtui/steps."""
