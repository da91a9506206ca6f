"""A machine that is only a value, behind the ports of a real one: its md, programs, loads and clock."""
