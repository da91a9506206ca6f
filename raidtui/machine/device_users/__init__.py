"""Present users of a block device: processes and the kernel, also without exclusive access. Reads only."""
