"""Editable fields of a design, and the questions that set them."""
