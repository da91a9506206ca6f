"""Everything that can be asked of the hosts of a fleet, for a screen: disks, checks and builds."""
