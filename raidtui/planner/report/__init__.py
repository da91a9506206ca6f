"""Acceptance reports: the report value, its document of blocks, its renderings. Uses measurement and text."""
