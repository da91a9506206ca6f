"""The only door to the world: inventory, arrays, users of devices, boot, system, gauges. Writes nothing to disks."""
