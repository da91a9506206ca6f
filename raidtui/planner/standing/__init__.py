"""What stands on what a plan made, and what that means for an undo."""
