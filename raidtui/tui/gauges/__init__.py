"""The wall of live gauges: groups, layout, rows, history, drawing."""
