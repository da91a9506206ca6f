"""Runs a plan: the executor's process, its journal and lock, recovery after an interruption, and the runs'
directories. The only package that writes to disks.
"""
