"""Tries settings and faults on arrays of the plan, and takes every change back: tune, settings, drill."""
