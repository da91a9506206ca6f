"""md of the simulated machine: superblocks, creation, syncs, sysfs, output of mdadm and the kernel."""
