"""md of the simulated machine: superblocks, creation, syncs, sysfs, the output of mdadm and the kernel."""
