"""Faults on purpose: the matrix of 340 cases, and every crash point of four layouts."""
