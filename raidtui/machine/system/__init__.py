"""Implements the ports for this machine: devices, programs, files and locks. Independent of plans, runs and benchmarks;
may use ports/, device_users/ and the layers below."""
