"""Faults on purpose: the matrix of 444 cases, and every crash point of eleven layouts."""
