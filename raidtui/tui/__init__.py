"""The Textual app; Textual lives on this floor and nowhere else."""
