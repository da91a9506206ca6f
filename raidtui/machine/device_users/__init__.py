"""Who uses a block device now: processes and the kernel, also without exclusive access. Reads only; uses the ports."""
