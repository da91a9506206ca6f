"""Carries out a plan: the executor's process, its journal and lock, recovery after an interruption, and where runs are
kept. The only package that writes to disks.
"""
