"""Tests chunks and faults on arrays of a plan and reverts every change: tune, drill."""
