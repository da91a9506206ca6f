"""Live readings of disks and arrays, their recording. Reads only; uses ports and inventory."""
