"""Many hosts: folds alike machines, says what differs between them and since the last look."""
