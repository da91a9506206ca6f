"""Tests of raidtui/tui/jobs."""
