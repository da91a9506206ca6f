"""What the screens share: the session, the decision with its undo history, marks of disks."""
