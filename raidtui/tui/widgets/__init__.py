"""Widgets and lines that several screens use. They know terminal, never a screen or a job."""
