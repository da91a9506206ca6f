"""State shared by the screens: the session, the decision with its undo history, marks of disks."""
