"""What a design will be on given disks: sizes, checks, placement, speed, risk. Pure; runs at every key."""
