"""Tests of raidtui/tools."""
