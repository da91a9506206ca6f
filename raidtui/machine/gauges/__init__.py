"""Live readings of disks and arrays, their recording and playback. Reads only; uses ports and inventory."""
