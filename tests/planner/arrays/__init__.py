"""Tests of raidtui/planner/arrays."""
