"""Preflight: does a plan still fit this machine, and will the next boot assemble it? Uses compile and checks."""
