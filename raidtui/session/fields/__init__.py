"""Editable fields of a design, and what a typed value makes of it."""
