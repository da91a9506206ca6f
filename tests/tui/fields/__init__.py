"""Tests of raidtui/session/fields."""
