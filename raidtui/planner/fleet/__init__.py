"""Many hosts: folds alike machines, says what differs between them; applies one recipe to all of them. Pure."""
