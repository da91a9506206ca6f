"""Frozen values shared by all other packages; no behaviour beyond their own arithmetic.

Values are standard dataclasses, not pydantic models: the same schema and the same
strictness come from `codec`, which is loaded only where a file is read, so that a verb
that only prints never pays for it.
"""
