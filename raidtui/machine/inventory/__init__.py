"""Which disks a machine has: what they are, what is on them, what uses them, how they are attached. Reads only."""
