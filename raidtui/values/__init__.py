"""Frozen values and their JSON: layout, design, disk, prediction, plan, run, bench, report; the options."""
