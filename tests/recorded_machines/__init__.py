"""Machines that were recorded: what each answered (capture.json.gz) and the inventory that means (expected.json).

The expected inventories were read through by eye against what was set up; no program writes them.
"""
