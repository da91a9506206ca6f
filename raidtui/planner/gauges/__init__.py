"""Gauges: diskstats counters to rates, tables, JSON lines and slow disks. Reads no files. Uses the planner root."""
