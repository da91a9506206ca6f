"""Checks before a run writes to a disk: its identity, that its content belongs to the plan or was accepted, that it is
unused, and a survey of what is on it.
"""
