"""Findings about a design. Uses geometry."""
