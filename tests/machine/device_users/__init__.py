"""Tests of raidtui/machine/device_users."""
