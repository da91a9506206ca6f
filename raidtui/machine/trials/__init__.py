"""Tests settings and faults on arrays of a plan and reverts every change: tune, settings, drill."""
