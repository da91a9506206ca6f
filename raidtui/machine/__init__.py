"""The only door to the world: reading programs, sysfs and devices."""
