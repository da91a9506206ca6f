"""From diskstats to rates, tables and slow disks. Uses nothing."""
