"""What holds a disk, what kind it is, and what drives of its family do."""
