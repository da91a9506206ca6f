"""This machine behind the ports: its devices, programs, files and locks. Nothing here knows plans, runs or benchmarks;
it may use ports/, device_users/ and the floors below."""
