"""Tests of raidtui."""

from raidtui.values.satellites import provide

provide("simulated", "raidtui.simulated")
