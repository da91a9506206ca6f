"""Widgets and line builders shared by several screens. They import `terminal`, never a screen or a job."""
