"""Screen 1, Disks: inventory, topology, details of a disk."""
